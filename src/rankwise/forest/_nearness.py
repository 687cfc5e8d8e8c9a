"""What makes rows near to each other: features count by what they tell about the rankings.

Rows that differ in features which decide nothing may still be ranked alike. So half of a squared distance
is made of the features that the trees cut at, and half of the directions along which rankings change: the
average outer product of gradients (Trivedi et al. 2014), here of linear regressions.
"""

from __future__ import annotations

import numpy as np

# What is added to the variances, which are 1, of the features that outcomes are regressed on.
RIDGE = 0.1

# Slopes whose squares are less than this, on the mean over outcomes, are what rounding leaves of none.
NO_SLOPE = 1e-20

# Distances are rounded to so many places: sums in another order must not decide which row is nearer.
PLACES = 9

# With more features their products would take longer than the trees; they all count alike.
MOST_FEATURES = 512

# Outcomes that are looked at together: 8 MB.
TOGETHER = 1 << 20


def learn_directions(
    features: np.ndarray, outcomes: np.ndarray, weights: np.ndarray, importances: np.ndarray
) -> np.ndarray:
    """Return directions (d, d): rows are as near as ``features @ directions`` are.

    Parameters
    ----------
    features : ndarray of shape (n, d)
        Training rows, of mean 0 and variance 1.
    outcomes : ndarray of shape (n, m)
        1 or -1 for each comparison of labels.
    weights : ndarray of shape (n,)
        How much each row counts; some row does.
    importances : ndarray of shape (d,)
        How much the cuts at each feature explain.

    Examples
    --------
    The second feature decides nothing, and counts less:

    >>> features = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> outcomes = np.array([[-1], [-1], [1], [1]])
    >>> found = learn_directions(features, outcomes, np.ones(4), np.array([0.9, 0.1]))
    >>> np.round(found @ found.T, 2)
    array([[1.75, 0.  ],
           [0.  , 0.25]])
    """
    by_cuts = np.diag(np.sqrt(importances))
    by_slopes = _times_roots(_products_of_slopes(features, outcomes, weights), power=0.25)
    both = [part for part in (by_cuts, by_slopes @ by_slopes.T) if np.trace(part) > 0]
    d = len(importances)
    if not both:
        return np.eye(d)
    # each as much as all features at variance 1
    metric = sum(part * (d / np.trace(part)) for part in both) / len(both)
    return _times_roots(np.round(metric, PLACES), power=0.5)


def place(features: np.ndarray, directions: np.ndarray | None) -> np.ndarray:
    """Where rows lie, for Euclidean distances; None: as their features say."""
    return features if directions is None else np.round(features @ directions, PLACES)


def _products_of_slopes(
    features: np.ndarray, outcomes: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """(d, d) products of the slopes of outcomes in features, added up over all outcomes."""
    n, d = features.shape
    share = weights / weights.sum()
    # a feature too large to have a variance of 1 has no slope
    known = np.where(np.abs(features).max(axis=0) <= 1 + np.sqrt(n), features, 0.0)
    centred = known - share @ known
    weighed = centred * share[:, None]
    variances = weighed.T @ centred + RIDGE * np.eye(d)
    products = np.zeros((d, d))
    step = max(1, TOGETHER // n)
    for start in range(0, outcomes.shape[1], step):
        part = outcomes[:, start : start + step].astype(np.float64)
        slopes = np.linalg.solve(variances, weighed.T @ part)
        products += slopes @ slopes.T
    return products if np.trace(products) > NO_SLOPE * outcomes.shape[1] else np.zeros((d, d))


def _times_roots(symmetric: np.ndarray, power: float) -> np.ndarray:
    """Eigenvectors, each by a power of its eigenvalue."""
    values, vectors = np.linalg.eigh(symmetric)
    # what rounding leaves of 0, a root would make much larger
    least = len(values) * np.finfo(np.float64).eps * values.max(initial=0.0)
    result: np.ndarray = vectors * np.where(values > least, values, 0.0) ** power
    return result
