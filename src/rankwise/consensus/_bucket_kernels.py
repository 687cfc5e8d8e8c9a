"""Bucket orders of a few labels: all of them compared, by subsets; and by pivots."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.consensus._kernels import TIE

# Which label is the pivot: see `pivot_buckets`.
FIRST, WITHIN, AMONG_ALL = range(3)

# Where a label is while buckets are made: it waits in its group, has its rank, or is before the pivot
# of its group, tied with it, after it, or tied with it at the second look.
WAITS, DONE, BEFORE, TIED, AFTER, TIED_AGAIN = range(6)


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


@jit(allocates=False)
def pivot_buckets(shares, within, decided, several, again, side, far, ranks):
    """Rank the labels that wait by pivots; ``side[i]`` says WAITS or DONE, and waiting labels start at 1.

    A pivot parts the labels of a group: those before it, those tied with it (their share is within
    1/2 ± `within`), those after it. The pivot is the label whose shares are nearest to 0, 1/2 or 1:
    those within its group (`decided` is WITHIN), those with all labels that wait (AMONG_ALL), or the
    first label (FIRST). With `several` a label is compared with all of the bucket so far, by its mean
    share; with `again` those beside the bucket are then compared with the whole of it once more. A
    group has the rank that its first label would have. `far` is memory for a number per label.
    """
    k = ranks.shape[0]
    if decided == AMONG_ALL:
        measure_group(shares, side, ranks, 0, far)
    while True:
        start = 0
        for i in range(k):
            if side[i] == WAITS and start == 0:
                start = ranks[i]
        if start == 0:
            return
        if decided == WITHIN:
            measure_group(shares, side, ranks, start, far)
        pivot, nearest = -1, np.inf
        for i in range(k):
            if side[i] == WAITS and ranks[i] == start:
                if pivot < 0 or (decided != FIRST and far[i] < nearest - TIE):
                    pivot, nearest = i, far[i]
        side[pivot] = TIED
        for i in range(k):
            if side[i] == WAITS and ranks[i] == start:
                share = mean_share(shares, i, side) if several else shares[i, pivot]
                side[i] = side_of(share, within)
        for i in range(k if again else 0):
            if side[i] == BEFORE or side[i] == AFTER:
                found = side_of(mean_share(shares, i, side), within)
                side[i] = TIED_AGAIN if found == TIED else found
        part(side, ranks, start)


@jit(allocates=False)
def side_of(share, within):
    """On which side of a pivot a label is by its share."""
    return BEFORE if share > 0.5 + within + TIE else AFTER if share < 0.5 - within - TIE else TIED


@jit(allocates=False)
def part(side, ranks, start):
    """The bucket is done; what stands before it and after it waits, in two groups."""
    n_before = n_tied = 0
    for i in range(side.shape[0]):
        n_before += side[i] == BEFORE
        n_tied += side[i] == TIED or side[i] == TIED_AGAIN
    for i in range(side.shape[0]):
        if side[i] == TIED or side[i] == TIED_AGAIN:
            side[i], ranks[i] = DONE, start + n_before
        elif side[i] == BEFORE:
            side[i] = WAITS
        elif side[i] == AFTER:
            side[i], ranks[i] = WAITS, start + n_before + n_tied


@jit(allocates=False)
def measure_group(shares, side, ranks, start, far):
    """How far the shares of each label of a group, or of all that wait, are from 0, 1/2 and 1."""
    for i in range(far.shape[0]):
        far[i] = 0.0
        for j in range(far.shape[0]):
            if side[j] == WAITS and (start == 0 or ranks[j] == start):
                from_half = abs(shares[i, j] - 0.5)
                far[i] += min(from_half, 0.5 - from_half)


@jit(allocates=False)
def mean_share(shares, i, side):
    """The mean share of i before the labels that are tied with the pivot so far."""
    total, size = 0.0, 0
    for j in range(side.shape[0]):
        if side[j] == TIED:
            total += shares[i, j]
            size += 1
    return total / size


@jit
def all_pivot_buckets(support, within, decided, several, again, shares, ranks):
    """`pivot_buckets` of many problems.

    At a second look a label that nobody compares would draw others into its bucket: with `again` such
    labels are tied behind all others.
    """
    k = support.shape[1]
    side, far = np.empty(k, dtype=np.int64), np.zeros(k)
    for r in range(support.shape[0]):
        pair_shares(support[r], shares)
        n_known = 0
        for i in range(k):
            known = 0.0 if again else 1.0
            for j in range(k):
                known += support[r, i, j] + support[r, j, i] if i != j else 0.0
            side[i] = WAITS if known > 0.0 else DONE
            n_known += known > 0.0
        for i in range(k):
            ranks[r, i] = 1 if side[i] == WAITS else n_known + 1
        pivot_buckets(shares, within, decided, several, again, side, far, ranks[r])
