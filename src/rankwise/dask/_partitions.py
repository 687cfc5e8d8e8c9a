"""Partitions where they are opened: alike all others, or an error that says which, where and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rankwise._naming import name_some
from rankwise.datasets.tables import FrameTable, Recipe
from rankwise.parts.steps import (
    Block,
    Part,
    Place,
    check_block_weights,
    check_features,
    in_blocks,
    positions_of,
)

NUMBERS = "biuf"


class Columns(NamedTuple):
    """What every partition has."""

    features: tuple[str, ...] | None  # names of columns
    labels: tuple[str, ...] | None
    n_features: int
    n_labels: int
    dtype: np.dtype[Any]
    recipe: Recipe | None  # where a column holds texts


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
        X = self._features()
        y = numbers_of(
            self.y, columns.labels, columns.n_labels, np.dtype(np.float64), self._called("y")
        )
        weights = None
        if self.weights is not None:
            weights = _one_column(self.weights, self._called("sample_weight"))
        for name, found in (("y", y), ("sample_weight", weights)):
            if found is not None and len(found) != len(X):
                raise ValueError(
                    f"{self._called(name)}: it has {len(found):,} rows, and X has {len(X):,}; each row of "
                    f"X needs its {'ranking' if name == 'y' else 'weight'} in the same partition of {name}"
                )

        def block(start: int, stop: int) -> Block:
            own = slice(start, stop)
            return Block(
                check_features(X[own], columns.features, Place(self._called("X"), start)),
                positions_of(y[own], columns.labels, Place(self._called("y"), start)),
                None
                if weights is None
                else check_block_weights(weights[own], Place(self._called("sample_weight"), start)),
            )

        return in_blocks(len(X), X.shape[1], block)

    def _features(self) -> np.ndarray:
        columns, what = self.columns, self._called("X")
        if columns.recipe is None:
            return numbers_of(self.X, columns.features, columns.n_features, columns.dtype, what)
        check_names(self.X, [column.name for column in columns.recipe.columns], what)
        return FrameTable(self.X, name=what).encode(columns.recipe)[0]

    def _called(self, name: str) -> str:
        return called(name, self.number)


def called(name: str, number: int) -> str:
    """What a partition is called in messages."""
    return f"{name}, partition {number}"


@contextmanager
def naming_partition(number: int, *names: str, of: str = "") -> Iterator[None]:
    """Let an error about some rows that have one of these names say of which partition they are."""
    try:
        yield
    except (TypeError, ValueError) as error:
        said, kind = str(error), TypeError if isinstance(error, TypeError) else ValueError
        name = next((own for own in names if said.startswith(own)), "")
        rest = said.removeprefix(name) if name else f": {said}"
        raise kind(f"{called(name or ' and '.join(names), number)}{of}{rest}") from error


def check_names(frame: Any, wanted: Sequence[str], what: str) -> None:
    """Refuse a partition whose columns are not those that Dask was told of, in their order."""
    names = [str(name) for name in frame.columns]
    if names == list(wanted):
        return
    lost = [name for name in wanted if name not in names]
    more = [name for name in names if name not in wanted]
    if lost or more:
        odd = lost or more
        said = f"{'lacks' if lost else 'has'} the column{'s' * (len(odd) > 1)} {name_some(odd)}, "
        said += "which other partitions have" if lost else "which other partitions lack"
    else:
        said = f"has its columns in the order {name_some(names)}, and others in the order "
        said += name_some(wanted)
    raise ValueError(f"{what}: {said}; all need the same columns in the same order")


def numbers_of(
    table: Any, names: Sequence[str] | None, n_columns: int, dtype: np.dtype[Any], what: str
) -> np.ndarray:
    """The numbers of a partition, (n, n_columns), or an error that names the column and the row."""
    if names is None:
        array = np.asarray(table)
        if array.ndim != 2 or array.shape[1] != n_columns:
            raise ValueError(
                f"{what}: it has the shape {array.shape}, and {n_columns} columns are those of all; "
                "all partitions need the same columns"
            )
        if array.dtype.kind in NUMBERS:
            return _of_type(array, dtype, what)
        columns: Iterable[Any] = array.T
        titles = [f"column {j} holds" for j in range(n_columns)]
    else:
        check_names(table, names, what)
        columns = (table.iloc[:, j] for j in range(n_columns))
        titles = [f"column {name!r} holds" for name in names]
    matrix = np.empty((n_columns, len(table)), dtype=dtype)
    texts: list[str] = []
    for j, (column, title) in enumerate(zip(columns, titles, strict=True)):
        matrix[j] = _column_of(column, dtype, what, title, texts)
    _refuse_texts(texts)
    return matrix.T


def _one_column(weights: Any, what: str) -> np.ndarray:
    """The weights of a partition."""
    if getattr(weights, "ndim", 1) == 2:
        if weights.shape[1] != 1:
            raise ValueError(f"{what}: it has {weights.shape[1]} columns; give one number per row")
        weights = weights.iloc[:, 0] if hasattr(weights, "iloc") else weights[:, 0]
    texts: list[str] = []
    numbers = _column_of(weights, np.dtype(np.float64), what, "its weight is", texts)
    _refuse_texts(texts)
    return numbers


def _column_of(
    column: Any, dtype: np.dtype[Any], what: str, title: str, texts: list[str]
) -> np.ndarray:
    """A column as numbers; `texts` takes in where a number is written as a text."""
    if getattr(column.dtype, "kind", "O") not in NUMBERS:
        column = _numbers_of_objects(column, what, title, texts)
    elif hasattr(column, "to_numpy"):
        gaps = not isinstance(column.dtype, np.dtype) and dtype.kind == "f"
        column = column.to_numpy(dtype=dtype, na_value=np.nan) if gaps else column.to_numpy()
    return _of_type(np.asarray(column), dtype, f"{what}: {title.removesuffix(' holds')}")


def _of_type(array: np.ndarray, dtype: np.dtype[Any], what: str) -> np.ndarray:
    """Numbers as the type of all partitions, which must not change them."""
    if array.dtype != dtype and dtype != np.float64:
        raise ValueError(
            f"{what} holds {array.dtype} here, and Dask was told that all partitions hold {dtype}; make "
            "them alike, for instance with astype"
        )
    return np.asarray(array, dtype=dtype)


def _numbers_of_objects(cells: Any, what: str, title: str, texts: list[str]) -> np.ndarray:
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        gap = cell is None or type(cell).__name__ == "NAType"  # of pandas
        # a text of numpy or pandas is written as any text
        said = repr(str(cell)) if isinstance(cell, str) else repr(cell)
        try:
            numbers[row] = np.nan if gap else float(cell)
        except (TypeError, ValueError):
            raise ValueError(
                f"{what}, row {row}: {title} {said}, which is no number; correct the cell, or leave it "
                "empty if it is missing"
            ) from None
        if isinstance(cell, (str, bytes)):
            texts.append(f"{what}, row {row}: {title} the text {said}")
    return numbers


def _refuse_texts(texts: list[str]) -> None:
    """Refuse numbers that are written as texts, once no cell is found that is worse."""
    if texts:
        raise ValueError(f"{texts[0]}; make numbers of the column with astype")
