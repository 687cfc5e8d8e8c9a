"""The one gate through which rankings enter the package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._tables import EXACT_LIMIT, read_numbers
from rankwise._wording import first_fault, label_text, more_text, number_text, row_text
from rankwise.rankings._labels import check_labels, label_names


class RankingWarning(UserWarning):
    """Rankings were accepted, but some of them carry no information."""


def check_rankings(
    Y: Any,
    *,
    allow_missing: bool = True,
    allow_ties: bool = True,
    labels: Sequence[Any] | None = None,
    name: str = "Y",
    taker: str | None = None,
    warn: bool = True,
) -> NDArray[np.float64]:
    """Return rankings as a float64 matrix of positions, or raise an error that says what is wrong.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        ``Y[i, j]`` is the position of label j in row i, 1 = most preferred. NaN (or None, NA,
        a masked cell) = not observed, equal = tied. Only the order within a row matters: gaps
        and fractions are fine.
    allow_missing, allow_ties : bool
        Whether labels may be unobserved, or tied.
    labels : sequence, optional
        Label names for error messages; by default the columns of a DataFrame.
    name : str
        What to call `Y` in error messages.
    taker : str, optional
        Who takes no missing or tied labels, for the same.
    warn : bool
        Whether to give a `RankingWarning` about rows with fewer than two observed labels.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        C-contiguous. It is `Y` itself where `Y` has this form already: do not write to it.

    Raises
    ------
    ValueError
        Where a cell is no rank, or is missing or tied and must not be; it names row, label and remedy.
    TypeError
        Where `Y` is no table.

    Notes
    -----
    A permutation looks the same whether it holds positions or an order. If ``Y[i, p]`` is the label
    at position p, use `ranks_from_orders`.

    Examples
    --------
    >>> check_rankings([[1, 2, 3], [2, 1, None]])
    array([[ 1.,  2.,  3.],
           [ 2.,  1., nan]])
    >>> check_rankings([[0, 1, 2]], labels=["tea", "coffee", "water"])
    Traceback (most recent call last):
    ValueError: Y, row 0: label 'tea' has rank 0; ranks start at 1: add 1 if yours start at 0, ...
    """
    names = label_names(Y) if labels is None else check_labels(labels)
    array = read_numbers(Y, name=name, column_text=lambda j: label_text(j, names))
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(
            f"{name} has {array.shape[1]} columns but {len(names)} labels are named; "
            "give one name per column"
        )
    ranks = np.ascontiguousarray(array, dtype=np.float64)
    low, high = ranks.min(), ranks.max()
    if not (low >= 1 and high < EXACT_LIMIT):
        _check_values(ranks, array, Y, name, names)
        if np.isnan(low):
            _check_missing(ranks, Y, name, names, allow_missing, warn)
    if not allow_ties:
        _check_ties(ranks, Y, name, names, allow_missing, taker)
    return ranks


def _check_values(
    ranks: np.ndarray, array: np.ndarray, Y: Any, name: str, labels: Sequence[Any] | None
) -> None:
    fault = first_fault((ranks < 1) | (ranks >= EXACT_LIMIT))
    if fault is not None:
        i, j, more = fault
        raise ValueError(
            f"{name}, {row_text(Y, i)}: {label_text(j, labels)} has rank "
            f"{number_text(array[i, j])}; {_remedy(ranks[i, j])}{more}"
        )


def _remedy(rank: float) -> str:
    if np.isinf(rank):
        return (
            "ranks are finite; use NaN for a missing label, or equal last ranks for labels tied at "
            "the bottom"
        )
    if rank >= EXACT_LIMIT:
        return "ranks above 2**53 cannot be told apart; if these are scores, use ranks_from_scores"
    if rank < 0 or rank != int(rank):
        scores = "if these are scores, use ranks_from_scores"
        return f"ranks start at 1; use NaN for a missing label; {scores}"
    return (
        "ranks start at 1: add 1 if yours start at 0, or use ranks_from_orders if these are orders"
    )


def _check_missing(
    ranks: np.ndarray,
    Y: Any,
    name: str,
    labels: Sequence[Any] | None,
    allow_missing: bool,
    warn: bool,
) -> None:
    n_rows, n_labels = ranks.shape
    cells = np.flatnonzero(np.isnan(ranks))
    n_missing = np.bincount(cells // n_labels, minlength=n_rows)
    if not allow_missing:
        i, j = divmod(int(cells[0]), n_labels)
        more = more_text(int(np.count_nonzero(n_missing)))
        raise ValueError(
            f"{name}, {row_text(Y, i)}: {label_text(j, labels)} is missing, and every label must "
            f"be ranked here; drop incomplete rows or fill them{more}"
        )
    idle = np.flatnonzero(n_missing > n_labels - 2)
    if warn and idle.size:
        warnings.warn(
            f"{name}: {idle.size} of {n_rows} rows (first: {row_text(Y, int(idle[0]))}) rank fewer "
            "than two labels; they carry no comparison and teach nothing",
            RankingWarning,
            stacklevel=3,
        )


def _check_ties(
    ranks: np.ndarray,
    Y: Any,
    name: str,
    labels: Sequence[Any] | None,
    allow_missing: bool,
    taker: str | None,
) -> None:
    in_order = np.sort(ranks, axis=1)
    rows = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
    if not rows.size:
        return
    i = int(rows[0])
    values, counts = np.unique(ranks[i], return_counts=True, equal_nan=False)
    first, second = np.flatnonzero(ranks[i] == values[counts > 1][0])[:2]
    why = f"{taker} takes no ties" if taker else "ties are not allowed here"
    or_missing = ", or set one of the labels to NaN (not observed)" if allow_missing else ""
    raise ValueError(
        f"{name}, {row_text(Y, i)}: {label_text(first, labels)} and {label_text(second, labels)} "
        f"are tied at rank {number_text(ranks[i, first])}, and {why}; "
        f"break them{or_missing}{more_text(rows.size)}"
    )
