"""Find the file of a benchmark: in the user's folder, in the cache, or by a checked download."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from rankwise._arguments import check_arguments
from rankwise._extras import require
from rankwise._paths import checked_path
from rankwise._progress import Progress
from rankwise.datasets._catalogue import Entry, find
from rankwise.datasets._text import DataFile, DataFileError

FOLDER_VARIABLE = "RANKWISE_DATA"
CACHE_VARIABLE = "RANKWISE_CACHE"
URL_VARIABLE = "RANKWISE_DATA_URL"
# Ten times the largest file that is published; a server that sends more would fill the disk.
_MOST_BYTES = 40_000_000


def locate(
    entry: Entry,
    *,
    cache: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    progress: bool | None = None,
) -> Path:
    """Return the path of a benchmark's file, downloading it if it is nowhere yet."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        if not Path(folder).is_dir():
            raise DataFileError(
                folder,
                f"{FOLDER_VARIABLE} names this folder, and it is not there; correct or unset it",
            )
        path = Path(folder) / entry.file
        if path.is_file():
            return path
    path = _cache_folder(cache) / entry.file
    if path.is_file():
        with DataFile(path) as file:
            if file.sha256() == entry.sha256:
                return path
    return _download(entry, path, base_url or os.environ.get(URL_VARIABLE), progress)


@check_arguments
def whereabouts(name: str) -> str:
    """Say where `load` would find a benchmark, without downloading it.

    Parameters
    ----------
    name : str
        Its name, as `available` lists it.

    Returns
    -------
    str
        A folder, the cache, or where it would be downloaded from.

    Examples
    --------
    >>> whereabouts("generated/iris")
    'made on the spot'
    """
    entry = find(name)
    if entry.kind == "generated":
        return "made on the spot"
    if entry.kind == "bundled":
        return "in the package"
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder and (Path(folder) / entry.file).is_file():
        return FOLDER_VARIABLE
    try:
        path = _cache_folder(None) / entry.file
    except ImportError:
        return "not here (rankwise[data] downloads it)"
    return "cache" if path.is_file() else "download on first use"


def _cache_folder(cache: str | os.PathLike[str] | None) -> Path:
    chosen = cache or os.environ.get(CACHE_VARIABLE)
    if chosen:
        return checked_path(chosen)
    pooch = require("pooch", "downloading benchmark files")
    return Path(pooch.os_cache("rankwise"))


def _download(entry: Entry, path: Path, base_url: str | None, progress: bool | None) -> Path:
    pooch = require("pooch", "downloading benchmark files")
    requests = require("requests", "downloading benchmark files")
    url = f"{base_url.rstrip('/')}/{entry.file}" if base_url else entry.url
    is_shown = sys.stderr.isatty() if progress is None else progress
    bar = _Bar(f"downloading {entry.name}", shown=is_shown).__enter__()
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        # pooch writes to a temporary file and moves it in place once the checksum is right.
        pooch.retrieve(
            url,
            known_hash=f"sha256:{entry.sha256}",
            fname=path.name,
            path=path.parent,
            downloader=pooch.HTTPDownloader(progressbar=bar, timeout=30),
        )
    except (ValueError, OSError, _TooLongError) as error:
        # What requests raises is an OSError too, and some of it a ValueError.
        reason = "was downloaded, but its checksum is not that of the published file"
        if isinstance(error, requests.exceptions.RequestException):
            reason = f"could not be downloaded ({_short(error)})"
        elif isinstance(error, _TooLongError):
            reason = f"could not be downloaded (more than {_MOST_BYTES:,} bytes were sent)"
        elif isinstance(error, OSError):
            reason = f"cannot be kept there ({_short(error)})"
        raise DataFileError(
            path,
            f"{reason}.\n"
            f"To get it by hand: download {url}\n"
            f"  save it as {entry.file} in a folder of yours\n"
            f"  check its sha256: {entry.sha256}\n"
            f"  and set {FOLDER_VARIABLE} to that folder. (Set {CACHE_VARIABLE} to move the cache.)",
        ) from error
    finally:
        bar.close()
        logger.setLevel(level)
    return path


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:299] + "…"


class _TooLongError(Exception):
    """The server sends more than any benchmark has."""


class _Bar(Progress):
    """A progress bar with what pooch asks of one; it ends a download that does not end."""

    total = 0

    def update(self, n_bytes: int) -> None:
        if self._done + n_bytes > _MOST_BYTES:
            raise _TooLongError
        self.report(self._done + n_bytes, self.total or None)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        self.__exit__()
