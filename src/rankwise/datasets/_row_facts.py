"""What a table says of whole rows beside features and rankings: weight, name, group, folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._cells import Cells, texts_of
from rankwise.datasets._checks import Lines, check_weights
from rankwise.datasets._column_roles import (
    FOLD,
    GROUP,
    ROW,
    WEIGHT,
    ReadOptions,
    places,
    row_columns,
)
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import MISSING, Numbers
from rankwise.datasets._table import Table
from rankwise.datasets._text import DataFileError, excerpt


class RowFacts:
    """Gathers the columns that say something of rows, a chunk of the table at a time."""

    def __init__(
        self, table: Table, options: ReadOptions, numbers: Numbers, *, with_names: bool = True
    ) -> None:
        self._path, self._numbers = table.path, numbers
        self._columns = row_columns(table.header, options)
        if not with_names:
            self._columns["row_names"] = []
        self.taken = [name for names in self._columns.values() for name in names]
        self._places: dict[str, int] = {}
        for part, names in self._columns.items():
            found = places(
                table.path, table.header, names, part.removesuffix("s").replace("_", " ")
            )
            self._places |= dict(zip(names, found, strict=True))
        self._cells: dict[str, list[Any]] = {name: [] for name in self.taken}
        # Of long tables, what the first line of each row says.
        self._said: dict[str, list[str]] = {}

    def add(self, columns: Sequence[Cells], lines: Sequence[int]) -> None:
        """Take in some rows, all their columns."""
        of_numbers = {*self._columns["weights"], *self._columns["folds"]}
        for name, place in self._places.items():
            cells = columns[place]
            if name in of_numbers:
                self._cells[name].append(self._numbers.parse(cells, lines, name))
            else:
                self._cells[name].extend(self._named(name, texts_of(cells), lines))

    def refuse_conflicts(
        self,
        texts: Sequence[Sequence[str]],
        lines: Sequence[int],
        owners: Sequence[int],
        first_lines: Sequence[int],
    ) -> None:
        """Refuse lines that say of a row what its first line does not; empty cells say nothing.

        `owners` are the rows of these lines, `first_lines` where each row begins.
        """
        for name, place in self._places.items():
            said = self._said.setdefault(name, [])
            for text, line, row in zip(texts[place], lines, owners, strict=True):
                if row == len(said):
                    said.append(text)
                elif text not in (said[row], ""):
                    raise DataFileError(
                        self._path,
                        f"column {name!r} is {excerpt(text)} here and {excerpt(said[row])} on line "
                        f"{first_lines[row]}, of the same row; it is about whole rows: correct one of "
                        "them",
                        line,
                    )

    def finish(self, lines: Lines) -> dict[str, Any]:
        """Return what was found as arguments of a `Dataset`."""
        found: dict[str, Any] = {}
        for name in self._columns["weights"]:
            weights = np.concatenate([np.empty(0), *self._cells[name]])
            found["weights"] = check_weights(self._path, weights, lines)
        for part in ("row_names", "groups"):
            for name in self._columns[part]:
                found[part] = tuple(self._cells[name])
        if self._columns["folds"]:
            columns = [
                np.concatenate([np.empty(0), *self._cells[name]]) for name in self._columns["folds"]
            ]
            found["folds"] = self._folds(np.column_stack(columns), lines)
        return found

    def _folds(self, folds: NDArray[np.float64], lines: Lines) -> NDArray[np.int64]:
        wrong = np.flatnonzero(~((folds >= 0) & (folds < 2**31) & (folds % 1 == 0)).all(axis=1))
        if wrong.size:
            reason = f"a column {FOLD!r} holds the number of a fold in every row, 0 or more"
            raise DataFileError(self._path, reason, int(lines[int(wrong[0])]))
        return folds.astype(np.int64)

    def _named(self, name: str, texts: Sequence[str], lines: Sequence[int]) -> Sequence[str]:
        for text, line in zip(texts, lines, strict=True):
            if text.lower() in MISSING and name in self._columns["groups"]:
                raise DataFileError(
                    self._path, f"column {name!r} names no group here; fill the cell", line
                )
        return texts


def row_fact_columns(dataset: Dataset, *, with_names: bool = True) -> dict[str, Any]:
    """Return the columns to write, texts and numbers, in the order in which they are written."""
    columns: dict[str, Any] = {}
    if with_names and dataset.row_names is not None:
        columns[ROW] = dataset.row_names
    if dataset.weights is not None:
        columns[WEIGHT] = dataset.weights
    if dataset.groups is not None:
        columns[GROUP] = dataset.groups
    if dataset.folds is not None:
        for j, fold in enumerate(dataset.folds.T):
            columns[FOLD if j == 0 else f"{FOLD} {j + 1}"] = fold
    return columns
