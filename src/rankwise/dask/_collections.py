"""Dask DataFrames and arrays as parts: a partition each, opened by the worker that has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankwise._extras import require
from rankwise._parameters import check_choice
from rankwise.dask._client import is_loss, naming_losses
from rankwise.dask._partitions import NUMBERS, Columns, PartitionPart, called
from rankwise.datasets.tables import Column, FrameTable, Recipe
from rankwise.parts import Parts
from rankwise.parts.steps import EMPTY, Block, Part, merged_recipe


@dataclass(frozen=True)
class TaskPart(Part):
    """A partition that a task makes where it is needed."""

    task: Any = field(repr=False)
    number: int
    n_rows: int
    sources: dict[str, Any] = field(repr=False)  # the tasks of what it is made of

    def blocks(self) -> Iterator[Block]:
        """Yield its rows; only on a worker, where the task is done."""
        raise TypeError(
            "a partition of Dask is opened by its cluster: use rankwise.dask.ForestRanker"
        )

    def find_cause(self, client: Any) -> None:
        """Raise an error that names what Dask could not make, where that is why it was not opened."""
        for name, task in self.sources.items():
            if task is not None:
                _made(client.compute(_length_of(task)), name, self.number)


def _made(future: Any, name: str, number: int) -> Any:
    """The result of a task about a partition, or an error with its number."""
    what = called(name, number)
    try:
        return future.result()
    except Exception as error:
        if is_loss(error) or str(error).startswith(what):
            raise
        said = str(error).strip()
        raise ValueError(
            f"{what}: Dask could not make it, {type(error).__name__}: {said}\nAll partitions need the "
            "same columns of the same types, and files that can be read; mend this one, or the table "
            "that it is of"
        ) from error


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
    named = {"X": X, "y": y, "sample_weight": sample_weight}
    X, y, sample_weight = (_whole_rows(collection, name) for name, collection in named.items())
    if all(is_counted(collection) for collection in (X, y)):
        y = chunked_as(y, X, "y")
    if all(is_counted(collection) for collection in (X, sample_weight)):
        sample_weight = chunked_as(sample_weight, X, "sample_weight")
    tasks = {
        name: [] if collection is None else partitions(collection)
        for name, collection in zip(named, (X, y, sample_weight), strict=True)
    }
    for name, own in tasks.items():
        if own and len(own) != len(tasks["X"]):
            raise ValueError(
                f"X has {len(tasks['X'])} partition(s) and {name} has {len(own)}; give them the same "
                "partitions: take both from one DataFrame, or call repartition"
            )
    features, labels = (_names(c, name) for c, name in ((X, "X"), (y, "y")))
    with naming_losses():
        recipe, lengths = _learn(client, X, tasks["X"])
    if empty == "error" and 0 in lengths:
        raise ValueError(
            f"{called('X', lengths.index(0))}: it has no rows, as is left by filters; call repartition "
            "so that each has some, or fit(…, empty='skip') to pass over such partitions"
        )
    if recipe is not None:
        features = tuple(recipe.feature_names)
    n_features = len(features) if features is not None else X.shape[1]
    n_labels = len(labels) if labels is not None else y.shape[1]
    columns = Columns(features, labels, n_features, n_labels, _dtype(X, recipe), recipe)
    dask = require("dask", "a Dask cluster")
    make = dask.delayed(PartitionPart, pure=False)
    parts = []
    for p, n in enumerate(lengths):
        sources = {name: own[p] if own else None for name, own in tasks.items()}
        if n:
            task = make(*sources.values(), p, int(n), columns)
            parts.append(TaskPart(task, p, int(n), sources))
    return Parts(
        tuple(parts),
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


def is_counted(collection: Any) -> bool:
    """Whether it is known how many rows each partition has."""
    return (
        collection is not None
        and _is_array(collection)
        and not np.isnan(collection.chunks[0]).any()
    )


def chunked_as(collection: Any, other: Any, name: str, as_what: str = "X") -> Any:
    """An array with the partitions of another."""
    if len(collection) != len(other):
        what = {"sample_weight": "weight"}.get(name, "ranking")
        raise ValueError(
            f"{as_what} and {name} have inconsistent numbers of samples: {len(other)} and "
            f"{len(collection)} rows; each row of {as_what} needs its {what} in the same row of {name}"
        )
    return collection.rechunk({0: other.chunks[0]})


def _whole_rows(collection: Any, name: str) -> Any:
    """A collection whose rows are not divided among blocks."""
    if collection is None and name == "sample_weight":
        return None
    if not hasattr(collection, "__dask_graph__"):
        raise TypeError(
            f"{name} is a {type(collection).__name__}; give a Dask DataFrame or Array, or fit a "
            "rankwise.ForestRanker to what is in memory"
        )
    if name != "sample_weight" and (collection.ndim != 2 or collection.shape[1] == 0):
        raise ValueError(
            f"{name} is a Dask {type(collection).__name__} of {collection.ndim} dimension(s)"
            f"{' without columns' if collection.ndim == 2 else ''}; give a table of one row per sample "
            f"and one column per {'feature' if name == 'X' else 'label'}"
        )
    if not _is_array(collection):
        return collection
    # of objects each is looked at where it is
    if collection.dtype.kind not in f"{NUMBERS}O":
        raise ValueError(
            f"{name} must hold real numbers, got dtype {collection.dtype}; columns of texts are for "
            "Dask DataFrames"
        )
    if collection.ndim == 2 and collection.numblocks[1] > 1:
        return collection.rechunk({1: -1})
    return collection


def partitions(collection: Any) -> list[Any]:
    """A task for each partition, with no more columns read than it has."""
    if hasattr(collection, "simplify"):
        # what Dask does beyond this puts partitions together where few columns of files are read
        tasks = collection.simplify().to_delayed(optimize_graph=False)
    else:
        tasks = collection.to_delayed()
    return list(np.ravel(np.array(tasks, dtype=object)))


def _names(collection: Any, name: str) -> tuple[str, ...] | None:
    if _is_array(collection):
        return None
    names = tuple(str(column) for column in collection.columns)
    if len({*names}) < len(names):
        twice = next(own for j, own in enumerate(names) if own in names[:j])
        raise ValueError(f"{name} has two columns called {twice!r}; rename one of them")
    return names


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


def _learn(client: Any, X: Any, tasks: Sequence[Any]) -> tuple[Recipe | None, list[int]]:
    """The recipe of the columns of all partitions if any holds texts, and their numbers of rows."""
    if is_counted(X):
        return None, list(X.chunks[0])
    if _is_array(X) or not _has_texts(X):
        return None, _over_partitions(client, [_length_of(task) for task in tasks])
    dask = require("dask", "a Dask cluster")
    learn = dask.delayed(_learn_partition, pure=False)
    found = _over_partitions(client, [learn(task, p) for p, task in enumerate(tasks)])
    known = [(called("X", p), own) for p, own in enumerate(found) if own.recipe is not None]
    if not known:
        raise ValueError("there are no rows in any partition; give at least one with its ranking")
    recipe = merged_recipe([(name, own.recipe, own.gaps) for name, own in known])
    columns = tuple(
        _as_declared(column, [own.declared for _, own in known]) for column in recipe.columns
    )
    return replace(recipe, columns=columns), [own.n_rows for own in found]


def _length_of(task: Any) -> Any:
    """A task that makes a partition, and counts its rows."""
    return require("dask", "a Dask cluster").delayed(len)(task)


def _over_partitions(client: Any, tasks: Sequence[Any]) -> list[Any]:
    """What is asked of each partition of X."""
    futures = client.compute(list(tasks))
    return [_made(future, "X", p) for p, future in enumerate(futures)]


class _Learned(NamedTuple):
    """What a partition says of its columns."""

    n_rows: int
    recipe: Recipe | None  # None without rows
    gaps: frozenset[str]  # columns without any known cell
    declared: dict[str, tuple[str, ...]]  # categories of columns whose type has them


def _learn_partition(frame: Any, number: int) -> _Learned:
    if not len(frame):
        return _Learned(0, None, frozenset(), {})
    table = FrameTable(frame, name=called("X", number))
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
