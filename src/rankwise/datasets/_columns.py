"""Turn cells of text into feature columns: numbers as they are, categories one-hot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._text import DataFileError, excerpt

# Cells that mean "not known", in lower case.
MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "nan"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_MAX_CATEGORIES = 1000
# A text column with more categories than this, most of them seen once, names rows.
_MANY_CATEGORIES = 20


class Numbers:
    """Reads the numbers of one file, with decimal points or with decimal commas, not with both.

    A comma cannot be told from a thousands separator once points occur as well: that is an error.
    """

    def __init__(self, path: Path, *, allow_comma: bool = False) -> None:
        self.path = path
        self.allow_comma = allow_comma
        self.comma_line: int | None = None
        self.point_line: int | None = None

    def parse(
        self, cells: Sequence[str], lines: Sequence[int], column: str, hint: str
    ) -> NDArray[np.float64]:
        """Return the cells as numbers, NaN where missing; `hint` ends the error message."""
        if self.allow_comma:
            self._watch_points(cells, lines)
        try:
            # The C parser takes 1_000 for 1000; such a cell is more likely a name.
            if any("_" in cell for cell in cells):
                raise ValueError
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array(
                [
                    self._one(cell, line, column, hint)
                    for cell, line in zip(cells, lines, strict=True)
                ]
            )
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            i = int(infinite[0])
            raise DataFileError(
                self.path,
                f"column {column!r} holds {excerpt(cells[i])}; numbers are finite, leave the cell "
                "empty where it is missing",
                lines[i],
            )
        return values

    def is_number(self, cell: str) -> bool:
        """Tell whether a cell that is not missing reads as a number."""
        return self._value(cell) is not None

    def _one(self, cell: str, line: int, column: str, hint: str) -> float:
        if cell.lower() in MISSING:
            return np.nan
        value = self._value(cell)
        if value is None:
            raise DataFileError(
                self.path,
                f"column {column!r} holds {excerpt(cell)}, which is no number; {hint}",
                line,
            )
        if "," in cell and self.comma_line is None:
            self.comma_line = line
            self._check_mixture()
        return value

    def _value(self, cell: str) -> float | None:
        if self.allow_comma and _DECIMAL_COMMA.fullmatch(cell):
            cell = cell.replace(",", ".")
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return None

    def _watch_points(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        if self.point_line is not None:
            return
        for cell, line in zip(cells, lines, strict=True):
            if "." in cell and self._value(cell) is not None:
                self.point_line = line
                self._check_mixture()
                return

    def _check_mixture(self) -> None:
        if self.comma_line is not None and self.point_line is not None:
            raise DataFileError(
                self.path,
                f"numbers have a decimal comma here and a decimal point on line {self.point_line}; "
                "use one of the two, and no thousands separators",
                self.comma_line,
            )


class FeatureColumns:
    """Collects feature columns chunk by chunk and encodes categories at the end.

    Whether a column holds numbers or categories is decided by its first cell that is not missing,
    unless it is declared. A column that mixes the two is an error, so that a typing mistake in a
    column of numbers is found instead of becoming a category.

    Parameters
    ----------
    names : sequence of str
        Columns, in the order of the cells.
    numbers : Numbers
        Reader of numbers, shared by the whole file.
    nominal : iterable of str
        Columns that hold categories even where these look like numbers.
    declared : dict
        Categories that the file itself lists; other values are errors.
    numeric : iterable of str
        Columns that the file itself declares as numbers.
    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Numbers,
        *,
        nominal: Iterable[str] = (),
        declared: dict[str, Sequence[str]] | None = None,
        numeric: Iterable[str] = (),
    ) -> None:
        self.names = list(names)
        self.numbers = numbers
        self._nominal = set(nominal) | set(declared or {})
        self._numeric = set(numeric)
        self._closed = set(declared or {})
        self._codes: dict[str, dict[str, int]] = {
            name: {category: i for i, category in enumerate(categories)}
            for name, categories in (declared or {}).items()
        }
        self._forced = set(self._nominal)
        for name, codes in self._codes.items():
            if len(codes) > _MAX_CATEGORIES:
                raise DataFileError(
                    numbers.path,
                    f"column {name!r} declares {len(codes)} categories, and each would become a "
                    "column; leave it out with features=[…]",
                )
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Take in a chunk of rows of cells."""
        block = np.empty((len(rows), len(self.names)))
        for j, (name, cells) in enumerate(zip(self.names, zip(*rows, strict=True), strict=True)):
            block[:, j] = self._column(name, cells, lines)
        self._blocks.append(block)

    def finish(self) -> tuple[NDArray[np.float64], list[str], list[str]]:
        """Return the matrix, its column names, and notes on what was encoded."""
        X = np.concatenate(self._blocks) if self._blocks else np.empty((0, len(self.names)))
        self._blocks.clear()
        if not self._codes:
            return X, self.names, []
        parts: list[NDArray[np.float64]] = []
        names: list[str] = []
        notes: list[str] = []
        for j, name in enumerate(self.names):
            if name not in self._codes:
                parts.append(X[:, j : j + 1])
                names.append(name)
                continue
            self._refuse_identifiers(name, len(X))
            part, part_names = _one_hot(X[:, j], name, list(self._codes[name]))
            parts.append(part)
            names.extend(part_names)
            notes.append(
                f"feature {name!r} has {len(self._codes[name])} categories, encoded as "
                f"{len(part_names)} column{'s' * (len(part_names) != 1)} of 0 and 1"
            )
        return np.concatenate(parts, axis=1), names, notes

    def _column(self, name: str, cells: Sequence[str], lines: Sequence[int]) -> NDArray[np.float64]:
        if name not in self._numeric and name not in self._nominal:
            first = next((cell for cell in cells if cell.lower() not in MISSING), None)
            if first is None:
                return np.full(len(cells), np.nan)
            (self._numeric if self.numbers.is_number(first) else self._nominal).add(name)
        if name in self._numeric:
            hint = (
                "correct the cell, leave it empty if it is missing, or name the column in nominal= "
                "if it holds categories"
            )
            return self.numbers.parse(cells, lines, name, hint)
        return self._categories(name, cells, lines)

    def _categories(
        self, name: str, cells: Sequence[str], lines: Sequence[int]
    ) -> NDArray[np.float64]:
        codes = self._codes.setdefault(name, {})
        values = np.empty(len(cells))
        for i, cell in enumerate(cells):
            if cell not in codes:
                if cell.lower() in MISSING:
                    values[i] = np.nan
                    continue
                self._new_category(name, cell, lines[i])
            values[i] = codes[cell]
        return values

    def _new_category(self, name: str, cell: str, line: int) -> None:
        path, codes = self.numbers.path, self._codes[name]
        if name in self._closed:
            raise DataFileError(
                path,
                f"column {name!r} holds {excerpt(cell)}, which is not among its declared "
                "categories; "
                "correct the cell or declare the category",
                line,
            )
        if name not in self._forced and self.numbers.is_number(cell):
            raise DataFileError(
                path,
                f"column {name!r} holds the number {excerpt(cell)} where earlier lines hold "
                "texts such "
                f"as {excerpt(next(iter(codes)))}; correct the odd one, or name the column "
                "in nominal=",
                line,
            )
        if len(codes) >= _MAX_CATEGORIES:
            raise DataFileError(
                path,
                f"column {name!r} holds more than {_MAX_CATEGORIES} different texts; it "
                "looks like an "
                "identifier: leave it out with features=[…]",
                line,
            )
        codes[cell] = len(codes)

    def _refuse_identifiers(self, name: str, n_rows: int) -> None:
        size = len(self._codes[name])
        if name not in self._forced and size > max(_MANY_CATEGORIES, n_rows / 2):
            raise DataFileError(
                self.numbers.path,
                f"column {name!r} holds {size} different texts in {n_rows} rows; it looks like an "
                "identifier: leave it out with features=[…], or name it in nominal= to keep it",
            )


def _one_hot(
    codes: NDArray[np.float64], name: str, categories: list[str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Encode codes: one column for up to two categories, one per category beyond; NaN stays NaN."""
    shown = list(range(len(categories)))
    if len(categories) == 2:
        shown = [1]
    encoded = (codes[:, None] == np.array(shown, dtype=np.float64)[None, :]).astype(np.float64)
    encoded[np.isnan(codes)] = np.nan
    return encoded, [f"{name}={categories[c]}" for c in shown]
