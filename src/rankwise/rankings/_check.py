"""The one gate through which rankings enter the package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import EXACT_LIMIT, read_numbers
from rankwise._naming import first_fault, label_text, number_text, row_text
from rankwise._parameters import check_flag
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
    check_flag("allow_missing", allow_missing)
    check_flag("allow_ties", allow_ties)
    check_flag("warn", warn)
    names = label_names(Y) if labels is None else check_labels(labels)
    array = read_numbers(Y, name=name, column_text=lambda j: label_text(j, names))
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(
            f"{name} has {array.shape[1]} columns but {len(names)} labels are named; "
            "give one name per column"
        )

    def cell(i: int, j: int) -> str:
        return f"{name}, {row_text(Y, i)}: {label_text(j, names)}"

    ranks = np.ascontiguousarray(array, dtype=np.float64)
    low, high = ranks.min(), ranks.max()
    if not (low >= 1 and high < EXACT_LIMIT):
        fault = first_fault((ranks < 1) | (ranks >= EXACT_LIMIT))
        if fault is not None:
            i, j, more = fault
            rank, remedy = number_text(array[i, j]), _remedy(ranks[i, j])
            raise ValueError(f"{cell(i, j)} has rank {rank}; {remedy}{more}")
        fault = None if allow_missing else first_fault(np.isnan(ranks))
        if fault is not None:
            i, j, more = fault
            raise ValueError(
                f"{cell(i, j)} is missing, and every label must be ranked here; drop incomplete "
                f"rows or fill them{more}"
            )
        if warn and np.isnan(low):
            _warn_of_idle_rows(ranks, Y, name)
    if not allow_ties:
        fault = _first_tie(ranks)
        if fault is not None:
            i, j, more = fault
            other = int(np.flatnonzero(ranks[i] == ranks[i, j])[1])
            why = f"{taker} takes no ties" if taker else "ties are not allowed here"
            or_missing = ", or set one of the labels to NaN (not observed)" if allow_missing else ""
            raise ValueError(
                f"{cell(i, j)} and {label_text(other, names)} are tied at rank "
                f"{number_text(ranks[i, j])}, and {why}; break them{or_missing}{more}"
            )
    return ranks


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


def _warn_of_idle_rows(ranks: np.ndarray, Y: Any, name: str) -> None:
    idle = np.flatnonzero(np.count_nonzero(~np.isnan(ranks), axis=1) < 2)
    if idle.size:
        warnings.warn(
            f"{name}: {idle.size} of {len(ranks)} rows (first: {row_text(Y, int(idle[0]))}) rank fewer "
            "than two labels; they carry no comparison and teach nothing",
            RankingWarning,
            stacklevel=3,
        )


def _first_tie(ranks: np.ndarray) -> tuple[int, int, str] | None:
    """Return the first row with a tie, the first label of its best tie, and how many are like it."""
    in_order = np.sort(ranks, axis=1)
    tied = in_order[:, 1:] == in_order[:, :-1]
    fault = first_fault(tied)
    if fault is None:
        return None
    i, p, more = fault
    return i, int(np.flatnonzero(ranks[i] == in_order[i, p])[0]), more
