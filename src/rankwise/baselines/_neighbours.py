"""Neighbours of rows: the search, and the choice of their number by leaving one row out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors

from rankwise._parameters import check_integer
from rankwise.metrics import kendall_tau
from rankwise.ranker import BaseRanker, compares, comparing_rows, positions_by_pairwise

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

# Squares of larger features would overflow, and all rows be equally far.
LARGEST = 1e150
# Rows that are left out one at a time to choose the number of neighbours: the mean over so many
# tells the candidates apart, and more would cost more than the fit is worth.
CHOICE_ROWS = 5000


class DistanceRanker(BaseRanker):
    """Base of the methods that take distances of rows, and know of pairs what they rank by."""

    _takes_weights = False

    def _check_features(self, X: ArrayLike, *, reset: bool) -> Floats:
        checked = super()._check_features(X, reset=reset)
        return as_floats(checked, getattr(self, "feature_names_in_", None))

    def _predict_positions(self, X: np.ndarray) -> Floats:
        return positions_by_pairwise(self._predict_shares(X))


class NeighbourRanker(DistanceRanker):
    """Base of the methods that look at the rankings of the nearest training rows.

    A subclass sets `candidates` and `standardises`, and offers `_remember` and `_losses`. A model file
    holds the rows and rankings that are kept; the index and what `_remember` makes follow from them.
    """

    candidates: Sequence[int]
    standardises: bool

    n_neighbors: int | str
    n_jobs: int | None

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._check_n_neighbors(len(X))
        kept = comparing_rows(ranks)
        features = X[kept]
        # distances do not change with the origin, but lose digits far from it
        self._centre = features.mean(axis=0)
        spread = features.std(axis=0) if self.standardises else np.ones(X.shape[1])
        # a constant feature stays as it is: all rows agree on it
        self._spread = np.where(spread > 0, spread, 1.0)
        self._kept_features = self._scaled(features)
        self._ranks = ranks[kept]
        self._restore()
        self.n_neighbors_ = self._choose()

    def _check_state(self) -> None:
        super()._check_state()
        n, d = self._saved_rows("_kept_features"), self.n_features_in_
        for name, shape in (("_kept_features", (n, d)), ("_centre", (d,)), ("_spread", (d,))):
            self._saved_numbers(name, shape)
        if not (self._spread > 0).all():
            raise ValueError("its _spread is not positive")
        self._check_rankings(self._saved_array("_ranks", (n, self.n_labels_)))
        if not compares(self._ranks).all():
            raise ValueError("it remembers rows that compare no labels")
        asked = vars(self).get("n_neighbors_")
        if type(asked) is not int or not 1 <= asked <= n:
            raise ValueError(f"it asks {str(asked)[:40]} of {n} neighbours")

    def _restore(self) -> None:
        self._index = NearestNeighbors(n_jobs=self.n_jobs).fit(self._kept_features)
        self._remember(self._ranks)

    @abstractmethod
    def _remember(self, ranks: Floats) -> None:
        """Keep the rankings as predictions want them."""

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
        found: Rows = self._index.kneighbors(
            self._scaled(X), self.n_neighbors_, return_distance=False
        )
        return found

    def _scaled(self, features: Floats) -> Floats:
        return np.ascontiguousarray((features - self._centre) / self._spread)

    def _check_n_neighbors(self, n_rows: int) -> None:
        n = self.n_neighbors
        if isinstance(n, str) and n == "cv":
            return
        if check_integer("n_neighbors", n, 1, why=", or 'cv'") > n_rows:
            raise ValueError(
                f"n_neighbors is {n}, but X has n_samples = {n_rows} rows; give at most as many, or 'cv'"
            )


class InstanceRanker(NeighbourRanker):
    """Base of the methods of Cheng and others: a model of the neighbours' rankings, without ties."""

    _takes_ties = False
    candidates = (5, 10, 15, 20)
    standardises = True

    @abstractmethod
    def _ranks_by(self, neighbours: Rows) -> np.ndarray:
        """Rank the labels of rows whose neighbours these are."""

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return self._ranks_by(self._neighbours(X))

    def _losses(self, rows: Rows, neighbours: Rows, candidates: Sequence[int]) -> list[float]:
        return [
            -float(kendall_tau(self._ranks[rows], self._ranks_by(neighbours[:, :count])))
            for count in candidates
        ]

    def __init__(self, n_neighbors: int | str = "cv", *, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs


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
