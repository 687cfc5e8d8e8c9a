"""Parts of arrays: in memory, or mapped from files that are larger than it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._arguments import check_arguments
from rankwise._parameters import check_integer, check_numbers
from rankwise.parts._arrow import ArrowPart, arrow_table, arrow_type, is_arrow
from rankwise.parts._block import (
    Block,
    Part,
    Parts,
    Place,
    check_block_weights,
    check_features,
    in_blocks,
    positions_of,
)
from rankwise.rankings import label_names

ROWS_PER_PART = 262_144


@dataclass(frozen=True)
class Mapped:
    """An array in a file of its own, which is mapped again wherever it is needed."""

    path: str
    dtype: Any
    shape: tuple[int, ...]
    offset: int
    order: str

    @classmethod
    def of(cls, array: Any) -> Any:
        """How a memory-mapped array is found again; any other array as it is."""
        whole = isinstance(array, np.memmap) and array.filename is not None
        if not whole or isinstance(array.base, np.ndarray):
            return array  # of another one it is a piece, whose place in the file is not known
        order = "C" if array.flags.c_contiguous else "F"
        path = str(Path(array.filename).resolve())
        return cls(path, array.dtype, array.shape, array.offset, order)

    def open(self) -> np.ndarray:
        """Map it."""
        kind: Any = self.order
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape, kind)


@dataclass(frozen=True)
class ArrayPart(Part):
    """Some rows of arrays."""

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    weights: Any = field(repr=False)
    start: int
    n_rows: int
    dtype: Any
    feature_names: tuple[str, ...] | None = field(default=None, repr=False)
    label_names: tuple[str, ...] | None = field(default=None, repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""
        stored = {"X": self.X, "y": self.y, "sample_weight": self.weights}
        X, y, weights = map(_opened, stored.values())
        names = [_called(name, array) for name, array in stored.items()]

        def block(start: int, stop: int) -> Block:
            first = self.start + start
            own, places = slice(first, self.start + stop), [Place(name, first) for name in names]
            features = np.asarray(X[own], dtype=self.dtype)
            return Block(
                check_features(features, self.feature_names, places[0]),
                positions_of(np.asarray(y[own]), self.label_names, places[1]),
                None if weights is None else check_block_weights(weights[own], places[2]),
            )

        return in_blocks(self.n_rows, X.shape[1], block)


@check_arguments
def array_parts(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    rows_per_part: int = ROWS_PER_PART,
) -> Parts:
    """Arrays, also memory-mapped ones, as parts that `ForestRanker.fit_parts` grows forests from.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; NaN = missing. An array of `numpy.memmap` or ``numpy.load(…, mmap_mode="r")`` is read
        a block at a time, and so is a table of Arrow, in memory or of `pyarrow.memory_map`.
    y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied. A table of Arrow if X is one.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    rows_per_part : int
        Rows that are worked at together. Forests do not depend on it.

    Returns
    -------
    Parts

    Examples
    --------
    >>> import numpy as np
    >>> import rankwise as rw
    >>> X, y = np.arange(8).reshape(-1, 1), np.array([[1, 2]] * 4 + [[2, 1]] * 4)
    >>> parts = array_parts(X, y, rows_per_part=3)
    >>> rw.ForestRanker(n_estimators=5, random_state=0).fit_parts(parts).predict([[0], [7]])
    array([[1, 2],
           [2, 1]])
    """
    check_integer("rows_per_part", rows_per_part, 1)
    if is_arrow(X) or is_arrow(y):
        X, y = (arrow_table(part, name) for part, name in ((X, "X"), (y, "y")))
    features, ranks = (_table(part, name) for part, name in ((X, "X"), (y, "y")))
    if features.shape[0] != ranks.shape[0]:
        raise ValueError(
            f"X and y have inconsistent numbers of samples: {features.shape[0]} and {ranks.shape[0]} "
            "rows; each row of X needs its ranking in the same row of y"
        )
    n = features.shape[0]
    weights = None if sample_weight is None else _numbers(sample_weight, "sample_weight")
    if weights is not None and weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape} but there are {n} rows; give one number per row"
        )
    if is_arrow(X):
        return _arrow_parts(features, ranks, weights, rows_per_part)
    columns, labels = getattr(X, "columns", None), label_names(y)
    named = None if columns is None else tuple(str(name) for name in columns)
    known = None if labels is None else tuple(map(str, labels))
    dtype = block_dtype(features.dtype)
    data = Mapped.of(features), Mapped.of(ranks), Mapped.of(weights)
    parts = tuple(
        ArrayPart(*data, start, min(rows_per_part, n - start), dtype, named, known)
        for start in range(0, n, rows_per_part)
    )
    return Parts(parts, features.shape[1], ranks.shape[1], dtype, weights is not None, named, known)


def _arrow_parts(X: Any, y: Any, weights: Any, rows_per_part: int) -> Parts:
    dtype = arrow_type(X)
    parts = tuple(
        ArrowPart(
            X.slice(start, rows_per_part),
            y.slice(start, rows_per_part),
            None if weights is None else weights[start : start + rows_per_part],
            start,
            min(rows_per_part, X.num_rows - start),
            dtype,
        )
        for start in range(0, X.num_rows, rows_per_part)
    )
    features, labels = tuple(X.column_names), tuple(y.column_names)
    return Parts(parts, len(features), len(labels), dtype, weights is not None, features, labels)


def block_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of features in blocks: bytes and floats as they are, other numbers as floats."""
    if dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers, got dtype {dtype}")
    if dtype.itemsize == 1 or dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        return dtype
    return np.dtype(np.float64)


def _table(array: Any, name: str) -> np.ndarray:
    found = array if is_arrow(array) else _numbers(array, name)
    if len(found.shape) != 2 or found.shape[0] == 0 or found.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {found.shape}; give a table of one row per sample and one column per "
            f"{'feature' if name == 'X' else 'label'}"
        )
    return found


def _numbers(array: Any, name: str) -> np.ndarray:
    """Return real numbers as an array that is still mapped from its file if it was."""
    plain = isinstance(array, np.ndarray) and array.dtype.kind in "biuf"
    if not plain or np.ma.isMaskedArray(array):
        return check_numbers(name, array)
    return np.asanyarray(array)


def _called(name: str, array: Any) -> str:
    """What an array is called in messages, with its file if it has one."""
    return f"{name} ({array.path})" if isinstance(array, Mapped) else name


def _opened(array: Any) -> Any:
    return array.open() if isinstance(array, Mapped) else array
