"""Loops over rows of positions."""

from __future__ import annotations

from rankwise._jit import jit


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
