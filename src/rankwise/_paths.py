"""Paths as people and programs give them: those that no file can have are named before they are used."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_LOOPS = "leads round in a circle of links; name the file itself"
_REASONS = {
    errno.ENAMETOOLONG: "is a longer name than a file can have; shorten it",
    errno.ELOOP: _LOOPS,
    errno.EACCES: "lies in a folder that you may not open; check its permissions",
}


def path_fault(path: str | os.PathLike[str]) -> str | None:
    r"""Say why no file of this name can be used; None if one may, whether it is there or not.

    Examples
    --------
    >>> path_fault("drinks.csv")
    >>> path_fault("drinks\0.csv")
    'holds a zero byte, which no name of a file does; correct the path'
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        return f"is a {type(path).__name__}; give the path as a text"
    text = os.fspath(path)
    if not isinstance(text, str):
        return "is made of bytes; give the path as a text"
    if "\0" in text:
        return "holds a zero byte, which no name of a file does; correct the path"
    try:
        os.stat(text)
    except UnicodeEncodeError:
        return "holds half of a character (a lone surrogate), which no path does; correct it"
    except OSError as error:
        return _REASONS.get(error.errno or 0)
    return None


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Return the path, or a ValueError if no file can have this name."""
    fault = path_fault(path)
    if fault is not None:
        raise ValueError(f"the path {short(path)} {fault}")
    return Path(path)


def short(path: str | os.PathLike[str]) -> str:
    """Quote a path that cannot be one, for a message."""
    text = os.fspath(path) if isinstance(path, (str, bytes, os.PathLike)) else repr(path)
    return repr(text if len(text) <= 100 else f"{text[:60]}…{text[-30:]}")
