"""From the cells of a table to numbers: as they stand, or as codes of categories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import EXACT_LIMIT
from rankwise._messages import CATEGORIES, Arg, Message
from rankwise._naming import counted, name_some, number_text
from rankwise.datasets._cells import Cells, ParsedNumbers, coded
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._text import DataFileError, excerpt
from rankwise.datasets._unfit import Unfit, left_out, refuse_unfit

# Cells that mean "not known", in lower case.
MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "nan"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_MAX_CATEGORIES = 1000
# A text column with more categories than this, most of them seen once, names rows.
_MANY_CATEGORIES = 20
# What kinds of files write for a Boolean, in lower case.
_TRUTHS = {"false": "0", "true": "1"}
# Fewer rows may differ in every text by chance.
_LEAST_ROWS = 8
FILL = "correct the cell, or leave it empty if it is missing"
# What is no category, although it is a text: days, and what a formula gives that went wrong.
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{1,2}(?:\.\d{1,2}\.\d{4}|/\d{1,2}/(?:\d\d){1,2})"
)
_WHOLE = re.compile(r"[+-]?[0-9]{16,400}")
_FAULT = re.compile(r"#(?:DIV/0!|REF!|VALUE!|NUM!|NULL!|NAME\?|SPILL!|CALC!)", re.IGNORECASE)
# Why columns are left out: they are about lines, or name the rows.
_OF_LINES = ("counts the lines", "holds a different text on every line")
_OF_ROWS = "holds a different text in every row"


class Numbers:
    """Reads the numbers of one file, with decimal points or with decimal commas, not with both.

    Once points occur as well, a comma may be a thousands separator: that is an error.
    """

    def __init__(self, path: Any, *, allow_comma: bool = False) -> None:
        self.error = partial(DataFileError, path)
        self.allow_comma = allow_comma
        self.comma_line: int | None = None
        self.point_line: int | None = None
        # What to say of columns in which whole numbers were rounded.
        self._rounded: dict[str, str] = {}

    def parse(
        self, cells: Cells, lines: Sequence[int], column: str, hint: str = FILL
    ) -> NDArray[np.float64]:
        """Return the cells as numbers, NaN where missing; `hint` ends the error message."""
        if isinstance(cells, np.ndarray):
            values = np.asarray(cells, dtype=np.float64)
        elif isinstance(cells, ParsedNumbers):
            values = self._parsed(cells, lines)
        else:
            values = self._of_texts(cells, lines, column, hint)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            i = int(infinite[0])
            raise self.error(
                f"column {column!r} holds {excerpt(str(cells[i]))}; numbers are finite, leave the "
                "cell empty where it is missing",
                lines[i],
            )
        if column not in self._rounded:
            self._watch_rounding(cells, values, lines, column)
        return values

    def remarks(self) -> list[str]:
        """Return one remark for each column with a whole number that was rounded, by name of column."""
        return [self._rounded[column] for column in sorted(self._rounded)]

    def _watch_rounding(
        self, cells: Cells, values: NDArray[np.float64], lines: Sequence[int], column: str
    ) -> None:
        for i in np.flatnonzero(np.abs(values) >= EXACT_LIMIT).tolist():
            cell = str(cells[i])
            if _WHOLE.fullmatch(cell) and int(cell) != int(values[i]):
                self._rounded[column] = Message(
                    f"column {column!r} holds {number_text(cell)} (line {lines[i]}), and whole numbers "
                    f"above 2**53 are rounded: some that differ may become equal; name the column in "
                    f"{Arg.NOMINAL} if they are names of something"
                )
                return

    def is_number(self, cell: str) -> bool:
        """Tell whether a cell that is not missing reads as a number."""
        return self.value(cell) is not None

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

    def _parsed(self, cells: ParsedNumbers, lines: Sequence[int]) -> NDArray[np.float64]:
        if self.allow_comma and len(lines):
            if self.point_line is None and cells.may_hold_points:
                self.point_line = lines[0]
            if self.comma_line is None and cells.hold_commas():
                self.comma_line = lines[0]
            self._check_mixture()
        return cells.values

    def _one(self, cell: str, line: int, column: str, hint: str) -> float:
        if cell.lower() in MISSING:
            return np.nan
        value = self.value(cell)
        if value is None:
            raise self.error(
                f"column {column!r} holds {excerpt(cell)}, which is no number; {hint}", line
            )
        if "," in cell and self.comma_line is None:
            self.comma_line = line
            self._check_mixture()
        return value

    def value(self, cell: str) -> float | None:
        """Return the number that a cell which is not missing holds; None if it holds none."""
        if self.allow_comma and _DECIMAL_COMMA.fullmatch(cell):
            cell = cell.replace(",", ".")
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return None

    def _watch_points(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        if self.point_line is not None:
            return
        numbered = zip(cells, lines, strict=True)
        points = (line for cell, line in numbered if "." in cell and self.is_number(cell))
        self.point_line = next(points, None)
        self._check_mixture()

    def _check_mixture(self) -> None:
        if self.comma_line is not None and self.point_line is not None:
            raise self.error(
                f"numbers have a decimal comma here and a decimal point on line {self.point_line}; "
                "use one of the two, and no thousands separators",
                self.comma_line,
            )


@dataclass
class FoundColumn:
    """What is known of a column while it is read; `codes` are its categories, if it holds texts."""

    name: str
    kind: str = ""  # "numbers", "texts", or nothing as long as every cell is missing
    codes: dict[str, int] = field(default_factory=dict)
    declared: bool = False  # the file lists the categories
    named: bool = False  # declared, or called nominal by the user: may look like numbers
    n_known: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    line_beyond: int | None = None  # where the categories became too many
    date: tuple[str, int] | None = None  # the first that is a day, and its line

    @classmethod
    def of(cls, column: Column, declared: bool = False) -> FoundColumn:
        if column.categories is None:
            return cls(column.name, "numbers")
        codes = {category: i for i, category in enumerate(column.categories)}
        return cls(column.name, "texts", codes, declared, named=declared)

    def spelled(self, texts: list[str], are_numbers: bool) -> list[str]:
        """Texts as the recipe has them: a Boolean is True in a text, TRUE in a workbook, 1 elsewhere."""
        known = {text.lower(): text for text in self.codes}
        if known.keys() != _TRUTHS.keys():
            return texts
        if are_numbers:
            known |= {number: known[text] for text, number in _TRUTHS.items()}
        return [known.get(text.lower(), text) for text in texts]


def _as_numbers(cells: Sequence[str]) -> Sequence[str]:
    """Booleans that are written as texts, as numbers; any other column as it is."""
    first = next((cell for cell in cells if cell.lower() not in MISSING), "")
    if first.lower() not in _TRUTHS:
        return cells
    return [_TRUTHS.get(cell.lower(), cell) for cell in cells]


class FeatureColumns:
    """Turns some columns of a table into a matrix, by a recipe that it learns or is given.

    Whether a column holds numbers or categories is decided by its first cell that is not missing,
    unless it is declared. A column that mixes the two is an error, so that a typing mistake in a
    column of numbers is found instead of becoming a category.

    Parameters
    ----------
    header : sequence of str
        The columns of the table.
    places : sequence of int
        Those to take.
    numbers : Numbers
        Reader of numbers, shared by the whole file.
    nominal : iterable of str
        Columns that hold categories even where these look like numbers.
    declared : iterable of Column
        What the file itself says of its columns; categories that it does not list are errors.
    drop_names : bool
        Whether to leave out columns that name or count the rows.
    drop_empty : bool
        Whether to leave out columns without a value in any row.
    recipe : Recipe, optional
        To be applied: categories that it does not know are missing, and counted.

    Examples
    --------
    >>> recipe = Recipe((Column("hour"), Column("place", ("home", "work", "train"))))
    >>> new = FeatureColumns.by_recipe(recipe, "new.csv", ["place", "name", "hour"])
    >>> new.encode([["work", "moon"], ["Ann", "Bob"], ["8", ""]], [2, 3])
    array([[ 8.,  0.,  1.,  0.],
           [nan, nan, nan, nan]])
    >>> new.unknown_remarks()
    ["column 'place' holds 'moon' (1 row), never seen at fitting; taken as missing"]
    """

    def __init__(
        self,
        header: Sequence[str],
        places: Sequence[int],
        numbers: Numbers,
        *,
        nominal: Iterable[str] = (),
        declared: Iterable[Column] = (),
        drop_names: bool = False,
        drop_empty: bool = False,
        recipe: Recipe | None = None,
    ) -> None:
        self.numbers = numbers
        self.names = [header[j] for j in places]
        self._places = list(places)
        self._drop_names, self._drop_empty, self._recipe = drop_names, drop_empty, recipe
        known = {column.name: FoundColumn.of(column, declared=True) for column in declared}
        for name in nominal:
            if name not in known or not known[name].named:
                known[name] = FoundColumn(name, "texts", named=True)
        if recipe is not None:
            known = {column.name: FoundColumn.of(column) for column in recipe.columns}
        self._columns = [known.get(name) or FoundColumn(name) for name in self.names]
        self._blocks: list[NDArray[np.float64]] = []
        # The first column that names the rows, and what it calls them; known at the end.
        self.naming: tuple[str, tuple[str, ...]] | None = None
        # How many of the remarks are about columns left out; they come first.
        self.n_left_out_remarks = 0

    @classmethod
    def by_recipe(
        cls, recipe: Recipe, path: Any, header: Sequence[str], *, allow_comma: bool = False
    ) -> FeatureColumns:
        """Match the columns of a table with those of a recipe by name, in any order."""
        places = recipe.places(path, header)
        return cls(header, places, Numbers(path, allow_comma=allow_comma), recipe=recipe)

    @property
    def numeric(self) -> set[str]:
        """Names of the columns that hold numbers, as far as is known."""
        return {column.name for column in self._columns if column.kind == "numbers"}

    def add(self, columns: Sequence[Cells], lines: Sequence[int]) -> None:
        """Take in a chunk of the table, all its columns."""
        self._blocks.append(self._codes(columns, lines))

    def finish(
        self,
        owners: NDArray[np.int64] | None = None,
        find_unfit: Callable[[NDArray[np.float64], Sequence[FoundColumn]], Unfit | None]
        | None = None,
    ) -> tuple[NDArray[np.float64], Recipe, list[str]]:
        """Return the matrix, the recipe of its columns, and remarks on what was made of them.

        `owners` are the rows of the lines, where a row stands on several; `find_unfit` gets the
        columns that stay, as numbers and codes of categories, and finds those that are no features
        for a reason of its own.
        """
        codes = np.concatenate(self._blocks) if self._blocks else np.empty((0, len(self.names)))
        self._blocks.clear()
        remarks: list[str]
        if self._recipe is not None:
            self._refuse_unfit(self._columns, codes, None, find_unfit)
            remarks = [*self.unknown_remarks(), *self.numbers.remarks()]
            return self._recipe.expand(codes), self._recipe, remarks
        reasons, empty = self._naming_columns(codes, owners), self._empty_columns(codes)
        naming = [c for c in self._columns if c.name in reasons and len(c.codes) == len(codes)]
        if naming:
            self.naming = naming[0].name, tuple(naming[0].codes)
        remarks = [
            Message(
                f"column {name!r} {reason}, so it is taken as a name and left out"
                + ("" if reason in _OF_LINES else f"; name it in {Arg.FEATURES} to keep it")
            )
            for name, reason in reasons.items()
        ]
        if empty:
            which = (
                f"column {empty[0]!r} is" if len(empty) == 1 else f"columns {name_some(empty)} are"
            )
            remarks.append(Message(f"{which} empty in every row and left out"))
        self.n_left_out_remarks = len(remarks)
        gone = {*reasons, *empty}
        kept = [column for column in self._columns if column.name not in gone]
        if gone:
            codes = codes[:, [name not in gone for name in self.names]]
        self._refuse_unfit(kept, codes, owners, find_unfit)
        columns = []
        for found in kept:
            column = Column(found.name, tuple(found.codes) if found.kind == "texts" else None)
            columns.append(column)
            if column.categories is not None:
                n, m = len(column.categories), len(column.features)
                encoded = f"encoded as {m} column{'s' * (m != 1)} of 0 and 1"
                kinds = "1 category" if n == 1 else f"{n} categories"
                said = f"feature {column.name!r} has {kinds}, {encoded}"
                remarks.append(Message(said, CATEGORIES))
        recipe = Recipe(tuple(columns), (*reasons, *empty))
        self._refuse_doubles(recipe)
        remarks += self.numbers.remarks()
        return recipe.expand(codes), recipe, remarks

    def encode(self, columns: Sequence[Cells], lines: Sequence[int]) -> NDArray[np.float64]:
        """Return the features of a chunk by the given recipe; NaN = missing or unknown."""
        assert self._recipe is not None
        return self._recipe.expand(self._codes(columns, lines))

    def unknown_remarks(self) -> list[str]:
        """Return one remark per column that held categories which the given recipe does not know."""
        return [
            f"column {column.name!r} holds {name_some(column.unknown, 5)} ({n} row{'s' * (n != 1)}), "
            "never seen at fitting; taken as missing"
            for column in self._columns
            if (n := column.unknown.total())
        ]

    def _codes(self, columns: Sequence[Cells], lines: Sequence[int]) -> NDArray[np.float64]:
        codes = np.empty((len(lines), len(self.names)))
        for j, (column, place) in enumerate(zip(self._columns, self._places, strict=True)):
            codes[:, j] = self._column(column, columns[place], lines)
        return codes

    def _column(
        self, column: FoundColumn, cells: Cells, lines: Sequence[int]
    ) -> NDArray[np.float64] | float:
        if not column.kind and isinstance(cells, np.ndarray):
            column.kind = "numbers"
        if not column.kind and isinstance(cells, ParsedNumbers):
            if np.isnan(cells.values).all():
                return np.nan
            column.kind = "numbers"
        if not column.kind:
            first = next((cell for cell in cells if cell.lower() not in MISSING), None)
            if first is None:
                return np.nan
            column.kind = "numbers" if self.numbers.is_number(first) else "texts"
        if column.kind == "texts":
            return self._categories(column, cells, lines)
        hint = FILL
        if self._recipe is not None and not isinstance(cells, np.ndarray | ParsedNumbers):
            cells = _as_numbers(cells)
        if self._recipe is None:
            hint = (
                "correct the cell, leave it empty if it is missing, or name the column in "
                f"{Arg.NOMINAL} if it holds categories"
            )
        return self.numbers.parse(cells, lines, column.name, hint)

    def _categories(
        self, column: FoundColumn, cells: Cells, lines: Sequence[int]
    ) -> NDArray[np.float64]:
        codes = column.codes
        distinct, places = coded(cells)
        if self._recipe is not None:
            distinct = column.spelled(distinct, isinstance(cells, np.ndarray))
        for i, cell in enumerate(distinct):
            if cell not in codes and cell.lower() not in MISSING:
                if self._recipe is not None:
                    column.unknown[cell] += int(np.count_nonzero(places == i))
                else:
                    self._new_category(column, cell, lines[int(np.argmax(places == i))])
        values = np.array([codes.get(cell, np.nan) for cell in distinct])[places]
        column.n_known += int(np.count_nonzero(~np.isnan(values)))
        # Too many texts may be names of rows, as long as all of them differ.
        may_name = self._drop_names and not column.named and len(codes) == column.n_known
        if column.line_beyond and not may_name:
            raise self.numbers.error(
                f"column {column.name!r} holds more than {_MAX_CATEGORIES} different texts; it looks "
                f"like an identifier: leave it out with {Arg.DROP_ONE:{column.name}}",
                column.line_beyond,
            )
        return values

    def _new_category(self, column: FoundColumn, cell: str, line: int) -> None:
        if column.declared:
            raise self.numbers.error(
                f"column {column.name!r} holds {excerpt(cell)}, which is not among its declared "
                "categories; correct the cell or declare the category",
                line,
            )
        if _FAULT.fullmatch(cell):
            raise self.numbers.error(
                f"column {column.name!r} holds {cell!r}, what a spreadsheet shows where a formula "
                "went wrong; correct it, or empty the cell",
                line,
            )
        if column.date is None and _DATE.fullmatch(cell):
            column.date = cell, line
        if not column.named and self.numbers.is_number(cell):
            raise self.numbers.error(
                f"column {column.name!r} holds the number {excerpt(cell)} where earlier lines hold "
                f"texts such as {excerpt(next(iter(column.codes)))}; correct the odd one, or name the "
                f"column in {Arg.NOMINAL}",
                line,
            )
        column.codes[cell] = len(column.codes)
        if len(column.codes) > _MAX_CATEGORIES and column.line_beyond is None:
            column.line_beyond = line

    def _refuse_doubles(self, recipe: Recipe) -> None:
        names = recipe.feature_names
        if len(set(names)) < len(names):
            doubled = next(name for j, name in enumerate(names) if name in names[:j])
            raise self.numbers.error(
                f"two features are called {doubled!r}, a column and a category of another; rename the "
                "column"
            )

    def _refuse_unfit(
        self,
        kept: Sequence[FoundColumn],
        codes: NDArray[np.float64],
        owners: NDArray[np.int64] | None,
        find_unfit: Callable[..., Unfit | None] | None,
    ) -> None:
        more = None if find_unfit is None else find_unfit(codes, kept)
        unfit = [] if more is None else [more]
        told = set() if more is None else set(more.columns)
        if self._recipe is None:
            where = counted(len(codes), "line" if _are_lines(owners) else "row")
            found = (
                _unfit(column, len(codes), where) for column in kept if column.name not in told
            )
            unfit += [part for part in found if part is not None]
        refuse_unfit(self.numbers.error, unfit)

    def _empty_columns(self, codes: NDArray[np.float64]) -> list[str]:
        """Return the columns of no value at all, of which nothing is learnt, and new rows need none."""
        if not self._drop_empty or not len(codes):
            return []
        is_empty: NDArray[np.bool_] = np.isnan(codes).min(axis=0)
        return [
            column.name
            for column, nothing in zip(self._columns, is_empty, strict=True)
            if nothing and not column.named
        ]

    def _naming_columns(
        self, codes: NDArray[np.float64], owners: NDArray[np.int64] | None
    ) -> dict[str, str]:
        """Return the columns that name or count the rows, or their lines, with the reason.

        A text that differs in every row where there is one, or whole numbers that count the rows.
        """
        reasons: dict[str, str] = {}
        if not self._drop_names or not len(codes):
            return reasons
        firsts = None if owners is None else np.unique(owners, return_index=True)[1]
        for values, column in zip(codes.T, self._columns, strict=True):
            if column.named:
                continue
            if column.kind == "numbers":
                of_rows = values if firsts is None else values[firsts]
                if _counts(of_rows) and (owners is None or (values == of_rows[owners]).all()):
                    reasons[column.name] = "counts the rows"
                elif _counts(values):
                    reasons[column.name] = _OF_LINES[0]
            elif len(column.codes) >= _LEAST_ROWS and not any(map(is_number, column.codes)):
                if len(column.codes) == column.n_known:
                    reasons[column.name] = _OF_LINES[1] if _are_lines(owners) else _OF_ROWS
                elif owners is not None and _belong_to_one(values, owners):
                    reasons[column.name] = _OF_ROWS
        return reasons


def _unfit(column: FoundColumn, n_rows: int, where: str) -> Unfit | None:
    """Tell whether a column holds days or names, of which no categories are made."""
    size, leave_out = len(column.codes), left_out([column.name])
    if column.date is not None and not column.named:
        date, line = column.date
        return Unfit(
            [column.name],
            f"column {column.name!r} holds the date {excerpt(date)}, and a day is no category that "
            f"comes again; {leave_out}, write it as a number (days since the first), or name it in "
            f"{Arg.NOMINAL}",
            f"{column.name!r} holds dates ({excerpt(date)})",
            f"write dates as numbers (days since the first), or name them in {Arg.NOMINAL}",
            line,
        )
    if size > _MAX_CATEGORIES:
        return Unfit(
            [column.name],
            f"column {column.name!r} declares {size} categories, and each would become a feature; "
            f"{leave_out}",
            f"{column.name!r} declares {size} categories",
            f"declare {_MAX_CATEGORIES} categories at most",
        )
    if not column.named and size > max(_MANY_CATEGORIES, n_rows / 2):
        return Unfit(
            [column.name],
            f"column {column.name!r} holds {size} different texts in {where}; it looks like an "
            f"identifier: {leave_out}, or name it in {Arg.NOMINAL} to keep it",
            f"{column.name!r} looks like an identifier ({size} different texts in {where})",
            f"name what is a category all the same in {Arg.NOMINAL}",
        )
    return None


def _are_lines(owners: NDArray[np.int64] | None) -> bool:
    """Tell whether some rows stand on several lines."""
    return owners is not None and len(owners) > len(np.unique(owners))


def _counts(values: NDArray[np.float64]) -> bool:
    """Tell whether numbers count up by 1 from 0 or 1."""
    return len(values) >= _LEAST_ROWS and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def _belong_to_one(codes: NDArray[np.float64], owners: NDArray[np.int64]) -> bool:
    """Tell whether each code that is not missing occurs in the lines of one row alone."""
    known = ~np.isnan(codes)
    order = np.lexsort((owners[known], codes[known]))
    codes, owners = codes[known][order], owners[known][order]
    return not ((np.diff(codes) == 0) & (np.diff(owners) != 0)).any()


def are_plain(texts: Iterable[str]) -> bool:
    """Tell whether texts can be told from missing cells, and are read as they were written."""
    return all(t == t.strip() and t.isprintable() and t.lower() not in MISSING for t in texts)


def reads_as_categories(texts: Sequence[str], n_rows: int) -> bool:
    """Tell whether texts in a column of so many rows are read as categories without being declared."""
    return len(texts) <= max(_MANY_CATEGORIES, n_rows / 2) and not any(
        is_number(text) or _DATE.fullmatch(text) or _FAULT.fullmatch(text) for text in texts
    )


def is_number(cell: str) -> bool:
    """Whether a text is a number, with a decimal point or comma."""
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
