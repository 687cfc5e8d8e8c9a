"""The store: finished units on disk, one file each, so that a stopped run continues."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import rankwise
from rankwise._paths import checked_path
from rankwise._replacing import UNFINISHED, write_whole
from rankwise.validation._json import decode, encode

# What is in these packages changes no result of a unit that its configuration does not show.
_WITHOUT_RESULTS = ("audits", "cli", "explanations", "learners", "paper", "plots", "validation")

# Older than this, an unfinished file was left by a process that was killed.
_ABANDONED_SECONDS = 3600.0


class StoreWarning(UserWarning):
    """A file of the store is not used."""


class Store:
    """Results by configuration, in a folder.

    A result is found again under the same configuration and the same version of the package only;
    while a version is under development, under the same code.
    Files appear whole or not at all, so a run may be killed at any moment, and several processes
    may share a folder. A file that is damaged or not of this store counts as absent.

    Parameters
    ----------
    folder : path-like
        Made when the first result is put.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> store = Store(mkdtemp())
    >>> store.put({"dataset": "drinks", "fold": 0}, {"tau": 0.8})
    >>> store.get({"fold": 0, "dataset": "drinks"})
    {'tau': 0.8}
    >>> store.get({"fold": 1, "dataset": "drinks"}) is None
    True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = checked_path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{self.folder} is a file; results are kept in a folder")
        self._warned: set[Path] = set()
        self._remove_abandoned()

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def key(self, config: dict[str, Any]) -> str:
        """Return the name of a configuration: a hash of it and of the package's version.

        Parameters
        ----------
        config : dict
            Texts, numbers, lists and dicts; the order of its keys does not matter.
        """
        return _sha256(encode({"config": config, "version": code_version()}))

    def get(self, config: dict[str, Any]) -> dict[str, Any] | None:
        """Return the result of a configuration, or None if there is none.

        Parameters
        ----------
        config : dict
            As it was put.
        """
        path = self._path(config)
        body = self._read(path)
        if body is None:
            return None
        if encode(body["config"]) != encode(config):
            self._warn(path, "belongs to another configuration")
            return None
        result: dict[str, Any] = body["result"]
        return result

    def put(self, config: dict[str, Any], result: dict[str, Any]) -> None:
        """Keep the result of a configuration; it is on the disk when this returns.

        Parameters
        ----------
        config : dict
            What the result is a result of, in full.
        result : dict
            Texts, numbers (NaN as well), lists and dicts.
        """
        if not isinstance(result, dict):
            raise TypeError(f"result is a {type(result).__name__}; give a dict")
        body = encode({"config": config, "result": result, "version": code_version()})
        path = self._path(config)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f'{{"sha256":"{_sha256(body)}","body":{body}}}\n')

    def configs(self) -> Iterator[dict[str, Any]]:
        """Go through the configurations that have a result of this version, sorted by key."""
        for path in sorted(self.folder.glob("??/*.json")):
            body = self._read(path)
            if body is None or body["version"] != code_version():
                continue
            if self._path(body["config"]) == path:
                yield body["config"]
            else:
                self._warn(path, "does not carry the name of its configuration")

    def _path(self, config: dict[str, Any]) -> Path:
        key = self.key(config)
        return self.folder / key[:2] / f"{key[2:]}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            return _body(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._warn(path, f"cannot be read ({error})")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._warn(path, "is damaged, or not a result of this store")
        return None

    def _warn(self, path: Path, reason: str) -> None:
        if path not in self._warned:
            self._warned.add(path)
            warnings.warn(f"{path} {reason}; it counts as absent", StoreWarning, stacklevel=3)

    def _remove_abandoned(self) -> None:
        for path in self.folder.glob(f"??/*{UNFINISHED}"):
            # Another process may remove it first.
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
            except OSError:
                continue


def code_version() -> str:
    """Return the version of the package, and a hash of the code that computes unless it is released.

    A version under development changes without a new number; its results must not be reused after.
    """
    version = rankwise.__version__
    return f"{version}+{_code_hash()}" if "dev" in version else version


@lru_cache(maxsize=1)
def _code_hash() -> str:
    root = Path(rankwise.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in _WITHOUT_RESULTS:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _body(text: str) -> dict[str, Any]:
    whole = decode(text)
    body: dict[str, Any] = whole["body"]
    if whole["sha256"] != _sha256(encode(body)) or not isinstance(body["result"], dict):
        raise ValueError("not what was written")
    if not {"config", "version"} <= body.keys():
        raise ValueError("not of a store")
    return body


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
