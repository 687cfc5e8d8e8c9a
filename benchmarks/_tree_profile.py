"""Where the time of a fit goes, stage by stage."""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _tree_problems import family, linear
from _tree_table import TreeBench

from rankwise.forest import ForestRanker

# Stage, module, name in it; an inner stage (a kernel) is taken out of the one around it.
STAGES = (
    ("checks", "rankwise.forest", "ForestRanker._check_fit"),
    ("targets", "rankwise.tree._base", "position_targets"),
    ("coding features", "rankwise.tree._base", "code_features"),
    ("bags", "rankwise.engine", "Bags.draw"),
    ("statistics", "rankwise.engine._growing", "statistics"),
    ("around the kernels", "rankwise.engine._growing", "SampleGrower.breiman"),
    ("growing kernel", "rankwise.engine._growing", "grow_boolean"),
    ("growing kernel", "rankwise.engine._growing", "grow_one_target"),
    ("growing kernel", "rankwise.engine._growing", "grow_many_targets"),
    ("growing kernel", "rankwise.engine._growing", "grow_random"),
    ("flattening", "rankwise.tree._base", "flatten"),
)


@dataclass
class Clock:
    """Seconds by stage."""

    now: Callable[[], float] = time.perf_counter
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
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
                owner = getattr(owner, o, None)
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
    for name, problem, trees in (
        ("SFN", family("SFN", n), 50),
        ("LFN", family("LFN", n), 20),
        ("continuous, 20 features", linear("continuous", n, 20, 5), 10),
    ):
        clock, total = best_profile(bench, problem.X, problem.Y, trees)
        spent = dict(clock.seconds) | {"all else": total - sum(clock.seconds.values())}
        text = ", ".join(f"{stage} {s / total:.1%}" for stage, s in spent.items())
        label = f"profile, {name}, {trees} trees"
        bench.report(label, f"{total:.3f} s: {text}", seconds=spent, total=total)


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


if __name__ == "__main__":
    raise SystemExit("run bench_trees.py --only profile")
