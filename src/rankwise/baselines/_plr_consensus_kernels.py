"""The consensus of a set of rankings with ties, and how much they disagree with it.

Sums are those of `_plr_kernels`: of each pair the weight of the rankings that put the first label
ahead, tie the two, or put the second ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.consensus.kernels import AMONG_ALL, DONE, WAITS, pivot_buckets

ENTROPY, DISAGREEMENTS, DISTANCE = range(3)

# Labels are tied where the share of the one before the other is within 1/2 ± this: beta in the literature.
TIE_WITHIN = 0.25

# What a difference of sums of fractional weights leaves by rounding is less than this.
DUST = 1e-9


class Consensus(NamedTuple):
    """A bucket order, and what it is made from."""

    ranks: np.ndarray  # (k,) int64, 1 + labels in earlier buckets
    shares: np.ndarray  # (k, k) of i before j, a tie counting half; 1/2 where nothing is known
    side: np.ndarray  # (k,) int64, memory
    far: np.ndarray  # (k,) float64, memory


@jit(inner=True)
def new_consensus(k):
    """Memory for the consensus of k labels."""
    shares = np.empty((k, k))
    for i in range(k):
        shares[i, i] = 0.5
    return Consensus(np.empty(k, np.int64), shares, np.empty(k, np.int64), np.empty(k))


@jit(allocates=False, inner=True)
def find_consensus(sums, consensus):
    """Write the bucket order by several pivots in two looks, and the shares of the pairs.

    Labels that no ranking compares with another are tied behind all others.
    """
    ranks, shares, side = consensus.ranks, consensus.shares, consensus.side
    k = ranks.shape[0]
    for i in range(k):
        side[i] = DONE
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            ahead, tied, behind = sums[p], sums[p + 1], sums[p + 2]
            known = ahead + tied + behind
            if known > DUST:
                side[i] = side[j] = WAITS
                shares[i, j] = (ahead + 0.5 * tied) / known
            else:
                shares[i, j] = 0.5
            shares[j, i] = 1.0 - shares[i, j]
            p += 4
    n_known = 0
    for i in range(k):
        n_known += side[i] == WAITS
    for i in range(k):
        ranks[i] = 1 if side[i] == WAITS else n_known + 1
    pivot_buckets(shares, TIE_WITHIN, AMONG_ALL, True, True, side, consensus.far, ranks)


@jit(allocates=False, forceinline=True, inner=True)
def disagreement(ahead, tied, behind, said, criterion):
    """What contradicts a pair's order: `said` is 0, 1 or 2 for ahead, tied and behind.

    By distance, a ranking that turns the pair round counts twice.
    """
    if criterion == DISAGREEMENTS:
        return ahead + tied + behind - (ahead if said == 0 else tied if said == 1 else behind)
    return tied + 2.0 * behind if said == 0 else ahead + behind if said == 1 else tied + 2.0 * ahead


@jit(allocates=False, inner=True)
def cost_by_consensus(sums, weight, complete, criterion, consensus):
    """The weight of rankings times the share of it that contradicts their consensus, over all pairs."""
    find_consensus(sums, consensus)
    ranks, k, p, cost = consensus.ranks, consensus.ranks.shape[0], 0, 0.0
    for i in range(k):
        for j in range(i + 1, k):
            ahead, tied, behind = sums[p], sums[p + 1], sums[p + 2]
            said = 0 if ranks[i] < ranks[j] else 1 if ranks[i] == ranks[j] else 2
            contra = disagreement(ahead, tied, behind, said, criterion)
            known = ahead + tied + behind
            if complete:
                cost += contra
            elif known > DUST:
                cost += contra * (weight / known)
            p += 4
    return cost


@jit(allocates=False, inner=True)
def least_cost(sums, weight, complete, criterion):
    """The same if every pair had the order that is best for it: no consensus costs less."""
    cost = 0.0
    for p in range(sums.shape[0] // 4):
        ahead, tied, behind = sums[4 * p], sums[4 * p + 1], sums[4 * p + 2]
        contra = min(
            disagreement(ahead, tied, behind, 0, criterion),
            disagreement(ahead, tied, behind, 1, criterion),
            disagreement(ahead, tied, behind, 2, criterion),
        )
        known = ahead + tied + behind
        if complete:
            cost += contra
        elif known > DUST:
            cost += contra * (weight / known)
    return cost
