"""Metrics of positions: Spearman's distance and rho, the footrule.

The position of a label is 1 + the labels before it + half the labels tied with it, among the labels
observed in the truth. In the prediction a pair that the truth ties counts a half on both sides, so
that a prediction which only refines a tied truth is at distance 0. For complete rankings without
ties these are the usual definitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, check_pair
from rankwise.metrics._kernels import balances


def spearman_distance(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Sum of squared differences of positions (the paper's d_2).

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Positions are taken among the labels observed in `Y_true`, tied labels share their
        mean position, and pairs tied in `Y_true` do not count.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> spearman_distance([[1, 2, 3]], [[3, 2, 1]])
    8.0
    >>> spearman_distance([[1, 2, 2]], [[1, 2, 3]])
    0.0
    """
    true, pred = _balances(Y_true, Y_pred)
    difference = true - pred
    squares = _row_products(difference, difference) / 4
    return average_rows(_where_ordered(true, squares), average, sample_weight)


def footrule_distance(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Spearman's footrule: sum of absolute differences of positions.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks, read as in `spearman_distance`.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> footrule_distance([[1, 2, 3]], [[3, 2, 1]])
    4.0
    """
    true, pred = _balances(Y_true, Y_pred)
    lengths = np.abs(true - pred).sum(axis=1) / 2
    return average_rows(_where_ordered(true, lengths), average, sample_weight)


def spearman_rho(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Spearman's rho: correlation of positions, from -1 (reversed) to 1 (equal).

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks, read as in `spearman_distance`. A prediction that ties all labels has rho 0.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> spearman_rho([[1, 2, 3]], [[2, 1, 3]])
    0.5
    """
    true, pred = _balances(Y_true, Y_pred)
    cross = _row_products(true, pred)
    scale = np.sqrt(_row_products(true, true) * _row_products(pred, pred))
    rho = np.divide(cross, scale, out=np.zeros_like(cross), where=scale > 0)
    return average_rows(_where_ordered(true, rho), average, sample_weight)


def _balances(Y_true: Any, Y_pred: Any) -> tuple[Matrix, Matrix]:
    true, pred = check_pair(Y_true, Y_pred)
    true_balance, pred_balance = np.empty_like(true), np.empty_like(pred)
    balances(true, pred, true_balance, pred_balance)
    return true_balance, pred_balance


def _row_products(a: Matrix, b: Matrix) -> Matrix:
    return np.einsum("ij,ij->i", a, b)


def _where_ordered(true_balance: Matrix, per_row: Matrix) -> Matrix:
    """Put NaN in rows where the truth orders no pair: there all balances are 0."""
    return np.where(true_balance.any(axis=1), per_row, np.nan)
