"""Deletion and partial tolerance: is every pair of labels seen, whatever the features are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._condition import Condition, judge
from rankwise.theory._density import binomial_interval
from rankwise.theory._observations import halves, observe_rankings, quoted_labels, row_blocks
from rankwise.theory._parameters import check_random_state
from rankwise.theory._regions import find_regions

# A tolerance that is surely below this counts as none.
_SMALLEST = 0.01
_MOST_REGIONS = 8

Floats = NDArray[np.float64]


def deletion_tolerance(X: Any, Y: Any, *, random_state: Any = 0) -> Condition:
    """Estimate phi: the chance that a row observes both labels of a pair, at worst.

    The worst is over pairs and over regions of the features. One half of the rows cuts the space
    into up to eight regions by a shallow tree and picks the worst region and pair, the other half
    counts there (Clopper-Pearson interval). A region that no single feature hints at, such as where
    two features differ, may be missed: a tree cuts one feature at a time.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        Ranks; NaN = not observed.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        It fails where phi is surely below 0.01, and holds where it is surely above. Details: the
        worst region in words, its pair, and the overall shares of all pairs.

    Examples
    --------
    Water is never ranked where the second feature is 1:

    >>> X = np.random.default_rng(0).integers(0, 2, (2000, 3))
    >>> Y = np.tile([1.0, 2.0, 3.0], (2000, 1))
    >>> Y[X[:, 1] == 1, 2] = np.nan
    >>> phi = deletion_tolerance(X, Y)
    >>> phi.verdict, phi.details["region"]
    ('fails', 'where x1 = 1')
    """
    return _tolerance("deletion tolerance", "phi", "both observed", X, Y, random_state)


def partial_tolerance(X: Any, Y: Any, *, random_state: Any = 0) -> Condition:
    """Estimate xi: the chance that two labels that are both observed are not tied, at worst.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        Ranks; NaN = not observed, equal = tied.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        As in `deletion_tolerance`.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (2000, 3))
    >>> partial_tolerance(X, np.tile([1, 2, 2], (2000, 1))).verdict
    'fails'
    """
    return _tolerance("partial tolerance", "xi", "not tied", X, Y, random_state)


def _tolerance(name: str, symbol: str, what: str, X: Any, Y: Any, random_state: Any) -> Condition:
    data, ranks = observe_rankings(X, Y)
    labels = quoted_labels(Y, ranks.shape[1])
    tied = symbol == "xi"
    rng = check_random_state(random_state)
    choose, measure = halves(len(ranks), rng)
    outcome = _distinct_share(ranks) if tied else np.isfinite(ranks) * 1.0
    regions = find_regions(data, outcome, choose, _MOST_REGIONS, rng)
    region, i, j = _worst(ranks[choose], regions.of_row[choose], len(regions.texts), tied)
    seen, among = _count(ranks[measure[regions.of_row[measure] == region]], tied)
    count, total = int(seen[i, j]), int(among[i, j])
    low, high = binomial_interval(count, total)
    verdict = judge(low, high, _SMALLEST)
    where = regions.texts[region]
    text = f"{labels[i]} and {labels[j]} are {what} in {count} of {total} rows {where}"
    seen, among = _count(ranks, tied)
    with np.errstate(invalid="ignore"):
        overall = seen / among
    np.fill_diagonal(overall, np.nan)
    details = {
        "region": where,
        "pair": [labels[i], labels[j]],
        "overall": overall,
        "worst overall": float(np.nanmin(overall)) if np.isfinite(overall).any() else np.nan,
    }
    estimate = count / total if total else np.nan
    return Condition(name, symbol, estimate, low, high, verdict, text, details)


def _worst(
    ranks: Floats, regions: NDArray[np.int64], n_regions: int, tied: bool
) -> tuple[int, int, int]:
    best, least = (0, 0, 1), np.inf
    upper = np.triu_indices(ranks.shape[1], 1)
    for region in range(n_regions):
        seen, among = _count(ranks[regions == region], tied)
        # Few rows are drawn towards one half, so that chance does not pick the region.
        share = (seen[upper] + 1) / (among[upper] + 2)
        at = int(share.argmin())
        if share[at] < least:
            best, least = (region, int(upper[0][at]), int(upper[1][at])), float(share[at])
    return best


def _count(ranks: Floats, tied: bool) -> tuple[Floats, Floats]:
    """Count per pair the rows that show it, and the rows that could have."""
    k = ranks.shape[1]
    observed = np.isfinite(ranks).astype(np.float64)
    both = observed.T @ observed
    if not tied:
        return both, np.full((k, k), float(len(ranks)))
    equal = np.zeros((k, k))
    for _, block in row_blocks(ranks):
        equal += (block[:, :, None] == block[:, None, :]).sum(axis=0)
    return both - equal, both


def _distinct_share(ranks: Floats) -> Floats:
    """For each row and label, the share of the other observed labels that it is not tied with."""
    shares = np.empty(ranks.shape)
    for rows, block in row_blocks(ranks):
        equal = (block[:, :, None] == block[:, None, :]).sum(axis=2) - 1
        others = np.isfinite(block).sum(axis=1, keepdims=True) - 1
        shares[rows] = 1 - equal / np.maximum(others, 1)
    # A label that is not observed says nothing: the mean of the others keeps it out of the way.
    observed = np.isfinite(ranks)
    shares[~observed] = np.nan
    return np.where(observed, shares, np.nanmean(shares) if observed.any() else 0.0)
