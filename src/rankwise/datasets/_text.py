"""Data files, opened once: their lines in bounded memory, and which line is at fault."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Self

from rankwise._messages import Message

# A longer line is no row of a table; stopping here keeps memory bounded on binary files.
MAX_LINE = 16_000_000

# First bytes of other kinds of files, as they read in UTF-8 with surrogateescape.
_OTHER_KINDS = (
    (
        "PK\x03\x04",
        "is a workbook or a zip archive, not a text; save the sheet as .xlsx or CSV UTF-8",
    ),
    (
        "\udcd0\udccf\x11\u0871",
        "is a workbook of the old kind; save the sheet as .xlsx or CSV UTF-8",
    ),
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
        self.path = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
        self.reason, self.line = Message(reason), line
        where = f"{self.path}, line {line}" if line else self.path
        super().__init__(Message(f"{where}: {self.reason.marked}"))

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions pickle by their message alone; joblib workers need the three parts.
        return type(self), (self.path, self.reason, self.line)


class DataFile:
    """A file, opened once for all that is to be known of it; a context manager that closes it.

    In place of a path, an open file of bytes is taken, such as standard input: it is read to its end
    and stays open.
    """

    def __init__(self, path: Path | BinaryIO) -> None:
        if not isinstance(path, Path):
            self.path = Path(str(getattr(path, "name", None) or "the file"))
            self.handle: BufferedReader = BufferedReader(BytesIO(_bytes_of(path)))
            return
        self.path = path
        if path.is_dir():
            raise DataFileError(
                path,
                "is a folder without description.txt and algorithm_runs.arff; give a file, or an "
                "ASlib scenario folder",
            )
        if path.exists() and not path.is_file():
            reason = "is a pipe or a device, which is read only once; save it first"
            raise DataFileError(path, reason)
        try:
            self.handle = open(path, "rb")  # noqa: SIM115 (closed by __exit__)
        except OSError as error:
            raise DataFileError(path, _os_reason(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.close()

    def sha256(self) -> str:
        """Return the fingerprint of the content; asked before the content is read."""
        digest = hashlib.file_digest(self.handle, "sha256").hexdigest()
        self.handle.seek(0)
        return digest

    def rewind(self) -> None:
        """Go back to the beginning, to read the content once more."""
        self.handle.seek(0)

    def size(self) -> int:
        """Return how many bytes there are; the position stays where it is."""
        here = self.handle.tell()
        size = self.handle.seek(0, os.SEEK_END)
        self.handle.seek(here)
        return size

    def start(self) -> bytes:
        """Return the first bytes without blanks before them; nothing is consumed."""
        return self.handle.peek().removeprefix(b"\xef\xbb\xbf").lstrip()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield ``(line number, text)`` without line ends; any of LF, CRLF and CR ends a line.

        A byte-order mark is dropped. Bytes that are not UTF-8, zero bytes and endless lines are
        errors.
        """
        # surrogateescape keeps foreign bytes until their line number is known.
        text = TextIOWrapper(self.handle, encoding="utf-8-sig", errors="surrogateescape")
        number = 0
        try:
            while line := text.readline(MAX_LINE):
                number += 1
                fault = _fault_of(line, number)
                if fault is not None:
                    raise DataFileError(self.path, fault, number)
                yield number, line.removesuffix("\n")
        except OSError as error:
            raise DataFileError(self.path, _os_reason(error)) from error
        finally:
            # Left to itself, it would close the file as it is thrown away.
            with suppress(ValueError):
                text.detach()


def _bytes_of(handle: Any) -> bytes:
    if not callable(getattr(handle, "read", None)):
        raise TypeError(f"{handle!r} is no file; give a path, or a file that is open in mode 'rb'")
    content = handle.read()
    if not isinstance(content, bytes):
        raise TypeError(f"the file gives {type(content).__name__}; open it in binary mode, 'rb'")
    return content


def excerpt(text: str, width: int = 40) -> str:
    """Quote `text` for a message, shortened."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def _fault_of(text: str, number: int) -> str | None:
    """Say why a line is no line of a table in UTF-8; None if it is one."""
    if number == 1:
        # What people take for a text table, by its first bytes.
        for start, reason in _OTHER_KINDS:
            if text.startswith(start):
                return reason
    if "\0" in text:
        return "holds a zero byte, so this is no UTF-8 text; if it is a spreadsheet, save it as CSV UTF-8"
    if len(text) >= MAX_LINE:
        return f"is longer than {MAX_LINE:,} characters; this is no table"
    foreign = None if text.isascii() else re.search("[\udc80-\udcff]", text)
    if foreign is None:
        return None
    byte = f"byte 0x{ord(foreign[0]) - 0xDC00:02x}"
    return f"{byte} is not UTF-8; save the file as UTF-8 text (spreadsheets offer 'CSV UTF-8')"


def _os_reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the path"
    if isinstance(error, PermissionError):
        return "may not be read by you; check its permissions"
    return f"cannot be read ({error.strerror or error})"
