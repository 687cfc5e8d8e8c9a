"""The star setting: where labels are missing, observed positions count among all labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_numbers


@check_arguments
def check_true_positions(ranks: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse checked ranks that cannot be true positions: whole numbers up to the number of labels.

    Parameters
    ----------
    ranks : ndarray of shape (n_samples, n_labels)
        NaN = not observed.
    names : sequence of str
        What to call the labels in the message.

    Examples
    --------
    >>> check_true_positions(np.array([[4.0, np.nan, 1.0]]), ["tea", "coffee", "water"])
    Traceback (most recent call last):
    ValueError: row 0: label tea has position 4; true positions are whole numbers from 1 to 3, ...
    """
    ranks = check_numbers("ranks", ranks, 2)
    k, names = ranks.shape[1], list(names)
    if len(names) != k:
        raise ValueError(f"there are {len(names)} names and {k} labels; give one name per label")
    wrong = (ranks > k) | (ranks != np.floor(ranks))
    wrong &= ~np.isnan(ranks)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"row {i}: label {names[j]} has position {ranks[i, j]:g}; true positions are whole "
            f"numbers from 1 to {k}, the number of labels. Where only the order of a row is known, "
            "use PairwiseRanker"
        )
