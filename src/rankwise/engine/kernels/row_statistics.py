"""What is added up of the rows of a node.

Statistics of a row are the columns of ``stats``: column 0 counts the row (with its multiplicity in
a bootstrap), the last columns are weighted targets, and ``count_column[o]`` names the column that
holds the weight of target ``o`` (column 0 where all targets are always observed). All are
integers, so that every sum is exact.
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit

# A packed row holds two statistics in 16 bits, so that one addition updates both. Where there is one
# target these are its count, in as many low bits as the largest sum of counts needs, and
# count * target. Of several targets two at a time share 16 bits evenly, and the first one shares them
# with the count. Sums are unpacked before one of the two overflows its bits.
PACKED_BITS = 16
EVEN_BITS = 8
EVEN_MASK = (1 << EVEN_BITS) - 1

# Numbers of rows that are written together: 32 KB.
NEAR = 1 << 13


@jit(allocates=False, inner=True, forceinline=True)
def low_bits_of(packed, most_weight):
    """How many bits the first of two packed statistics has; sums are of rows up to `most_weight`."""
    if packed.shape[0] > 1:
        return EVEN_BITS
    low_bits = 0
    while most_weight >> low_bits > 0:
        low_bits += 1
    return low_bits


@jit(allocates=False, inner=True, forceinline=True)
def field(value, a, low_bits):
    """Statistic `a` of those packed two by two, from the 16 bits it is in."""
    v = np.int64(value)
    return v & ((1 << low_bits) - 1) if a % 2 == 0 else v >> low_bits


@jit(inlined=True)
def write_statistics_of(targets, counts, most_weight, stats, packed):
    """Write the statistics of rows that count so often, and the packed rows unless `packed` is empty."""
    n, low_bits = np.uint64(counts.shape[0]), np.uint32(low_bits_of(packed, most_weight))
    # of many targets a few rows at a time stay in the cache
    step = np.uint64(NEAR // (targets.shape[1] + 1) + 1)
    for start in range(np.uint64(0), n, step):
        end = min(start + step, n)
        for r in range(start, end):
            stats[r, 0] = counts[r]
        for o in range(np.uint64(targets.shape[1])):
            for r in range(start, end):
                stats[r, o + np.uint64(1)] = counts[r] * targets[r, o]
        for g in range(packed.shape[0]):
            low, high = stats[:, 2 * g], stats[:, min(2 * g + 1, stats.shape[1] - 1)]
            # where nothing is left to share them with the high bits are 0
            shared = np.uint32(2 * g + 1 < stats.shape[1])
            for r in range(start, end):
                packed[g, r] = np.uint32(low[r]) | ((np.uint32(high[r]) * shared) << low_bits)


@jit(allocates=False)
def write_statistics(targets, counts, most_weight, stats, packed):
    """The same for several trees on the same rows."""
    for t in range(targets.shape[0]):
        write_statistics_of(targets[t], counts, most_weight, stats[t], packed[t])
