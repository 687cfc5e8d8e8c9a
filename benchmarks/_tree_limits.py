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
from _tree_table import TreeBench

from rankwise.forest import ForestRanker
from rankwise.oracles import Oracle, SparseLinear, TruncatedGaussian
from rankwise.rankings import ranks_from_scores

# The largest factor by which time may grow when one size doubles.
GROWTH_LIMIT = 2.3
COLD_LIMIT, WARM_LIMIT = 15.0, 1.0


def growth(bench: TreeBench, quick: bool) -> None:
    for kind, base in (
        ("Boolean", {"n": 9_000, "d": 100, "k": 5, "trees": 10}),
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
            bench.record(
                f"growth, {kind}, {size} {base[size]:,} to {doubled[size]:,}",
                float(np.median(pairs[:, 1] / pairs[:, 0])),
                "limit",
                GROWTH_LIMIT,
                goal=1,
                unit="times",
                note=f"{seconds[0]:.3f} s to {seconds[1]:.3f} s; row visits "
                f"{twice.visits() / once.visits():.2f}, cuts {twice.cuts() / once.cuts():.2f} times",
            )


class Fitting:
    """A forest on a problem of some size: called, it fits anew."""

    def __init__(self, kind: str, n: int, d: int, k: int, trees: int) -> None:
        problem = boolean_problem if kind == "Boolean" else continuous_problem
        self.X, self.Y = problem(n, d, k)
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
        rows = np.zeros(len(trees.feature), dtype=np.int64)
        for leaves in trees.leaves(self.X):
            rows += np.bincount(leaves, minlength=len(rows))
        for node in np.flatnonzero(trees.feature >= 0)[::-1]:
            rows[node] = rows[trees.left[node]] + rows[trees.left[node] + 1]
        return int(rows[trees.feature >= 0].sum())


def boolean_problem(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    oracle = Oracle(SparseLinear(d, k, 10, random_state=0), noise=TruncatedGaussian(0.05))
    X, Y = oracle.sample(n, random_state=1)
    return X, Y


def continuous_problem(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    scores = X @ rng.normal(size=(d, k)) + 0.2 * rng.normal(size=(n, k))
    return X, ranks_from_scores(scores)


def memory(bench: TreeBench, quick: bool) -> None:
    n = 100_000 if quick else 1_000_000
    found = child("memory", n)
    bench.record(
        f"peak memory, joint, 10 trees, {n:,} x 100 Boolean",
        found["peak"],
        "limit",
        4 * n * 100 / 1e6 + 1000,
        goal=1,
        unit="MB",
        note=f"{found['before']:.0f} MB with the data made, so {found['peak'] - found['before']:.0f}"
        f" MB for the fit, which took {found['seconds']:.1f} s",
    )


def start_up(bench: TreeBench, quick: bool) -> None:
    key = "cpu_seconds" if bench.clock is time.process_time else "seconds"
    for kind in ("boolean", "continuous"):
        with tempfile.TemporaryDirectory() as cache:
            cold, *again = (
                child(kind, 500, NUMBA_CACHE_DIR=cache)[key] for _ in range(2 if quick else 4)
            )
        bench.record(f"first fit ever, {kind}", cold, "limit", COLD_LIMIT, goal=1)
        bench.record(f"first fit of a process, {kind}", min(again), "limit", WARM_LIMIT, goal=1)


def child(task: str, size: int, **environment: str) -> dict[str, Any]:
    """Run one task of `_tree_children.py` in a new process."""
    script = Path(__file__).with_name("_tree_children.py")
    done = subprocess.run(
        [sys.executable, str(script), task, str(size)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
