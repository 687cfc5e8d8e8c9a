"""Fewer mistakes of a linear function, by exact line searches on the 0/1 loss."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._hypothesis import count_mistakes

Array = NDArray[np.float64]

# Rounds over all coordinates and as many random directions, at most.
MAX_ROUNDS = 50
# Places closer than this, relative to where they are, are one place and rounding.
SAME_PLACE = 1e-12


def surrogate(F: Array, signs: Array) -> Array:
    """Return the weights of logistic regression, the convex stand-in for the 0/1 loss.

    The last column of `F` is the constant, 1 but in rows that were divided.
    """
    # imported here: importing the package must stay cheap
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        # a rough start will do
        warnings.simplefilter("ignore", ConvergenceWarning)
        if (F[:, -1] == 1).all():
            model = LogisticRegression(C=100.0, max_iter=200).fit(F[:, :-1], signs)
            return np.append(model.coef_[0], model.intercept_)
        model = LogisticRegression(C=100.0, max_iter=200, fit_intercept=False).fit(F, signs)
        return model.coef_[0]


def descend(
    F: Array, signs: Array, start: Array, rng: np.random.Generator, *, kept_above: int | None = None
) -> Array:
    """Return weights u with no more mistakes of sign(F u) than `start`.

    One coordinate after the other, then random directions, each to the best step there is; until
    a whole round brings nothing. The weight `kept_above` never falls below 0.
    """
    u = start.copy()
    values = F @ u
    mistakes = count_mistakes(values, signs)
    for _ in range(MAX_ROUNDS):
        before = mistakes
        directions = np.vstack([np.eye(len(u)), rng.standard_normal((len(u) + 2, len(u)))])
        for direction in directions:
            if mistakes == 0:
                return u
            low, high = _allowed(u, direction, kept_above)
            step = best_step(values, F @ direction, signs, low, high)
            moved = u + step * direction
            moved_mistakes = count_mistakes(F @ moved, signs)
            if moved_mistakes < mistakes:
                # scale is free, and must neither vanish nor explode over many steps
                u = moved / np.abs(moved).max()
                values = F @ u
                mistakes = count_mistakes(values, signs)
        if mistakes >= before:
            return u
    return u


def best_step(
    values: Array, slopes: Array, signs: Array, low: float = -np.inf, high: float = np.inf
) -> float:
    """Return the t in [low, high] with the fewest mistakes of sign(values + t slopes).

    Rows change sides one by one as t grows, so that sorting the places where they do and summing
    up gives all counts at once. Among the best gaps between places the widest is halved.
    """
    moving = slopes != 0
    if not moving.any():
        return 0.0
    places = -values[moving] / slopes[moving]
    # a row that turns positive as t passes its place mends or breaks one
    change = np.where(slopes[moving] > 0, -signs[moving], signs[moving])
    order = np.argsort(places, kind="stable")
    places = places[order]
    counts = np.concatenate([[0.0], np.cumsum(change[order])])
    edges = np.concatenate([[places[0] - 2.0], places, [places[-1] + 2.0]])
    edges = np.clip(edges, low, high)
    widths = np.diff(edges)
    # between them equal rows would be told apart by how their sums were rounded
    counts[widths <= SAME_PLACE * np.maximum(1.0, np.abs(edges[1:]))] = np.inf
    best = np.flatnonzero(counts == counts.min())
    if not np.isfinite(counts[best[0]]):
        return 0.0
    gap = best[np.argmax(widths[best])]
    return float((edges[gap] + edges[gap + 1]) / 2)


def _allowed(u: Array, direction: Array, kept_above: int | None) -> tuple[float, float]:
    if kept_above is None or direction[kept_above] == 0:
        return -np.inf, np.inf
    limit = -u[kept_above] / direction[kept_above]
    return (limit, np.inf) if direction[kept_above] > 0 else (-np.inf, limit)
