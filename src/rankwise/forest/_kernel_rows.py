"""Ridge regression on a Gaussian kernel, which may vote beside trees and the nearest rows.

Where rankings change slowly with the features, all rows together know more than the nearest ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from threadpoolctl import threadpool_limits

from rankwise.forest._near_rows import TOGETHER, NearRows
from rankwise.forest._nearness import PLACES
from rankwise.ranker import ridge_left_out, solve_ridge

# The kernel is exp(-width |x - y|² / number of features), of places whose features have variance 1.
WIDTHS = (0.1, 0.3, 1.0, 3.0)
RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

# Rows that tell widths and ridges apart; each width costs an eigendecomposition of this size.
CHOICE_ROWS = 300

# With more rows, or outcomes, the regression would take longer than the trees.
MOST_KERNEL_ROWS = 2000
MOST_OUTCOMES = 1 << 20


@dataclass(frozen=True)
class KernelRows(NearRows):
    """Training rows that vote by ridge regression of the outcomes of pairs on a kernel of places."""

    width: float
    ridge: float

    @classmethod
    def like(cls, near: NearRows) -> Self | None:
        """The same rows, with the width and ridge that serve rows left out; None: there are too many."""
        if not _are_few(near) or not near.weights.any():
            return None
        counting = np.flatnonzero(near.weights > 0)
        some = np.linspace(0, len(counting) - 1, min(len(counting), CHOICE_ROWS)).astype(np.int64)
        rows = counting[np.unique(some)]
        width, ridge = choose_kernel(
            near._places[rows], near._outcomes[rows], _of_mean_1(near.weights)[rows]
        )
        return cls(**near.__getstate__(), width=width, ridge=ridge)

    def among(self, others: NearRows) -> NearRows:
        """Who votes in the same way by other rows; the nearest of them where none counts."""
        if not others.weights.any():
            return others
        return type(self)(**others.__getstate__(), width=self.width, ridge=self.ridge)

    def _by_parts(self, places: np.ndarray) -> np.ndarray:
        coefficients = self._coefficients
        step = max(1, TOGETHER // len(coefficients))
        found = np.empty((len(places), coefficients.shape[1]))
        for start in range(0, len(places), step):
            part = slice(start, start + step)
            found[part] = _kernel(places[part], self._places, self.width) @ coefficients
        return self._bounded(found)

    def _bounded(self, centred: np.ndarray) -> np.ndarray:
        """Outcomes from -1 to 1; sums in another order must not decide what is tied."""
        return np.clip(np.round(centred + self._mean, PLACES), -1.0, 1.0)

    @cached_property
    def _mean(self) -> np.ndarray:
        return _mean_of(self._outcomes, _of_mean_1(self.weights))

    @cached_property
    def _coefficients(self) -> np.ndarray:
        """What each row counts in the kernel, for each outcome."""
        counts = _of_mean_1(self.weights)
        with threadpool_limits(1, "blas"):
            kernel = _kernel(self._places, self._places, self.width)
            return solve_ridge(kernel, self._outcomes - self._mean, counts, self.ridge)

    def _check_state(self) -> None:
        super()._check_state()
        if not _are_few(self) or not self.weights.any():
            raise ValueError("the rows that vote beside its trees are too many, or none counts")
        for number in (self.width, self.ridge):
            if type(number) is not float or not 1e-6 <= number <= 1e6:
                raise ValueError("the rows that vote beside its trees have no width or ridge")


def choose_kernel(
    places: np.ndarray, outcomes: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """Return the width and ridge with the least squared error on rows left out one at a time.

    Examples
    --------
    >>> places = np.linspace(-2, 2, 20)[:, None]
    >>> choose_kernel(places, np.sign(places), np.ones(20))
    (3.0, 0.1)
    """
    centred = outcomes - _mean_of(outcomes, weights)
    losses = {}
    with threadpool_limits(1, "blas"):
        for width in WIDTHS:
            left_out = ridge_left_out(_kernel(places, places, width), centred, weights, RIDGES)
            for ridge, predicted in zip(RIDGES, left_out, strict=True):
                losses[width, ridge] = weights @ ((predicted - centred) ** 2).mean(axis=1)
    return min(losses, key=lambda pair: round(float(losses[pair] / weights.sum()), PLACES))


def _are_few(near: NearRows) -> bool:
    n, k = near.ranks.shape
    return n <= MOST_KERNEL_ROWS and n * k * (k - 1) <= MOST_OUTCOMES


def _of_mean_1(weights: np.ndarray) -> np.ndarray:
    """Weights whose mean is 1: a ridge is so much for one row."""
    share = weights / weights.max()
    counts: np.ndarray = share / share.mean()
    return counts


def _mean_of(outcomes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    mean: np.ndarray = weights @ outcomes / weights.sum()
    return mean


def _kernel(places: np.ndarray, others: np.ndarray, width: float) -> np.ndarray:
    from sklearn.metrics.pairwise import rbf_kernel  # slow to import

    kernel: np.ndarray = rbf_kernel(places, others, gamma=width / places.shape[1])
    return kernel
