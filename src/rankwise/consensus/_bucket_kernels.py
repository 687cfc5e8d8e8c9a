"""Bucket orders of a few labels: all of them compared, by subsets; and by pivots."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.consensus._kernels import TIE


@jit
def pair_shares(support, shares):
    """The share of support for i before j; one half where nothing is known."""
    k = support.shape[0]
    for i in range(k):
        shares[i, i] = 0.5
        for j in range(i):
            both = support[i, j] + support[j, i]
            shares[i, j] = support[i, j] / both if both > 0.0 else 0.5
            shares[j, i] = 1.0 - shares[i, j]


@jit
def bucket_distance(shares, ranks):
    """How far a bucket order is from the shares: the sum of |1, 1/2 or 0 - share| over all pairs."""
    k, distance = len(ranks), 0.0
    for i in range(k):
        for j in range(k):
            if i != j:
                said = 0.5 if ranks[i] == ranks[j] else 1.0 if ranks[i] < ranks[j] else 0.0
                distance += abs(said - shares[i, j])
    return distance


@jit
def subset_buckets(shares, least, last, after, together, ranks):
    """Write the ranks of a bucket order of least distance.

    ``least[S]`` is the least distance within a set of labels, ``last[S]`` the last bucket there.
    ``after[t, S]`` is what label t costs behind all of S, ``together[S]`` what S costs as a bucket.
    """
    k = shares.shape[0]
    n_sets = 1 << k
    together[0] = least[0] = 0.0
    for S in range(1, n_sets):
        low = 0
        while not S >> low & 1:
            low += 1
        rest = S & (S - 1)
        tied = 0.0
        for t in range(k):
            after[t, S] = after[t, rest] + 2.0 * (1.0 - shares[low, t])
            if rest >> t & 1:
                tied += 2.0 * abs(0.5 - shares[low, t])
        together[S] = together[rest] + tied
    for S in range(1, n_sets):
        least[S] = np.inf
        T = S
        while T > 0:
            before = S ^ T
            cost = least[before] + together[T]
            for t in range(k):
                if T >> t & 1:
                    cost += after[t, before]
            # of equal distances the larger bucket is kept, which is met first
            if cost < least[S] - TIE:
                least[S], last[S] = cost, T
            T = (T - 1) & S
    S, position = n_sets - 1, k
    while S > 0:
        T, size = last[S], 0
        for t in range(k):
            size += T >> t & 1
        position -= size
        for t in range(k):
            if T >> t & 1:
                ranks[t] = position + 1
        S ^= T


@jit
def all_subset_buckets(support, shares, least, last, after, together, ranks):
    """`subset_buckets` of many problems."""
    for r in range(support.shape[0]):
        pair_shares(support[r], shares)
        subset_buckets(shares, least, last, after, together, ranks[r])


@jit
def pivot_buckets(shares, within, decided, several, groups, starts, ranks):
    """Write the ranks of the bucket order by pivots.

    A pivot parts the labels of a group: those before it, those tied with it (their share is within
    1/2 ± `within`), those after it. With `decided` the pivot is the label whose shares are nearest to
    0, 1/2 or 1, else the first; with `several` a label is compared with all of the bucket so far, by
    its mean share. ``groups[g, i]`` says whether label i is in a group that waits, ``starts[g]`` how
    many labels come before it.
    """
    k = shares.shape[0]
    groups[0], starts[0], n_groups = True, 0, 1
    side = np.empty(k, dtype=np.int64)
    while n_groups > 0:
        n_groups -= 1
        start = starts[n_groups]
        pivot = pivot_of(shares, groups[n_groups], decided)
        # 0: before the pivot, 1: tied with it, 2: after it, 3: not of this group
        sizes = np.zeros(4, dtype=np.int64)
        for i in range(k):
            side[i] = 1 if i == pivot else 3
        for i in range(k):
            if groups[n_groups, i] and i != pivot:
                share = mean_share(shares, i, side) if several else shares[i, pivot]
                side[i] = (
                    0 if share > 0.5 + within + TIE else 2 if share < 0.5 - within - TIE else 1
                )
        for i in range(k):
            sizes[side[i]] += 1
        for i in range(k):
            if side[i] == 1:
                ranks[i] = start + sizes[0] + 1
        for which, first in ((0, start), (2, start + sizes[0] + sizes[1])):
            if sizes[which] > 0:
                groups[n_groups] = side == which
                starts[n_groups] = first
                n_groups += 1


@jit
def pivot_of(shares, group, decided):
    """The label of a group whose shares within it are nearest to 0, 1/2 or 1; or its first label."""
    k, pivot, nearest = len(group), -1, np.inf
    for i in range(k):
        far = 0.0
        for j in range(k if decided else 0):
            if group[j]:
                from_half = abs(shares[i, j] - 0.5)
                far += min(from_half, 0.5 - from_half)
        if group[i] and far < nearest - TIE:
            pivot, nearest = i, far
    return pivot


@jit
def mean_share(shares, i, side):
    """The mean share of i before the labels of the bucket, whose side is 1."""
    total, size = 0.0, 0
    for j in range(len(side)):
        if side[j] == 1:
            total += shares[i, j]
            size += 1
    return total / size


@jit
def all_pivot_buckets(support, within, decided, several, shares, groups, starts, ranks):
    """`pivot_buckets` of many problems."""
    for r in range(support.shape[0]):
        pair_shares(support[r], shares)
        pivot_buckets(shares, within, decided, several, groups, starts, ranks[r])
