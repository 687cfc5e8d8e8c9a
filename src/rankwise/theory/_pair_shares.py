"""Estimates of p_ij(x): how often label i stands before j in each region of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._observations import (
    halves,
    observe_rankings,
    quoted_labels,
    row_blocks,
    targets,
)
from rankwise.theory._parameters import check_random_state
from rankwise.theory._regions import find_regions

_MOST_REGIONS = 64
_LEAST_ROWS = 50


@dataclass(frozen=True)
class PairShares:
    """Counts of comparisons per region, on rows that had no say in the regions."""

    wins: NDArray[np.float64]  # (n_regions, k, k): rows in which i stands before j
    rows: NDArray[np.float64]  # (n_regions,)
    texts: list[str]
    labels: list[str]

    @property
    def total(self) -> NDArray[np.float64]:
        """Comparisons of each pair, either way."""
        return self.wins + self.wins.transpose(0, 2, 1)


def pair_shares(X: Any, Y: Any, random_state: Any) -> PairShares:
    """Cut the space where positions differ, by one half of the rows, and count pairs in the other.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 3))
    >>> Y = np.where(X[:, [1]] == 1, [1, 2], [2, 1])
    >>> shares = pair_shares(X, Y, 0)
    >>> sorted(shares.texts)
    ['where x1 = 0', 'where x1 = 1']
    """
    data, ranks = observe_rankings(X, Y)
    rng = check_random_state(random_state)
    choose, measure = halves(len(ranks), rng)
    positions = targets(ranks, "ranks", len(ranks))
    seen = np.isfinite(positions)
    means = positions.sum(axis=0, where=seen) / np.maximum(seen.sum(axis=0), 1)
    outcome = np.where(seen, positions, means)
    regions = find_regions(data, outcome, choose, _MOST_REGIONS, rng, _LEAST_ROWS)
    wins = np.zeros((len(regions.texts), ranks.shape[1], ranks.shape[1]))
    of_row = regions.of_row[measure]
    for region in range(len(wins)):
        for _, block in row_blocks(ranks[measure[of_row == region]]):
            wins[region] += (block[:, :, None] < block[:, None, :]).sum(axis=0)
    rows = np.bincount(of_row, minlength=len(wins)).astype(np.float64)
    return PairShares(wins, rows, regions.texts, quoted_labels(Y, ranks.shape[1]))
