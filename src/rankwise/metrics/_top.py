"""Metrics of the first choice: how near the top is the best label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._parameters import check_integer
from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, check_pair
from rankwise.metrics._kernels import best_position


def top_k_accuracy(
    Y_true: Any, Y_pred: Any, *, k: int = 1, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Fraction of rows whose best label is predicted among the first `k`.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Positions are taken among the labels observed in `Y_true`. Where several labels are
        best, one of them suffices. A best label that `Y_pred` ties with others stands at their
        mean position: first of two tied labels is 1.5, which is not among the first 1.
    k : int
        Length of the top of the prediction, from 1 to the number of labels.
    average : bool
        As in `kendall_tau`; a row in which no two labels are strictly ordered is left out.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> top_k_accuracy([[1, 2, 3], [3, 1, 2]], [[2, 1, 3], [3, 1, 2]])
    0.5
    >>> top_k_accuracy([[1, 2, 3], [3, 1, 2]], [[2, 1, 3], [3, 1, 2]], k=2)
    1.0
    """
    position = _best_position(Y_true, Y_pred, k)
    hits = np.where(np.isnan(position), np.nan, position <= k)
    return average_rows(hits, average, sample_weight)


def reciprocal_rank(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """1 / predicted position of the best label; its mean over rows is the MRR.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks, read as in `top_k_accuracy`: of several best labels the one predicted first counts.
    average : bool
        As in `kendall_tau`; a row in which no two labels are strictly ordered is left out.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> reciprocal_rank([[1, 2, 3], [3, 1, 2]], [[2, 1, 3], [3, 1, 2]])
    0.75
    """
    return average_rows(1 / _best_position(Y_true, Y_pred), average, sample_weight)


def _best_position(Y_true: Any, Y_pred: Any, k: Any = 1) -> Matrix:
    true, pred = check_pair(Y_true, Y_pred)
    check_integer("k", k, 1, true.shape[1], why=" (no more than there are labels)")
    position = np.empty(len(true))
    best_position(true, pred, position)
    return position
