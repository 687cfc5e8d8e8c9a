"""Cross-validation for the command line: a learner beside the consensus, fold by fold."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from rankwise._messages import IDLE_ROWS
from rankwise.cli._console import make_console, note
from rankwise.consensus import borda
from rankwise.datasets import Dataset
from rankwise.metrics import exact_match, kendall_tau, top_k_accuracy
from rankwise.rankings import RankingWarning

METRICS: dict[str, Callable[..., Any]] = {
    "tau": kendall_tau,
    "exact": exact_match,
    "top1": top_k_accuracy,
}
# Seconds before a bar is shown.
_PATIENCE = 2.0


@dataclass(frozen=True)
class Folds:
    """What a repeated cross-validation found.

    Attributes
    ----------
    scores : dict
        "prediction" and "floor" (the consensus) -> metric -> one value per fold and repetition.
    shares, ranks : ndarray
        Held-out predictions of the first repetition, one row per row of the data.
    test_share : float
        Rows of a test fold per row of its training rows.
    """

    scores: dict[str, dict[str, list[float]]]
    shares: np.ndarray
    ranks: np.ndarray
    test_share: float

    def summary(self, who: str, metric: str) -> dict[str, float | int | None]:
        """Mean, sd over folds, and a 95 % interval of the mean.

        The interval is Nadeau and Bengio's (2003): folds share their training rows, so that the
        spread of the mean is larger than sd / sqrt(number of folds).
        """
        values = np.array(self.scores[who][metric])
        values = values[np.isfinite(values)]
        n = len(values)
        if n == 0:
            return {"mean": None, "sd": None, "low": None, "high": None, "n": 0}
        mean = float(values.mean())
        if n == 1:
            return {"mean": mean, "sd": None, "low": None, "high": None, "n": 1}
        sd = float(values.std(ddof=1))
        half = float(student.ppf(0.975, n - 1)) * sd * math.sqrt(1 / n + self.test_share)
        return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half, "n": n}

    def summaries(self) -> dict[str, dict[str, dict[str, float | int | None]]]:
        """All summaries: who -> metric -> figures."""
        return {who: {m: self.summary(who, m) for m in METRICS} for who in self.scores}


def cross_validate(
    data: Dataset,
    make: Callable[[], Any],
    *,
    folds: int,
    repeats: int,
    seed: int,
    each_fold: Callable[[], None],
) -> Folds:
    """Fit and score on every fold; `each_fold` is called after each."""
    n, k = data.Y.shape
    scores: dict[str, dict[str, list[float]]] = {
        who: {metric: [] for metric in METRICS} for who in ("prediction", "floor")
    }
    shares, ranks = np.empty((n, k, k)), np.empty((n, k), dtype=np.int64)
    for repetition in range(repeats):
        fold = np.random.default_rng([seed, repetition]).permutation(n) % folds
        for f in range(folds):
            train, test = fold != f, fold == f
            with warnings.catch_warnings():
                # the final fit tells what is thin, once and about all rows
                warnings.simplefilter("ignore", RankingWarning)
                model = fit_ranker(make(), data, train)
            predicted = np.asarray(model.predict(data.X[test])).astype(np.int64)
            if repetition == 0:
                ranks[test], shares[test] = predicted, model.predict_pairwise(data.X[test])
            floor = np.tile(consensus_of(data, train), (int(test.sum()), 1))
            for who, Y in (("prediction", predicted), ("floor", floor)):
                for metric, function in METRICS.items():
                    scores[who][metric].append(float(function(data.Y[test], Y)))
            each_fold()
    return Folds(scores, shares, ranks, 1 / (folds - 1))


def fit_ranker(ranker: Any, data: Dataset, rows: Any = None) -> Any:
    """Fit to some rows, or to all with the names of features and labels; weights where there are any."""
    X, Y = (data.X[rows], data.Y[rows]) if rows is not None else _named(data)
    if data.weights is None:
        return ranker.fit(X, Y)
    # imported here: few files have weights
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(ranker, "sample_weight"):
        raise ValueError(
            f"the file has weights, which a {type(ranker).__name__} does not take; choose another "
            "--learner, or rename the column of weights"
        )
    weights = data.weights if rows is None else data.weights[rows]
    return ranker.fit(X, Y, sample_weight=weights)


def _named(data: Dataset) -> tuple[Any, Any]:
    import pandas as pd

    return (
        pd.DataFrame(data.X, columns=list(data.feature_names)),
        pd.DataFrame(data.Y, columns=list(data.label_names)),
    )


def consensus_of(data: Dataset, rows: Any = slice(None)) -> np.ndarray:
    """Return one Borda ranking for all rows: what can be said without features."""
    weights = None if data.weights is None else data.weights[rows]
    return np.asarray(borda(data.Y[rows], sample_weight=weights))


def useful_rows(data: Dataset) -> np.ndarray:
    """Tell which rows order at least two labels."""
    rising = np.sort(data.Y, axis=1)
    return np.asarray((rising[:, 1:] > rising[:, :-1]).any(axis=1))


def tell_idle_rows(data: Dataset, n_useful: int) -> None:
    """Say how many rows are left out, unless reading the file has said so."""
    is_said = any(getattr(remark, "code", "") == IDLE_ROWS for remark in data.notes)
    if n_useful < len(data) and not is_said:
        n_idle = len(data) - n_useful
        note(f"{n_idle} of {len(data)} rows order no two labels; they are left out")


def usable_rows(data: Dataset, folds: int) -> Dataset:
    """Leave out rows that order no two labels, and say so; refuse data that cannot be split."""
    if data.n_features == 0:
        raise ValueError(
            "the file has no column to learn from; name some in --features, or see `rankwise audit` "
            "for the consensus"
        )
    useful = useful_rows(data)
    n = int(useful.sum())
    tell_idle_rows(data, n)
    if n < max(2, folds):
        raise ValueError(
            f"rows that order two labels or more: {n}, too few for {folds} folds; add rows or choose "
            "fewer --folds"
        )
    if n == len(data):
        return data
    return Dataset(
        data.X[useful],
        data.Y[useful],
        feature_names=data.feature_names,
        label_names=data.label_names,
        weights=None if data.weights is None else data.weights[useful],
    )


@contextmanager
def progress_of_folds(total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each fold; shows a bar on terminals after two seconds."""
    if not sys.stderr.isatty() or total == 0:
        yield lambda: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    start, done, shown = time.monotonic(), 0, False
    bar = Progress(
        TextColumn("fold {task.completed} of {task.total}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=make_console(stderr=True),
        transient=True,
    )
    task = bar.add_task("folds", total=total)

    def advance() -> None:
        nonlocal done, shown
        done += 1
        bar.update(task, completed=done)
        if not shown and time.monotonic() - start > _PATIENCE:
            bar.start()
            shown = True

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
