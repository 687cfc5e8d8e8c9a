"""Metrics for which a tie is an answer: every observed pair counts, also one that the truth ties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, check_pair
from rankwise.metrics._kernels import count_pairs, count_ties


def tau_x(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Emond and Mason's tau: (pairs alike - pairs opposed) / observed pairs, from -1 to 1.

    A pair is alike where both rankings order it the same way or both tie it; where one ties what the
    other orders it speaks neither for nor against. It is 1 for equal rankings alone. Without ties it
    is Kendall's tau.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Pairs of labels that are observed in `Y_true` count.
    average : bool
        Return the mean over rows that have a counted pair, or one value per row (NaN without one).
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    References
    ----------
    Emond and Mason, A new rank correlation coefficient with application to the consensus ranking
    problem, Journal of Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    Tea first, coffee and water as good as each other; a strict answer cannot be wholly right:

    >>> tau_x([[1, 2, 2]], [[1, 2, 2]]), tau_x([[1, 2, 2]], [[1, 2, 3]])
    (1.0, 0.6666666666666666)
    """
    c = _count(Y_true, Y_pred)
    per_row = (c.concordant + c.both_tied - c.discordant) / c.observed
    return average_rows(per_row, average, sample_weight)


def tau_b(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Kendall's tau-b: (concordant - discordant) / the geometric mean of the pairs each one orders.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Pairs of labels that are observed in `Y_true` count.
    average : bool
        Return the mean over rows that order a pair, or one value per row (NaN where the truth orders
        none). A prediction that ties everything has 0: it says nothing.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> round(tau_b([[1, 2, 2]], [[1, 2, 3]]), 4)
    0.8165
    """
    c = _count(Y_true, Y_pred)
    ordered, said = c.observed - c.tied, c.observed - c.said_tied
    ordered[ordered == 0] = np.nan
    per_row = (c.concordant - c.discordant) / np.sqrt(ordered * np.maximum(said, 1))
    return average_rows(per_row, average, sample_weight)


def exact_match(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Fraction of rows predicted exactly: what is ordered in the same order, what is tied tied.

    This is the strict reading. Where a strict order of tied labels is right enough, take
    `compatible_match`. Without ties the two are the same.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Pairs of labels that are observed in `Y_true` count.
    average : bool
        As in `tau_x`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> exact_match([[1, 2, 3], [1, 2, 2]], [[1, 2, 3], [1, 2, 3]])
    0.5
    """
    c = _count(Y_true, Y_pred)
    is_same = np.where(np.isnan(c.observed), np.nan, c.concordant + c.both_tied == c.observed)
    return average_rows(is_same, average, sample_weight)


class _Counts(NamedTuple):
    observed: Matrix  # NaN where there are none
    concordant: Matrix
    discordant: Matrix
    tied: Matrix
    said_tied: Matrix
    both_tied: Matrix


def _count(Y_true: Any, Y_pred: Any) -> _Counts:
    true, pred = check_pair(Y_true, Y_pred)
    ordered = np.empty((3, len(true)), dtype=np.int64)
    count_pairs(true, pred, *ordered)
    ties = np.empty((4, len(true)), dtype=np.int64)
    count_ties(true, pred, *ties)
    observed = ties[0].astype(np.float64)
    observed[observed == 0] = np.nan
    return _Counts(observed, *ordered[1:].astype(np.float64), *ties[1:].astype(np.float64))
