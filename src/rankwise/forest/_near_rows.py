"""Votes of the nearest training rows, of which a forest on rankings with ties may take a share.

Trees cut one feature at a time. Where features act smoothly together, the rows nearby know what many
cuts only come close to.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankwise.engine import tied_targets
from rankwise.forest._nearness import MOST_FEATURES, learn_directions, place

if TYPE_CHECKING:
    from sklearn.neighbors import NearestNeighbors

# So many rows vote, each by the inverse cube of its distance.
N_NEAR = 10
POWER = 3

# A feature that varies less than this, of its largest value, is constant.
SAME = 1e-12

# Rows at no distance count as if they were so near.
NO_DISTANCE = 1e-6

# Of more rows, or numbers, none are kept: the search would take longer than all trees.
MOST_ROWS = 30_000
MOST_NUMBERS = 1 << 24

# Differences of features that are looked at together: 8 MB.
TOGETHER = 1 << 20


@dataclass(frozen=True)
class NearRows:
    """Training rows that vote. Features have mean 0 and variance 1 and are 0 where they are missing."""

    features: np.ndarray  # (n, d)
    centre: np.ndarray  # (d,)
    spread: np.ndarray  # (d,)
    ranks: np.ndarray  # (n, k) int32, dense
    weights: np.ndarray  # (n,)
    share: float  # of the votes, from 0 to 1
    directions: (
        np.ndarray | None
    )  # (d, d) distances are those of features times these; None: of features

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        share: float,
        importances: np.ndarray | None = None,
    ) -> Self:
        """Keep complete rankings and their rows; with importances features count by what they tell."""
        X = X.astype(np.float64)
        with np.errstate(all="ignore"):
            known = np.maximum((~np.isnan(X)).sum(axis=0), 1)
            centre = np.nansum(X / known, axis=0)
            # squares of large numbers overflow
            largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
            scaled = (X - centre) / np.where(largest > 0, largest, 1.0)
            spread = np.sqrt(np.nansum(scaled**2, axis=0) / known) * largest
        # what rounding leaves of a constant feature is no spread
        sound = (spread > SAME * largest) & np.isfinite(spread) & np.isfinite(centre)
        centre, spread = np.where(sound, centre, 0.0), np.where(sound, spread, 1.0)
        counts = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        from scipy.stats import (
            rankdata,
        )  # slow to import, as is scikit-learn's search of neighbours

        dense = rankdata(ranks, method="dense", axis=1).astype(np.int32)
        kept = cls(np.empty((0, X.shape[1])), centre, spread, dense, counts, share, None)
        kept = replace(kept, features=kept._scaled(X))
        return kept if importances is None else kept._directed(importances)

    def rows(self) -> np.ndarray:
        """The rows that vote; what was missing has its mean."""
        result: np.ndarray = self.features * self.spread + self.centre
        return result

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Mean outcomes of pairs, as trees on rankings with ties predict them, for new rows."""
        return self.votes_at(self._scaled(X))

    def votes_at(self, features: np.ndarray) -> np.ndarray:
        """The same for features of mean 0 and variance 1."""
        return self._by_parts(place(features, self.directions))

    def outcomes_of(self, rows: np.ndarray) -> np.ndarray:
        """What these rows say themselves."""
        outcomes: np.ndarray = self._outcomes[rows]
        return outcomes

    def only(self, rows: np.ndarray, importances: np.ndarray) -> NearRows:
        """The nearest among some of the rows, which say themselves what makes rows near."""
        some = NearRows(
            self.features[rows], self.centre, self.spread, self.ranks[rows], self.weights[rows],
            self.share, self.directions,
        )  # fmt: skip
        return some._directed(importances)

    def among(self, others: NearRows) -> NearRows:
        """Who votes in the same way by other rows."""
        return others

    def with_share(self, share: float) -> Self:
        """The same rows with another share of the votes."""
        return replace(self, share=share)

    def _directed(self, importances: np.ndarray) -> Self:
        """The same rows, near to each other by what features tell about rankings."""
        if len(importances) > MOST_FEATURES or not self.weights.any():
            return self
        directions = learn_directions(self.features, self._outcomes, self.weights, importances)
        return replace(self, directions=directions)

    def _by_parts(self, places: np.ndarray) -> np.ndarray:
        step = max(1, TOGETHER // (N_NEAR * places.shape[1]))
        result = np.zeros((len(places), self._outcomes.shape[1]))
        for start in range(0, len(places), step):
            part = slice(start, start + step)
            found, amounts = self._nearest(places[part])
            for near, amount in zip(found.T, amounts.T, strict=True):
                result[part] += amount[:, None] * self._outcomes[near]
        return result

    def _nearest(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest rows of each row, and how much each of them counts; they add up to 1."""
        asked = min(N_NEAR, len(self._places))
        found = self._index.kneighbors(places, asked, return_distance=False)
        # the search rounds: of rows that are equal one would be nearer than the other
        distance = np.sqrt(((self._places[found] - places[:, None, :]) ** 2).sum(axis=2))
        amounts = self.weights[found] / np.maximum(distance, NO_DISTANCE) ** POWER
        total = amounts.sum(axis=1, keepdims=True)
        return found, np.divide(amounts, total, out=np.zeros_like(amounts), where=total > 0)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            scaled = (X.astype(np.float64) - self.centre) / self.spread
        # squares of what is left must not overflow
        return np.clip(np.nan_to_num(scaled), -1e100, 1e100)

    @cached_property
    def _outcomes(self) -> np.ndarray:
        """(n, 2 n_pairs) 1 or -1 for each comparison."""
        targets = tied_targets(self.ranks.astype(np.float64), "joint_pairwise")
        return (targets.values + targets.lowest).astype(np.int8)

    @cached_property
    def _places(self) -> np.ndarray:
        """Where the rows lie."""
        return place(self.features, self.directions)

    @cached_property
    def _index(self) -> NearestNeighbors:
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors().fit(self._places)

    def __getstate__(self) -> dict[str, Any]:
        # what is made when it is first needed is not pickled
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_state(self) -> None:
        arrays = (self.features, self.centre, self.spread, self.weights)
        sound = all(
            isinstance(array, np.ndarray) and array.dtype == np.float64 and np.isfinite(array).all()
            for array in arrays
        )
        sound = sound and isinstance(self.ranks, np.ndarray) and self.ranks.dtype == np.int32
        sound = sound and self.features.ndim == self.ranks.ndim == 2 and len(self.features) > 0
        if not sound:
            raise ValueError("the rows that vote beside its trees are no rows of numbers")
        n, d = self.features.shape
        shapes = [array.shape for array in arrays[1:]]
        if shapes != [(d,), (d,), (n,)] or len(self.ranks) != n:
            raise ValueError("the rows that vote beside its trees do not fit each other")
        if (self.spread <= 0).any() or (self.weights < 0).any() or (self.ranks < 1).any():
            raise ValueError("the rows that vote beside its trees have impossible numbers")
        self._check_directions()
        if type(self.share) is not float or not 0 < self.share <= 1:
            raise ValueError("the rows that vote beside its trees have no share from 0 to 1")

    def _check_directions(self) -> None:
        if self.directions is None:
            return
        known = isinstance(self.directions, np.ndarray) and self.directions.dtype == np.float64
        d = self.features.shape[1]
        if not known or self.directions.shape != (d, d) or not np.isfinite(self.directions).all():
            raise ValueError("the rows that vote beside its trees do not say how near they are")
