"""One multiclass problem per position: which label stands there, which may, and the fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from rankwise._parallel import no_more_than
from rankwise.classifiers import (
    label_probabilities,
    one_thread_if_small,
    raise_naming,
    seeded_copies,
    take_rows,
)
from rankwise.rankings import check_true_positions

# rows, their labels, and weights or None
Problem = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None]

UNSEEN = -1
# A possible label counts in a fit if its share is at least this.
LEAST_SHARE = 1e-3


def labels_at_positions(ranks: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.int64]:
    """Return (n, k): the label at each position, -1 where it was not seen.

    Examples
    --------
    >>> labels_at_positions(np.array([[3.0, 1.0, np.nan]]), ["tea", "coffee", "water"])
    array([[ 1, -1,  0]])
    """
    n, k = ranks.shape
    check_true_positions(ranks, names)
    at = np.full((n, k), UNSEEN)
    rows, labels = np.nonzero(~np.isnan(ranks))
    at[rows, ranks[rows, labels].astype(np.int64) - 1] = labels
    return at


def possible_labels(at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return (n, position, label): the label seen there, or all that are seen nowhere in the row.

    Examples
    --------
    >>> possible_labels(np.array([[1, -1, -1]]))[0].astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [1, 0, 1]])
    """
    seen = at[:, :, None] == np.arange(at.shape[1])
    return seen | ((at == UNSEEN)[:, :, None] & ~seen.any(axis=1, keepdims=True))


def count_positions(
    at: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> NDArray[Any]:
    """Return (position, label): the rows, or their weight, that show the label there.

    Examples
    --------
    >>> count_positions(np.array([[1, -1], [1, 0]]))
    array([[0, 2],
           [1, 0]])
    """
    k = at.shape[1]
    return np.stack(
        [
            np.bincount(column[seen], None if weights is None else weights[seen], minlength=k)
            for column, seen in zip(at.T, at.T != UNSEEN, strict=True)
        ]
    )


def observed_problems(
    at: NDArray[np.int64], weights: NDArray[np.float64] | None = None, *, unseen_too: bool
) -> list[Problem]:
    """Return each position's problem: the rows that show its label, or all with -1 where unseen."""
    rows = [np.flatnonzero((column != UNSEEN) | unseen_too) for column in at.T]
    return [
        (r, column[r], None if weights is None else weights[r])
        for r, column in zip(rows, at.T, strict=True)
    ]


def coarse_problems(
    shares: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> list[Problem]:
    """Return each position's problem with every label that a row may hold, weighted by its share."""
    problems: list[Problem] = []
    for p in range(shares.shape[1]):
        rows, labels = np.nonzero(shares[:, p] >= LEAST_SHARE)
        share = shares[rows, p, labels]
        problems.append((rows, labels, share if weights is None else share * weights[rows]))
    return problems


def fit_positions(
    estimator: Any,
    X: Any,
    problems: Sequence[Problem],
    *,
    seeds: Sequence[int],
    n_jobs: int | None,
    keywords: Sequence[str] = (),
    self_training: int | None = None,
) -> list[Any]:
    """Fit a clone per position, None where fewer than two labels were seen."""
    return Parallel(n_jobs=no_more_than(len(problems), n_jobs))(
        delayed(_fit_position)(estimator, X, problem, p + 1, seed, keywords, self_training)
        for p, (problem, seed) in enumerate(zip(problems, seeds, strict=True))
    )


def _fit_position(
    estimator: Any,
    X: Any,
    problem: Problem,
    position: int,
    seed: int,
    keywords: Sequence[str],
    self_training: int | None,
) -> Any:
    rows, labels, weights = problem
    if len(np.unique(labels[labels != UNSEEN])) < 2:
        return None
    model = seeded_copies(estimator)(seed)
    if self_training is not None and (labels == UNSEEN).any():
        # imported here: importing the package must stay cheap
        from sklearn.semi_supervised import SelfTrainingClassifier

        model = SelfTrainingClassifier(model, max_iter=self_training)
    every_row = len(rows) == X.shape[0] and bool((np.diff(rows) == 1).all())
    features = X if every_row else take_rows(X, rows)
    try:
        with one_thread_if_small(X):
            return model.fit(features, labels, **dict.fromkeys(keywords, weights))
    except Exception as error:
        raise_naming(error, f"fitting position {position}", estimator)


def position_probabilities(model: Any, X: Any, position: int, n_labels: int) -> NDArray[np.float64]:
    """Return the probability of each label to stand at a position."""
    try:
        return label_probabilities(model, X, n_labels)
    except Exception as error:
        return raise_naming(error, f"predicting position {position}", model)
