"""Which of two kinds of trees is better alone, tried on rows left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.metrics import kendall_tau
from rankwise.ranker import is_more

# So much better than both together a kind must be: two are tried, on rows that are few mostly.
ERRORS = 3

# Rows of a trial, of which one in four is left out.
MOST_ROWS = 20_000
LEFT_OUT = 4

# Half of the trees that each side of a trial has, and of so many that grow afterwards one.
LEAST_TREES, MOST_TREES = 2, 8
TREES_TO_ONE = 12


def trial_rows(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Of these rows, some to grow trees on, and some left out."""
    rows = rng.permutation(rows)[:MOST_ROWS]
    n_left_out = len(rows) // LEFT_OUT
    return np.sort(rows[n_left_out:]), np.sort(rows[:n_left_out])


def better_alone(
    predict: Callable[[int, int], np.ndarray],
    truth: np.ndarray,
    weights: np.ndarray | None,
    n_trees: int,
) -> int | None:
    """Return which of two kinds predicts rows clearly better than both together do, None for neither.

    Parameters
    ----------
    predict : callable
        Ranks of the rows from so many trees of the first kind and so many of the second.
    truth : ndarray of shape (n, k)
        Their rankings, any of which may be incomplete.
    weights : ndarray of shape (n,), optional
        What a pair of each row counts.
    n_trees : int
        How many trees will grow afterwards.
    """
    half = min(MOST_TREES, max(LEAST_TREES, n_trees // TREES_TO_ONE))
    sides = (half, half), (2 * half, 0), (0, 2 * half)
    together, *alone = (
        np.asarray(kendall_tau(truth, predict(*side), average=False)) for side in sides
    )
    n_labels = (~np.isnan(truth)).sum(axis=1)
    # a row of many pairs tells more than one of few
    counts = n_labels * (n_labels - 1) / 2 * (1.0 if weights is None else weights)
    told = ~np.isnan(together) & (counts > 0)
    if told.sum() < 2:
        return None
    share = counts[told] / counts[told].sum()
    gains = [(tau - together)[told] for tau in alone]
    best = int(np.argmax([gain @ share for gain in gains]))
    return best if is_more(gains[best], share, ERRORS) else None
