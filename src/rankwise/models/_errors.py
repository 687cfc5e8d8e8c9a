"""The one error that a model file may raise."""

from __future__ import annotations

import os
from typing import Any


class ModelFileError(ValueError):
    """A model file cannot be loaded; the message names file, reason and remedy.

    Parameters
    ----------
    path : path-like
        The file.
    reason : str
        What is wrong with it.

    Examples
    --------
    >>> raise ModelFileError("drinks.rankwise", "is not a rankwise model file")
    Traceback (most recent call last):
    rankwise.models._errors.ModelFileError: drinks.rankwise: is not a rankwise model file
    """

    def __init__(self, path: Any, reason: str) -> None:
        where = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
        super().__init__(f"{where}: {reason}")
        self.path, self.reason = where, reason

    def __reduce__(self) -> tuple[Any, ...]:
        # exceptions pickle by their message alone; joblib workers need both parts
        return type(self), (self.path, self.reason)


class RefusedError(Exception):
    """Raised where the path is not at hand; `load_model` makes it a ModelFileError."""
