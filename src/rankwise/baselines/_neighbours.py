"""Neighbours of rows: the search, and the choice of their number by leaving one row out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from rankwise.ranker import BaseRanker

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

# Squares of larger features would overflow, and all rows be equally far.
LARGEST = 1e150
# Rows that are left out one at a time to choose the number of neighbours: the mean over so many
# tells the candidates apart, and more would cost more than the fit is worth.
CHOICE_ROWS = 5000


class NeighbourRanker(BaseRanker):
    """Base of the methods that look at the rankings of the nearest training rows.

    A subclass sets `candidates`, offers `_losses` and calls `_search` in `_fit`.
    """

    _takes_weights = False

    candidates: Sequence[int]

    n_neighbors: int | str
    n_jobs: int | None

    def _search(self, X: NDArray[Any], ranks: Floats, *, standardise: bool) -> Floats:
        """Keep the rows that compare labels, and choose how many neighbours to ask.

        Returns the ranks of the rows that were kept.
        """
        self._check_n_neighbors(len(X))
        kept = compares(ranks)
        if not kept.any():
            raise ValueError(
                "no row of y puts one label before another: every label is missing or tied; "
                "at least one row must order two labels"
            )
        features = self._floats(X)[kept]
        # distances do not change with the origin, but lose digits far from it
        self._centre = features.mean(axis=0)
        spread = features.std(axis=0) if standardise else np.ones(X.shape[1])
        # a constant feature stays as it is: all rows agree on it
        self._spread = np.where(spread > 0, spread, 1.0)
        self._kept_features = self._scaled(features)
        self._index = NearestNeighbors(n_jobs=self.n_jobs).fit(self._kept_features)
        self._ranks = ranks[kept]
        return self._ranks

    def _choose(self) -> int:
        """The number of neighbours: given, or the candidate of least loss on rows left out."""
        n = len(self._ranks)
        if self.n_neighbors != "cv":
            return min(int(self.n_neighbors), n)
        # a row left out has n - 1 others to ask
        candidates = [c for c in self.candidates if c < n] or [
            max(1, min(n - 1, self.candidates[0]))
        ]
        if len(candidates) == 1:
            return candidates[0]
        rows = np.unique(np.linspace(0, n - 1, min(n, CHOICE_ROWS)).round().astype(np.int64))
        losses = self._losses(rows, self._others(rows, candidates[-1]), candidates)
        # equal up to rounding: the first
        return candidates[int(np.argmin(np.round(losses, 12)))]

    @abstractmethod
    def _losses(self, rows: Rows, neighbours: Rows, candidates: Sequence[int]) -> list[float]:
        """Loss of each candidate when `rows` are predicted by their first so many neighbours."""

    def _others(self, rows: Rows, count: int) -> Rows:
        """The nearest `count` training rows of training rows, without themselves."""
        found = self._index.kneighbors(
            self._kept_features[rows], min(count + 1, len(self._ranks)), return_distance=False
        )
        other = found != rows[:, None]
        # many rows at the same place may crowd out the row itself
        other[other.all(axis=1), -1] = False
        return found[other].reshape(len(rows), -1)

    def _neighbours(self, X: np.ndarray) -> Rows:
        features = self._scaled(self._floats(X))
        found: Rows = self._index.kneighbors(features, self.n_neighbors_, return_distance=False)
        return found

    def _floats(self, X: NDArray[Any]) -> Floats:
        return as_floats(X, getattr(self, "feature_names_in_", None))

    def _scaled(self, features: Floats) -> Floats:
        return np.ascontiguousarray((features - self._centre) / self._spread)

    def _check_n_neighbors(self, n_rows: int) -> None:
        n = self.n_neighbors
        if isinstance(n, str) and n == "cv":
            return
        if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
            raise ValueError(f"n_neighbors is {n!r}; give a whole number from 1 up, or 'cv'")
        if n > n_rows:
            raise ValueError(
                f"n_neighbors is {n}, but X has n_samples = {n_rows} rows; give at most as many, or 'cv'"
            )


class InstanceRanker(NeighbourRanker):
    """Base of the methods of Cheng and others: a model of the neighbours' rankings, without ties.

    A subclass offers `_remember`.
    """

    _takes_ties = False
    candidates = (5, 10, 15, 20)

    def __init__(self, n_neighbors: int | str = "cv", *, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._remember(self._search(X, ranks, standardise=True))
        self.n_neighbors_ = self._choose()

    @abstractmethod
    def _remember(self, ranks: Floats) -> None:
        """Keep the rankings as the models want them."""


def compares(ranks: Floats) -> NDArray[np.bool_]:
    """Whether each row puts any label before another.

    Examples
    --------
    >>> compares(np.array([[1.0, 2.0, np.nan], [1.0, 1.0, np.nan], [2.0, np.nan, np.nan]]))
    array([ True, False, False])
    """
    low = np.where(np.isnan(ranks), np.inf, ranks).min(axis=1)
    high = np.where(np.isnan(ranks), -np.inf, ranks).max(axis=1)
    return low < high


def as_floats(X: NDArray[Any], names: NDArray[Any] | None = None) -> Floats:
    """Return X in float64, or name the first cell that is too large to take distances with.

    Examples
    --------
    >>> as_floats(np.array([[7, 8]]))
    array([[7., 8.]])
    """
    features = X.astype(np.float64)
    too_large = np.abs(features) > LARGEST
    if too_large.any():
        i, j = np.argwhere(too_large)[0]
        feature = str(j) if names is None else repr(str(names[j]))
        raise ValueError(
            f"X, row {i}, feature {feature} is {features[i, j]:g}; distances need numbers up to "
            f"{LARGEST:g}: rescale the feature"
        )
    return features
