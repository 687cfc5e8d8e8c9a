"""Expected values of labels, from the training rows that share the leaves of a new row.

A tree puts a new row beside the training rows of its leaf: the mean and the spread of what was
measured there are what to expect. Over the trees of a forest means are averaged, and the spread is
that of the mixture, as in quantile regression forests (Meinshausen, 2006). A run that was stopped
counts as the penalty says, so that an expected run time is an expected penalised run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Rows times trees that are looked at together.
CELLS = 8_000_000

# The share of values that lie within one standard deviation of their mean, where they are normal.
WITHIN_ONE = 0.6827


@dataclass(frozen=True)
class LeafValues:
    """Mean and variance of the values of labels in each leaf of the trees of one kind.

    Parameters
    ----------
    centre : ndarray of shape (n_labels,)
        The mean of each label, from which `means` are measured: so that large values which differ
        little keep their digits.
    means, variances : ndarray of shape (n_leaves, n_labels_of_a_tree)
        NaN where no row of a leaf was measured.
    """

    centre: NDArray[np.float64]
    means: NDArray[np.float32]
    variances: NDArray[np.float32]

    def _check_state(self) -> None:
        for table, dtype, ndim in (
            (self.centre, np.float64, 1),
            (self.means, np.float32, 2),
            (self.variances, np.float32, 2),
        ):
            if not (isinstance(table, np.ndarray) and table.dtype == dtype and table.ndim == ndim):
                raise ValueError("its values of leaves are no tables of numbers")
        if not np.isfinite(self.centre).all():
            raise ValueError("its values of leaves are measured from no number")

    def check(self, member: Any) -> None:
        """Raise a ValueError unless the tables are those of the trees of a ranker."""
        about = member._labels_of_trees()
        shape = int((member._trees.feature < 0).sum()), about.shape[1]
        if (self.centre.shape, self.means.shape, self.variances.shape) != (
            (member.n_labels_,),
            shape,
            shape,
        ):
            raise ValueError("its values of leaves are not those of its trees")


class Moments(NamedTuple):
    """Sums over trees of the mean and the mean square of their leaves, and how many trees know one."""

    one: np.ndarray  # (n, k), from the centre
    two: np.ndarray
    trees: np.ndarray

    def mean_and_variance(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the mixture; NaN where no tree knows any."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean, square = self.one / self.trees, self.two / self.trees
        return mean, np.maximum(square - mean**2, 0.0)


def sum_of(found: Sequence[Moments]) -> Moments:
    """What the trees of several rankers say together."""
    return Moments(*(np.sum(part, axis=0) for part in zip(*found, strict=True)))


def learn_leaf_values(
    member: Any, X: np.ndarray, values: np.ndarray, weights: np.ndarray
) -> tuple[LeafValues, np.ndarray]:
    """Return what was measured in the leaves of the trees of a ranker, and by what weight of rows."""
    about = member._labels_of_trees()
    known = ~np.isnan(values) & (weights[:, None] > 0)
    amounts = np.where(known, weights[:, None], 0.0)
    total = amounts.sum(axis=0)
    centre = (amounts * np.nan_to_num(values)).sum(axis=0) / np.where(total > 0, total, 1.0)
    moved = np.where(known, values - centre, 0.0)
    n_leaves = int((member._trees.feature < 0).sum())
    count, one, two = np.zeros((3, n_leaves, about.shape[1]))
    for rows, leaves in leaf_numbers(member, X):
        sums = amounts[rows], amounts[rows] * moved[rows], amounts[rows] * moved[rows] ** 2
        for t, own in enumerate(leaves):
            first, last = int(own.min()), int(own.max()) + 1
            for place, j in enumerate(about[t % len(about)]):
                for table, added in zip((count, one, two), sums, strict=True):
                    table[first:last, place] += np.bincount(own - first, added[:, j])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = one / count
        variance = np.maximum(two / count - mean**2, 0.0)
    return LeafValues(centre, mean.astype(np.float32), variance.astype(np.float32)), count


def moments(member: Any, kept: LeafValues, X: np.ndarray) -> Moments:
    """What the leaves of some rows say of the values of labels, summed over trees."""
    found = Moments(*np.zeros((3, len(X), member.n_labels_)))
    about = member._labels_of_trees()
    means = kept.means.astype(np.float64)
    squares = kept.variances + means**2
    for rows, leaves in leaf_numbers(member, X):
        for t, own in enumerate(leaves):
            _add(found, rows, about[t % len(about)], means[own], squares[own])
    return found


def moments_left_out(
    member: Any,
    kept: LeafValues,
    counts: np.ndarray,
    rows_known: tuple[np.ndarray, np.ndarray, np.ndarray],
    left_out: np.ndarray,
) -> Moments:
    """The same for training rows, by the trees that left a row out, and without its own value.

    `rows_known` are features, values and weights; `left_out` says of each row which samples left it out.
    """
    X, values, weights = rows_known
    found = Moments(*np.zeros((3, len(X), member.n_labels_)))
    about = member._labels_of_trees()
    means = kept.means.astype(np.float64)
    squares = kept.variances + means**2
    known = ~np.isnan(values)
    moved = np.where(known, values - kept.centre, 0.0)
    amounts = np.where(known, weights[:, None], 0.0)
    for rows, leaves in leaf_numbers(member, X):
        for t, own in enumerate(leaves):
            labels = about[t % len(about)]
            w, v = amounts[rows][:, labels], moved[rows][:, labels]
            rest = counts[own] - w
            rest[~left_out[rows, t // len(about)]] = 0.0
            rest[rest <= 1e-9 * counts[own]] = np.nan
            with np.errstate(invalid="ignore"):
                mean = (counts[own] * means[own] - w * v) / rest
                square = (counts[own] * squares[own] - w * v**2) / rest
            _add(found, rows, labels, mean, square)
    return found


def spread_factor(errors: np.ndarray, variances: np.ndarray) -> float:
    """Return by what spreads are multiplied so that about 68 % of values lie within one of them.

    Parameters
    ----------
    errors, variances : ndarray
        Of values that were left out: how far they are from what was expected, and the variance that
        was; NaN where one is not known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(spread_factor(rng.normal(scale=3.0, size=10_000), np.ones(10_000)), 1)
    3.0
    """
    known = ~np.isnan(errors) & ~np.isnan(variances)
    if not known.any():
        return 1.0
    error, spread = np.abs(errors[known]), np.sqrt(variances[known])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(error == 0, 0.0, error / spread)
    factor = float(np.quantile(ratios, WITHIN_ONE, method="higher"))
    # leaves that hold equal values say nothing that could be stretched
    return factor if np.isfinite(factor) and factor > 0 else 1.0


def leaf_numbers(member: Any, X: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some rows and their leaf in every tree, leaves counted from 0, (n_trees, n_rows)."""
    trees = member._trees
    number = np.cumsum(trees.feature < 0) - 1
    step = max(1, CELLS // len(trees.roots))
    for start in range(0, len(X), step):
        rows = slice(start, min(len(X), start + step))
        yield rows, number[trees.leaves(X[rows])]


def _add(
    found: Moments, rows: slice, labels: np.ndarray, means: np.ndarray, squares: np.ndarray
) -> None:
    known = ~np.isnan(means)
    found.one[rows, labels] += np.where(known, means, 0.0)
    found.two[rows, labels] += np.where(known, squares, 0.0)
    found.trees[rows, labels] += known
