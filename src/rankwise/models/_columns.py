"""From the columns of a user's table to the features of a model, by a recipe kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._columns import MISSING, Numbers
from rankwise.datasets._parquet import ParquetTable
from rankwise.datasets._table import Table, TextTable

_HINT = "correct the cell, or leave it empty if it is missing"
# Fewer rows may differ in every text by chance.
_LEAST_ROWS = 8


@dataclass(frozen=True)
class Column:
    """One column of the table: numbers, or texts with the categories that were seen at fitting."""

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

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in order."""
        return [name for column in self.columns for name in column.features]

    def encoding(self, path: Any, header: Sequence[str], *, commas: bool = False) -> Encoding:
        """Match the columns by name, in any order; those that are missing are an error."""
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


def open_table(path: Path) -> Table:
    """Open a text table of any common separator, or a Parquet file."""
    return ParquetTable(path) if path.suffix.lower() in (".parquet", ".pq") else TextTable(path)


def learn_recipe(path: Path | None, features: Sequence[str]) -> Recipe:
    """Return the recipe by which `rankwise.datasets.read` made features of the file's columns.

    Without a table (a benchmark, an ARFF file) every feature is a column of numbers of its own.
    """
    plain = Recipe(tuple(Column(name) for name in features))
    if path is None:
        return plain
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
    columns = tuple(
        Column(name, tuple(seen[name]) if name in seen else None)
        for name in table.header
        if name in wanted or name in seen
    )
    recipe = Recipe(columns)
    if sorted(recipe.feature_names) != sorted(features):
        return plain
    return _in_order(recipe, features)


def naming_columns(table: Table, candidates: Sequence[str]) -> dict[str, str]:
    """Return the columns that name or count the rows, with the reason: nothing is learned from them.

    A text that differs in every row, or whole numbers that count the rows one by one.
    """
    places = {name: table.header.index(name) for name in candidates}
    seen: dict[str, set[str]] = {name: set() for name in candidates}
    cells: dict[str, list[str]] = {name: [] for name in candidates}
    n_rows = 0
    for _, rows in table.chunks():
        n_rows += len(rows)
        for name in list(seen):
            column = [row[places[name]] for row in rows]
            seen[name].update(column)
            cells[name].extend(column)
            if len(seen[name]) < n_rows:
                del seen[name], cells[name]
    if n_rows < _LEAST_ROWS:
        return {}
    found = {}
    for name, column in cells.items():
        try:
            numbers = np.array(column, dtype=np.float64)
        except ValueError:
            if not any(_is_number(cell) for cell in column):
                found[name] = "holds a different text in every row"
            continue
        if (np.diff(numbers) == 1).all() and numbers[0] in (0, 1):
            found[name] = "counts the rows"
    return found


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _in_order(recipe: Recipe, features: Sequence[str]) -> Recipe:
    first = {name: j for j, name in reversed(list(enumerate(features)))}
    ordered = sorted(recipe.columns, key=lambda column: first[column.features[0]])
    return Recipe(tuple(ordered))


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
