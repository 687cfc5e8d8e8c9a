"""What oracles are given: probabilities and feature matrices, each with a kind error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwise._cells import finite_features
from rankwise._naming import shown
from rankwise._parameters import check_numbers, check_size

# Users' functions see float64 rows in blocks of about this many cells: Boolean X would turn
# `X[:, 0] + X[:, 1]` into a logical or, and the whole of it in float64 may not fit in memory.
_BLOCK_CELLS = 1 << 22


def check_probabilities(
    values: Any,
    name: str,
    shape: tuple[int, ...] | None,
    *,
    what: str = "label",
    first_row: int = 0,
) -> np.ndarray:
    """Return `values` as float64 probabilities that broadcast to `shape` along its last axis.

    Without a shape they are one number or a flat list.
    """
    try:
        array = check_numbers(name, values)
    except TypeError:
        raise TypeError(f"{name} is {shown(values)}; use numbers from 0 to 1") from None
    if shape is None:
        shape = array.shape[-1:]
    if array.ndim and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected {shape}, one per {what}")
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        at = tuple(int(axis[0]) for axis in np.nonzero(wrong)) if array.ndim else ()
        place = f", {what} {at[-1]}" if at else ""
        row = f" at row {first_row + at[0]}" if len(at) == 2 else ""
        raise ValueError(
            f"{name}{row}{place} is {float(array[at]):g}; use a probability from 0 to 1"
        )
    return np.broadcast_to(array, shape)


def check_features(X: Any, *, n_features: int | None = None) -> np.ndarray:
    """Return X as a 2-D numeric array without missing values; Boolean X stays Boolean."""
    X = finite_features(X, "an oracle needs")
    if n_features is not None and X.shape[1] != n_features:
        raise ValueError(
            f"X has {X.shape[1]} features; this oracle's scores are defined on {n_features}"
        )
    return X


def check_matrices(**arrays: np.ndarray) -> None:
    """Refuse arrays that are no tables of numbers, with as many rows each."""
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} is {shown(array)}; give an array of numpy")
    n_rows = {len(array) for array in arrays.values() if array.ndim}
    for name, array in arrays.items():
        is_table = (
            array.ndim == 2 and array.dtype.kind in "biuf" and (name == "X" or array.shape[1])
        )
        if not is_table or len(n_rows) > 1:
            raise ValueError(
                f"{name} has shape {array.shape} and dtype {array.dtype}; give numbers, with one row "
                f"per sample in each of {', '.join(arrays)}"
            )


def check_shape(shape: Any) -> tuple[int, int]:
    """Return a number of rows and one of labels, if a table of so many fits into memory."""
    sizes = check_numbers("shape", shape, 1)
    if (
        sizes.shape != (2,)
        or not ((sizes >= 0) & (sizes < np.inf) & (sizes == sizes.round())).all()
    ):
        raise ValueError(f"shape is {shown(shape)}; give (n_samples, n_labels)")
    n_rows, n_labels = map(int, sizes)
    check_size("the number of cells in shape", n_rows * n_labels, 0, bytes_each=8)
    return n_rows, n_labels


def call_in_blocks(function: Any, X: np.ndarray) -> Iterator[tuple[int, int, Any]]:
    """Yield the first row, the number of rows, and what a user's function of X gives for them."""
    step = max(1, _BLOCK_CELLS // max(1, X.shape[1]))
    for start in range(0, max(1, len(X)), step):
        block = X[start : start + step].astype(np.float64)
        yield start, len(block), function(block)


def probabilities_of_rows(
    given: Any, X: np.ndarray, name: str, width: int, *, what: str = "label"
) -> np.ndarray:
    """Return `width` probabilities per row of X: the same for all rows, or by a user's function of X."""
    if not callable(given):
        same = check_probabilities(given, name, (width,), what=what)
        return np.broadcast_to(same, (len(X), width))
    out = np.empty((len(X), width))
    for start, n_rows, values in call_in_blocks(given, X):
        values, shape = np.asarray(values), (n_rows, width)
        if values.shape != shape:
            raise ValueError(
                f"{name}(X) has shape {values.shape}; expected {shape}, one row per row of X and "
                f"one probability per {what}"
            )
        out[start : start + n_rows] = check_probabilities(
            values, name, shape, what=what, first_row=start
        )
    return out
