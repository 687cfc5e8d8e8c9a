"""Parts of any tables that can be read, a file each: texts are encoded by one recipe for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.datasets import DataFileError, Dataset, read
from rankwise.datasets.tables import Column, FittedTable, Recipe, use_table
from rankwise.parts._block import Block, Part, Parts, Place, in_blocks, positions_of
from rankwise.parts._column_files import Stamp
from rankwise.rankings import natural_sorted


@dataclass(frozen=True)
class TablePart(Part):
    """A file, read whole as `rankwise.datasets.read` reads it."""

    path: str
    n_rows: int
    options: tuple[tuple[str, Any], ...] = field(repr=False)
    like: FittedTable = field(repr=False)
    stamp: Stamp = field(repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""
        self.stamp.check(self.path)
        data = read(self.path, **dict(self.options), like=self.like)
        place = Place(self.path, 0, is_file=True)

        def block(start: int, stop: int) -> Block:
            own = slice(start, stop)
            return Block(
                data.features[own],
                positions_of(data.ranks[own], self.like.labels, place._replace(first=start)),
                None if data.weights is None else data.weights[own],
            )

        return in_blocks(len(data), data.n_features, block)


def table_parts(paths: Sequence[str], options: dict[str, Any]) -> Parts:
    """Read each file once to learn what its columns hold, and return them as parts."""
    stamps = [Stamp.of(path) for path in paths]
    learned = [_learn(path, options) for path in paths]
    recipe = merged_recipe(
        [(path, found.recipe, found.gaps) for path, found in zip(paths, learned, strict=True)]
    )
    labels = learned[0].labels
    if any(found.labels != labels for found in learned):
        labels = tuple(natural_sorted({name for found in learned for name in found.labels}))
    weighted = {found.weighted for found in learned}
    if len(weighted) > 1:
        odd = next(p for p, found in zip(paths, learned, strict=True) if not found.weighted)
        raise DataFileError(odd, "has no weights of rows, and other files have; write them alike")
    like = FittedTable(recipe, labels, learned[0].layout)
    kept = tuple((name, value) for name, value in options.items() if name not in _LEARNED)
    parts = tuple(
        TablePart(path, found.n_rows, kept, like, stamp)
        for path, found, stamp in zip(paths, learned, stamps, strict=True)
    )
    names = tuple(recipe.feature_names)
    return Parts(
        parts,
        len(names),
        len(labels),
        np.dtype(np.float64),
        weighted.pop(),
        names,
        labels,
        recipe,
        learned[0].layout,
    )


def is_empty_table(path: str) -> bool:
    """Whether a table has a header and no rows."""
    if Path(path).is_dir():
        return False
    return use_table(Path(path), lambda table: next(table.chunks(), None) is None)


# What says how columns become features: the recipe says it when files are read again.
_LEARNED = ("features", "drop", "nominal", "labels", "drop_names")


@dataclass(frozen=True)
class _Learned:
    """What one file says of the columns."""

    n_rows: int
    recipe: Recipe
    gaps: frozenset[str]  # columns without any known cell
    labels: tuple[str, ...]
    weighted: bool
    layout: Any


def _learn(path: str, options: dict[str, Any]) -> _Learned:
    data: Dataset = read(path, **options)
    recipe = data.columns_recipe()
    ends = np.cumsum([len(column.features) for column in recipe.columns])
    gaps = frozenset(
        column.name
        for column, end in zip(recipe.columns, ends, strict=True)
        if column.categories is None and np.isnan(data.features[:, end - 1]).all()
    )
    return _Learned(
        len(data), recipe, gaps, tuple(data.label_names), data.weights is not None, data.layout
    )


def merged_recipe(found: Sequence[tuple[str, Recipe, frozenset[str]]]) -> Recipe:
    """One recipe of several: categories in the order in which they occur in all files.

    `found` has the name of each file, its recipe, and its columns without any known cell.
    """
    left_out = {name for _, recipe, _ in found for name in recipe.left_out}
    first, usual, _ = found[0]
    columns: dict[str, Column] = {c.name: c for c in usual.columns if c.name not in left_out}
    empty = {name for name in found[0][2] if name in columns}
    for path, recipe, gaps in found[1:]:
        own = {c.name: c for c in recipe.columns if c.name not in left_out}
        odd = sorted({*own} ^ {*columns})
        if odd:
            has = "has the column" if odd[0] in own else "lacks the column"
            raise DataFileError(
                path, f"{has} {odd[0]!r}, unlike {first}; all need the same columns"
            )
        for name, column in own.items():
            if name in gaps:
                continue
            columns[name] = column if name in empty else _both(path, first, columns[name], column)
            empty.discard(name)
    return replace(usual, columns=tuple(columns.values()), left_out=tuple(sorted(left_out)))


def _both(path: str, first: str, one: Column, other: Column) -> Column:
    if (one.categories is None) != (other.categories is None):
        here, there = ("texts", "numbers") if other.categories else ("numbers", "texts")
        raise DataFileError(
            path, f"column {one.name!r} holds {here} here and {there} in {first}; write both alike"
        )
    if one.categories is None or other.categories is None:
        return one
    return Column(one.name, tuple(dict.fromkeys((*one.categories, *other.categories))))
