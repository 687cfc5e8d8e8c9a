"""From predicted positions to shares of pairs, and from both to ranks."""

from __future__ import annotations

import numpy as np

from rankwise.ranker._kernels import rank_rows

# Positions that differ by less are one number, summed in two ways.
SAME_POSITION_DECIMALS = 9

# So many labels are held against each other faster than they are sorted.
FEW_LABELS = 32

AGGREGATIONS = ("copeland", "borda")


def ranks_by_position(positions: np.ndarray) -> np.ndarray:
    """Ranks of labels by predicted position, lowest first, and lower index where they are equal.

    Examples
    --------
    >>> ranks_by_position(np.array([[2.5, 1.2, 2.5]]))
    array([[2, 1, 3]])
    """
    keys = np.round(positions, SAME_POSITION_DECIMALS)
    ranks = np.empty(keys.shape, dtype=np.int64)
    if keys.shape[1] <= FEW_LABELS and keys.dtype == np.float64 and not np.isnan(keys).any():
        rank_rows(np.ascontiguousarray(keys), ranks)
        return ranks
    order = np.argsort(keys, axis=1, kind="stable")
    np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return ranks


def ranks_by_pairwise(shares: np.ndarray, aggregation: str) -> np.ndarray:
    """Ranks of labels from the shares (n, k, k) by which one stands before another.

    "copeland" counts the labels predicted to beat a label, and breaks ties by the sum of shares,
    which is what "borda" goes by; of labels still equal the one of the lower index goes first.

    Examples
    --------
    >>> shares = np.array([[[0.5, 0.9, 0.4], [0.1, 0.5, 0.2], [0.6, 0.8, 0.5]]])
    >>> ranks_by_pairwise(shares, "copeland")
    array([[2, 3, 1]])
    >>> ranks_by_pairwise(shares, "borda")
    array([[2, 3, 1]])
    """
    borda = np.round(positions_by_pairwise(shares), SAME_POSITION_DECIMALS)
    if aggregation == "borda":
        return ranks_by_position(borda)
    losses = (shares < 0.5 - 1e-12).sum(axis=2)
    k = shares.shape[1]
    # positions are below k + 1, so that losses decide first
    return ranks_by_position(losses * (k + 1.0) + borda)


def positions_by_pairwise(shares: np.ndarray) -> np.ndarray:
    """Expected positions from the shares (n, k, k) by which one label stands before another.

    Examples
    --------
    >>> positions_by_pairwise(np.array([[[0.5, 0.75], [0.25, 0.5]]]))
    array([[1.25, 1.75]])
    """
    k = shares.shape[1]
    return 0.5 + k - shares.sum(axis=2)


def pairwise_by_position(positions: np.ndarray) -> np.ndarray:
    """Shares (n, k, k) of 1, 1/2 or 0 from positions: before, tied, behind.

    Examples
    --------
    >>> pairwise_by_position(np.array([[1.0, 2.0]]))
    array([[[0.5, 1. ],
            [0. , 0.5]]])
    """
    rounded = np.round(positions, SAME_POSITION_DECIMALS)
    difference = rounded[:, :, None] - rounded[:, None, :]
    return np.where(difference < 0, 1.0, np.where(difference > 0, 0.0, 0.5))
