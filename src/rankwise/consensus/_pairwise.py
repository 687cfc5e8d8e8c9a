"""The share of comparisons that each label wins against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._arguments import check_arguments
from rankwise._parameters import check_flag
from rankwise.consensus._support import like_label_pairs, support_of_rankings


@check_arguments
def pairwise_matrix(
    Y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    ties_count: bool = False,
    return_weights: bool = False,
) -> Any:
    """Return how often each label stands before each other.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each row.
    ties_count : bool
        Whether a row that ties two labels counts half for each; else it says nothing about them.
    return_weights : bool
        Whether to return the weight of comparisons per pair as well.

    Returns
    -------
    P : ndarray of shape (n_labels, n_labels)
        ``P[i, j]`` is the share, among the rows that observe both labels and do not tie them, of
        those in which i stands before j. ``P + P.T`` is 1; the diagonal is 0.5; NaN = never
        compared. A DataFrame where `Y` is one.
    weights : ndarray of shape (n_labels, n_labels)
        Total weight of those rows, only with `return_weights`; 0 on the diagonal.

    Examples
    --------
    Tea, coffee and water; the third row does not know water:

    >>> pairwise_matrix([[1, 2, 3], [2, 1, 3], [1, 2, None]]).round(2)
    array([[0.5 , 0.67, 1.  ],
           [0.33, 0.5 , 1.  ],
           [0.  , 0.  , 0.5 ]])
    """
    support = support_of_rankings(Y, sample_weight, ties_count=ties_count, warn=False)
    total = support + support.T
    # One division per pair: two would round so that P + P.T misses 1.
    upper = np.triu_indices(total.shape[0], 1)
    with np.errstate(invalid="ignore"):
        share = support[upper] / total[upper]
    P = np.full(total.shape, 0.5)
    P[upper] = share
    P.T[upper] = 1.0 - share
    if check_flag("return_weights", return_weights):
        return like_label_pairs(P, Y), like_label_pairs(total, Y)
    return like_label_pairs(P, Y)
