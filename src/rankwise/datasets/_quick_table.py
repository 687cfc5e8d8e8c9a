"""Text tables at the speed of files: pandas parses what is plain; all else is for the careful reader."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO
from itertools import product
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from rankwise._parallel import made_ahead
from rankwise.datasets._cells import Cells, CodedTexts, ParsedNumbers
from rankwise.datasets._encoding import MISSING, Numbers
from rankwise.datasets._table import TextTable
from rankwise.datasets._text import MAX_LINE, DataFile, DataFileError

if TYPE_CHECKING:
    from pandas import DataFrame

# Smaller files are read in no time by the careful reader.
LEAST_BYTES = 200_000
_BLOCK = 4_000_000
# A column costs pandas the time of some hundred cells, and 16 KB: wider rows are read sooner without it.
_MOST_COLUMNS = 2_000
_SEPARATORS = ",;\t|"
_NEWLINE, _RETURN, _BLANK, _QUOTE = b'\n\r "'
# Rows that are looked at to tell numbers from texts, and few texts from many.
_HEAD = 100
_MANY_TEXTS = 80
_EMPTY = re.compile(rb' *(?:" *")?')
# Every way to write that a cell is missing.
_MISSING = ["".join(s) for m in MISSING for s in product(*({c, c.upper()} for c in m))]


class NotPlainError(DataFileError):
    """The careful reader is to look at this file; whether anything is wrong with it, it will say."""

    def __init__(self, file: DataFile) -> None:
        super().__init__(file.path, "is no plain table")


class QuickTable:
    """A text table of which the careful reader has read the header, and pandas reads the rows.

    A row is taken only if its line can be split in one way: as many separators as the header has,
    quotes around whole cells and nowhere else, no signs that are not printed. `NotPlainError` is raised
    as soon as a line is not like that. What is read means the same as to `TextTable`; which of
    several faults of a file is named first may differ, so that users of this table turn to the
    careful reader on every `DataFileError`.
    """

    remarks: tuple[str, ...] = ()

    def __init__(self, file: DataFile) -> None:
        careful = TextTable(file)
        self.path, self.header, self.delimiter = file.path, careful.header, careful.delimiter
        self._file = file
        file.rewind()
        head = [file.handle.readline(MAX_LINE) for _ in range(careful.line)]
        # A return alone ends a line as well, so that lines would be counted in two ways.
        lone = any(line.count(b"\r") != line.count(b"\r\n") for line in head)
        wide = len(self.header) > _MOST_COLUMNS
        if lone or wide or self.delimiter not in _SEPARATORS:
            raise NotPlainError(file)
        self._line = careful.line

    def chunks(self) -> Iterator[tuple[Sequence[int], Columns]]:
        """Yield line numbers and columns: texts, or numbers that know how they were written."""
        for columns, lines, n_lines in made_ahead(self._parse, self._blocks()):
            start = self._line + 1
            self._line += n_lines
            if columns:
                numbered = (
                    range(start, self._line + 1) if lines is None else (lines + start).tolist()
                )
                yield numbered, columns

    def _blocks(self) -> Iterator[bytes]:
        """Yield whole lines, many at a time."""
        handle = self._file.handle
        while block := handle.read(_BLOCK):
            if not block.endswith(b"\n"):
                block += handle.readline(MAX_LINE)
            yield block if block.endswith(b"\n") else block + b"\n"

    def _parse(self, block: bytes) -> tuple[Columns | None, NDArray[np.int64] | None, int]:
        """Return the columns of a block, which of its lines are rows (None: all), and how many it has."""
        split = _split(block, self.delimiter, len(self.header))
        if split is None:
            raise NotPlainError(self._file)
        rows, lines, n_lines = split
        parsed = _Parsed(rows, self.delimiter, len(self.header), self._file)
        return Columns(parsed.columns(), parsed) if rows else None, lines, n_lines


class Columns(list["Cells"]):
    """The columns of some rows, and the rows as they stand in the file."""

    def __init__(self, columns: list[Cells], parsed: _Parsed) -> None:
        super().__init__(columns)
        self._parsed = parsed

    def lines(self, delimiter: str) -> list[str] | None:
        """Return the rows as lines of a text table; None where they would be written otherwise."""
        rows, sign = self._parsed.rows, delimiter.encode()
        odd = (sign + b" ", b" " + sign, b"\n ", b" \n", b" \r")
        if (
            delimiter != self._parsed.delimiter
            or b'"' in rows
            or (b" " in rows and (rows.startswith(b" ") or any(s in rows for s in odd)))
        ):
            return None
        return rows.decode().replace("\r", "").split("\n")[:-1]


class _Parsed:
    """A block of rows that can be split in one way, parsed column by column."""

    def __init__(self, rows: bytes, delimiter: str, width: int, file: DataFile) -> None:
        self.rows, self.delimiter = rows, delimiter
        self._width, self._file = width, file
        # Of a file with decimal commas; where a comma may be something else, a point is decimal.
        commas = delimiter != "," and b"," in rows and b"." not in rows
        self._decimal = "," if commas and not re.search(rb",(?![0-9])", rows) else "."

    def columns(self) -> list[Cells]:
        try:
            heads = self._heads()
        except csv.Error:
            # A cell longer than the parser takes: the careful reader says where.
            raise NotPlainError(self._file) from None
        numbers = Numbers(self._file.path, allow_comma=self._decimal == ",")
        firsts = [next((c for c in head if c.lower() not in MISSING), "") for head in heads]
        numeric = [j for j, first in enumerate(firsts) if first and numbers.is_number(first)]
        try:
            frame = self._frame(heads, numeric)
        except ValueError:
            # A text in a column of numbers: the careful reader says which, or takes it.
            raise NotPlainError(self._file) from None
        return [self._cells(frame[j], j in numeric) for j in range(self._width)]

    def _heads(self) -> list[tuple[str, ...]]:
        """Return the first cells of each column."""
        end = 0
        for _ in range(_HEAD):
            end = self.rows.find(b"\n", end) + 1 or len(self.rows)
        lines = self.rows[:end].decode().replace("\r", "").split("\n")[:-1]
        found = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        return list(zip(*([cell.strip() for cell in row] for row in found), strict=True))

    def _frame(self, heads: list[tuple[str, ...]], numeric: Sequence[int]) -> DataFrame:
        # Few texts are made once, not once for each row; of many, most are different.
        kinds: dict[int, Any] = {
            j: "category" if len(set(head)) <= _MANY_TEXTS else object
            for j, head in enumerate(heads)
        }
        return self._parse(kinds | dict.fromkeys(numeric, np.float64))

    def _parse(self, kinds: dict[int, Any], **options: Any) -> DataFrame:
        import pandas as pd  # slow to import, and small files need none of it

        # From 3.1 on, pandas rounds to the nearest number whatever is asked for.
        rounding = {} if _version(pd) >= (3, 1) else {"float_precision": "round_trip"}
        frame = pd.read_csv(
            BytesIO(self.rows),
            sep=self.delimiter,
            decimal=self._decimal,
            header=None,
            names=list(range(self._width)),
            dtype=kinds,
            na_values={j: _MISSING for j, kind in kinds.items() if kind is np.float64},
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=False,
            low_memory=False,
            encoding="utf-8",
            **rounding,
            **options,
        )
        if not isinstance(frame.index, pd.RangeIndex):
            raise NotPlainError(self._file)
        return frame

    def _cells(self, column: Any, is_numeric: bool) -> Cells:
        if is_numeric:
            values = np.asarray(column, dtype=np.float64)
            texts = _Texts(self, column.name)
            if not np.isinf(values).any():
                has_point = b"." in self.rows
                return ParsedNumbers(values, texts, has_point, self._decimal == ",")
            return texts.all
        if column.dtype == "category":
            known = [str(text) for text in column.cat.categories]
            places = np.asarray(column.cat.codes, dtype=np.int64)
            if all(text == text.strip() for text in known):
                return CodedTexts(np.array(known, dtype=object), places)
            return [known[place].strip() for place in places.tolist()]
        return [text.strip() for text in column]

    def texts(self, j: int) -> list[str]:
        """Return the cells of a column as they stand in the file."""
        return [text.strip() for text in self._parse({j: object}, usecols=[j])[j]]


class _Texts(Sequence[str]):
    """The cells of a column as texts, parsed when somebody asks."""

    def __init__(self, parsed: _Parsed, place: int) -> None:
        self._parsed, self._place = parsed, place

    @cached_property
    def all(self) -> list[str]:
        return self._parsed.texts(self._place)

    def __len__(self) -> int:
        return len(self.all)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self.all[at]


def _split(
    block: bytes, delimiter: str, width: int
) -> tuple[bytes, NDArray[np.int64] | None, int] | None:
    """Return the rows of whole lines, which lines they are (None: all), and how many lines there are.

    None if a line can be split in more than one way, or in another number of cells.
    """
    signs = np.frombuffer(block, dtype=np.uint8)
    try:
        separator = delimiter.encode("ascii")[0]
        block.isascii() or block.decode()
    except UnicodeError:
        return None
    ends = np.flatnonzero(signs == _NEWLINE)
    n_returns = block.count(b"\r\n") if b"\r" in block else 0
    allowed = len(ends) + n_returns + (block.count(b"\t") if delimiter == "\t" else 0)
    if np.count_nonzero(signs < _BLANK) != allowed:
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    blank = _blank_lines(block, signs, starts, ends, delimiter)
    if blank.size:
        kept = np.delete(np.arange(len(ends)), blank)
        rows = b"".join(block[starts[i] : ends[i] + 1] for i in kept)
        rest = _split(rows, delimiter, width) if rows else (b"", None, 0)
        return None if rest is None else (rest[0], kept, len(ends))
    separators = np.flatnonzero(signs == separator)
    quotes = np.flatnonzero(signs == _QUOTE)
    if quotes.size:
        if not _are_around_cells(signs, quotes, ends, separator):
            return None
        inside = np.searchsorted(quotes, separators) % 2 == 1
        separators = separators[~inside]
    if separators.size != len(ends) * (width - 1):
        return None
    table = separators.reshape(len(ends), width - 1)
    if width > 1 and not ((table[:, 0] >= starts).all() and (table[:, -1] < ends).all()):
        return None
    return block, None, len(ends)


def _blank_lines(
    block: bytes,
    signs: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    delimiter: str,
) -> NDArray[np.int64]:
    """Return which lines hold nothing but separators and blanks."""
    begins = signs[starts]
    empty = (begins == ord(delimiter)) | (begins == _QUOTE) | (begins <= _BLANK)
    sign = delimiter.encode()
    found = [i for i in np.flatnonzero(empty) if _is_blank(block[starts[i] : ends[i]], sign)]
    return np.array(found, dtype=np.int64)


def _is_blank(line: bytes, sign: bytes) -> bool:
    """Tell whether all cells are empty; quotes around a separator or another quote are none of them."""
    if line.strip(sign + b' "\r'):
        return False
    cells = line.removesuffix(b"\r").split(sign)
    return b'"' not in line or all(_EMPTY.fullmatch(cell) for cell in cells)


def _are_around_cells(
    signs: NDArray[np.uint8], quotes: NDArray[np.int64], ends: NDArray[np.int64], separator: int
) -> bool:
    """Tell whether quotes stand around whole cells of one line, and nowhere else."""
    if quotes.size % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before = np.where(opening == 0, _NEWLINE, signs[opening - 1])
    after = signs[closing + 1]
    first, last = (np.searchsorted(ends, q) for q in (opening, closing))
    return bool(
        np.isin(before, (separator, _NEWLINE)).all()
        and np.isin(after, (separator, _NEWLINE, _RETURN)).all()
        and np.array_equal(first, last)
    )


def _version(package: Any) -> tuple[int, ...]:
    return tuple(int(part) for part in package.__version__.split(".")[:2])
