"""Long tables: one line per row and label, with a value or a rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._cells import framed_like, is_frame, is_polars, polars_frame
from rankwise._naming import index_of
from rankwise._parameters import check_choice
from rankwise.rankings._check import check_rankings
from rankwise.rankings._columns import named_frame, read_column, read_ids, read_labels, read_table
from rankwise.rankings._labels import check_labels
from rankwise.rankings._scores import ranks_from_scores


@check_arguments
def ranks_from_long(
    table: Any,
    *,
    row: Any = "row",
    label: Any = "label",
    value: Any = None,
    rank: Any = None,
    higher_is_better: bool | None = None,
    labels: Sequence[Any] | None = None,
    replicates: str | None = None,
) -> Any:
    """Turn a long table into ranks.

    Parameters
    ----------
    table : DataFrame, dict of columns, or list of dicts
        One line per row and label. A label without a line, or with NaN there, is missing.
    row, label : column name
        The columns that name the row and the label of a line.
    value, rank : column name
        The column of scores (see `ranks_from_scores`), or of ranks: give one of the two. By default
        the column called ``value`` or ``rank``.
    higher_is_better : bool, optional
        Whether high values are preferred, as yields are, or low ones, as run times are; needed for
        values, and says nothing about ranks.
    labels : sequence, optional
        All labels, in the order of the columns wanted. By default those found, naturally sorted.
    replicates : {"mean", "median"}, optional
        What to take of the values of a label that stands in several lines of a row; by default
        that is an error.

    Returns
    -------
    DataFrame of shape (n_samples, n_labels)
        Row ids in order of appearance, one column per label. A polars DataFrame gives one; it has no
        index, and its rows are those of ``table["row"].unique(maintain_order=True)``.

    Examples
    --------
    >>> table = {"row": [7, 7, 8, 8], "label": ["tea", "coffee", "coffee", "water"],
    ...          "value": [0.9, 0.2, 0.4, 0.4]}
    >>> ranks_from_long(table, higher_is_better=True)
    label  coffee  tea  water
    row
    7         2.0  1.0    NaN
    8         1.0  NaN    1.0
    """
    frame = read_table(table)
    value, rank = _choose_content(frame, value, rank)
    if value is not None and higher_is_better is None:
        raise ValueError(
            f"table: column {value!r} holds values; are high ones better (yields) or low ones (run "
            "times)? say higher_is_better=True or False"
        )
    content = read_column(frame, *((rank, "rank") if value is None else (value, "value")))
    codes, ids = read_ids(read_column(frame, row, "row"), "row id")
    (columns,), names = read_labels([read_column(frame, label, "label")], ["label"], labels)
    places = codes * len(names) + columns
    if replicates is not None and value is not None:
        check_choice("replicates", replicates, ("mean", "median"))
        merged = content.astype(np.float64).groupby(places).agg(replicates)
        places, content = merged.index.to_numpy(), merged
        codes, columns = np.divmod(places, len(names))
    _check_once(
        places, ids, names, "" if value is None else ", or say replicates='mean' or 'median'"
    )
    plain = isinstance(content.dtype, np.dtype) and content.dtype.kind == "f"
    cells = np.full((len(ids), len(names)), np.nan, dtype=np.float64 if plain else object)
    cells[codes, columns] = content.to_numpy(dtype=cells.dtype)
    wide = named_frame(cells, ids, names, row_name=row, label_name=label)
    if value is not None:
        ranks = ranks_from_scores(wide, bool(higher_is_better))
    else:
        ranks = framed_like(wide, check_rankings(wide, name="table", warn=False))
    return polars_frame(ranks.to_numpy(), names) if is_polars(table) else ranks


@check_arguments
def long_from_ranks(
    ranks: Any,
    labels: Sequence[Any] | None = None,
    *,
    row: Any = "row",
    label: Any = "label",
    rank: Any = "rank",
) -> Any:
    """Turn ranks into a long table, one line per row and observed label.

    Parameters
    ----------
    ranks : array-like of shape (n_samples, n_labels)
        As `check_rankings` takes them. A row without any observed label has no line.
    labels : sequence, optional
        Label names; by default the columns of a DataFrame, else 0, 1, ...
    row, label, rank : column name
        What to call the columns of the table.

    Returns
    -------
    DataFrame with columns `row`, `label` and `rank`
        Row ids are the index of a DataFrame, else 0, 1, ...

    Examples
    --------
    >>> long_from_ranks([[2, 1, None]], labels=["coffee", "tea", "water"])
       row   label  rank
    0    0  coffee   2.0
    1    0     tea   1.0
    """
    # Imported here: only a table with named columns needs pandas.
    import pandas as pd

    row, label, rank = check_labels([row, label, rank], "the column names")
    matrix, ids, names = named_ranks(ranks, labels)
    if not ids.is_unique:
        raise ValueError(
            f"ranks: row {ids[ids.duplicated()][0]!r} occurs twice in the index, so its lines "
            "could not be told apart; use ranks.reset_index(drop=True)"
        )
    rows, columns = np.nonzero(~np.isnan(matrix))
    return pd.DataFrame({row: ids[rows], label: names[columns], rank: matrix[rows, columns]})


def named_ranks(ranks: Any, labels: Sequence[Any] | None) -> tuple[np.ndarray, Any, Any]:
    """Return checked ranks, the row ids and the label names, the latter two as indexes."""
    import pandas as pd

    matrix = check_rankings(ranks, labels=labels, name="ranks", warn=False)
    index = index_of(ranks)
    ids = pd.RangeIndex(len(matrix)) if index is None else index
    if labels is not None:
        names = pd.Index(check_labels(labels), tupleize_cols=False)
    elif is_frame(ranks):
        names = ranks.columns
    else:
        names = pd.RangeIndex(matrix.shape[1])
    return matrix, ids, names


def _choose_content(frame: Any, value: Any, rank: Any) -> tuple[Any, Any]:
    if value is None and rank is None:
        value, rank = (name if name in frame.columns else None for name in ("value", "rank"))
        if value is None and rank is None:
            there = ", ".join(map(repr, frame.columns))
            raise ValueError(
                "table has no column 'value' or 'rank'; say value= or rank= one of its columns: "
                f"{there}"
            )
    if value is not None and rank is not None:
        raise ValueError(
            f"both a value column ({value!r}) and a rank column ({rank!r}) are there; say "
            "which one to use, value= or rank="
        )
    return value, rank


def _check_once(cells: np.ndarray, ids: list[Any], labels: Sequence[Any], remedy: str) -> None:
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    if counts.max() == 1:
        return
    cell = cells[first[counts > 1].min()]
    one, two = np.flatnonzero(cells == cell)[:2]
    i, j = divmod(int(cell), len(labels))
    raise ValueError(
        f"table, row {ids[i]!r}: label {labels[j]!r} stands in lines {one} and {two}; keep one "
        f"line per row and label{remedy}"
    )
