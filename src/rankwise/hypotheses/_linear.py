"""Classes that are half-spaces over lifted features: found by descent, proven by a cover."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._cover import fewest_mistakes
from rankwise.hypotheses._descent import descend
from rankwise.hypotheses._hypothesis import Hypothesis, count_mistakes, make_generator

Array = NDArray[np.float64]


class LinearHypothesis(Hypothesis):
    """Base of half-spaces and balls: a subclass says how to scale, to lift, and where to start.

    Logistic regression and other starts are improved by exact line searches on the 0/1 loss. Then
    an integer program (a set cover over small sets of rows that no hypothesis separates) looks
    for better, or proves that there is none, as long as time permits.
    """

    def _minimise(self, X: Array, signs: Array) -> int:
        deadline = self._deadline()
        rng = make_generator(self.random_state)
        low, high = X.min(axis=0), X.max(axis=0)
        self._middle = low / 2 + high / 2
        self._scale = self._scale_by(high / 2 - low / 2)
        F = self._lift(X)
        kept = self._kept_above(X.shape[1])
        starts = self._starts(F, signs)
        found = [descend(F, signs, start, rng, kept_above=kept) for start in starts]
        best = min(found, key=lambda u: count_mistakes(F @ u, signs))
        self._weights, bound = fewest_mistakes(F, signs, best, deadline, rng, kept_above=kept)
        self._describe(F)
        return bound

    def _decide(self, X: Array) -> Array:
        return self._lift(X) @ self._weights

    @abstractmethod
    def _scale_by(self, half: Array) -> Array:
        """What features are divided by, given half of the range of each."""

    @abstractmethod
    def _lift(self, X: Array) -> Array:
        """Features scaled to about [-1, 1] over which the class is linear; the last is 1."""

    @abstractmethod
    def _starts(self, F: Array, signs: Array) -> list[Array]:
        """Weights to start from."""

    def _kept_above(self, n_features: int) -> int | None:
        """Which weight must not be negative, if any."""
        return None

    @abstractmethod
    def _describe(self, F: Array) -> None:
        """Set the attributes that a user reads."""
