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
# target these are its count, in the low bits, and count * target. Of several targets two at a time
# share 16 bits evenly, and the first one shares them with the count. Sums are unpacked before one
# of the two overflows its bits.
COUNT_BITS = 6
COUNT_MASK = (1 << COUNT_BITS) - 1
EVEN_BITS = 8
EVEN_MASK = (1 << EVEN_BITS) - 1


@jit(allocates=False, inner=True, forceinline=True)
def low_bits_of(packed):
    """How many bits the first of two packed statistics has."""
    return COUNT_BITS if packed.shape[0] == 1 else EVEN_BITS


@jit(allocates=False, inner=True, forceinline=True)
def field(value, a, low_bits):
    """Statistic `a` of those packed two by two, from the 16 bits it is in."""
    v = np.int64(value)
    return v & ((1 << low_bits) - 1) if a % 2 == 0 else v >> low_bits


@jit(allocates=False)
def write_statistics(targets, counts, stats, packed):
    """Write the statistics of rows that count so often, and the packed rows unless `packed` is empty."""
    for r in range(counts.shape[0]):
        stats[r, 0] = counts[r]
        for o in range(targets.shape[1]):
            stats[r, o + 1] = counts[r] * targets[r, o]
    low_bits = low_bits_of(packed)
    for g in range(packed.shape[0]):
        for r in range(counts.shape[0]):
            low = stats[r, 2 * g]
            high = stats[r, 2 * g + 1] if 2 * g + 1 < stats.shape[1] else 0
            packed[g, r] = int(low) | (int(high) << low_bits)
