"""Units in which most rows are about 1 from the middle, whatever a few others are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Rows of larger numbers are divided, so that tolerances of solvers mean the same in all rows.
FAR = 256.0
# The least spread of a feature, as a share of its farthest value.
FLATTEST = 1e-150


def middle_and_spread(X: Array) -> tuple[Array, Array]:
    """Return the median of each feature and the median distance of other values from it.

    Not the range: one value far out would press all others into a point.

    Examples
    --------
    >>> middle_and_spread(np.array([[0.0], [1.0], [2.0], [4.0], [1e9]]))
    (array([2.]), array([2.]))
    """
    middle = np.quantile(X, 0.5, axis=0, method="lower")
    half = np.abs(X / 2 - middle / 2)
    largest = half.max(axis=0)
    distances = np.where(half > 0, half, np.nan)
    distances[0, largest == 0] = 0.5
    # squares of what is farthest out must stay finite
    spread = np.maximum(np.nanquantile(distances, 0.5, axis=0, method="lower"), largest * FLATTEST)
    return middle, np.minimum(2 * spread, np.finfo(float).max)


def scaled(X: Array, middle: Array, spread: Array) -> Array:
    """Return how far rows are from the middle, in units of the spread."""
    # halves first: the difference of the largest floats is infinite
    with np.errstate(over="ignore"):
        units = (X / 2 - middle / 2) / (spread / 2)
    # new rows may lie farther out than any that were learned from
    return np.clip(units, -1 / FLATTEST, 1 / FLATTEST, out=units)


def shrink_far_rows(F: Array) -> Array:
    """Divide rows far out by powers of 2: no row changes sides, and none rounds differently.

    Examples
    --------
    >>> shrink_far_rows(np.array([[3.0, 1.0], [1024.0, 1.0]])).tolist()
    [[3.0, 1.0], [128.0, 0.125]]
    """
    exponents = np.frexp(np.abs(F).max(axis=1) / FAR)[1]
    return np.ldexp(F, -np.maximum(exponents, 0)[:, None])
