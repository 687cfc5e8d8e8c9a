"""Classes that are half-spaces over lifted features: found by descent, proven by a cover."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from rankwise._parameters import deadline_in
from rankwise.hypotheses._cover import fewest_mistakes
from rankwise.hypotheses._descent import descend
from rankwise.hypotheses._hypothesis import Hypothesis, count_mistakes, make_generator
from rankwise.hypotheses._scale import middle_and_spread, scaled, shrink_far_rows
from rankwise.hypotheses._touching import best_touching

Array = NDArray[np.float64]


class LinearHypothesis(Hypothesis):
    """Base of half-spaces and balls: a subclass says how to scale, to lift, and where to start.

    Logistic regression and other starts are improved by exact line searches on the 0/1 loss, and
    on few rows by trying all functions that touch as many rows as they can. Then an integer
    program (a set cover over small sets of rows that no hypothesis separates) looks for better, or
    proves that there is none, as long as time permits.
    """

    def _minimise(self, X: Array, signs: Array) -> int:
        end = deadline_in(self.time_limit)
        rng = make_generator(self.random_state)
        self._middle, spread = middle_and_spread(X)
        self._scale = self._scale_by(spread)
        F = shrink_far_rows(self._lift(X))
        kept = self._kept_above(X.shape[1])
        starts = self._starts(F, signs)
        found = [descend(F, signs, start, rng, kept_above=kept) for start in starts]
        best = min(found, key=lambda u: count_mistakes(F @ u, signs))
        best = best_touching(F, signs, best, rng, kept_above=kept)
        self._weights, bound = fewest_mistakes(F, signs, best, end, rng, kept_above=kept)
        self._describe(F)
        return bound

    def _decide(self, X: Array) -> Array:
        return self._lift(X) @ self._weights

    def _scaled(self, X: Array) -> Array:
        return scaled(X, self._middle, self._scale)

    @abstractmethod
    def _scale_by(self, spread: Array) -> Array:
        """What features are divided by, given how far each is spread."""

    @abstractmethod
    def _lift(self, X: Array) -> Array:
        """Features, mostly about 1, over which the class is linear; the last is 1."""

    @abstractmethod
    def _starts(self, F: Array, signs: Array) -> list[Array]:
        """Weights to start from."""

    def _kept_above(self, n_features: int) -> int | None:
        """Which weight must not be negative, if any."""
        return None

    @abstractmethod
    def _describe(self, F: Array) -> None:
        """Set the attributes that a user reads."""
