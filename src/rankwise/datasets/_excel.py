"""Workbooks (.xlsx), where openpyxl is installed; a sheet's columns are those of the CSV formats."""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from os import SEEK_END
from typing import IO, Any, BinaryIO
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from rankwise._extras import require
from rankwise._messages import Arg, Message
from rankwise._naming import list_some, name_some
from rankwise.datasets._cells import Cells
from rankwise.datasets._contents import Cell, Content, as_texts
from rankwise.datasets._table import Chunk, checked_header
from rankwise.datasets._text import DataFile, DataFileError, excerpt

_ROWS_PER_CHUNK = 2000
# Unpacked: two million cells or so. More is no sheet that a person filled, or a trap.
MAX_UNPACKED = 200_000_000
# Nor is what grows so much when it is unpacked: a sheet of the same number in every cell grows 16 times.
_FEW_UNPACKED, _MOST_TIMES = 10_000_000, 100
# XML elements, by their opening and closing signs: of a table, or of all that is none, such as styles, of
# which a spreadsheet has 65,000 and each takes a kilobyte.
_MOST_SIGNS, _MOST_SIGNS_BESIDE = 25_000_000, 300_000
_TABLES = ("worksheet+xml", "sharedStrings+xml")
# Elements that are kept until their row ends, or outside of rows for good.
_MOST_WAITING = 2_000_000
_XML = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_READING, _WRITING = "reading workbooks (.xlsx)", "writing workbooks (.xlsx)"
# What a sheet holds.
_MOST_ROWS, _MOST_CHARACTERS = 1_048_576, 32_767
# Cells that rows spread over, the empty ones before their last cell and merged ones included. A file may
# say in few bytes that a cell stands far to the right, or is merged with a million below.
_MOST_SPREAD = 20_000_000


class ExcelTable:
    """A sheet of a workbook, so that every tabular reader takes it as it takes CSV.

    Its first row that is not empty names the columns; blank rows are skipped, rows count as in the
    sheet. Numbers stay numbers, formulas stand for the results that were saved with them, and a cell
    that is merged with those below it holds for all of them.
    """

    # No comma separates cells, so that numbers kept as texts may have a decimal comma.
    delimiter = ""

    def __init__(self, file: DataFile, sheet: str | None = None) -> None:
        self.path = file.path
        self.error = partial(DataFileError, file.path)
        self.remarks: tuple[str, ...] = ()
        self.about_sheets: Message | None = None
        openpyxl = require("openpyxl", _READING)
        self._check_archive(file.handle)
        try:
            book = openpyxl.load_workbook(file.handle, read_only=True, data_only=True)
        except Exception as error:  # openpyxl raises errors of many kinds on damaged files
            raise self._damaged(error) from error
        self._sheet = self._chosen(book, sheet)
        # Merged cells by their first row: column and last row of each.
        self._merged: dict[int, list[tuple[int, int]]] = {}
        self._look_through(file.handle)
        self._rows: Iterator[tuple[int, list[Any]]] = self._numbered_rows()
        first = next(self._rows, None)
        if first is None:
            raise self.error(
                f"sheet {self._sheet.title!r} is empty; give the one that holds the data"
            )
        self._top, cells = first
        names = [_text(cell) for cell in cells]
        self._start = next(j for j, name in enumerate(names) if name)
        self.header = checked_header(self.path, names[self._start :], self._top, self._start)
        # A title above the table shows in the row that follows: better now than by odd columns.
        second = next(self._rows, None)
        if second is not None:
            self._trimmed(second[1], second[0])
            self._rows = chain([second], self._rows)

    def chunks(self) -> Iterator[Chunk]:
        """Yield rows of the sheet and columns of cells: numbers, or texts where a cell is none."""
        rows = ((line, self._trimmed(row, line)) for line, row in self._rows)
        while chunk := list(islice(rows, _ROWS_PER_CHUNK)):
            columns = zip(*(row for _, row in chunk), strict=True)
            yield [line for line, _ in chunk], [_cells(column) for column in columns]

    def _check_archive(self, handle: BinaryIO) -> None:
        """Refuse what is no workbook, is too large unpacked, or defines XML entities."""
        is_packed = handle.read(4) == b"PK\x03\x04"
        handle.seek(0)
        if is_packed and not zipfile.is_zipfile(handle):
            raise self.error("is a workbook or a zip archive, and damaged; get it anew")
        if not is_packed:
            raise self.error(
                "is no workbook (.xlsx); if it is a text table, give it a name with .csv; save a "
                "workbook of another kind, or with a password, as .xlsx without"
            )
        try:
            opened = zipfile.ZipFile(handle)
        except Exception as error:  # of many kinds on damaged files, as below
            raise self._damaged(error) from error
        with opened as archive:
            members = archive.infolist()
            if not any(member.filename == "xl/workbook.xml" for member in members):
                # as a comment of the archive, models say what they are
                if archive.comment.startswith(b"rankwise-model"):
                    raise self.error(
                        "is a model, where a file of data belongs; a model stands first in `predict` "
                        "and `explain`, and in --model of `evaluate`"
                    )
                raise self.error("is a zip archive without a workbook; unpack it first")
            size = sum(member.file_size for member in members)
            if size > MAX_UNPACKED:
                raise self.error(
                    f"takes {size / 1e6:,.0f} MB unpacked, and workbooks are read up to "
                    f"{MAX_UNPACKED / 1e6:.0f} MB; save the sheet as CSV UTF-8"
                )
            packed = handle.seek(0, SEEK_END)
            if size > max(_FEW_UNPACKED, _MOST_TIMES * packed):
                raise self.error(
                    f"is {size // packed:,} times as large unpacked, and no table packs so well; save "
                    "it as CSV UTF-8"
                )
            try:
                tables = _parts_of_tables(archive)
                looked = [(member.filename, *_look_at(archive.open(member))) for member in members]
            except Exception as error:
                raise self._damaged(error) from error
        for name, is_typed, signs in looked:
            if is_typed:
                raise self.error(f"its part {name!r} defines XML entities; save it anew")
            if signs > (_MOST_SIGNS if name in tables else _MOST_SIGNS_BESIDE):
                raise self.error(
                    f"its part {name!r} has {signs:,} signs of XML, more than a spreadsheet writes; "
                    "copy the table to a new workbook, or save it as CSV UTF-8"
                )
        handle.seek(0)

    def _chosen(self, book: Any, sheet: str | None) -> Any:
        names = [one.title for one in book.worksheets]
        if not names:
            raise self.error("has no sheet of cells; add one")
        if sheet is not None and sheet not in names:
            raise self.error(f"has no sheet {sheet!r}; it has {name_some(names, 20)}")
        if sheet is None and len(names) > 1:
            others = f"{Arg.SHEET:{names[1]}}"
            self.about_sheets = Message(
                f"the workbook has the sheets {name_some(names, 8)}; {names[0]!r} is taken, say "
                f"{others} for another"
            )
            self.remarks += (self.about_sheets,)
        chosen = book.worksheets[names.index(sheet) if sheet is not None else 0]
        # What a file says of its size may be wrong, and rows are as long as they are.
        chosen.reset_dimensions()
        return chosen

    def _look_through(self, handle: BinaryIO) -> None:
        """Find formulas without results and merged cells, which openpyxl does not tell in passing."""
        ranges: list[str] = []
        extent = _Extent()
        try:
            with (
                zipfile.ZipFile(handle) as archive,
                archive.open(self._sheet._worksheet_path) as part,
            ):
                for _, element in ElementTree.iterparse(part):
                    extent.waiting += 1
                    if element.tag == f"{_XML}c":
                        if element.find(f"{_XML}f") is not None:
                            self._refuse_no_result(element)
                        extent.add_cell(element.get("r"))
                        extent.let_go(element)
                    elif element.tag == f"{_XML}row":
                        extent.end_row(element.get("r"))
                        extent.let_go(element)
                    elif element.tag == f"{_XML}mergeCell":
                        ranges.append(element.get("ref", ""))
                    if extent.is_too_far():
                        break
        except DataFileError:
            raise
        except Exception as error:  # of many kinds, zlib's among them
            raise self._damaged(error) from error
        handle.seek(0)
        self._add_merged(ranges, extent)
        if extent.waiting > _MOST_WAITING:
            raise self.error(
                "its sheet holds millions of elements that are no cells; copy the table to a new sheet, "
                "or save it as CSV UTF-8"
            )
        if extent.is_too_far():
            raise self.error(
                f"its sheet says that it spreads over {extent.rows:,} rows and {extent.cells:,} cells or "
                "more, most of them empty; copy the table to a new sheet, or save it as CSV UTF-8"
            )

    def _add_merged(self, ranges: list[str], extent: _Extent) -> None:
        bounds = require("openpyxl.utils", _READING).range_boundaries
        for text in ranges:
            try:
                left, top, right, bottom = map(int, bounds(text))
            except (TypeError, ValueError) as error:  # whole columns are merged, or nothing
                raise self._damaged(error) from error
            if left != right:
                raise self.error(
                    f"cells {text} are merged across columns; unmerge them, and give every column a "
                    "name and every cell its own content"
                )
            self._merged.setdefault(top, []).append((left - 1, bottom))
            extent.cells += left * max(0, min(bottom, extent.rows) - top + 1)
        if ranges:
            self.remarks += (
                f"cells that are merged hold for all their rows: {list_some(sorted(ranges), 3)}",
            )

    def _refuse_no_result(self, cell: Any) -> None:
        value = cell.find(f"{_XML}v")
        if value is None or value.text is None:
            formula = cell.find(f"{_XML}f").text or ""
            if cell.get("t") != "str":
                raise self.error(
                    f"cell {cell.get('r', '?')} holds the formula {excerpt('=' + formula)} without its "
                    "result; open the workbook in a spreadsheet, save it, and try again"
                )

    def _numbered_rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the rows that are not blank, with their numbers."""
        rows = iter(self._sheet.iter_rows(values_only=True))
        number = 0
        held: dict[int, tuple[int, Any]] = {}
        while True:
            try:
                row = next(rows, None)
            except Exception as error:  # as above
                raise self._damaged(error) from error
            if row is None:
                return
            number += 1
            cells = list(row)
            for j, (_, above) in held.items():
                cells.extend([None] * (j + 1 - len(cells)))
                cells[j] = above
            for j, last in self._merged.get(number, ()):
                held[j] = last, cells[j] if j < len(cells) else None
            held = {j: of for j, of in held.items() if of[0] > number}
            if any(cell is not None and str(cell).strip() for cell in cells):
                yield number, cells

    def _trimmed(self, row: list[Any], line: int) -> list[Any]:
        """Return one cell per column; what stands beside the table is an error."""
        end = self._start + len(self.header)
        for j, cell in enumerate(row):
            if not self._start <= j < end and cell is not None and str(cell).strip():
                name = require("openpyxl.utils", _READING).get_column_letter(j + 1)
                raise self.error(
                    f"cell {name}{line} holds {excerpt(str(cell))}, and row {self._top} names no "
                    "column there; the names of the columns stand in the first row that is not empty: "
                    "name this one, or delete what is not part of the table"
                )
        cells = row[self._start : end]
        return cells + [None] * (len(self.header) - len(cells))

    def _damaged(self, error: Exception) -> DataFileError:
        reason = " ".join(str(error).split())[:120]
        return self.error(
            f"cannot be read as a workbook ({reason or type(error).__name__}); open it in a "
            "spreadsheet and save it anew, as .xlsx or as CSV UTF-8"
        )


def _parts_of_tables(archive: zipfile.ZipFile) -> set[str]:
    """Return the parts that are said to be sheets or their texts, and nothing else."""
    name = "[Content_Types].xml"
    if name not in archive.namelist():
        return set()
    with archive.open(name) as part:
        if _look_at(part)[1] > _MOST_SIGNS_BESIDE:
            return set()
    said: dict[str, bool] = {}
    with archive.open(name) as part:
        for _, element in ElementTree.iterparse(part):
            path = element.get("PartName", "").lstrip("/")
            is_table = element.get("ContentType", "").endswith(_TABLES)
            said[path] = is_table and said.get(path, True)
    return {path for path, is_table in said.items() if is_table}


def _look_at(part: IO[bytes]) -> tuple[bool, int]:
    """Tell whether XML declares a document type, the place of entities, and how many signs it has.

    The type stands before the first element.
    """
    parser, seen, signs = expat.ParserCreate(), [], 0
    parser.StartDoctypeDeclHandler = lambda *_: seen.append("type")
    parser.StartElementHandler = lambda *_: seen.append("element")
    is_xml = True
    while content := part.read(1000 if is_xml and not seen else 1_000_000):
        signs += content.count(b"<")
        if is_xml and not seen:
            try:
                parser.Parse(content)
            except expat.ExpatError:  # a picture, or XML that openpyxl will refuse
                is_xml = False
    return seen[:1] == ["type"], signs


class _Extent:
    """How far the rows of a sheet reach, as its XML says: openpyxl makes all of it, empty cells too."""

    def __init__(self) -> None:
        self.rows, self.cells, self.waiting = 0, 0, 0
        self._width = 0

    def let_go(self, element: ElementTree.Element) -> None:
        """Empty an element; it stays, and what was in it waits no longer."""
        self.waiting -= sum(1 for _ in element.iter()) - 1
        element.clear()

    def is_too_far(self) -> bool:
        """Whether this is more than a sheet holds, or than a memory should."""
        far = self.rows > _MOST_ROWS or self.cells > _MOST_SPREAD
        return far or self.waiting > _MOST_WAITING

    def add_cell(self, place: str | None) -> None:
        """Count a cell of the row that is read; one without a place stands behind the last."""
        letters = re.match("[A-Za-z]*", place or "")
        self._width += 1
        if letters is not None and letters[0]:
            # beyond three letters, openpyxl refuses it
            width = 0
            for letter in letters[0][:3].upper():
                width = 26 * width + ord(letter) - ord("A") + 1
            self._width = max(self._width, width)

    def end_row(self, number: str | None) -> None:
        """Count a row; one without a number stands below the last."""
        below = self.rows + 1
        if number is not None:
            # as openpyxl takes it: 1e6 is a number, and what is none it refuses
            with suppress(ValueError, OverflowError):
                below = int(min(float(number), 1e15))
        self.cells += self._width + max(0, below - self.rows)
        self.rows, self._width = max(self.rows, below), 0


def write_excel(content: Content, handle: BinaryIO) -> None:
    """Write a table as the only sheet of a workbook; what a sheet cannot hold is an error."""
    openpyxl = require("openpyxl", _WRITING)
    cells = require("openpyxl.cell", _WRITING)
    illegal = require("openpyxl.utils.exceptions", _WRITING).IllegalCharacterError
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rankings")

    def written(text: str, cell: Cell) -> Any:
        # openpyxl would cut a longer one without a word.
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"the text {excerpt(text)} is too long for a workbook; write .csv")
        try:
            made = cells.WriteOnlyCell(sheet, value=text or None)
        except illegal as error:
            reason = "holds a sign that no workbook can keep; correct it, or write .csv"
            raise ValueError(f"the text {excerpt(text)} {reason}") from error
        # A text that begins with "=" is no formula, and a number keeps all its digits.
        made.data_type = "s" if isinstance(cell, str) or text == "?" else "n"
        return made

    try:
        for number, row in enumerate(chain([content.header], content.rows), 1):
            if number > _MOST_ROWS:
                raise ValueError(f"a sheet holds {_MOST_ROWS:,} rows; write .csv or .parquet")
            sheet.append([written(*pair) for pair in zip(as_texts(row), row, strict=True)])
    except BaseException:
        sheet.close()
        raise
    book.save(handle)


def _cells(column: Sequence[Any]) -> Cells:
    known = [cell for cell in column if cell is not None]
    if known and all(type(cell) in (int, float) for cell in known):
        # As objects, whole numbers stay whole beside None.
        return np.array(column, dtype=object)
    return [_text(cell) for cell in column]


def _text(cell: Any) -> str:
    """Write a cell as a spreadsheet writes it to a CSV file; days by their year first."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell).strip()
