"""Read text files line by line, in bounded memory, and say which line is at fault."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# A longer line is no row of a table; stopping here keeps memory bounded on binary files.
MAX_LINE = 16_000_000

# First bytes of other kinds of files, as they read in UTF-8 with surrogateescape.
_OTHER_KINDS = (
    ("PK\x03\x04", "is a workbook or a zip archive, not a text; save the sheet as CSV UTF-8"),
    ("\udcd0\udccf\x11\u0871", "is a workbook, not a text; save the sheet as CSV UTF-8"),
    ("\x1f\udc8b", "is compressed; unpack it first (gunzip)"),
    ("\udcff\udcfe", "is UTF-16 and not UTF-8; save it as UTF-8 (spreadsheets offer 'CSV UTF-8')"),
    ("\udcfe\udcff", "is UTF-16 and not UTF-8; save it as UTF-8 (spreadsheets offer 'CSV UTF-8')"),
)


class DataFileError(ValueError):
    """A data file cannot be read as it stands; the message names file, line and remedy.

    Parameters
    ----------
    path : path-like
        The file.
    reason : str
        What is wrong and what to do.
    line : int, optional
        Line number, from 1.

    Examples
    --------
    >>> raise DataFileError("drinks.csv", "label 'tea' has rank 0; ranks start at 1", line=7)
    Traceback (most recent call last):
    rankwise.datasets._text.DataFileError: drinks.csv, line 7: label 'tea' has rank 0; ...
    """

    def __init__(self, path: Any, reason: str, line: int | None = None) -> None:
        where = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
        super().__init__(f"{where}{f', line {line}' if line else ''}: {reason}")
        self.path, self.reason, self.line = where, reason, line

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions pickle by their message alone; joblib workers need the three parts.
        return type(self), (self.path, self.reason, self.line)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield ``(line number, text)`` without line ends; any of LF, CRLF and CR ends a line.

    A byte-order mark is dropped. Bytes that are not UTF-8, zero bytes and endless lines are errors.
    """
    try:
        # surrogateescape keeps foreign bytes until their line number is known.
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as handle:
            number = 0
            while text := handle.readline(MAX_LINE):
                number += 1
                _check_text(path, number, text)
                yield number, text.removesuffix("\n")
    except OSError as error:
        raise DataFileError(path, _os_reason(error)) from error


def first_line(path: Path) -> str:
    """Return the first line that is not blank, or an empty text."""
    return next((text for _, text in read_lines(path) if text.strip()), "")


def excerpt(text: str, width: int = 40) -> str:
    """Quote `text` for a message, shortened."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def _check_text(path: Path, number: int, text: str) -> None:
    if number == 1:
        _refuse_other_kinds(path, text)
    if "\0" in text:
        raise DataFileError(
            path,
            "holds a zero byte, so this is no UTF-8 text; if it is a spreadsheet, save it "
            "as CSV UTF-8",
            number,
        )
    if len(text) >= MAX_LINE:
        raise DataFileError(
            path, f"is longer than {MAX_LINE:,} characters; this is no table", number
        )
    if text.isascii():
        return
    for character in text:
        if "\udc80" <= character <= "\udcff":
            byte = ord(character) - 0xDC00
            raise DataFileError(
                path,
                f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8 text (spreadsheets offer "
                "'CSV UTF-8')",
                number,
            )


def _refuse_other_kinds(path: Path, text: str) -> None:
    """Refuse what people take for a text table, by its first bytes."""
    for start, reason in _OTHER_KINDS:
        if text.startswith(start):
            raise DataFileError(path, reason, 1)


def _os_reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the path"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file; only ASlib scenarios are read from folders"
    if isinstance(error, PermissionError):
        return "may not be read by you; check its permissions"
    return f"cannot be read ({error.strerror or error})"
