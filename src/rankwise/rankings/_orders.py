"""Orders (which label stands at position p) and ranks (at which position label j stands)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._cells import is_frame, read_numbers
from rankwise._naming import first_fault, number_text, row_text, shown
from rankwise._parameters import check_integer
from rankwise.rankings._check import RankingWarning, check_rankings
from rankwise.rankings._labels import labels_found
from rankwise.rankings._lists import ranks_of_rows, read_lists

# Nobody ranks more, and a table of them would not fit a memory.
_MOST_LABELS = 1_000_000


def ranks_from_orders(
    orders: Any, n_labels: int | None = None, *, labels: Sequence[Any] | None = None
) -> Any:
    """Turn orders into ranks.

    Parameters
    ----------
    orders : array-like of shape (n_samples, n_positions)
        ``orders[i, p]`` is the label at position p of row i, best first: an index that counts from
        0, or a name where `labels` is given or `orders` is a DataFrame of names. -1, NaN or None
        pads the end of a row; labels that do not occur are missing.
    n_labels : int, optional
        How many labels there are; by default as many as `orders` has columns.
    labels : sequence, optional
        All label names, in the order of the columns wanted. The cells of `orders` are then names.
        By default the names found in a DataFrame, naturally sorted.

    Returns
    -------
    ndarray or DataFrame of shape (n_samples, n_labels)
        ``ranks[i, j]`` is the position of label j. A DataFrame gives a DataFrame with its index.

    Examples
    --------
    >>> ranks_from_orders([[2, 0, 1], [1, 2, -1]])
    array([[ 2.,  3.,  1.],
           [nan,  1.,  2.]])
    >>> ranks_from_orders([["water", "tea"]], labels=["tea", "coffee", "water"])
    array([[ 2., nan,  1.]])
    """
    if labels is not None or _is_frame_of_names(orders):
        return _ranks_of_names(orders, n_labels, labels)
    numbers = read_numbers(
        orders, name="orders", column_text=lambda p: f"position {p + 1}", min_columns=1
    )
    k = numbers.shape[1] if n_labels is None else _check_n_labels(n_labels)
    if k < 2:
        raise ValueError("orders has 1 column; a ranking needs at least two labels: give n_labels")
    indices = _check_indices(numbers, k, orders)
    _check_each_once(indices, orders)
    if n_labels is None and not (indices == 0).any() and (indices > 0).any():
        warnings.warn(
            "orders: label 0 never occurs; if your labels count from 1, subtract 1 "
            "(give n_labels to silence this)",
            RankingWarning,
            stacklevel=2,
        )
    ranks = np.full((len(indices), k), np.nan)
    rows, positions = np.nonzero(indices >= 0)
    ranks[rows, indices[rows, positions]] = positions + 1.0
    return _framed(orders, ranks, range(k))


@check_arguments
def orders_from_ranks(ranks: Any) -> Any:
    """Turn ranks into orders; an order has no ties, so tied labels stand by their index.

    Parameters
    ----------
    ranks : array-like of shape (n_samples, n_labels)
        As `check_rankings` takes them.

    Returns
    -------
    ndarray of int64, or DataFrame, of shape (n_samples, n_labels)
        ``orders[i, p]`` is the label at position p, best first; missing labels leave -1 at the end
        of the row. A DataFrame gives label names, None at the end, in columns 1 to n_labels.

    Examples
    --------
    >>> orders_from_ranks([[2, 3, 1], [None, 1, 1]])
    array([[ 2,  0,  1],
           [ 1,  2, -1]])
    """
    positions = check_rankings(ranks, name="ranks", warn=False)
    orders = np.argsort(positions, axis=1, kind="stable").astype(np.int64, copy=False)
    n_observed = np.count_nonzero(~np.isnan(positions), axis=1)
    pads = np.arange(orders.shape[1]) >= n_observed[:, None]
    orders[pads] = -1
    if not is_frame(ranks):
        return orders
    names = np.empty(orders.shape[1] + 1, dtype=object)
    names[:-1] = list(ranks.columns)
    # Index -1 reads the last entry, None.
    return type(ranks)(names[orders], index=ranks.index, columns=range(1, len(names)), dtype=object)


def _is_frame_of_names(orders: Any) -> bool:
    if not is_frame(orders):
        return False
    return any(isinstance(cell, str) for cell in orders.to_numpy(dtype=object).ravel())


def _ranks_of_names(orders: Any, n_labels: int | None, labels: Sequence[Any] | None) -> Any:
    rows = read_lists(orders, "orders")
    names = labels_found(rows, labels, "orders")
    if n_labels is not None:
        check_integer("n_labels", n_labels, 2)
    if n_labels is not None and n_labels != len(names):
        raise ValueError(
            f"n_labels is {n_labels} but there are {len(names)} label names; give only labels="
        )
    return _framed(orders, ranks_of_rows(rows, names, orders, "orders"), names)


def _framed(orders: Any, ranks: np.ndarray, labels: Sequence[Any]) -> Any:
    return type(orders)(ranks, orders.index, labels) if is_frame(orders) else ranks


def _check_n_labels(n_labels: int) -> int:
    whole = isinstance(n_labels, (int, np.integer)) and not isinstance(n_labels, bool)
    if not whole or not 2 <= n_labels <= _MOST_LABELS:
        raise ValueError(
            f"n_labels is {shown(n_labels)}; give a whole number from 2 to {_MOST_LABELS:,}"
        )
    return int(n_labels)


def _check_indices(numbers: np.ndarray, k: int, orders: Any) -> NDArray[np.int64]:
    cells = numbers.astype(np.float64)
    cells[np.isnan(cells)] = -1
    fault = first_fault((cells < -1) | (cells >= k) | (cells != np.floor(cells)))
    if fault is not None:
        i, p, more = fault
        remedy = (
            "subtract 1 if they count from 1; give n_labels if there are more, labels= for names"
            if cells[i, p] >= k
            else "-1 pads the end of a row"
        )
        raise ValueError(
            f"orders, {row_text(orders, i)}: position {p + 1} holds label "
            f"{number_text(cells[i, p])}, but labels are 0 to {k - 1}; {remedy}{more}"
        )
    indices = cells.astype(np.int64)
    fault = first_fault((indices[:, :-1] == -1) & (indices[:, 1:] != -1))
    if fault is not None:
        i, p, more = fault
        raise ValueError(
            f"orders, {row_text(orders, i)}: label {indices[i, p + 1]} at position {p + 2} stands "
            f"after a pad; pads belong at the end of a row{more}"
        )
    return indices


def _check_each_once(indices: NDArray[np.int64], orders: Any) -> None:
    in_order = np.sort(indices, axis=1)
    fault = first_fault((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0))
    if fault is not None:
        i, p, more = fault
        label = in_order[i, p]
        first, second = np.flatnonzero(indices[i] == label)[:2] + 1
        raise ValueError(
            f"orders, {row_text(orders, i)}: label {label} stands at positions {first} and "
            f"{second}; a label has one position (if these are ranks with ties, they need no "
            f"conversion){more}"
        )
