"""Tables as rows of cells, and what their columns are: for those who look at a file before `read`.

`MISSING` are the cells that stand for nothing, `Numbers` reads the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rankwise.datasets._columns import MISSING, Numbers
from rankwise.datasets._long import is_long
from rankwise.datasets._parquet import ParquetTable
from rankwise.datasets._table import Table, TextTable, names_of
from rankwise.datasets._tabular import WEIGHT, find_ranking_column, is_scikit_lr, scikit_lr_labels

__all__ = [
    "MISSING",
    "Numbers",
    "Table",
    "layout_of",
    "names_of",
    "naming_columns",
    "open_table",
    "ranking_columns",
]

# Fewer rows may differ in every text by chance.
_LEAST_ROWS = 8


def open_table(path: Path, *, parquet: bool | None = None) -> Table:
    """Open a text table of any common separator, or a Parquet file (by default, by its ending)."""
    if parquet is None:
        parquet = path.suffix.lower() in (".parquet", ".pq")
    return ParquetTable(path) if parquet else TextTable(path)


def layout_of(header: Sequence[str], labels: Iterable[str] | None, roles: Mapping[str, str]) -> str:
    """Tell how a table holds its rankings, from its header and what the user says about it.

    Examples
    --------
    >>> layout_of(["hour", "Ranking"], None, {})
    'ranking'
    >>> layout_of(["hour", "tea", "water"], ["tea", "water"], {})
    'wide'
    """
    if "ranking" in roles or find_ranking_column(header):
        return "ranking"
    if {"row", "label"} & set(roles) or is_long(header):
        return "long"
    return "scikit-lr" if labels is None and is_scikit_lr(header) else "wide"


def ranking_columns(
    header: Sequence[str],
    labels: Iterable[str] | None = None,
    roles: Mapping[str, str] | None = None,
    *,
    layout: str | None = None,
) -> list[str]:
    """Return the columns that hold rankings, weights or names of rows; the others are features.

    Examples
    --------
    >>> ranking_columns(["hour", "tea", "water"], ["tea", "water"])
    ['tea', 'water']
    >>> ranking_columns(["farmer", "rain", "label", "rank"], roles={"row": "farmer"})
    ['farmer', 'label', 'rank']
    """
    roles = roles or {}
    layout = layout or layout_of(header, labels, roles)
    taken = {roles.get("weight", WEIGHT)}
    if layout == "ranking":
        taken.add(roles.get("ranking") or find_ranking_column(header) or "")
    elif layout == "long":
        taken |= {roles.get(role, role) for role in ("row", "label", "rank", "value")}
    elif layout == "scikit-lr" and labels is None:
        taken |= set(scikit_lr_labels(header))
    else:
        taken |= set(labels or ())
    return [name for name in header if name in taken]


def naming_columns(table: Table, candidates: Sequence[str]) -> dict[str, str]:
    """Return the columns that name or count the rows, with the reason: nothing is learned from them.

    A text that differs in every row where there is one, or whole numbers that count the rows.
    """
    places = {name: table.header.index(name) for name in candidates}
    cells: dict[str, list[str]] = {name: [] for name in candidates}
    seen: dict[str, set[str]] = {name: set() for name in candidates}
    n_rows = 0
    for _, rows in table.chunks():
        n_rows += len(rows)
        for name in list(cells):
            column = [cell for row in rows if (cell := row[places[name]]).lower() not in MISSING]
            cells[name].extend(column)
            seen[name].update(column)
            if len(seen[name]) < len(cells[name]):
                del cells[name], seen[name]
    reasons = ((name, _why_naming(column, n_rows)) for name, column in cells.items())
    return {name: reason for name, reason in reasons if reason is not None}


def _why_naming(column: Sequence[str], n_rows: int) -> str | None:
    """Say why cells, all different, name rows; None if they may mean something."""
    if len(column) < _LEAST_ROWS:
        return None
    try:
        numbers = np.array(column, dtype=np.float64)
    except ValueError:
        if any(_is_number(cell) for cell in column):
            return None
        return "holds a different text in every row"
    counts = len(column) == n_rows and (np.diff(numbers) == 1).all() and numbers[0] in (0, 1)
    return "counts the rows" if counts else None


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
