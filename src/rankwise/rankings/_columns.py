"""Named columns of a long table, read as row ids, labels and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise._cells import is_frame, is_polars
from rankwise._naming import python_value, row_text, shown
from rankwise.rankings._labels import labels_found, positions_of, unknown_label_text


def read_table(table: Any) -> Any:
    """Return a long table as a DataFrame; a dict of columns or a list of dicts will do."""
    if is_frame(table):
        frame = table
    elif is_polars(table):
        return read_table({column.name: column.to_list() for column in table.get_columns()})
    elif isinstance(table, dict) or (
        isinstance(table, list) and all(isinstance(line, dict) for line in table)
    ):
        # Imported here: it is slow to load, and only long tables need it.
        import pandas as pd

        try:
            frame = pd.DataFrame(table)
        except Exception as error:  # of whatever container a column is
            raise ValueError(f"table: its columns do not make a table ({error})") from error
    else:
        raise TypeError(
            f"table is a {type(table).__name__}; give a DataFrame, a dict of columns or a list of "
            "dicts"
        )
    if frame.shape[0] == 0:
        raise ValueError("table has no rows; give at least one")
    return frame


def read_column(frame: Any, name: Any, role: str) -> Any:
    """Return one column as a Series, or say which columns there are."""
    try:
        hash(name)  # as names of columns have one
        n_found = sum(bool(column == name) for column in frame.columns)
    except Exception:  # whatever is compared with a text has errors of its own
        raise TypeError(f"{role} is {shown(name)}; give the name of a column") from None
    if n_found == 1:
        return frame[name]
    there = ", ".join(map(repr, frame.columns))
    what = "no column" if n_found == 0 else f"{n_found} columns"
    raise ValueError(f"table has {what} {name!r}; say {role}= one of its columns: {there}")


def read_ids(column: Any, role: str) -> tuple[np.ndarray, list[Any]]:
    """Return a code for each line, and the distinct values in order of appearance."""
    try:
        codes, values = column.factorize()
    except TypeError as error:
        raise ValueError(f"table: a {role} is neither text nor number ({error})") from error
    if (codes < 0).any():
        line = int(np.flatnonzero(codes < 0)[0])
        raise ValueError(
            f"table, {row_text(column, line)}: the {role} is missing; fill it or drop the line"
        )
    return codes, [python_value(value) for value in values]


def read_labels(
    columns: Sequence[Any], roles: Sequence[str], labels: Sequence[Any] | None
) -> tuple[list[np.ndarray], list[Any]]:
    """Return the label index of each line, one array per column, and all labels."""
    read = [read_ids(column, role) for column, role in zip(columns, roles, strict=True)]
    names = labels_found([[values for _, values in read]], labels, "table")
    where = positions_of(names)
    indices = []
    for column, (codes, values) in zip(columns, read, strict=True):
        for code, value in enumerate(values):
            if value not in where:
                line = int(np.flatnonzero(codes == code)[0])
                raise ValueError(
                    f"table, {row_text(column, line)}: {unknown_label_text(value, names)}"
                )
        indices.append(np.array([where[value] for value in values])[codes])
    return indices, names


def named_frame(
    cells: np.ndarray,
    ids: Any,
    labels: Sequence[Any],
    *,
    row_name: Any = None,
    label_name: Any = None,
) -> Any:
    """Return a matrix as a DataFrame with row ids and labels; tuples stay single names."""
    # Imported here: only results with row ids and label names need pandas.
    import pandas as pd

    if not isinstance(ids, pd.Index):
        ids = pd.Index(ids, name=row_name, tupleize_cols=False)
    columns = pd.Index(labels, name=label_name, tupleize_cols=False)
    return pd.DataFrame(cells, index=ids, columns=columns)
