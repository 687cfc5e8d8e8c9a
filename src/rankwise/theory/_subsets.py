"""Heterogeneity V(S) for all subsets S of a few features, with bootstrap errors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._observations import Observations

Floats = NDArray[np.float64]


class Moments(NamedTuple):
    """Rows, sum and sum of squares of y per cell; axes: one per feature, then the draw.

    Draw 0 is the sample itself, the others are bootstrap samples of it. Draws come last because
    sums over features then run along contiguous memory.
    """

    rows: Floats
    total: Floats
    square: Floats


class Measured(NamedTuple):
    """An unbiased estimate, and its error in each bootstrap sample (estimate minus truth)."""

    estimate: float
    errors: Floats

    @property
    def sd(self) -> float:
        """Standard error of the estimate."""
        return float(np.sqrt(np.mean(self.errors**2)))

    def draws(self) -> Floats:
        """Return what the truth may be: the estimate less each error (the basic bootstrap)."""
        return self.estimate - self.errors

    def __sub__(self, other: Measured) -> Measured:
        """Subtract what was measured on the same draws."""
        return Measured(self.estimate - other.estimate, self.errors - other.errors)


def moments(
    data: Observations,
    features: list[int],
    y: Floats,
    rows: NDArray[np.int64],
    n_draws: int,
    rng: np.random.Generator,
) -> Moments:
    """Tabulate y over the cells of `features`, for the rows and `n_draws` bootstrap samples."""
    shape = tuple(int(data.n_bins[i]) for i in features)
    cells = np.ravel_multi_index(
        tuple(data.codes[i][rows].astype(np.int64) for i in features), shape
    )
    target = y[rows] - y[rows].mean()
    columns = (np.ones(len(rows)), target, target**2)
    size = int(np.prod(shape))
    tables = np.empty((3, size, n_draws + 1))
    for draw in range(n_draws + 1):
        # Draw 0 takes every row once; a bootstrap sample takes each as often as it was drawn.
        taken = rng.integers(0, len(rows), len(rows)) if draw else np.arange(len(rows))
        weights = np.bincount(taken, minlength=len(rows))
        for table, column in zip(tables, columns, strict=True):
            table[:, draw] = np.bincount(cells, weights=weights * column, minlength=size)
    return Moments(*(table.reshape(*shape, n_draws + 1) for table in tables))


def heterogeneity(tables: Moments, axes: tuple[int, ...]) -> Measured:
    """Measure V of the features at `axes` (counted from 0) within what the tables cover.

    The mean over rows of the squared mean of y in a row's cell, where the square is estimated by
    products of different rows, so that cells of few rows do not look heterogeneous by chance.
    """
    drop = tuple(axis for axis in range(tables.rows.ndim - 1) if axis not in axes)
    count, total, square = (table.sum(axis=drop) for table in tables)
    inner = tuple(range(count.ndim - 1))
    n = np.maximum(count.sum(axis=inner), 1)
    v = products(count, total, square).sum(axis=inner) / n
    # In the bootstrap's world the sample is the population, whose own V has no estimation in it.
    truth = (total[..., 0] ** 2 / np.maximum(count[..., 0], 1)).sum() / n[0]
    return Measured(float(v[0]), v[1:] - truth)


def products(count: NDArray[Any], total: NDArray[Any], square: NDArray[Any]) -> NDArray[Any]:
    """Estimate rows times squared mean of y per cell, by products of different rows alone."""
    return np.where(count > 1, (total**2 - square) / np.maximum(count - 1, 1), 0)


def ratio_draws(upper: Measured, lower: Measured) -> Floats:
    """Return what the ratio of two increments may be: infinite where only the upper is positive.

    Examples
    --------
    >>> ratio_draws(Measured(2.0, np.zeros(2)), Measured(1.0, np.array([0.0, 1.0])))
    array([ 2., inf])
    """
    top, bottom = upper.draws(), lower.draws()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 1.0))
    return np.maximum(ratio, 0)
