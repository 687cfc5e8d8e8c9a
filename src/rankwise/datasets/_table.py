"""Tables with a header, read in chunks of columns: text files of any common separator."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from rankwise.datasets._cells import Cells
from rankwise.datasets._encoding import is_number
from rankwise.datasets._text import DataFile, DataFileError

# One chunk of rows holds about this many cells, whatever the number of columns.
_CELLS_PER_CHUNK = 50_000

# Line numbers, and for each column of the header its cells on these lines.
Chunk = tuple[Sequence[int], list[Cells]]


class Table(Protocol):
    """What the readers of tabular formats need: a header, and columns of cells."""

    path: Path
    header: list[str]
    # What separates cells in a text; numbers may have a decimal comma where it is no comma.
    delimiter: str
    # What is to be said of the file as a whole.
    remarks: tuple[str, ...]

    def chunks(self) -> Iterator[Chunk]:
        """Yield line numbers and columns of cells."""


class TextTable:
    """A CSV file whose separator (``,`` ``;`` tab or ``|``) is found from its header.

    Blank lines are skipped, cells are stripped, and a first line ``sep=;``, as spreadsheets write
    it, is obeyed. Every row has as many cells as the header, or the file is refused.
    """

    remarks: tuple[str, ...] = ()

    def __init__(self, file: DataFile) -> None:
        self.path = path = file.path
        self.error = partial(DataFileError, path)
        # How many lines were read.
        self.line = 0
        lines = self._numbered(file.lines())
        first = next((text for text in lines if text.strip()), None)
        if first is None:
            raise self.error("is empty; expected a header line with the names of the columns")
        if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:
            self.delimiter = first.strip()[-1]
        else:
            self.delimiter = _separator_of(first)
            lines = chain([first], lines)
        self._rows = csv.reader(
            (text + "\n" for text in lines),
            delimiter=self.delimiter,
            skipinitialspace=True,
            strict=True,
        )
        header = self._next_row()
        if header is None:
            raise self.error("has no header line; name the columns in the first line")
        self.header = checked_header(path, header[1], header[0])

    def chunks(self) -> Iterator[Chunk]:
        """Yield line numbers and columns of texts, as many as the header names."""
        size = max(1, _CELLS_PER_CHUNK // len(self.header))
        rows = ((line, self._trimmed(row, line)) for line, row in iter(self._next_row, None))
        while chunk := list(islice(rows, size)):
            yield [line for line, _ in chunk], list(zip(*(row for _, row in chunk), strict=True))

    def _numbered(self, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
        for self.line, text in lines:
            yield text

    def _next_row(self) -> tuple[int, list[str]] | None:
        """Return the next row that is not blank, with the line on which it starts."""
        while True:
            start = self.line + 1
            try:
                row = next(self._rows, None)
            except csv.Error as error:
                raise self.error(
                    f"the row that starts here cannot be split into cells ({error}); look for a "
                    "quote that is not closed, and double the quotes inside quoted cells",
                    min(start, self.line) or None,
                ) from error
            if row is None:
                return None
            cells = [cell.strip() for cell in row]
            if any(cells):
                return min(start, self.line), cells

    def _trimmed(self, row: list[str], line: int) -> list[str]:
        width = len(self.header)
        if len(row) >= width and not any(row[width:]):
            return row[:width] if len(row) > width else row
        raise self.error(
            f"has {len(row)} cells but the header names {width} columns; put texts that contain "
            f"{self.delimiter!r} in quotes, and leave missing cells empty",
            line,
        )


def _separator_of(text: str) -> str:
    def n_columns(delimiter: str) -> int:
        try:
            return len(next(csv.reader([text], delimiter=delimiter), []))
        except csv.Error:
            return 0

    return max(",;\t|", key=n_columns)


def checked_header(path: Path, header: list[str], line: int, start: int = 0) -> list[str]:
    """Return the names of the columns, or say which has none or that of another.

    `start` columns before them are empty.
    """
    while header and not header[-1]:
        header = header[:-1]
    error = partial(DataFileError, path, line=line)
    seen: dict[str, int] = {}
    for j, name in enumerate(header, start + 1):
        if not name:
            raise error(
                f"column {j} has no name; name it, or leave it out if it only numbers the rows "
                "(pandas: to_csv(index=False))"
            )
        if name in seen:
            raise error(
                f"columns {seen[name]} and {j} are both called {name!r}; rename one of them"
            )
        seen[name] = j
    if all(is_number(name) for name in header):
        raise error("the first line holds numbers only; put the names of the columns above it")
    return header
