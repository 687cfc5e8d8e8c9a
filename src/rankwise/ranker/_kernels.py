"""Loops over rows of positions, of shares and of ranks."""

from __future__ import annotations

from rankwise._jit import jit

# Gains that differ by less are one number, summed in two ways.
SAME_GAIN = 1e-9


@jit(allocates=False)
def rank_rows(keys, ranks):
    """Write the rank of each key in its row, lowest first, and lower index where they are equal."""
    k = keys.shape[1]
    for r in range(keys.shape[0]):
        row = keys[r]
        for j in range(k):
            own, rank = row[j], 1
            for i in range(j):
                rank += row[i] <= own
            for i in range(j + 1, k):
                rank += row[i] < own
            ranks[r, j] = rank


@jit(allocates=False)
def has_tie(ranks):
    """Whether any row ranks two labels equal; NaN is equal to nothing."""
    for r in range(ranks.shape[0]):
        row = ranks[r]
        for i in range(1, row.shape[0]):
            for j in range(i):
                if row[i] == row[j]:
                    return True
    return False


@jit(allocates=False)
def merge_neighbours(strict, before, threshold, order, within, best, start, ranks):
    """Write the best ranking with ties that keeps the order of the strict one.

    Labels that follow one another make a bucket, whose gain is the sum over its pairs of the threshold
    minus the share that puts the first label before the second: the dynamic programme over where the
    last bucket starts. ``best[e]`` is the most that the first e labels gain, ``start[e]`` where their
    last bucket starts, ``within[s]`` the gain of the bucket from s on. Of equal gains the larger
    bucket is taken.
    """
    k = strict.shape[1]
    for r in range(strict.shape[0]):
        for i in range(k):
            order[strict[r, i] - 1] = i
        best[0] = 0.0
        for e in range(1, k + 1):
            last = order[e - 1]
            within[e - 1], column = 0.0, 0.0
            best[e], start[e] = best[e - 1], e - 1
            for s in range(e - 2, -1, -1):
                column += threshold - before[r, order[s], last]
                within[s] += column
                gain = best[s] + within[s]
                if gain >= best[e] - SAME_GAIN:
                    best[e], start[e] = max(gain, best[e]), s
        e = k
        while e > 0:
            for p in range(start[e], e):
                ranks[r, order[p]] = start[e] + 1
            e = start[e]
