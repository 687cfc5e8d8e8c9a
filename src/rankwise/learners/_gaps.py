"""One rule for gaps in features: a learner that takes none gets the mean of the training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_numbers
from rankwise.learners._learner import Learner


@check_arguments
def needs_filling(learner: Learner, X: ArrayLike) -> bool:
    """Tell whether a learner takes no gaps in features, and these have some.

    Parameters
    ----------
    learner : Learner
        Who is to learn.
    X : array-like of shape (n_samples, n_features)
        Features; NaN = missing.

    Examples
    --------
    >>> from rankwise.learners import find_learner
    >>> X = [[7.0], [float("nan")]]
    >>> needs_filling(find_learner("KNNKemeny"), X), needs_filling(find_learner("Tree"), X)
    (True, False)
    """
    return bool(np.isnan(check_numbers("X", X, 2)).any()) and not learner.takes.missing_features


@check_arguments
def gap_means(X: ArrayLike) -> NDArray[np.float64]:
    """Return the mean of each feature over the rows that know it; 0 where none does.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The training rows; NaN = missing.

    Examples
    --------
    >>> gap_means([[7.0, float("nan")], [float("nan"), float("nan")], [9.0, float("nan")]])
    array([8., 0.])
    """
    rows = check_numbers("X", X, 2)
    known = ~np.isnan(rows)
    counts = known.sum(axis=0)
    return np.where(known, rows, 0.0).sum(axis=0) / np.maximum(counts, 1)


@check_arguments
def fill_gaps(X: ArrayLike, means: ArrayLike) -> NDArray[np.float64]:
    """Return features in which what is missing has the mean of its column.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; NaN = missing.
    means : array-like of shape (n_features,)
        As `gap_means` gives them of the training rows.

    Examples
    --------
    >>> fill_gaps([[float("nan"), 5.0]], [8.0, 0.0])
    array([[8., 5.]])
    """
    rows, known = check_numbers("X", X, 2), check_numbers("means", means, 1)
    if rows.shape[1] != len(known):
        raise ValueError(
            f"X has {rows.shape[1]} features and means {len(known)} numbers; give one mean per feature"
        )
    return np.where(np.isnan(rows), known, rows)
