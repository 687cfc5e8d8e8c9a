"""From the columns of a user's table to the features of a model, by a recipe kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets.tables import MISSING, Numbers, open_table

_HINT = "correct the cell, or leave it empty if it is missing"


@dataclass(frozen=True)
class Column:
    """One column of the table: numbers, or texts with the categories that were seen at fitting.

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
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def features(self) -> list[str]:
        """The features made of it: itself, or one of 0 and 1 per category (two share one)."""
        if self.categories is None:
            return [self.name]
        shown = self.categories[1:] if len(self.categories) == 2 else self.categories
        return [f"{self.name}={category}" for category in shown]


@dataclass(frozen=True)
class Recipe:
    """How the features of a model are made of the columns of a table.

    Parameters
    ----------
    columns : tuple of Column
        In the order of the features.

    Examples
    --------
    >>> recipe = Recipe((Column("hour"), Column("place", ("home", "work", "train"))))
    >>> recipe.feature_names
    ['hour', 'place=home', 'place=work', 'place=train']
    >>> encoding = recipe.encoding("new.csv", ["place", "name", "hour"])
    >>> encoding.encode([["work", "Ann", "8"], ["moon", "Bob", ""]], [2, 3])
    array([[ 8.,  0.,  1.,  0.],
           [nan, nan, nan, nan]])
    >>> encoding.unused, encoding.unknown
    (['name'], {'place': {'moon': 1}})
    """

    columns: tuple[Column, ...]

    @classmethod
    def learn(cls, path: Path | None, features: Sequence[str]) -> Recipe:
        """Return the recipe by which `rankwise.datasets.read` made features of a file's columns.

        Without a table (a benchmark, an ARFF file) every feature is a column of numbers of its own.
        """
        plain = cls(tuple(Column(name) for name in features))
        if path is None:
            return plain
        seen, header = _categories(path, features)
        columns = tuple(
            Column(name, tuple(seen[name]) if name in seen else None)
            for name in header
            if name in set(features) or name in seen
        )
        recipe = cls(columns)
        if sorted(recipe.feature_names) != sorted(features):
            return plain
        return _in_order(recipe, features)

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in order."""
        return [name for column in self.columns for name in column.features]

    def encoding(self, path: Any, header: Sequence[str], *, commas: bool = False) -> Encoding:
        """Match the columns by name, in any order; those that are missing are an error.

        Parameters
        ----------
        path : path-like
            The table, to be named in errors.
        header : sequence of str
            Its column names.
        commas : bool
            Whether numbers may have a decimal comma.

        Returns
        -------
        Encoding
            Turns rows of cells into features by `encode`.

        Raises
        ------
        ValueError
            Where a column is missing; it names it.
        """
        place = {name: j for j, name in enumerate(header)}
        missing = [column.name for column in self.columns if column.name not in place]
        if missing:
            one = len(missing) == 1
            raise ValueError(
                f"{path} lacks the column{'s' * (not one)} {_listed(missing)}, which the model was "
                f"fitted on; add {'it' if one else 'them'} (cells may be empty where not known)"
            )
        return Encoding(
            columns=self.columns,
            places=[place[column.name] for column in self.columns],
            unused=[name for name in header if name not in {c.name for c in self.columns}],
            numbers=Numbers(Path(path), allow_comma=commas),
        )


@dataclass
class Encoding:
    """A recipe at work on one table; counts categories that were never seen."""

    columns: tuple[Column, ...]
    places: list[int]
    unused: list[str]
    numbers: Numbers
    unknown: dict[str, dict[str, int]] = field(default_factory=dict)

    def encode(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> NDArray[np.float64]:
        """Return the features of some rows of cells; NaN = missing or never seen."""
        parts = []
        for column, place in zip(self.columns, self.places, strict=True):
            cells = [row[place] for row in rows]
            if column.categories is None:
                parts.append(self.numbers.parse(cells, lines, column.name, _HINT)[:, None])
            else:
                parts.append(self._one_hot(column, cells))
        return np.concatenate(parts, axis=1) if parts else np.empty((len(rows), 0))

    def remarks(self) -> list[str]:
        """Return one sentence per column that held categories which were never seen at fitting."""
        remarks = []
        for column, counts in self.unknown.items():
            shown = _listed(list(counts), most=5)
            n = sum(counts.values())
            remarks.append(
                f"column {column!r} holds {shown} ({n} row{'s' * (n != 1)}), never seen at "
                "fitting; taken as missing"
            )
        return remarks

    def _one_hot(self, column: Column, cells: Sequence[str]) -> NDArray[np.float64]:
        categories = column.categories or ()
        codes = {category: float(i) for i, category in enumerate(categories)}
        for cell in cells:
            if cell not in codes and cell.lower() not in MISSING:
                counts = self.unknown.setdefault(column.name, {})
                counts[cell] = counts.get(cell, 0) + 1
        values = np.array([codes.get(cell, np.nan) for cell in cells])
        shown = np.arange(len(categories), dtype=np.float64)
        if len(categories) == 2:
            shown = shown[1:]
        return np.where(np.isnan(values)[:, None], np.nan, values[:, None] == shown)


def _categories(
    path: Path, features: Sequence[str]
) -> tuple[dict[str, dict[str, None]], list[str]]:
    """Return the categories of each column of texts, in order of appearance, and the header."""
    table = open_table(path)
    wanted = set(features)
    texts = [
        name
        for name in table.header
        if name not in wanted and any(f.startswith(f"{name}=") for f in features)
    ]
    seen: dict[str, dict[str, None]] = {name: {} for name in texts}
    places = [(table.header.index(name), seen[name]) for name in texts]
    for _, rows in table.chunks():
        for place, categories in places:
            for row in rows:
                if row[place].lower() not in MISSING:
                    categories.setdefault(row[place])
    return seen, table.header


def _in_order(recipe: Recipe, features: Sequence[str]) -> Recipe:
    first = {name: j for j, name in reversed(list(enumerate(features)))}
    ordered = sorted(recipe.columns, key=lambda column: first[column.features[0]])
    return Recipe(tuple(ordered))


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
