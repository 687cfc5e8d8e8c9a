"""Limits without a peer: how time grows, how much memory a fit takes, how long the first one takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _tree_problems import linear
from _tree_table import TreeBench
from _tree_work import rows_of_nodes

from rankwise.forest import ForestRanker

# The largest factor by which time may grow when one size doubles.
GROWTH_LIMIT = 2.3
COLD_LIMIT, WARM_LIMIT = 15.0, 1.0
# Kind, features, and most seconds by decomposition.
MILLION = 1_000_000
MILLION_LIMITS = (
    ("continuous", 20, {"labelwise": 120, "joint": 60}),
    ("yes/no", 100, {"labelwise": 15, "joint": 12}),
)
MILLION_MEGABYTES = 3000


def growth(bench: TreeBench, quick: bool) -> None:
    for kind, base in (
        ("yes/no", {"n": 9_000, "d": 100, "k": 5, "trees": 10}),
        ("continuous", {"n": 4_000, "d": 10, "k": 5, "trees": 5}),
    ):
        if quick:
            base = base | {"n": base["n"] // 4}
        once = Fitting(kind, **base)
        for size in base:
            doubled = base | {size: 2 * base[size]}
            twice = Fitting(kind, **doubled)
            # in turn, since the pace of a machine changes by the second
            pairs = np.array(
                [[bench.timed(fit)[0] for fit in (once, twice)] for _ in range(5 if quick else 25)]
            )
            seconds = np.median(pairs, axis=0)
            bench.limit(
                f"growth, {kind}, {size} {base[size]:,} to {doubled[size]:,}",
                float(np.median(pairs[:, 1] / pairs[:, 0])),
                GROWTH_LIMIT,
                unit="times",
                note=f"{seconds[0]:.3f} s to {seconds[1]:.3f} s; row visits "
                f"{twice.visits() / once.visits():.2f}, cuts {twice.cuts() / once.cuts():.2f} times",
            )


class Fitting:
    """A forest on a problem of some size: called, it fits anew."""

    def __init__(self, kind: str, n: int, d: int, k: int, trees: int) -> None:
        self.X, self.Y, _ = linear(kind, n, d, k)
        self.model = ForestRanker(trees, random_state=0)
        self()

    def __call__(self) -> None:
        self.model.fit(self.X, self.Y)

    def cuts(self) -> int:
        """How many nodes were cut: what a label asks for, whatever the program."""
        return int((self.model._trees.feature >= 0).sum())

    def visits(self) -> int:
        """How many rows a cut looked at, over all of them."""
        trees = self.model._trees
        return int(rows_of_nodes(trees, self.X)[trees.feature >= 0].sum())


def million(bench: TreeBench, quick: bool) -> None:
    """A million rows on two cores, a process for each so that memory is its own."""
    n = MILLION // 20 if quick else MILLION
    for kind, d, limits in MILLION_LIMITS:
        for decomposition, limit in limits.items():
            found = child("million", n, kind, decomposition)
            work = f"{decomposition}, {n:,} x {d} {kind}, 10 labels, 10 trees, two cores"
            bench.limit(work, found["seconds"], limit, tau=found["tau"])
            bench.limit(
                f"peak memory: {work}", found["peak"], MILLION_MEGABYTES, unit="MB",
                note=f"{found['before']:.0f} MB with the data made",
            )  # fmt: skip
            if "peer_seconds" in found:
                bench.record(
                    f"{work}, by one tree", found["seconds"], "RandomForestRegressor, all labels",
                    found["peer_seconds"] * 10 / 2, tau=found["tau_of_one"],
                    peer_tau=found["peer_tau"], error=found["error"],
                    note="peer: 1 of 10 trees, scaled, halved for two cores; tau of one tree",
                )  # fmt: skip


def start_up(bench: TreeBench, quick: bool) -> None:
    key = "cpu_seconds" if bench.clock is time.process_time else "seconds"
    for kind in ("yes/no", "continuous", "incomplete", "gaps, weights, ties"):
        with tempfile.TemporaryDirectory() as cache:
            cold, *again = (
                child("start", 500, kind, NUMBA_CACHE_DIR=cache)[key]
                for _ in range(2 if quick else 4)
            )
        bench.limit(f"first fit ever, {kind}", cold, COLD_LIMIT)
        bench.limit(f"first fit of a process, {kind}", min(again), WARM_LIMIT)


def child(task: str, size: int, *words: str, **environment: str) -> dict[str, Any]:
    """Run one task of `_tree_children.py` in a new process."""
    script = Path(__file__).with_name("_tree_children.py")
    done = subprocess.run(
        [sys.executable, str(script), task, str(size), *words],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
