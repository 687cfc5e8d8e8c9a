"""Balls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._cover import fewest_mistakes
from rankwise.hypotheses._descent import best_step, descend, surrogate
from rankwise.hypotheses._halfspace import make_generator
from rankwise.hypotheses._hypothesis import Hypothesis, count_mistakes
from rankwise.theory import vc_dimension


class Ball(Hypothesis):
    """The ball with the fewest mistakes: the second of `classes_` inside, the first outside.

    A ball is a half-space over the features and their squared length, in which the weight of the
    latter is negative; it is found and proven as `Halfspace` is.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the integer program; 0 leaves it out, None lets it end. If time runs out, the
        result may depend on the machine's speed, `exact_` is False, and `lower_bound_` tells the gap.
    random_state : int, RandomState or None
        For directions of search.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
    radius_ : float
        0 if no row is inside.
    empirical_risk_, lower_bound_ : float
        Share of mistakes, and what no ball goes below.
    exact_ : bool
        Whether the two are equal: the risk is proven to be the least.

    Examples
    --------
    Tea is before coffee in the afternoon only:

    >>> from rankwise.hypotheses import Ball
    >>> model = Ball().fit([[8], [10], [14], [15], [20], [22]], [0, 0, 1, 1, 0, 0])
    >>> model.empirical_risk_, model.exact_
    (0.0, True)
    >>> bool(10 < model.center_[0] - model.radius_ < 14)
    True
    """

    def __init__(self, *, time_limit: float | None = 1.0, random_state: Any = 0) -> None:
        self.time_limit = time_limit
        self.random_state = random_state

    def vc_dimension(self, n_features: int) -> int:
        """Return d + 1.

        Examples
        --------
        >>> from rankwise.hypotheses import Ball
        >>> Ball().vc_dimension(3)
        4
        """
        return vc_dimension("ball", d=n_features)

    def _minimise(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
        deadline = self._deadline()
        rng = make_generator(self.random_state)
        low, high = X.min(axis=0), X.max(axis=0)
        self._middle = low / 2 + high / 2
        # one scale for all features, or balls would turn into ellipsoids
        self._scale = float((high / 2 - low / 2).max()) or 1.0
        F = self._lift(X)
        curved = X.shape[1]
        starts = [_around(F, signs), _convex(F, signs, curved)]
        found = [descend(F, signs, start, rng, kept_above=curved) for start in starts]
        best = min(found, key=lambda u: count_mistakes(F @ u, signs))
        best, bound = fewest_mistakes(F, signs, best, deadline, rng, kept_above=curved)
        self._weights = _curve(F, best, curved)
        self._describe(curved)
        return bound

    def _lift(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        Z = (X - self._middle) / self._scale
        length = -(Z**2).sum(axis=1) / Z.shape[1]
        return np.column_stack([Z, length, np.ones(len(X))])

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._lift(X) @ self._weights

    def _describe(self, curved: int) -> None:
        curvature = self._weights[curved] / curved
        center = self._weights[:curved] / (2 * curvature)
        square = self._weights[-1] / curvature + center @ center
        self.center_ = self._middle + self._scale * center
        self.radius_ = self._scale * float(np.sqrt(max(square, 0.0)))


def _around(F: NDArray[np.float64], signs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best ball around the mean of the rows that belong inside."""
    d = F.shape[1] - 2
    center = F[signs > 0, :d].mean(axis=0)
    u = np.concatenate([2 * center, [float(d)], [0.0]])
    u[-1] = best_step(F @ u, np.ones(len(F)), signs)
    return u


def _convex(F: NDArray[np.float64], signs: NDArray[np.float64], curved: int) -> NDArray[np.float64]:
    """Return logistic regression's ball, or its half-space if it is curved the wrong way."""
    u = surrogate(F, signs)
    if u[curved] >= 0:
        return u
    flat = surrogate(np.delete(F, curved, axis=1), signs)
    return np.insert(flat, curved, 0.0)


def _curve(F: NDArray[np.float64], u: NDArray[np.float64], curved: int) -> NDArray[np.float64]:
    """Bend a half-space into a ball so wide that no row changes sides."""
    if u[curved] > 0:
        return u
    inside = (F @ u)[F @ u > 0]
    longest = -F[:, curved].min()
    room = inside.min() if len(inside) else 1.0
    bent = u.copy()
    bent[curved] = room / (2 * longest) if longest > 0 else room
    return bent
