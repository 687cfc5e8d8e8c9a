"""Lists of label names, best first: whole orders and top-k lists."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._cells import is_frame, is_missing
from rankwise._naming import index_of, python_value, row_text, shown
from rankwise._parameters import as_list, is_list
from rankwise.rankings._columns import named_frame
from rankwise.rankings._labels import Groups, labels_found, positions_of, unknown_label_text


@check_arguments
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
    names = labels_found(rows, labels, "lists")
    ranks = ranks_of_rows(rows, names, lists, "lists", unlisted_last=True)
    index = index_of(lists)
    ids = range(len(rows)) if index is None else index
    return named_frame(ranks, ids, names)


def read_lists(lists: Any, name: str) -> list[Groups]:
    """Return the label names of each row, each a group of its own, without padding at its end."""
    if is_frame(lists):
        cells = lists.to_numpy(dtype=object)
    elif hasattr(lists, "tolist"):
        cells = lists.tolist()
    else:
        cells = lists
    if not is_list(cells):
        raise TypeError(f"{name} is {shown(cells)}; give a list of lists of labels, best first")
    rows = [_labels_of_row(row, lists, i, name) for i, row in enumerate(as_list(name, cells))]
    if not rows:
        raise ValueError(f"{name} has no rows; give at least one list of labels")
    return rows


def _labels_of_row(row: Any, lists: Any, i: int, name: str) -> Groups:
    if is_missing(row):
        return []
    where = f"{name}, {row_text(lists, i)}"
    if not is_list(row) or isinstance(row, set | frozenset):
        raise ValueError(
            f"{where}: expected a list of labels, best first, got {shown(row)}"
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
    return [[label] for label in found]


def ranks_of_rows(
    rows: list[Groups], labels: Sequence[Any], source: Any, name: str, unlisted_last: bool = False
) -> np.ndarray:
    """Return the position of each label's group in its row.

    Labels that a row does not list are NaN, or tied after those that it lists; a row that lists
    nothing says nothing.
    """
    column = positions_of(labels)
    ranks = np.full((len(rows), len(labels)), np.nan)
    for i, row in enumerate(rows):
        if row and unlisted_last:
            ranks[i] = len(row) + 1
        for p, group in enumerate(row):
            for label in group:
                if label not in column:
                    raise ValueError(
                        f"{name}, {row_text(source, i)}: {unknown_label_text(label, labels)}"
                    )
                ranks[i, column[label]] = p + 1
    return ranks
