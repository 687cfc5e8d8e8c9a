"""Shares of a mixture, by least squares."""

from __future__ import annotations

from itertools import combinations

import numpy as np

# Shares are rounded to so many places: sums in another order must not change predictions.
PLACES = 3


def shares_of_least_cost(square: np.ndarray, line: np.ndarray, shrinkage: float) -> np.ndarray:
    """Return shares, none below 0, that add up to 1 and whose mixture costs least.

    Of every choice of those that have a share, the shares are found in closed form; the best choice
    without a negative one is taken.

    Parameters
    ----------
    square : ndarray of shape (v, v)
        Mean products of what is mixed, with each other.
    line : ndarray of shape (v,)
        The same with the truth.
    shrinkage : float
        What a squared difference from equal shares costs.

    Examples
    --------
    >>> shares_of_least_cost(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.7, 0.5]), 0.0)
    array([0.6, 0.4])
    """
    v = len(line)
    square = square + shrinkage * np.eye(v)
    line = line + shrinkage / v
    best, least = np.full(v, 1.0 / v), np.inf
    for size in range(1, v + 1):
        for some in map(list, combinations(range(v), size)):
            # the least squares under one condition, whose multiplier is the last unknown
            system = np.ones((size + 1, size + 1))
            system[:size, :size], system[size, size] = square[np.ix_(some, some)], 0.0
            try:
                found = np.linalg.solve(system, np.append(line[some], 1.0))[:size]
            except np.linalg.LinAlgError:
                continue  # no shares of these are better than all others
            cost = found @ square[np.ix_(some, some)] @ found - 2 * line[some] @ found
            if found.min() >= 0 and cost < least:
                best, least = np.zeros(v), cost
                best[some] = found
    rounded: np.ndarray = np.round(best, PLACES)
    return rounded / rounded.sum()
