"""What is added up of the rows of a node.

Statistics of a row are the columns of ``stats``: column 0 counts the row (with its multiplicity in
a bootstrap), the last columns are weighted targets, and ``count_column[o]`` names the column that
holds the weight of target ``o`` (column 0 where all targets are always observed). All are
integers, so that every sum is exact.
"""

from __future__ import annotations

from rankwise._jit import jit

# A packed row holds its count in the low bits and count * target in the bits above, so that one
# 16-bit addition updates both. Sums are unpacked before the count overflows its bits.
COUNT_BITS = 6
COUNT_MASK = (1 << COUNT_BITS) - 1


@jit(allocates=False)
def write_statistics(targets, counts, stats, packed):
    """Write the statistics of rows that count so often, and the packed rows unless `packed` is empty."""
    for r in range(counts.shape[0]):
        stats[r, 0] = counts[r]
        for o in range(targets.shape[1]):
            stats[r, o + 1] = counts[r] * targets[r, o]
    for o in range(packed.shape[0]):
        for r in range(counts.shape[0]):
            packed[o, r] = counts[r] | ((counts[r] * targets[r, o]) << COUNT_BITS)
