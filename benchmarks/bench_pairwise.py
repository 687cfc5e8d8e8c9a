"""`PairwiseRanker` with logistic regression against a plain double loop of scikit-learn fits.

Both do the same fits: what differs is sharing X, dispatch and the second core. Memory is what is
held at the peak beyond the fitted models, measured on fewer and on more labels.
"""

from __future__ import annotations

import warnings
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
        against_loop(bench, name, np.asarray(data.X, dtype=float), np.asarray(data.Y), repeat=3)
    X, Y = sixty_labels(5_000, 60)
    against_loop(bench, "oracle, 60 labels, 5,000 rows", X, Y, repeat=1)
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
    for n_jobs, goal in ((1, 1.0), (2, 1.7)):
        bench.compare(
            f"{name}, n_jobs={n_jobs}",
            lambda n_jobs=n_jobs: PairwiseRanker(MODEL, n_jobs=n_jobs).fit(X, Y),
            "double loop",
            lambda: double_loop(X, Y),
            goal=goal,
            repeat=repeat,
            note=note,
        )


def memory(bench: Bench) -> None:
    few, many = (
        peak_megabytes(lambda k=k: PairwiseRanker(MODEL).fit(*sixty_labels(2_000, k)))
        for k in (10, 40)
    )
    models = peak_megabytes(lambda: [double_loop(*sixty_labels(50, 40))])
    bench.add(
        "peak memory of a fit, 40 labels",
        many,
        "10 labels + models",
        few + models,
        unit="MB",
        note="780 pairs against 45",
    )


if __name__ == "__main__":
    main()
