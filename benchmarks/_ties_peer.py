"""scikit-lr's part of `ties.py`, on a Python of its own (it needs 3.13); and what both parts share.

    .venv-scikit-lr/bin/python benchmarks/_ties_peer.py FOLDER

Reads the problems that `ties.py` wrote to the folder, a file for each set with features, rankings and the
fold of each row, and writes what scikit-lr predicts for every row when it is left out, and its times. What
stands there already is not done again.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

CRITERIA = ("entropy", "disagreements", "distance")
NEIGHBOURS = (5, 15)
# Chance decides between equal cuts: trees are judged by the mean over a few seeds.
SEEDS = (0, 1, 2)
# A fit is timed again until so much processor time is used, and the fastest counts.
TIMED = 0.3


def folds_of(
    X: np.ndarray, fold: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield of every fold the features, scaled by its training rows, and who trains and tests."""
    for number in np.unique(fold):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        spread = X[train].std(axis=0)
        yield (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0), train, test


def predict_all(
    make: Callable[[], Any], X: np.ndarray, Y: np.ndarray, fold: np.ndarray
) -> np.ndarray:
    """What a ranker predicts for every row when its fold is left out."""
    predicted = np.empty(Y.shape)
    for features, train, test in folds_of(X, fold):
        predicted[test] = make().fit(features[train], Y[train]).predict(features[test])
    return predicted


def seconds_of_fit(make: Callable[[], Any], X: np.ndarray, Y: np.ndarray) -> float:
    """Processor time of one fit, after a first one that does not count."""
    make().fit(X, Y)
    fastest, used = np.inf, 0.0
    while used < TIMED:
        start = time.process_time()
        make().fit(X, Y)
        taken = time.process_time() - start
        fastest, used = min(fastest, taken), used + taken
    return fastest


def times_of_trees(
    make: Callable[[str], Any], X: np.ndarray, Y: np.ndarray, fold: np.ndarray
) -> dict[str, float]:
    """Seconds of a fit to the training rows of the first fold, by criterion."""
    features, train, _ = next(folds_of(X, fold))
    return {
        criterion: seconds_of_fit(lambda c=criterion: make(c), features[train], Y[train])
        for criterion in CRITERIA
    }


def main() -> None:
    from sklr.neighbors import KNeighborsPartialLabelRanker
    from sklr.tree import DecisionTreePartialLabelRanker

    folder = Path(sys.argv[1])
    for path in sorted(folder.glob("*.problem.npz")):
        name = path.name.removesuffix(".problem.npz")
        if (folder / f"{name}.their-times.json").exists():
            continue
        with np.load(path) as problem:
            X, Y, folds = problem["X"], problem["Y"].astype(np.int64), problem["folds"]
        found = {}
        for repetition, fold in enumerate(folds):
            for criterion in CRITERIA:
                for seed in SEEDS:
                    found[f"tree {criterion} {seed} {repetition}"] = predict_all(
                        lambda c=criterion, s=seed: DecisionTreePartialLabelRanker(
                            criterion=c, random_state=s
                        ),
                        X, Y, fold,
                    )  # fmt: skip
            for n in NEIGHBOURS:
                found[f"neighbours {n} {repetition}"] = predict_all(
                    lambda n=n: KNeighborsPartialLabelRanker(n), X, Y, fold
                )
        times = times_of_trees(
            lambda c: DecisionTreePartialLabelRanker(criterion=c, random_state=0), X, Y, folds[0]
        )
        np.savez(folder / f"{name}.found.npz", **found)
        # last: a set that has it is done
        (folder / f"{name}.their-times.json").write_text(json.dumps(times))
        print(f"scikit-lr: {name}", flush=True)


if __name__ == "__main__":
    main()
