"""Dask DataFrames and arrays as parts: a partition each, opened by the worker that has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankwise._extras import require
from rankwise._naming import name_some
from rankwise._parameters import check_choice
from rankwise.dask._client import naming_losses
from rankwise.datasets.tables import Column, FrameTable, Recipe
from rankwise.parts import Parts
from rankwise.parts.steps import (
    EMPTY,
    Block,
    Part,
    Place,
    check_block_weights,
    check_features,
    in_blocks,
    merged_recipe,
    positions_of,
)


class Columns(NamedTuple):
    """What every partition has."""

    features: tuple[str, ...] | None  # names of columns
    labels: tuple[str, ...] | None
    dtype: Any
    recipe: Recipe | None  # where a column holds texts


@dataclass(frozen=True)
class TaskPart(Part):
    """A partition that a task makes where it is needed."""

    task: Any = field(repr=False)
    number: int
    n_rows: int

    def blocks(self) -> Iterator[Block]:
        """Yield its rows; only on a worker, where the task is done."""
        raise TypeError(
            "a partition of Dask is opened by its cluster: use rankwise.dask.ForestRanker"
        )


@dataclass(frozen=True)
class PartitionPart(Part):
    """A partition that is here."""

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    weights: Any = field(repr=False)
    number: int
    n_rows: int
    columns: Columns = field(repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""
        columns = self.columns
        X = features_of(self.X, columns, self.number)
        Y = ranks_of_partition(self.y, columns, self.number)
        weights = None if self.weights is None else np.asarray(self.weights).reshape(-1)
        if len(Y) != len(X) or (weights is not None and len(weights) != len(X)):
            raise ValueError(
                f"partition {self.number}: X has {len(X)} rows and y or the weights have another number; "
                "each row of X needs its ranking in the same partition of y"
            )

        def block(start: int, stop: int) -> Block:
            own = slice(start, stop)
            return Block(
                check_features(X[own], columns.features, self._place("X", start)),
                positions_of(Y[own], columns.labels, self._place("y", start)),
                None
                if weights is None
                else check_block_weights(weights[own], self._place("sample_weight", start)),
            )

        return in_blocks(len(X), X.shape[1], block)

    def _place(self, what: str, first: int) -> Place:
        return Place(f"{what}, partition {self.number}", first)


def features_of(X: Any, columns: Columns, number: int) -> np.ndarray:
    """The features of a partition, or an error that names the column that is unlike the others'."""
    if columns.features is None:
        return np.asarray(X, dtype=columns.dtype)
    names, what = [str(name) for name in X.columns], f"X, partition {number}"
    wanted = columns.features
    if columns.recipe is not None:
        wanted = tuple(column.name for column in columns.recipe.columns)
    lost = [name for name in wanted if name not in names]
    if lost:
        raise ValueError(
            f"{what}: lacks the column{'s' * (len(lost) > 1)} {name_some(lost)}, which other partitions "
            "have; all need the same columns"
        )
    if columns.recipe is not None:
        if not len(X):
            return np.empty((0, len(columns.features)))
        return FrameTable(X, name=what).encode(columns.recipe)[0]
    matrix = np.empty((len(wanted), len(X)), dtype=columns.dtype)
    for j, name in enumerate(wanted):
        matrix[j] = _numbers(X.iloc[:, names.index(name)], name, what, columns.dtype)
    return matrix.T


def ranks_of_partition(y: Any, columns: Columns, number: int) -> np.ndarray:
    """The ranks of a partition."""
    if columns.labels is None:
        return np.asarray(y)
    names, what = [str(name) for name in y.columns], f"y, partition {number}"
    if names != list(columns.labels):
        raise ValueError(
            f"{what}: its columns are {name_some(names)}, and those of others are "
            f"{name_some(columns.labels)}; all need the same columns in the same order"
        )
    matrix = [_numbers(y.iloc[:, j], name, what, np.float64) for j, name in enumerate(names)]
    return np.column_stack(matrix)


def _numbers(column: Any, name: str, what: str, dtype: Any) -> np.ndarray:
    try:
        if np.dtype(dtype).kind == "f":
            return np.asarray(column.to_numpy(dtype=dtype, na_value=np.nan))
        numbers = column.to_numpy()
        if numbers.dtype != dtype:
            raise TypeError(f"it holds {numbers.dtype}")
        return np.asarray(numbers)
    except (TypeError, ValueError) as error:
        for row, cell in enumerate(column):
            if not _is_number(cell):
                raise ValueError(
                    f"{what}, row {row}: column {name!r} holds {cell!r}, which is no number; correct the "
                    "cell, or leave it empty if it is missing"
                ) from None
        raise ValueError(
            f"{what}: column {name!r} holds {column.dtype} here, and other partitions hold numbers "
            f"({error}); make all partitions alike"
        ) from None


def _is_number(cell: Any) -> bool:
    import pandas as pd  # the cell is of one of its columns, so that it is loaded already

    try:
        float("nan" if cell is None or cell is pd.NA else cell)
    except (TypeError, ValueError):
        return False
    return True


def collection_parts(
    client: Any, X: Any, y: Any, sample_weight: Any = None, empty: str = "error"
) -> Parts:
    """Dask DataFrames or arrays as parts; their rows are counted if nobody knows how many there are.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    X, y : Dask DataFrame or Array
        Features, and ranks, with the same partitions.
    sample_weight : Dask Series or Array, optional
        Weights of the rows.
    empty : {"error", "skip"}, default="error"
        What becomes of a partition without rows: it is refused by its number, or passed over.
    """
    check_choice("empty", empty, EMPTY)
    named = ((X, "X"), (y, "y"), (sample_weight, "sample_weight"))
    X, y, sample_weight = (_whole_rows(collection, name) for collection, name in named)
    if _is_array(X) and _is_array(y) and not np.isnan([*X.chunks[0], *y.chunks[0]]).any():
        if sum(X.chunks[0]) != sum(y.chunks[0]):
            raise ValueError(
                f"X and y have inconsistent numbers of samples: {sum(X.chunks[0])} and "
                f"{sum(y.chunks[0])} rows; each row of X needs its ranking in the same row of y"
            )
        y = y.rechunk({0: X.chunks[0]})
    blocks = [_partitions(c) for c in (X, y, sample_weight)]
    sizes = {len(own) for own in blocks if own is not None}
    if len(sizes) > 1:
        raise ValueError(
            f"X and y have {' and '.join(map(str, sorted(sizes)))} partitions; give them the same "
            "partitions: take both from one DataFrame, or call repartition"
        )
    features, labels = (_names(c) for c in (X, y))
    tasks, weights = blocks[0] or [], blocks[2] or [None] * len(blocks[0] or [])
    recipe, lengths = None, None
    with naming_losses():
        if not _is_array(X) and _has_texts(X):
            recipe, lengths = _learn(client, tasks)
        elif _is_array(X) and not np.isnan(X.chunks[0]).any():
            lengths = list(X.chunks[0])
        else:
            lengths = (
                list(client.compute(X.map_partitions(len), sync=True))
                if not _is_array(X)
                else _count(client, tasks)
            )
    if empty == "error" and 0 in lengths:
        raise ValueError(
            f"X, partition {lengths.index(0)}: it has no rows, as is left by filters; call repartition "
            "so that each has some, or fit(…, empty='skip') to pass over such partitions"
        )
    if recipe is not None:
        features = tuple(recipe.feature_names)
    columns = Columns(features, labels, _dtype(X, recipe), recipe)
    dask = require("dask", "a Dask cluster")
    make = dask.delayed(PartitionPart, pure=False)
    parts = tuple(
        TaskPart(make(x, own_y, w, p, int(n), columns), p, int(n))
        for p, (x, own_y, w, n) in enumerate(
            zip(tasks, blocks[1] or [], weights, lengths, strict=True)
        )
        if n
    )
    n_features = len(features) if features is not None else X.shape[1]
    n_labels = len(labels) if labels is not None else y.shape[1]
    return Parts(
        parts,
        n_features,
        n_labels,
        columns.dtype,
        sample_weight is not None,
        features,
        labels,
        recipe,
    )


def _is_array(collection: Any) -> bool:
    return hasattr(collection, "chunks") and not hasattr(collection, "columns")


def _whole_rows(collection: Any, name: str) -> Any:
    """A collection whose rows are not divided among blocks."""
    if collection is None and name == "sample_weight":
        return None
    if not hasattr(collection, "__dask_graph__"):
        raise TypeError(
            f"{name} is a {type(collection).__name__}; give a Dask DataFrame or Array, or fit a "
            "rankwise.ForestRanker to what is in memory"
        )
    if _is_array(collection) and collection.ndim == 2 and collection.numblocks[1] > 1:
        return collection.rechunk({1: -1})
    return collection


def _partitions(collection: Any) -> list[Any] | None:
    if collection is None:
        return None
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def _names(collection: Any) -> tuple[str, ...] | None:
    columns = getattr(collection, "columns", None)
    return None if columns is None else tuple(str(name) for name in columns)


def _has_texts(frame: Any) -> bool:
    return any(getattr(dtype, "kind", "O") not in "biuf" for dtype in frame.dtypes)


def _dtype(X: Any, recipe: Recipe | None) -> np.dtype[Any]:
    """The type of features: bytes where all columns are alike, else floats."""
    if recipe is not None:
        return np.dtype(np.float64)
    found = (
        {np.dtype(X.dtype)} if _is_array(X) else {getattr(d, "numpy_dtype", d) for d in X.dtypes}
    )
    if len(found) == 1:
        (only,) = found
        nullable = not _is_array(X) and not all(isinstance(d, np.dtype) for d in X.dtypes)
        if not nullable and only in map(np.dtype, (bool, np.uint8, np.int8, np.float32)):
            return np.dtype(only)
    return np.dtype(np.float64)


def _count(client: Any, tasks: Sequence[Any]) -> list[int]:
    dask = require("dask", "a Dask cluster")
    counted: list[int] = client.gather(client.compute([dask.delayed(len)(task) for task in tasks]))
    return counted


def _learn(client: Any, tasks: Sequence[Any]) -> tuple[Recipe, list[int]]:
    """The recipe of the columns of all partitions, and their numbers of rows."""
    dask = require("dask", "a Dask cluster")
    learn = dask.delayed(_learn_partition, pure=False)
    found = client.gather(client.compute([learn(task, p) for p, task in enumerate(tasks)]))
    known = [(f"partition {p}", own) for p, own in enumerate(found) if own.recipe is not None]
    if not known:
        raise ValueError("there are no rows in any partition; give at least one with its ranking")
    recipe = merged_recipe([(name, own.recipe, own.gaps) for name, own in known])
    columns = tuple(
        _as_declared(column, [own.declared for _, own in known]) for column in recipe.columns
    )
    return replace(recipe, columns=columns), [own.n_rows for own in found]


class _Learned(NamedTuple):
    """What a partition says of its columns."""

    n_rows: int
    recipe: Recipe | None  # None without rows
    gaps: frozenset[str]  # columns without any known cell
    declared: dict[str, tuple[str, ...]]  # categories of columns whose type has them


def _learn_partition(frame: Any, number: int) -> _Learned:
    if not len(frame):
        return _Learned(0, None, frozenset(), {})
    table = FrameTable(frame, name=f"X, partition {number}")
    _, recipe, _ = table.learn(features=list(table.header))
    gaps = frozenset(str(name) for name in frame.columns if frame[name].isna().all())
    declared = {
        str(name): tuple(map(str, dtype.categories))
        for name, dtype in frame.dtypes.items()
        if hasattr(dtype, "categories")
    }
    return _Learned(len(frame), recipe, gaps, declared)


def _as_declared(column: Column, declared: list[dict[str, tuple[str, ...]]]) -> Column:
    """A column with its categories in the order of its type, where that is the same in all partitions."""
    orders = {own.get(column.name) for own in declared}
    order = orders.pop()
    if orders or order is None or not {*(column.categories or ())} <= {*order}:
        return column
    return Column(column.name, tuple(text for text in order if text in (column.categories or ())))
