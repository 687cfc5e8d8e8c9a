"""Lists of label names, best first: whole orders and top-k lists."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from rankwise.rankings._columns import named_frame
from rankwise.rankings._labels import (
    check_labels,
    is_missing,
    natural_sorted,
    positions_of,
    python_value,
    unknown_label_text,
)
from rankwise.rankings._tables import index_of, is_frame, row_text


def ranks_from_top_k(lists: Any, labels: Sequence[Any] | None = None) -> Any:
    """Turn lists of the best labels into ranks; the labels left out are tied at the bottom.

    Parameters
    ----------
    lists : sequence of sequences, Series of lists, or DataFrame
        The label names of each row, best first; rows may differ in length. None, NaN or -1 pads
        the end of a row. An empty list says nothing: all its labels are missing.
    labels : sequence, optional
        All labels, in the order of the columns wanted. By default those found, naturally sorted.

    Returns
    -------
    DataFrame of shape (n_samples, n_labels)
        One column per label; the index is that of `lists`.

    Examples
    --------
    >>> ranks_from_top_k([["tea"], ["water", "coffee"]])
       coffee  tea  water
    0     2.0  1.0    2.0
    1     2.0  3.0    1.0
    """
    rows = read_lists(lists, "lists")
    names = labels_of_lists(rows, labels, "lists")
    ranks = ranks_of_lists(rows, names, lists, "lists")
    n_listed = np.array([len(row) for row in rows])
    last = np.where(n_listed > 0, n_listed + 1.0, np.nan)
    ranks = np.where(np.isnan(ranks), last[:, None], ranks)
    index = index_of(lists)
    ids = range(len(rows)) if index is None else index
    return named_frame(ranks, ids, names)


def read_lists(lists: Any, name: str) -> list[list[Any]]:
    """Return the label names of each row, without the padding at its end."""
    if is_frame(lists):
        cells = lists.to_numpy(dtype=object)
    elif hasattr(lists, "tolist"):
        cells = lists.tolist()
    else:
        cells = lists
    if isinstance(cells, (str, bytes)) or not hasattr(cells, "__iter__"):
        raise TypeError(f"{name} is {cells!r}; give a list of lists of labels, best first")
    rows = [_labels_of_row(row, lists, i, name) for i, row in enumerate(cells)]
    if not rows:
        raise ValueError(f"{name} has no rows; give at least one list of labels")
    return rows


def _labels_of_row(row: Any, lists: Any, i: int, name: str) -> list[Any]:
    if is_missing(row):
        return []
    where = f"{name}, {row_text(lists, i)}"
    if isinstance(row, (str, bytes, set, frozenset, dict)) or not hasattr(row, "__iter__"):
        raise ValueError(
            f"{where}: expected a list of labels, best first, got {row!r}"
            + ("; texts such as 'a>b~c' are read by parse_rankings" if isinstance(row, str) else "")
        )
    found: dict[Any, int] = {}
    end = None
    for p, cell in enumerate(row):
        label = python_value(cell)
        if not isinstance(label, Hashable):
            raise ValueError(f"{where}: position {p + 1} holds {label!r}; give one label")
        if is_missing(label) or (label == -1 and not isinstance(label, str)):
            end = p if end is None else end
            continue
        if end is not None:
            raise ValueError(
                f"{where}: label {label!r} at position {p + 1} stands after a pad at position "
                f"{end + 1}; pads belong at the end of a row"
            )
        if label in found:
            raise ValueError(
                f"{where}: label {label!r} stands at positions {found[label] + 1} and {p + 1}; "
                "a label has one position"
            )
        found[label] = p
    return list(found)


def labels_of_lists(rows: list[list[Any]], labels: Sequence[Any] | None, name: str) -> list[Any]:
    """Return the labels given, or those found in the rows; at least two."""
    names = (
        natural_sorted({label for row in rows for label in row})
        if labels is None
        else check_labels(labels)
    )
    if len(names) < 2:
        raise ValueError(
            f"{name}: there {'is one label' if names else 'are no labels'} ({names}); a ranking "
            "needs at least two; name them all by labels="
        )
    return names


def ranks_of_lists(
    rows: list[list[Any]], labels: Sequence[Any], lists: Any, name: str
) -> np.ndarray:
    """Return the position of each label in its row; labels that are not listed are NaN."""
    column = positions_of(labels)
    ranks = np.full((len(rows), len(labels)), np.nan)
    for i, row in enumerate(rows):
        for p, label in enumerate(row):
            if label not in column:
                raise ValueError(
                    f"{name}, {row_text(lists, i)}: {unknown_label_text(label, labels)}"
                )
            ranks[i, column[label]] = p + 1
    return ranks
