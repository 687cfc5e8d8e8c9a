"""Where the time of a fit goes, and how far growing is from reading the data once per level."""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _tree_limits import boolean_problem, continuous_problem
from _tree_table import TreeBench

from rankwise.forest import ForestRanker

# Share of the rows that a bootstrap finds: what a node weighs counts a row as often as drawn.
DISTINCT = 1 - np.exp(-1)
AROUND = "around the kernels"

# Stage, module, name in it; an inner stage (a kernel) is taken out of the one around it.
STAGES = (
    ("checks", "rankwise.forest", "ForestRanker._check_fit"),
    ("targets", "rankwise.tree._base", "position_targets"),
    ("coding features", "rankwise.tree._base", "code_features"),
    ("bags", "rankwise.forest", "ForestRanker._bag"),
    ("statistics", "rankwise.engine._growing", "statistics"),
    (AROUND, "rankwise.engine._growing", "SampleGrower.breiman"),
    ("growing kernel", "rankwise.engine._growing", "grow_boolean"),
    ("growing kernel", "rankwise.engine._growing", "grow_histogram"),
    ("flattening", "rankwise.tree._base", "flatten"),
)


@dataclass
class Clock:
    """Seconds by stage, and how many rows reading the data once per level of a tree comes to."""

    now: Callable[[], float] = time.perf_counter
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    row_visits: float = 0.0
    stack: list[float] = field(default_factory=list)

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **options: Any) -> Any:
            self.stack.append(0.0)
            start = self.now()
            result = function(*args, **options)
            spent = self.now() - start
            self.seconds[stage] += spent - self.stack.pop()
            if self.stack:
                self.stack[-1] += spent
            if stage == AROUND:
                inner = result.feature >= 0
                self.row_visits += float(result.weight[inner].sum()) * DISTINCT
            return result

        return timed


@contextmanager
def stages_timed(clock: Clock) -> Iterator[None]:
    """Replace the functions of the stages by timed ones; one that has gone counts as its caller."""
    kept = []
    try:
        for stage, module, path in STAGES:
            *owners, name = path.split(".")
            owner: Any = importlib.import_module(module)
            for o in owners:
                owner = getattr(owner, o)
            if not hasattr(owner, name):
                continue
            own = name in vars(owner)
            kept.append((owner, name, getattr(owner, name), own))
            setattr(owner, name, clock.wrap(stage, getattr(owner, name)))
        yield
    finally:
        for owner, name, function, own in kept:
            setattr(owner, name, function) if own else delattr(owner, name)


def profile(bench: TreeBench, quick: bool) -> None:
    n = 1_800 if quick else 9_000
    memory = bandwidth(np.ones((2_560_000, 100), dtype=np.uint8))
    bench.report("bandwidth", f"memory is read at {memory:.1f} GB/s (256 MB)", gigabytes=memory)
    for name, (X, Y), bytes_per_row, trees in (
        ("SFN", boolean_problem(n, 100, 5), 16, 50),
        ("LFN", boolean_problem(n, 1000, 5), 128, 20),
        ("continuous, 20 features", continuous_problem(n, 20, 5), 40, 10),
    ):
        clock, total = best_profile(bench, X, Y, trees)
        spent = dict(clock.seconds) | {"all else": total - sum(clock.seconds.values())}
        text = ", ".join(f"{stage} {s / total:.1%}" for stage, s in spent.items())
        label = f"profile, {name}, {trees} trees"
        bench.report(label, f"{total:.3f} s: {text}", seconds=spent, total=total)
        kernel = clock.seconds["growing kernel"]
        rate = clock.row_visits * bytes_per_row / kernel / 1e9
        cached = bandwidth(np.ones((n, bytes_per_row), dtype=np.uint8))
        bench.report(
            label,
            f"growing does the work of reading the data once per level at {rate:.1f} GB/s: "
            f"{rate / memory:.2f} of memory speed, {rate / cached:.2f} of the speed of the cache that "
            f"holds this matrix ({cached:.1f} GB/s)",
            gigabytes=rate,
            of_memory=rate / memory,
            of_cache=rate / cached,
        )


def best_profile(
    bench: TreeBench, X: np.ndarray, Y: np.ndarray, trees: int, repeat: int = 3
) -> tuple[Clock, float]:
    """The stages of the fastest of several fits."""
    model = ForestRanker(trees, random_state=0)
    model.fit(X, Y)
    runs = []
    for _ in range(repeat):
        clock = Clock(bench.clock)
        with stages_timed(clock):
            runs.append((bench.timed(lambda: model.fit(X, Y))[0], clock))
    total, clock = min(runs, key=lambda run: run[0])
    return clock, total


def bandwidth(matrix: np.ndarray) -> float:
    """Gigabytes per second of a sum over the bytes, read eight at a time."""
    words = matrix.reshape(-1).view(np.uint64)
    loops = max(1, 50_000_000 // words.nbytes)

    def read() -> None:
        for _ in range(loops):
            words.sum()

    read()
    runs = []
    for _ in range(5):
        start = time.perf_counter()
        read()
        runs.append(time.perf_counter() - start)
    return words.nbytes * loops / min(runs) / 1e9


if __name__ == "__main__":
    raise SystemExit("run bench_trees.py --only profile")
