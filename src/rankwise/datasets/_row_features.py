"""The features of rows that stand on several lines: what one line lacks, another may hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import more_text, name_some, number_text
from rankwise.datasets._cells import Cells
from rankwise.datasets._column_roles import ReadOptions
from rankwise.datasets._encoding import FeatureColumns, FoundColumn, Numbers
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._table import Table
from rankwise.datasets._text import excerpt
from rankwise.datasets._unfit import Unfit, left_out


class RowFeatures:
    """Gathers the features of rows, each from all of its lines.

    Lines of a row mostly repeat the same cells: a line is encoded only where its cells differ from
    those of the row's first line.
    """

    def __init__(
        self, table: Table, places: Sequence[int], numbers: Numbers, options: ReadOptions
    ) -> None:
        self._places, self._is_new = list(places), options.recipe is None
        self._columns = FeatureColumns(
            table.header,
            places,
            numbers,
            nominal=options.nominal,
            drop_names=options.chooses_columns,
            drop_empty=options.chooses_columns,
            recipe=options.recipe,
        )
        # Of each row a digest of its first line; the cells themselves would fill the memory.
        self._first: list[int] = []
        self._owners: list[int] = []
        self._lines: list[int] = []

    def add(
        self,
        columns: Sequence[Cells],
        texts: Sequence[Sequence[str]],
        lines: Sequence[int],
        owners: Sequence[int],
    ) -> None:
        """Take in a chunk of lines, with the row of each; rows are numbered as they appear."""
        cells = zip(*(texts[j] for j in self._places), strict=True) if self._places else None
        digests = [0] * len(lines) if cells is None else map(hash, cells)
        new = []
        for i, (owner, digest) in enumerate(zip(owners, digests, strict=True)):
            if owner == len(self._first):
                self._first.append(digest)
                new.append(i)
            elif self._first[owner] != digest:
                new.append(i)
        if not new:
            return
        chosen: list[Cells] = [
            column[new] if isinstance(column, np.ndarray) else [column[i] for i in new]
            for column in columns
        ]
        self._columns.add(chosen, [lines[i] for i in new])
        self._owners.extend(owners[i] for i in new)
        self._lines.extend(lines[i] for i in new)

    def finish(self, names: Sequence[str]) -> tuple[NDArray[np.float64], Recipe, list[str]]:
        """Return the features of rows of these names, the recipe of the columns, and remarks."""
        X, recipe, remarks = self._columns.finish(
            np.array(self._owners, dtype=np.int64), partial(self._conflicts, names)
        )
        if len(X) == len(names):
            return X, recipe, remarks
        owners = np.array(self._owners)
        low, _ = _of_each_row(X, owners, len(names))
        n = len(np.unique(owners[(np.isnan(X) & ~np.isnan(low[owners])).any(axis=1)]))
        if n:
            rows, their = ("1 row lacks", "its") if n == 1 else (f"{n} rows lack", "their")
            remarks.append(
                f"{rows} features on some of {their} lines; what the other lines hold is taken"
            )
        return low, recipe, remarks

    def _conflicts(
        self, names: Sequence[str], codes: NDArray[np.float64], columns: Sequence[FoundColumn]
    ) -> Unfit | None:
        """Return the columns that hold one thing on one line of a row, and another on another."""
        if len(codes) == len(names) or not columns:
            return None
        owners, lines = np.array(self._owners), np.array(self._lines)
        low, high = _of_each_row(codes, owners, len(names))
        wrong = low < high
        if not wrong.any():
            return None
        rows = np.flatnonzero(wrong.any(axis=1))
        row, j = int(rows[0]), int(wrong[rows[0]].argmax())
        there = np.flatnonzero((owners == row) & ~np.isnan(codes[:, j]))
        one = there[0]
        two = there[codes[there, j] != codes[one, j]][0]
        before, here = (_shown(columns[j], codes[i, j]) for i in (one, two))
        differ = [columns[int(i)].name for i in np.flatnonzero(wrong.any(axis=0))]
        others = [name for name in differ if name != columns[j].name]
        so = f", and {name_some(others)} so too" if others else ""
        called = f"row {excerpt(names[row])}"
        verb = "differ" if others else "differs"
        # A column that a model was fitted on cannot be left out.
        or_else = f", or, if they are not about the row, {left_out(differ)}" if self._is_new else ""
        return Unfit(
            differ,
            f"{called}: column {columns[j].name!r} is {before} on line {lines[one]} and {here} here"
            f"{more_text(rows.size)}{so}; features belong to a row and must agree on all its lines: "
            f"correct them{or_else}",
            f"{name_some(differ, 20)} {verb} between lines of one row ({called}, column "
            f"{columns[j].name!r}: {before} on line {lines[one]}, {here} on line {lines[two]})",
            "let features agree on all lines of a row",
            int(lines[two]),
        )


def _of_each_row(
    cells: NDArray[np.float64], owners: NDArray[np.int64], n_rows: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest of each row's cells that are not missing, by column."""
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(n_rows))
    low, high = (best.reduceat(cells[order], starts, axis=0) for best in (np.fmin, np.fmax))
    return low, high


def _shown(column: FoundColumn, code: float) -> str:
    """Write what a cell held that became this number."""
    return excerpt(list(column.codes)[int(code)]) if column.codes else number_text(code)
