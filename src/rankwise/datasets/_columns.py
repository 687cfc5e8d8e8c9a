"""From the cells of a table to numbers: as they stand, or as codes of categories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Message
from rankwise._wording import name_some
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._text import DataFileError, excerpt

# The cells of a column: texts, or numbers where the table holds numbers.
Cells = Sequence[str] | np.ndarray

# Cells that mean "not known", in lower case.
MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "nan"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_MAX_CATEGORIES = 1000
# A text column with more categories than this, most of them seen once, names rows.
_MANY_CATEGORIES = 20
# Fewer rows may differ in every text by chance.
_LEAST_ROWS = 8
FILL = "correct the cell, or leave it empty if it is missing"


class Numbers:
    """Reads the numbers of one file, with decimal points or with decimal commas, not with both.

    Once points occur as well, a comma may be a thousands separator: that is an error.
    """

    def __init__(self, path: Any, *, allow_comma: bool = False) -> None:
        self.path = path
        self.allow_comma = allow_comma
        self.comma_line: int | None = None
        self.point_line: int | None = None

    def parse(
        self, cells: Cells, lines: Sequence[int], column: str, hint: str = FILL
    ) -> NDArray[np.float64]:
        """Return the cells as numbers, NaN where missing; `hint` ends the error message."""
        if isinstance(cells, np.ndarray):
            values = np.asarray(cells, dtype=np.float64)
        else:
            values = self._of_texts(cells, lines, column, hint)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            i = int(infinite[0])
            raise DataFileError(
                self.path,
                f"column {column!r} holds {excerpt(str(cells[i]))}; numbers are finite, leave the "
                "cell empty where it is missing",
                lines[i],
            )
        return values

    def is_number(self, cell: str) -> bool:
        """Tell whether a cell that is not missing reads as a number."""
        return self._value(cell) is not None

    def _of_texts(
        self, cells: Sequence[str], lines: Sequence[int], column: str, hint: str
    ) -> NDArray[np.float64]:
        if self.allow_comma:
            self._watch_points(cells, lines)
        # The C parser takes 1_000 for 1000; such a cell is more likely a name.
        if not any("_" in cell for cell in cells):
            try:
                return np.array(cells, dtype=np.float64)
            except ValueError:
                pass
        numbered = zip(cells, lines, strict=True)
        return np.array([self._one(cell, line, column, hint) for cell, line in numbered])

    def _one(self, cell: str, line: int, column: str, hint: str) -> float:
        if cell.lower() in MISSING:
            return np.nan
        value = self._value(cell)
        if value is None:
            raise DataFileError(
                self.path,
                Message(
                    "column {column!r} holds {cell}, which is no number; {hint}",
                    column=column,
                    cell=excerpt(cell),
                    hint=hint,
                ),
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


@dataclass
class _Column:
    """What is known of a column while it is read; `codes` are its categories, if it holds texts."""

    name: str
    kind: str = ""  # "numbers", "texts", or nothing as long as every cell is missing
    codes: dict[str, int] = field(default_factory=dict)
    declared: bool = False  # the file lists the categories
    named: bool = False  # declared, or called nominal by the user: may look like numbers
    n_known: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    line_beyond: int | None = None  # where the categories became too many


class FeatureColumns:
    """Turns columns of cells into one matrix, by a recipe that it learns or is given.

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
    declared : mapping
        Categories that the file itself lists; other values are errors.
    numeric : iterable of str
        Columns that the file itself declares as numbers.
    drop_names : bool
        Whether to leave out columns that name or count the rows.
    recipe : Recipe, optional
        To be applied: categories that it does not know are missing, and counted.
    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Numbers,
        *,
        nominal: Iterable[str] = (),
        declared: Mapping[str, Sequence[str]] | None = None,
        numeric: Iterable[str] = (),
        drop_names: bool = False,
        recipe: Recipe | None = None,
    ) -> None:
        self.numbers = numbers
        self._drop_names = drop_names
        self._recipe = recipe
        self._columns = {name: _Column(name) for name in names}
        for name in numeric:
            self._columns[name].kind = "numbers"
        for name in {*nominal, *(declared or {})}:
            self._columns[name].kind, self._columns[name].named = "texts", True
        for name, categories in (declared or {}).items():
            self._columns[name].declared = True
            self._columns[name].codes = {category: i for i, category in enumerate(categories)}
            if recipe is None and len(categories) > _MAX_CATEGORIES:
                raise DataFileError(
                    numbers.path,
                    Message(
                        "column {name!r} declares {n} categories, and each would become a column; "
                        "leave it out with {drop}",
                        name=name,
                        n=len(categories),
                    ),
                )
        for known in recipe.columns if recipe is not None else ():
            column = self._columns[known.name] = _Column(known.name, "numbers")
            if known.categories is not None:
                column.kind = "texts"
                column.codes = {category: i for i, category in enumerate(known.categories)}
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, columns: Sequence[Cells], lines: Sequence[int]) -> None:
        """Take in a chunk of rows, given as columns of cells."""
        self._blocks.append(self._codes(columns, lines))

    def finish(self) -> tuple[NDArray[np.float64], Recipe, list[Message]]:
        """Return the matrix, the recipe of its columns, and remarks on what was made of them."""
        codes = np.concatenate(self._blocks) if self._blocks else np.empty((0, len(self._columns)))
        self._blocks.clear()
        if self._recipe is not None:
            return self._recipe.expand(codes), self._recipe, self.unknown_remarks()
        names = self._naming_columns(codes)
        kept = [column for column in self._columns.values() if column.name not in names]
        for column in kept:
            self._refuse_identifiers(column, len(codes))
        if names:
            codes = codes[:, [name not in names for name in self._columns]]
        columns = (Column(c.name, tuple(c.codes) if c.kind == "texts" else None) for c in kept)
        recipe = Recipe(tuple(columns), tuple(names))
        remarks = [*names.values(), *map(_encoding_remark, recipe.columns)]
        return recipe.expand(codes), recipe, [remark for remark in remarks if remark is not None]

    def encode(self, columns: Sequence[Cells], lines: Sequence[int]) -> NDArray[np.float64]:
        """Return the features of some rows by the given recipe."""
        assert self._recipe is not None
        return self._recipe.expand(self._codes(columns, lines))

    def unknown_remarks(self) -> list[Message]:
        """Return one remark per column that held categories which the given recipe does not know."""
        remarks = []
        for column in self._columns.values():
            if column.unknown:
                n = sum(column.unknown.values())
                remarks.append(
                    Message(
                        "column {name!r} holds {shown} ({n} row{s}), never seen at fitting; taken as "
                        "missing",
                        name=column.name,
                        shown=name_some(column.unknown, 5),
                        n=n,
                        s="s" * (n != 1),
                    )
                )
        return remarks

    def _codes(self, columns: Sequence[Cells], lines: Sequence[int]) -> NDArray[np.float64]:
        codes = np.empty((len(lines), len(self._columns)))
        for j, (column, cells) in enumerate(zip(self._columns.values(), columns, strict=True)):
            codes[:, j] = self._column(column, cells, lines)
        return codes

    def _column(
        self, column: _Column, cells: Cells, lines: Sequence[int]
    ) -> NDArray[np.float64] | float:
        if not column.kind and isinstance(cells, np.ndarray):
            column.kind = "numbers"
        if not column.kind:
            first = next((cell for cell in cells if cell.lower() not in MISSING), None)
            if first is None:
                return np.nan
            column.kind = "numbers" if self.numbers.is_number(first) else "texts"
        if column.kind == "texts":
            return self._categories(column, texts_of(cells), lines)
        hint = FILL
        if self._recipe is None:
            hint = Message(
                "correct the cell, leave it empty if it is missing, or name the column in {nominal} "
                "if it holds categories"
            )
        return self.numbers.parse(cells, lines, column.name, hint)

    def _categories(
        self, column: _Column, cells: Sequence[str], lines: Sequence[int]
    ) -> NDArray[np.float64]:
        codes = column.codes
        values = np.empty(len(cells))
        for i, cell in enumerate(cells):
            if cell not in codes:
                if cell.lower() in MISSING:
                    values[i] = np.nan
                    continue
                if self._recipe is not None:
                    column.unknown[cell] = column.unknown.get(cell, 0) + 1
                    values[i] = np.nan
                    continue
                self._new_category(column, cell, lines[i])
            values[i] = codes[cell]
        column.n_known += int(np.count_nonzero(~np.isnan(values)))
        # Too many texts may be names of rows, as long as all of them differ.
        may_name = self._drop_names and not column.named and len(codes) == column.n_known
        if column.line_beyond and not may_name:
            raise DataFileError(
                self.numbers.path,
                Message(
                    "column {name!r} holds more than {most} different texts; it looks like an "
                    "identifier: leave it out with {drop}",
                    name=column.name,
                    most=_MAX_CATEGORIES,
                ),
                column.line_beyond,
            )
        return values

    def _new_category(self, column: _Column, cell: str, line: int) -> None:
        path = self.numbers.path
        if column.declared:
            raise DataFileError(
                path,
                f"column {column.name!r} holds {excerpt(cell)}, which is not among its declared "
                "categories; correct the cell or declare the category",
                line,
            )
        if not column.named and self.numbers.is_number(cell):
            raise DataFileError(
                path,
                Message(
                    "column {name!r} holds the number {cell} where earlier lines hold texts such as "
                    "{text}; correct the odd one, or name the column in {nominal}",
                    name=column.name,
                    cell=excerpt(cell),
                    text=excerpt(next(iter(column.codes))),
                ),
                line,
            )
        column.codes[cell] = len(column.codes)
        if len(column.codes) > _MAX_CATEGORIES and column.line_beyond is None:
            column.line_beyond = line

    def _refuse_identifiers(self, column: _Column, n_rows: int) -> None:
        size = len(column.codes)
        if not column.named and size > max(_MANY_CATEGORIES, n_rows / 2):
            raise DataFileError(
                self.numbers.path,
                Message(
                    "column {name!r} holds {size} different texts in {n_rows} rows; it looks like an "
                    "identifier: leave it out with {drop}, or name it in {nominal} to keep it",
                    name=column.name,
                    size=size,
                    n_rows=n_rows,
                ),
            )

    def _naming_columns(self, codes: NDArray[np.float64]) -> dict[str, Message]:
        """Return the columns that name or count the rows, with a remark on why they are left out.

        A text that differs in every row where there is one, or whole numbers that count the rows.
        """
        found = {}
        for values, column in zip(codes.T, self._columns.values(), strict=True):
            if not self._drop_names or column.named:
                continue
            if column.kind == "numbers" and _counts(values):
                reason = "counts the rows"
            elif len(column.codes) == column.n_known >= _LEAST_ROWS and not any(
                _is_number(text) for text in column.codes
            ):
                reason = "holds a different text in every row"
            else:
                continue
            found[column.name] = Message(
                "column {name!r} {reason}, so it is taken as a name and left out; name it in "
                "{features} to keep it",
                name=column.name,
                reason=reason,
            )
        return found


class Encoder:
    """A recipe at work on one table, whose columns stand in any order.

    Parameters
    ----------
    recipe : Recipe
        What to apply.
    path : path-like
        The table, to be named in errors.
    header : sequence of str
        Its column names; a missing one is an error.
    allow_comma : bool
        Whether numbers may have a decimal comma.

    Examples
    --------
    >>> recipe = Recipe((Column("hour"), Column("place", ("home", "work", "train"))))
    >>> encoder = Encoder(recipe, "new.csv", ["place", "name", "hour"])
    >>> encoder.encode([["work", "moon"], ["Ann", "Bob"], ["8", ""]], [2, 3])
    array([[ 8.,  0.,  1.,  0.],
           [nan, nan, nan, nan]])
    >>> encoder.unused, encoder.remarks()
    (['name'], ["column 'place' holds 'moon' (1 row), never seen at fitting; taken as missing"])
    """

    def __init__(
        self, recipe: Recipe, path: Any, header: Sequence[str], *, allow_comma: bool = False
    ) -> None:
        self._places = recipe.places(path, header)
        self._features = FeatureColumns((), Numbers(path, allow_comma=allow_comma), recipe=recipe)
        self.unused = [name for j, name in enumerate(header) if j not in set(self._places)]

    @property
    def has_decimal_commas(self) -> bool:
        """Whether a number with a decimal comma was met."""
        return self._features.numbers.comma_line is not None

    def encode(self, columns: Sequence[Cells], lines: Sequence[int]) -> NDArray[np.float64]:
        """Return the features of some rows, given as columns of cells; NaN = missing or unknown."""
        return self._features.encode([columns[j] for j in self._places], lines)

    def remarks(self) -> list[Message]:
        """Return one remark per column that held categories which were never seen at fitting."""
        return self._features.unknown_remarks()


def texts_of(cells: Cells) -> Sequence[str]:
    """Return cells as texts; a missing number is an empty text."""
    if not isinstance(cells, np.ndarray):
        return cells
    # True and False are the numbers 1 and 0, in every table.
    plain = cells.astype(np.int64) if cells.dtype.kind == "b" else cells
    return ["" if value is None else str(value) for value in plain.tolist()]


def _encoding_remark(column: Column) -> Message | None:
    if column.categories is None:
        return None
    n, m = len(column.categories), len(column.features)
    template = "feature {name!r} has {n} categories, encoded as {m} column{s} of 0 and 1"
    return Message(template, name=column.name, n=n, m=m, s="s" * (m != 1))


def _counts(values: NDArray[np.float64]) -> bool:
    return bool(len(values) >= _LEAST_ROWS and values[0] in (0, 1) and (np.diff(values) == 1).all())


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
