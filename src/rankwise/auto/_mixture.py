"""A mixture of predictions: greedy selection with replacement from a library of models.

Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries of models", ICML (2004),
with two of their own remedies against choosing by chance: only the best of the library take part, and
the selection is made on several samples of the rows, whose weights are averaged. A third is ours: half of
the weight goes alike to all that are within a standard error of the best.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.ranker import is_more

Floats = NDArray[np.float64]
# From numbers of rows and what is predicted of them, to how good that is for each row.
Value = Callable[[NDArray[np.int64], Floats], Floats]

LIBRARY = 8
BAGS = 8
BAG_SHARE = 0.6
LEAST_ROWS = 30
ROUNDS = 12
# So much of the weight is given alike to all that are as good as the best: few rows cannot tell them apart.
ALIKE = 0.5


def mixture_weights(
    predictions: Floats, value: Value, share: Floats, rng: np.random.Generator
) -> Floats:
    """Return the weight of each model in a mixture of them.

    Parameters
    ----------
    predictions : ndarray of shape (n_models, n_rows, n_numbers)
        What each model predicts of rows that it has not seen; a mixture predicts their mean.
    value : callable
        How good predictions of some rows are, one number for each; NaN where a row cannot tell.
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
    >>> models = np.array([truth - 1, truth + 1, truth + 9])
    >>> def value(rows, predicted):
    ...     return -abs(predicted - truth[rows])[:, 0]
    >>> mixture_weights(models, value, np.ones(50), np.random.default_rng(0))
    array([0.5, 0.5, 0. ])
    """
    n = predictions.shape[1]
    alone = np.array([mean_value(value, np.arange(n), p, share) for p in predictions])
    library = np.sort(np.argsort(-alone, kind="stable")[:LIBRARY])
    size = min(n, max(LEAST_ROWS, int(BAG_SHARE * n)))
    found = np.zeros(len(library))
    for _ in range(BAGS):
        rows = np.sort(rng.permutation(n)[:size])
        counts = greedy_counts(predictions[library][:, rows], rows, value, share)
        found += counts / counts.sum() / BAGS
    values = np.array([value(np.arange(n), predictions[i]) for i in library])
    near = near_best(values, alone[library], share)
    weights = np.zeros(len(predictions))
    weights[library] = (1 - ALIKE) * found + ALIKE * near / near.sum()
    return weights


def near_best(values: Floats, means: Floats, share: Floats) -> NDArray[np.bool_]:
    """Which models are not behind the best by more than a standard error of the difference.

    Parameters
    ----------
    values : ndarray of shape (n_models, n_rows)
        What each reaches in each row; NaN where a row cannot tell.
    means : ndarray of shape (n_models,)
        What each reaches on the mean.
    share : ndarray of shape (n_rows,)
        What each row counts.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.9], [0.0, 0.0, 0.0]])
    >>> near_best(values, values.mean(axis=1), np.ones(3))
    array([ True,  True, False])
    """
    behind = values[int(np.argmax(means))] - values
    near = np.ones(len(values), dtype=bool)
    for i, loss in enumerate(behind):
        known = ~np.isnan(loss) & (share > 0)
        if known.any():
            near[i] = not is_more(loss[known], share[known] / share[known].sum(), errors=1)
    return near


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
        values = [mean_value(value, rows, (total + p) / size, share) for p in predictions]
        # of those that help alike one that is in already
        added = int(np.lexsort((counts, np.round(values, 12)))[-1])
        counts[added] += 1
        total += predictions[added]
        if values[added] > best + 1e-12:
            best, found = values[added], counts.copy()
    return found


def mean_value(value: Value, rows: NDArray[np.int64], predicted: Floats, share: Floats) -> float:
    """Return the mean over the rows that can tell, each by its share; -1 where none can."""
    values = value(rows, predicted)
    known = ~np.isnan(values) & (share[rows] > 0)
    if not known.any():
        return -1.0
    return float(np.average(values[known], weights=share[rows][known]))
