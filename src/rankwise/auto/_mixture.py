"""A mixture of predictions: greedy selection with replacement from a library of models.

Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries of models", ICML (2004),
with two of their own remedies against choosing by chance: only the best of the library take part, and
the selection is made on several samples of the rows, whose weights are averaged. A third is ours: half of
the weight goes alike to the few best.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# From numbers of rows and what is predicted of them, to how good that is for each row.
Value = Callable[[NDArray[np.int64], Floats], Floats]

LIBRARY = 8
BAGS = 8
BAG_SHARE = 0.6
LEAST_ROWS = 30
ROUNDS = 12
# So much of the weight is given alike to so many of the best: few rows hardly tell them apart.
ALIKE, FEW = 0.5, 4


def mixture_weights(
    alone: Floats,
    predictions: Floats,
    value: Value,
    share: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Return the weight of each model in a mixture of them.

    Parameters
    ----------
    alone : ndarray of shape (n_models,)
        How good each model is without the others.
    predictions : ndarray of shape (n_models, n_rows, n_numbers)
        What each model predicts of rows that it has not seen; a mixture predicts their mean.
    value : callable
        How near predictions of rows are to the truth, a number for each; NaN where a row cannot tell.
    share : ndarray of shape (n_rows,)
        What each row counts.
    rng : numpy.random.Generator
        Draws the samples of rows.

    Returns
    -------
    ndarray of shape (n_models,)
        From 0 to 1, with the sum 1.

    Examples
    --------
    Two models that err to different sides:

    >>> truth = np.linspace(0, 1, 50)[:, None]
    >>> models = np.array([truth - 1, truth + 1, truth + 9, truth - 8])
    >>> def value(rows, predicted):
    ...     return -abs(predicted - truth[rows])[:, 0]
    >>> alone = [value(np.arange(50), model).mean() for model in models]
    >>> mixture_weights(np.array(alone), models, value, np.ones(50), np.random.default_rng(0))
    array([0.5, 0.5, 0. , 0. ])
    """
    n = predictions.shape[1]
    best_first = np.argsort(-alone, kind="stable")
    library = np.sort(best_first[:LIBRARY])
    size = min(n, max(LEAST_ROWS, int(BAG_SHARE * n)))
    weights = np.zeros(len(predictions))
    for _ in range(BAGS):
        rows = np.sort(rng.permutation(n)[:size])
        counts = greedy_counts(predictions[library][:, rows], rows, value, share)
        weights[library] += (1 - ALIKE) * counts / counts.sum() / BAGS
    few = best_first[: min(FEW, max(1, len(alone) // 2))]
    weights[few] += ALIKE / len(few)
    return weights


def greedy_counts(
    predictions: Floats, rows: NDArray[np.int64], value: Value, share: Floats
) -> Floats:
    """Add the model that helps most, again and again; return how often each was added at the best.

    Examples
    --------
    >>> models = np.array([[[1.0]], [[4.0]]])
    >>> def value(rows, predicted):
    ...     return -abs(predicted - 2.0)[:, 0]
    >>> greedy_counts(models, np.array([0]), value, np.ones(1))
    array([2., 1.])
    """
    counts, total = np.zeros(len(predictions)), np.zeros(predictions.shape[1:])
    best, found = -np.inf, counts
    for size in range(1, ROUNDS + 1):
        values = [weighted_mean(value(rows, (total + p) / size), share[rows]) for p in predictions]
        # of those that help alike one that is in already
        added = int(np.lexsort((counts, np.round(values, 12)))[-1])
        counts[added] += 1
        total += predictions[added]
        if values[added] > best + 1e-12:
            best, found = values[added], counts.copy()
    return found


def weighted_mean(values: Floats, share: Floats) -> float:
    """Return the mean over the rows that can tell, each by its share; -1 where none can."""
    known = ~np.isnan(values) & (share > 0)
    return float(np.average(values[known], weights=share[known])) if known.any() else -1.0
