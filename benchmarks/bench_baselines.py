"""LRT, BoostLR and KNNKemeny against scikit-lr, scikit-learn, plain Python and a limit.

scikit-lr needs Python 3.13 or later: name an interpreter that has it in SCIKIT_LR_PYTHON. Without it
the tree is measured against the plain twin of the tests alone. Seconds are of the processor, because
peers run in a process of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _peers import Bench, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from sklearn.neighbors import KNeighborsRegressor  # noqa: E402

from rankwise.baselines import LRT, BoostLR, KNNKemeny  # noqa: E402
from rankwise.datasets import load  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from baselines import naive  # noqa: E402

SCIKIT_LR = """
import sys, time
import numpy as np
from sklr.tree import DecisionTreeLabelRanker
data = np.load(sys.argv[1])
runs = []
while sum(runs) < 0.5 or len(runs) < 5:
    start = time.process_time()
    DecisionTreeLabelRanker(min_samples_leaf=2, random_state=0).fit(data["X"], data["Y"])
    runs.append(time.process_time() - start)
print(min(runs))
"""


def main() -> None:
    warnings.simplefilter("ignore")
    bench = Bench("baselines, one thread, seconds of the processor")
    for name in ("iris", "glass", "vowel", "segment"):
        trees(bench, name)
    twin(bench)
    boosting(bench, "segment", 5.0)
    boosting(bench, "elevators", 27.0)
    for noise, n_neighbors in ((0.0, 10), (1.0, 5), (9.0, 10), (9.0, 5)):
        neighbours(bench, noise, n_neighbors)
    bench.show()


def trees(bench: Bench, name: str) -> None:
    X, Y = arrays(name)
    theirs = scikit_lr(X, Y)
    if theirs is None:
        return
    ours = cpu_seconds(lambda: LRT().fit(X, Y), at_least=0.5)
    bench.add(f"LRT fit, {name}", ours, "scikit-lr, its own process", theirs, goal=20)


def twin(bench: Bench) -> None:
    X, Y = arrays("wine")
    bench.add(
        "LRT fit, wine",
        cpu_seconds(lambda: LRT().fit(X, Y)),
        "plain Python",
        cpu_seconds(lambda: plain_tree(X.tolist(), Y.tolist()), repeat=1),
        goal=100,
    )


def boosting(bench: Bench, name: str, limit: float) -> None:
    X, Y = arrays(name)
    seconds = cpu_seconds(lambda: BoostLR(50, random_state=0).fit(X, Y), repeat=1)
    bench.add(f"BoostLR fit, 50 trees, {name}", seconds, "limit", limit, goal=1)


def neighbours(bench: Bench, noise: float, n_neighbors: int) -> None:
    """Rankings by 10 linear scores; with much noise and few neighbours most majorities cycle."""
    rng = np.random.default_rng(0)
    X, new = rng.random((10_000, 5)), rng.random((10_000, 5))
    scores = X @ rng.normal(size=(5, 10))
    scores += noise * scores.std() * rng.normal(size=scores.shape)
    Y = np.argsort(np.argsort(scores, axis=1), axis=1) + 1.0
    ours = KNNKemeny(n_neighbors=n_neighbors).fit(X, Y)
    theirs = KNeighborsRegressor(n_neighbors).fit(X, Y)
    bench.add(
        f"KNNKemeny predict, 10,000 rows, 10 labels, {n_neighbors} neighbours, noise {noise:g}",
        cpu_seconds(lambda: ours.predict(new), repeat=3),
        "KNeighborsRegressor",
        cpu_seconds(lambda: theirs.predict(new), repeat=3),
        goal=1 / 3,
    )


def arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return np.asarray(data.features, dtype=float), np.asarray(data.ranks).astype(np.int64)


def cpu_seconds(function: Callable[[], Any], *, repeat: int = 7, at_least: float = 0.0) -> float:
    """Fewest seconds of the processor, of runs that take some time together.

    All but a single run come after a warm-up.
    """
    if repeat > 1:
        function()
    runs: list[float] = []
    while len(runs) < repeat or sum(runs) < at_least:
        start = time.process_time()
        function()
        runs.append(time.process_time() - start)
    return min(runs)


def scikit_lr(X: np.ndarray, Y: np.ndarray) -> float | None:
    """Seconds of scikit-lr's tree, or None where no interpreter with it is named."""
    interpreter = os.environ.get("SCIKIT_LR_PYTHON")
    if not interpreter:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X, Y=Y)
        done = subprocess.run(
            [interpreter, "-c", SCIKIT_LR, str(path)], check=True, capture_output=True, text=True
        )
    return float(done.stdout.split()[-1])


def plain_tree(X: list[list[float]], Y: list[list[int]], min_leaf: int = 2) -> Any:
    """The tree of `LRT`, cut by cut with the twins of the tests."""
    weights = [1] * len(X)
    columns = [[row[j] for row in X] for j in range(len(X[0]))]
    cuts = [cut for x in columns for cut in naive.lrt_cuts(x, Y, weights, min_leaf)]
    if not cuts or all(row == Y[0] for row in Y):
        return naive.borda_of_comparisons(Y, weights)
    best = max(cuts, key=lambda cut: naive.lrt_goodness(Y, weights, cut))
    sides = []
    for side in (True, False):
        rows = [i for i, goes_left in enumerate(best) if goes_left == side]
        sides.append(plain_tree([X[i] for i in rows], [Y[i] for i in rows], min_leaf))
    return sides


if __name__ == "__main__":
    main()
