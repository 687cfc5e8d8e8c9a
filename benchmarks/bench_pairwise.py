"""`PairwiseRanker` with logistic regression against a plain double loop of scikit-learn fits.

Both do the same fits: what differs is sharing X, dispatch and the second core.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

from _peers import Bench, peak_megabytes, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

from rankwise.datasets import load  # noqa: E402
from rankwise.oracles import (  # noqa: E402
    Oracle,
    SparseLinear,
    Survival,
    TruncatedGaussian,
    UniformFeatures,
)
from rankwise.pairwise import PairwiseRanker  # noqa: E402

MODEL = LogisticRegression(max_iter=1000)


def main() -> None:
    warnings.simplefilter("ignore")
    bench = Bench("pairwise, logistic regression, one thread per process")
    for name in ("vowel", "wisconsin"):
        data = load(name)
        against_loop(bench, name, np.asarray(data.X, dtype=float), np.asarray(data.Y), repeat=7)
    X, Y = sixty_labels(5_000, 60)
    against_loop(bench, "oracle, 60 labels, 5,000 rows", X, Y, repeat=2)
    memory(bench)
    bench.show()


def sixty_labels(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and rankings of which 70 % of the labels are observed."""
    oracle = Oracle(
        SparseLinear(10, k, 3),
        features=UniformFeatures(10),
        noise=TruncatedGaussian(0.05),
        mechanism=Survival(0.7),
    )
    X, Y = oracle.sample(n, random_state=0)
    return X, Y


def double_loop(X: np.ndarray, Y: np.ndarray) -> dict[tuple[int, int], Any]:
    models = {}
    for i, j in combinations(range(Y.shape[1]), 2):
        rows = (Y[:, i] < Y[:, j]) | (Y[:, i] > Y[:, j])
        before = (Y[rows, i] < Y[rows, j]).astype(int)
        if 0 < before.sum() < len(before):
            models[i, j] = clone(MODEL).fit(X[rows], before)
    return models


def against_loop(bench: Bench, name: str, X: np.ndarray, Y: np.ndarray, *, repeat: int) -> None:
    ours, theirs = PairwiseRanker(MODEL).fit(X, Y), double_loop(X, Y)
    gap = max(
        np.abs(model.predict_proba(X) - theirs[pair].predict_proba(X)).max()
        for pair, model in ours.estimators_.items()
    )
    note = f"{len(theirs):,} pairs; chances differ by at most {gap:.0e}"
    # on one core the time of the processor is the fair figure: the wall clock counts neighbours in
    alone, loop = cpu_seconds(
        lambda: PairwiseRanker(MODEL).fit(X, Y), lambda: double_loop(X, Y), repeat
    )
    bench.add(f"{name}, one core", alone, "double loop", loop, goal=1.0, note=f"CPU; {note}")
    bench.compare(
        f"{name}, two cores",
        lambda: PairwiseRanker(MODEL, n_jobs=2).fit(X, Y),
        "double loop",
        lambda: double_loop(X, Y),
        goal=1.7,
        repeat=repeat,
        note="wall clock; needs both cores idle",
    )


def cpu_seconds(
    ours: Callable[[], Any], theirs: Callable[[], Any], repeat: int
) -> tuple[float, float]:
    """Fewest seconds of each, taken in turn so that both meet the same neighbours."""
    runs: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for function, kept in zip((ours, theirs), runs, strict=True):
            start = time.process_time()
            function()
            kept.append(time.process_time() - start)
    return min(runs[0]), min(runs[1])


def memory(bench: Bench) -> None:
    X, Y = sixty_labels(5_000, 40)
    bench.add(
        "peak memory of a fit, 40 labels, 5,000 rows",
        peak_megabytes(lambda: PairwiseRanker(MODEL).fit(X, Y)),
        "double loop",
        peak_megabytes(lambda: double_loop(X, Y)),
        unit="MB",
        note="780 pairs, models included",
    )


if __name__ == "__main__":
    main()
