"""The recipe by which the columns of a table become features: learned once, applied again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import name_some
from rankwise._parameters import check_numbers
from rankwise.datasets._text import DataFileError

_ROWS = 1000


@dataclass(frozen=True)
class Column:
    """One column of a table: numbers, or texts with the categories that were seen.

    Parameters
    ----------
    name : str
        As in the table.
    categories : tuple of str, optional
        The texts that were seen; None for a column of numbers.

    Examples
    --------
    >>> Column("place", ("home", "work", "train")).features
    ['place=home', 'place=work', 'place=train']
    >>> Column("dry", ("no", "yes")).features
    ['dry=yes']
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def features(self) -> list[str]:
        """The features made of it: itself, or one of 0 and 1 per category (two share one)."""
        if self.categories is None:
            return [self.name]
        return [f"{self.name}={self.categories[code]}" for code in self._shown()]

    def expand(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features (n, m) of numbers, or of the codes of categories; NaN stays NaN."""
        features = np.empty((len(codes), len(self.features)))
        self.fill(features, codes)
        return features

    def fill(self, features: NDArray[np.float64], codes: NDArray[np.float64]) -> None:
        """Write the features of numbers, or of the codes of categories, into an array."""
        if self.categories is None:
            features[:, 0] = codes
            return
        for j, code in enumerate(self._shown()):
            features[:, j] = codes == code
        features[np.isnan(codes)] = np.nan

    def cell(self, features: NDArray[np.float64]) -> float | str:
        """Return what a cell held, of which these features were made; NaN where it was missing."""
        if self.categories is None or np.isnan(features[0]):
            return float(features[0])
        code = int(features[0]) if len(self.categories) == 2 else int(features.argmax())
        return self.categories[code]

    def _shown(self) -> range:
        n = len(self.categories or ())
        return range(1, 2) if n == 2 else range(n)

    def _check_state(self) -> None:
        """Raise a ValueError unless a column that came out of a model file is one."""
        if not isinstance(self.name, str):
            raise ValueError("it has a column without a name")
        texts = self.categories
        if texts is not None and not (
            isinstance(texts, tuple) and all(isinstance(text, str) for text in texts)
        ):
            raise ValueError(f"its column {self.name[:60]!r} has categories that are no texts")


@dataclass(frozen=True)
class Recipe:
    """How features are made of the columns of a table.

    Parameters
    ----------
    columns : tuple of Column
        In the order of the features.
    left_out : tuple of str
        Columns that name or count the rows, or are empty, from which nothing is to be learned.

    Examples
    --------
    >>> recipe = Recipe((Column("hour"), Column("place", ("home", "work", "train"))))
    >>> recipe.feature_names
    ['hour', 'place=home', 'place=work', 'place=train']
    >>> recipe.expand(np.array([[8.0, 1.0], [np.nan, np.nan]]))
    array([[ 8.,  0.,  1.,  0.],
           [nan, nan, nan, nan]])
    """

    columns: tuple[Column, ...]
    left_out: tuple[str, ...] = field(default=(), compare=False)

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in order."""
        return [name for column in self.columns for name in column.features]

    def expand(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features of rows that hold one number or code of a category per column."""
        if not isinstance(codes, np.ndarray):
            codes = check_numbers("codes", codes, 2)
        if codes.ndim != 2 or codes.dtype.kind not in "biuf" or codes.shape[1] != len(self.columns):
            raise ValueError(
                f"codes has shape {codes.shape} and dtype {codes.dtype}; give numbers, "
                f"{len(self.columns)} in each row, one per column"
            )
        if all(column.categories is None for column in self.columns):
            return codes
        widths = [len(column.features) for column in self.columns]
        ends = np.cumsum(widths)
        X = np.empty((len(codes), ends[-1]))
        # In slices that a processor keeps at hand: many columns are written one after the other.
        for top in range(0, len(codes), _ROWS):
            part, own = X[top : top + _ROWS], codes[top : top + _ROWS]
            for j, column in enumerate(self.columns):
                column.fill(part[:, ends[j] - widths[j] : ends[j]], own[:, j])
        return X

    def _check_state(self) -> None:
        """Raise a ValueError unless a recipe that came out of a model file is one."""
        if not isinstance(self.columns, tuple) or not all(
            isinstance(column, Column) for column in self.columns
        ):
            raise ValueError("it has a recipe without columns")
        if len({column.name for column in self.columns}) < len(self.columns):
            raise ValueError("it has two columns of one name")
        if not isinstance(self.left_out, tuple):
            raise ValueError("it does not say which columns are left out")

    def places(self, path: Any, header: Sequence[str]) -> list[int]:
        """Return where the columns stand, in any order; those that are missing are an error."""
        place = {name: j for j, name in enumerate(header)}
        missing = [column.name for column in self.columns if column.name not in place]
        if missing:
            s, them = ("", "it") if len(missing) == 1 else ("s", "them")
            raise DataFileError(
                path,
                f"lacks the column{s} {name_some(missing, 8)}, which the model was fitted on; "
                f"add {them} (cells may be empty where not known)",
            )
        return [place[column.name] for column in self.columns]
