"""The features of rows that stand on several lines: what one line lacks, another may hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg
from rankwise._naming import more_text, name_some, number_text
from rankwise.datasets._cells import Cells
from rankwise.datasets._column_roles import ReadOptions
from rankwise.datasets._encoding import FeatureColumns, Numbers
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._table import Table
from rankwise.datasets._text import DataFileError, excerpt


class RowFeatures:
    """Gathers the features of rows, each from all of its lines.

    Lines of a row mostly repeat the same cells: a line is encoded only where its cells differ from
    those of the row's first line.
    """

    def __init__(
        self, table: Table, places: Sequence[int], numbers: Numbers, options: ReadOptions
    ) -> None:
        self._path, self._places = table.path, list(places)
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
        X, recipe, remarks = self._columns.finish(np.array(self._owners, dtype=np.int64))
        if len(X) == len(names):
            return X, recipe, remarks
        order = np.argsort(self._owners, kind="stable")
        X, owners = X[order], np.array(self._owners)[order]
        starts = np.searchsorted(owners, np.arange(len(names)))
        low, high = (best.reduceat(X, starts, axis=0) for best in (np.fmin, np.fmax))
        self._refuse_conflicts(X, owners, np.array(self._lines)[order], low < high, recipe, names)
        n = len(np.unique(owners[(np.isnan(X) & ~np.isnan(low[owners])).any(axis=1)]))
        if n:
            rows, their = ("1 row lacks", "its") if n == 1 else (f"{n} rows lack", "their")
            remarks.append(
                f"{rows} features on some of {their} lines; what the other lines hold is taken"
            )
        return low, recipe, remarks

    def _refuse_conflicts(
        self,
        X: NDArray[np.float64],
        owners: NDArray[np.int64],
        lines: NDArray[np.int64],
        wrong: NDArray[np.bool_],
        recipe: Recipe,
        names: Sequence[str],
    ) -> None:
        if not wrong.any():
            return
        rows = np.flatnonzero(wrong.any(axis=1))
        row, feature = int(rows[0]), int(wrong[rows[0]].argmax())
        columns = [column for column in recipe.columns for _ in column.features]
        column = columns[feature]
        there = np.flatnonzero((owners == row) & ~np.isnan(X[:, feature]))
        there = there[np.argsort(lines[there])]
        one = there[0]
        two = there[X[there, feature] != X[one, feature]][0]
        block = [j for j, other in enumerate(columns) if other is column]
        here, there_before = (_shown(column, X[i, block]) for i in (two, one))
        differ = list(dict.fromkeys(columns[j].name for j in np.flatnonzero(wrong.any(axis=0))))
        others = [name for name in differ if name != column.name]
        so = f", and {name_some(others)} so too" if others else ""
        raise DataFileError(
            self._path,
            f"row {excerpt(names[row])}: column {column.name!r} is {there_before} on line {lines[one]} "
            f"and {here} here"
            f"{more_text(rows.size)}{so}; features belong to a row and must agree on all its lines: "
            f"correct them, or leave out what is not about the row, {_left_out(differ)}",
            int(lines[two]),
        )


def _left_out(names: Sequence[str]) -> str:
    return f"{Arg.DROP_ONE:{names[0]}}" if len(names) == 1 else f"{Arg.DROP_SOME:{','.join(names)}}"


def _shown(column: Column, features: NDArray[np.float64]) -> str:
    """Write what a cell held, of which these features were made."""
    cell = column.cell(features)
    return excerpt(cell) if isinstance(cell, str) else number_text(cell)
