"""Balls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._descent import best_step, surrogate
from rankwise.hypotheses._linear import LinearHypothesis

Array = NDArray[np.float64]


class Ball(LinearHypothesis):
    """The ball with the fewest mistakes: the second of `classes_` inside, the first outside.

    A ball is a half-space over the features and their squared length, in which the weight of the
    latter is negative; it is found and proven as `Halfspace` is.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the integer program, as for `Halfspace`.
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

    _class_name = "ball"

    def _shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        d = n_features
        return {"_middle": (d,), "center_": (d,), "_scale": (), "_weights": (d + 2,)}

    def _scale_by(self, spread: Array) -> Array:
        # one scale for all features, or balls would turn into ellipsoids
        return np.asarray(float(spread.max()))

    def _lift(self, X: Array) -> Array:
        Z = self._scaled(X)
        length = -(Z**2).sum(axis=1) / Z.shape[1]
        return np.column_stack([Z, length, np.ones(len(X))])

    def _starts(self, F: Array, signs: Array) -> list[Array]:
        return [_around(F, signs), _convex(F, signs)]

    def _kept_above(self, n_features: int) -> int:
        # the weight of the squared length, negated: below 0 it would be the outside of a ball
        return n_features

    def _describe(self, F: Array) -> None:
        d = F.shape[1] - 2
        self._weights = _curve(F, self._weights)
        curvature = self._weights[d] / d
        center = self._weights[:d] / (2 * curvature)
        square = self._weights[-1] / curvature + center @ center
        self.center_ = self._middle + self._scale * center
        self.radius_ = float(self._scale * np.sqrt(max(square, 0.0)))


def _around(F: Array, signs: Array) -> Array:
    """Return the best ball around the middle of the rows that belong inside."""
    d = F.shape[1] - 2
    center = np.median(F[signs > 0, :d], axis=0)
    u = np.concatenate([2 * center, [float(d)], [0.0]])
    u[-1] = best_step(F @ u, F[:, -1], signs)
    return u


def _convex(F: Array, signs: Array) -> Array:
    """Return logistic regression's ball, or its half-space if it is curved the wrong way."""
    curved = F.shape[1] - 2
    u = surrogate(F, signs)
    if u[curved] >= 0:
        return u
    flat = surrogate(np.delete(F, curved, axis=1), signs)
    return np.insert(flat, curved, 0.0)


def _curve(F: Array, u: Array) -> Array:
    """Bend a half-space into a ball so wide that no row changes sides."""
    curved = F.shape[1] - 2
    if u[curved] > 0:
        return u
    inside = (F @ u)[F @ u > 0]
    longest = -F[:, curved].min()
    room = inside.min() if len(inside) else 1.0
    bent = u.copy()
    bent[curved] = room / (2 * longest) if longest > 0 else room
    return bent
