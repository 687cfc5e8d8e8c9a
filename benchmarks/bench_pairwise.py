"""`PairwiseRanker` with logistic regression against a plain double loop of scikit-learn fits.

Both do the same fits: what differs is copies of the classifier, checks, dispatch and the second core.
One core is compared by processor time, which neighbours disturb little; two cores by the wall clock,
which needs both of them idle: the last row says whether they were.
"""

from __future__ import annotations

import os
import time
import warnings
from itertools import combinations
from typing import Any

from _peers import Bench, in_turn, peak_megabytes, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from joblib import Parallel, delayed  # noqa: E402
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
        against_loop(
            bench, name, np.asarray(data.features, dtype=float), np.asarray(data.ranks), repeat=7
        )
    X, Y = sixty_labels(5_000, 60)
    against_loop(bench, "oracle, 60 labels, 5,000 rows", X, Y, repeat=2)
    memory(bench)
    share_of_two_cores(bench)
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

    def loop() -> Any:
        return double_loop(X, Y)

    alone = in_turn(lambda: PairwiseRanker(MODEL).fit(X, Y), loop, time.process_time, repeat)
    bench.add(f"{name}, one core", alone[0], "double loop", alone[1], goal=1.0, note=f"CPU; {note}")
    both = in_turn(
        lambda: PairwiseRanker(MODEL, n_jobs=2).fit(X, Y), loop, time.perf_counter, repeat
    )
    bench.add(f"{name}, two cores", both[0], "double loop", both[1], goal=1.7, note="wall clock")


def share_of_two_cores(bench: Bench) -> None:
    """Two processes at work against one after the other: 2 where both cores are free."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 10)), rng.integers(2, size=500)
    with Parallel(n_jobs=2) as parallel:

        def together() -> Any:
            return parallel([delayed(many_fits)(X, y), delayed(many_fits)(X, y)])

        def one_by_one() -> Any:
            return many_fits(X, y), many_fits(X, y)

        figures = in_turn(together, one_by_one, time.perf_counter, 5)
    load = f"load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    bench.add(
        "what two cores give at most",
        figures[0],
        "one core",
        figures[1],
        note=f"wall clock; {load}",
    )


def many_fits(X: np.ndarray, y: np.ndarray) -> list[Any]:
    return [clone(MODEL).fit(X, y) for _ in range(200)]


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
