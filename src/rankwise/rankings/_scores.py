"""Scores and ranks: the best score stands first, equal scores are tied."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._cells import framed_like, read_numbers
from rankwise._naming import label_text
from rankwise._parameters import check_flag, check_number
from rankwise.rankings._labels import label_names


@check_arguments
def ranks_from_scores(scores: Any, higher_is_better: bool = True, *, within: float = 0.0) -> Any:
    """Turn one score per label into ranks.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_labels)
        NaN = not observed, equal = tied. Infinite scores are ordinary values that sort before or
        after all others, such as ``inf`` for a run that timed out; several of them are tied.
    higher_is_better : bool
        False where low values are preferred, such as runtimes.
    within : float
        Differences up to this are ties, as those inside the noise are: the best label is tied with
        all that are within reach of it, the best of the others with all within reach of that one,
        and so on.

    Returns
    -------
    ndarray or DataFrame of shape (n_samples, n_labels)
        Dense ranks: 1, 2, 2, 3. A DataFrame, of pandas or polars, gives a DataFrame with the same index
        and columns.

    Examples
    --------
    >>> ranks_from_scores([[0.9, 0.5, 0.5], [0.1, 0.7, float("nan")]])
    array([[ 1.,  2.,  2.],
           [ 2.,  1., nan]])
    >>> ranks_from_scores([[74.0, 73.0, 71.5, 40.0]], within=2.0)
    array([[1., 1., 2., 3.]])
    """
    within = check_number("within", within)
    higher_is_better = check_flag("higher_is_better", higher_is_better)
    labels = label_names(scores)
    numbers = read_numbers(
        scores, name="scores", column_text=lambda j: label_text(j, labels), allow_bool=True
    )
    if within:
        return framed_like(scores, _ranks_within(numbers, within, higher_is_better))
    return framed_like(scores, dense_ranks(numbers, descending=higher_is_better))


def dense_ranks(numbers: np.ndarray, *, descending: bool = False) -> np.ndarray:
    """Rank each row of a matrix, NaN staying NaN; integers are compared exactly."""
    order = np.argsort(numbers, axis=1, kind="stable")
    in_order = np.take_along_axis(numbers, order, axis=1)
    dense = np.ones(numbers.shape)
    np.cumsum(in_order[:, 1:] != in_order[:, :-1], axis=1, out=dense[:, 1:])
    dense[:, 1:] += 1
    missing = in_order != in_order
    dense[missing] = np.nan
    if descending:
        # Not by negating: unsigned and smallest integers have no negative.
        top = np.where(missing, 0, dense).max(axis=1, keepdims=True)
        dense = top + 1 - dense
    ranks = np.empty(numbers.shape)
    np.put_along_axis(ranks, order, dense, axis=1)
    return ranks


def _ranks_within(numbers: np.ndarray, within: float, descending: bool) -> np.ndarray:
    """Rank each row from its best number on; a group ends where a number is out of its best's reach."""
    costs = -numbers.astype(np.float64) if descending else numbers.astype(np.float64)
    order = np.argsort(costs, axis=1, kind="stable")
    in_order = np.take_along_axis(costs, order, axis=1)
    best, rank = in_order[:, 0].copy(), np.ones(len(costs))
    dense = np.ones(costs.shape)
    for p in range(1, costs.shape[1]):
        # Two equal infinities are no number apart: they are tied.
        with np.errstate(invalid="ignore"):
            begins = in_order[:, p] - best > within
        best[begins] = in_order[begins, p]
        rank += begins
        dense[:, p] = rank
    dense[np.isnan(in_order)] = np.nan
    ranks = np.empty(costs.shape)
    np.put_along_axis(ranks, order, dense, axis=1)
    return ranks
