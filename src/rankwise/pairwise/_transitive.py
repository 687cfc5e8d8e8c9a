"""Shares of pairs that were never compared, through the labels that both were compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

# A decision without probability counts as this sure: finite, so that opposite ones cancel out.
SURE = 1e-6


def linked_labels(compared: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return (k, k): whether a chain of comparisons leads from one label to the other.

    Examples
    --------
    >>> compared = np.zeros((4, 4), dtype=bool)
    >>> compared[0, 1] = compared[1, 0] = compared[1, 2] = compared[2, 1] = True
    >>> linked_labels(compared)[0]
    array([ True,  True,  True, False])
    """
    _, group = connected_components(compared, directed=False)
    return group[:, None] == group[None, :]


def fill_uncompared(shares: NDArray[np.float64], compared: NDArray[np.bool_]) -> None:
    """Write into `shares` (n, k, k) that of every pair that a chain of comparisons links.

    Through one label m in between, log-odds add up, as they do where every label has a strength
    (Bradley and Terry): i against j is i against m plus m against j. Several labels in between
    are averaged. Pairs that only a longer chain links follow in later rounds; the rest stays.

    Examples
    --------
    Tea and water were never compared, but both were with coffee:

    >>> shares = np.array([[[0.5, 0.8, 0.5], [0.2, 0.5, 0.8], [0.5, 0.2, 0.5]]])
    >>> compared = np.array([[False, True, False], [True, False, True], [False, True, False]])
    >>> fill_uncompared(shares, compared)
    >>> shares.round(3)[0, 0]
    array([0.5  , 0.8  , 0.941])
    """
    known = compared.copy()
    np.fill_diagonal(known, False)
    to_fill = linked_labels(compared) & ~known
    while True:
        # (i, j) can be filled in this round if some m is known against both
        through = (known.astype(np.int64) @ known.astype(np.int64)) > 0
        pairs = np.argwhere(np.triu(to_fill & through & ~known, 1)).tolist()
        if not pairs:
            return
        # rounds read what was known before them, so that the order of labels cannot matter
        filled = [
            _share_through(shares, i, j, np.flatnonzero(known[i] & known[j])) for i, j in pairs
        ]
        for (i, j), share in zip(pairs, filled, strict=True):
            shares[:, i, j] = share
            shares[:, j, i] = 1 - share
            known[i, j] = known[j, i] = True


def _share_through(
    shares: NDArray[np.float64], i: int, j: int, between: NDArray[np.int64]
) -> NDArray[np.float64]:
    odds = np.zeros(len(shares))
    for m in between:
        odds += _log_odds(shares[:, i, m]) - _log_odds(shares[:, j, m])
    return 1 / (1 + np.exp(-odds / len(between)))


def _log_odds(share: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.clip(share, SURE, 1 - SURE)
    return np.log(share / (1 - share))
