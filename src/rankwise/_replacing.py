"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rankwise._paths import checked_path

# The end of the name of a file that is being written.
UNFINISHED = ".part"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a file to write to, which takes the place of `path` once all went well.

    A reader finds the old file or the new one at any moment, each whole. A file that is replaced
    keeps who may read and write it; where `path` is a link, the file that it leads to is replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.txt"
    >>> with replacing(path) as unfinished:
    ...     _ = unfinished.write_text("tea>water")
    >>> path.read_text()
    'tea>water'
    """
    path = Path(os.path.realpath(checked_path(path)))
    if path.exists() and not path.is_file():
        # renaming would put a file in the place of a device
        raise ValueError(f"{path} is no file that could be replaced; choose another name")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
    # in the same folder, because a file moves at one stroke within a file system only
    unfinished = path.parent / f".{path.name[:40]}.{secrets.token_hex(8)}{UNFINISHED}"
    try:
        # made where its name is known: who stops the program at this moment leaves none behind
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield unfinished
        with open(unfinished, "r+b") as written:
            os.fsync(written.fileno())
        # private till now; the result should be as open as the file before, or as any of the user
        unfinished.chmod(mode)
        os.replace(unfinished, path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, UnicodeEncodeError):
            part = error.object[max(0, error.start - 20) : error.end]
            raise ValueError(
                f"{path}: the text {part!r} ends in half of a character (a lone surrogate), which no "
                "file can hold; rename it"
            ) from error
        own = (None, str(unfinished))
        if isinstance(error, OSError) and error.errno and error.filename in own:
            # a full disk shows when writing, and that error does not know its file
            error.filename = str(path)
        raise


@contextmanager
def replacing_text(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of `path` once all went well."""
    with replacing(path) as unfinished, open(unfinished, "w", encoding="utf-8", newline="") as text:
        yield text


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader, at any moment, finds the old one or the new one, whole.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.txt"
    >>> write_whole(path, "tea>water")
    >>> path.read_text()
    'tea>water'
    """
    path = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    with replacing(path) as unfinished:
        unfinished.write_bytes(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
