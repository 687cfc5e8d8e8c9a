"""The best cut at a Boolean feature: sums where each feature is 1, for all at once, and gains by them.

``bits[r, w]`` holds features ``32 w`` to ``32 w + 31`` of row ``r``, one bit each; features beyond the
last are 0 in every row and so never separate anything. Sums are made and searched in blocks of
features, by vector instructions.
"""

from __future__ import annotations

import numpy as np

from rankwise._intrinsics import BLOCK, sum_where
from rankwise._jit import jit
from rankwise.engine.kernels.nodes import draw_feature
from rankwise.engine.kernels.row_statistics import low_bits_of

# Gains are quotients of exact integers and are compared by their bits, which order as the numbers
# do. Two that differ by less than 2^-40 are one gain rounded in two ways: the lower feature wins.
SAME_GAIN = 1 << 12


@jit(allocates=False, inner=True)
def sum_packed(bits, packed, most_weight, n_stats, rows, start, end, lanes, pool, slot):
    """Write the sums of the rows where each feature is 1 into pool[slot, :n_stats].

    Packed rows are added up until their weight is `most_weight`, and then unpacked.
    """
    low_bits = low_bits_of(packed, most_weight)
    for a in range(n_stats):
        for b in range(pool.shape[2]):
            for j in range(BLOCK):
                pool[slot, a, b, j] = 0
    p = start
    while p < end:
        stop = end_of_weight(packed[0], most_weight, rows, p, end, low_bits)
        for g in range(packed.shape[0]):
            for b in range(pool.shape[2]):
                sum_where(bits, b, packed[g], rows, p, stop, lanes)
                add_low(lanes, low_bits, pool[slot, 2 * g, b])
                if 2 * g + 1 < n_stats:
                    add_high(lanes, low_bits, pool[slot, 2 * g + 1, b])
        p = stop


@jit(allocates=False, inner=True)
def end_of_weight(packed, most_weight, rows, start, end, low_bits):
    """Where the rows from `start` on begin to weigh more than `most_weight`."""
    mask = (1 << low_bits) - 1
    weight = 0
    stop = start
    # an index without a sign is not looked at for being negative
    for r in rows[start:end]:
        weight += packed[np.uint32(r)] & mask
        if weight > most_weight:
            break
        stop += 1
    return stop


@jit(allocates=False, inner=True)
def add_low(lanes, low_bits, sums):
    """Add the first of two packed statistics to its sums."""
    mask = np.uint32((1 << low_bits) - 1)
    for j in range(BLOCK):
        sums[j] += np.int32(np.uint32(lanes[j]) & mask)


@jit(allocates=False, inner=True)
def add_high(lanes, low_bits, sums):
    """Add the second of two packed statistics to its sums."""
    # known to be below 16: numbers of 32 bits are enough
    shift = np.uint32(low_bits) & np.uint32(15)
    for j in range(BLOCK):
        sums[j] += np.int32(np.uint32(lanes[j]) >> shift)


@jit(allocates=False, inner=True)
def sum_stats(bits, stats, n_stats, rows, start, end, pool, slot, first):
    """Write the sums of the first `n_stats` statistics where each feature is 1 into pool[slot, first:]."""
    for a in range(n_stats):
        for b in range(pool.shape[2]):
            sum_where(bits, b, stats[:, a], rows, start, end, pool[slot, first + a, b])


@jit(allocates=False, inner=True)
def subtract(pool, slot, other):
    """Child = parent - sibling, in the parent's slot."""
    for a in range(pool.shape[1]):
        for b in range(pool.shape[2]):
            for j in range(BLOCK):
                pool[slot, a, b, j] -= pool[other, a, b, j]


@jit(allocates=False, inner=True)
def split_gains(pool, slot, totals, node, count_column, gains):
    """Write the gain of cutting at each feature: the increase of V_n times the number of rows.

    With count n1 and sum s1 where the feature is 1, of n and s in all, the gain is
    (n s1 - n1 s)^2 / (n n1 n0). The tiny addend makes it 0 where a side is empty. `gains` has one row
    more than there are blocks, to work in.
    """
    n_outputs = count_column.shape[0]
    first = totals.shape[1] - 1 - n_outputs
    for b in range(pool.shape[2]):
        for j in range(BLOCK):
            gains[b, j] = 0.0
    o = 0
    while o < n_outputs:
        c, start = count_column[o], o
        while o < n_outputs and count_column[o] == c:
            o += 1
        if totals[node, c] > 0:
            add_gains(pool, slot, totals, node, c, first + start, first + o, gains)


@jit(allocates=False, inner=True)
def add_gains(pool, slot, totals, node, count, start, end, gains):
    """Add the gains of the targets in columns start to end, which have the same count: one division."""
    n = float(totals[node, count])
    share = 1.0 / n
    for b in range(pool.shape[2]):
        squares = gains[pool.shape[2]]
        for j in range(BLOCK):
            squares[j] = 0.0
        for a in range(start, end - 1):
            s = float(totals[node, a])
            for j in range(BLOCK):
                difference = n * pool[slot, a, b, j] - float(pool[slot, count, b, j]) * s
                squares[j] += difference * difference
        s = float(totals[node, end - 1])
        for j in range(BLOCK):
            n1 = float(pool[slot, count, b, j])
            difference = n * pool[slot, end - 1, b, j] - n1 * s
            square = squares[j] + difference * difference
            gains[b, j] += share * (square / (n1 * (n - n1) + 1e-300))


@jit(allocates=False, inner=True)
def best_of_all(bits, pool, slot, n_rows, min_rows, n_held, min_held):
    """The lowest feature of the largest gain among those that are allowed (`best_allowed`), or -1.

    The bits of the others become -1.
    """
    n_blocks, held_row = pool.shape[2], pool.shape[1] - 1
    if n_held == 0:
        held_row, n_held, min_held = 0, n_rows, min_rows
    top = np.int64(-1)
    for b in range(n_blocks):
        largest = np.int64(-1)
        for j in range(BLOCK):
            ones, held = pool[slot, 0, b, j], pool[slot, held_row, b, j]
            allowed = (ones >= min_rows) & (n_rows - ones >= min_rows)
            allowed &= (held >= min_held) & (n_held - held >= min_held)
            bits[b, j] = bits[b, j] if allowed else np.int64(-1)
            largest = max(largest, bits[b, j])
        top = max(top, largest)
    for b in range(n_blocks if top >= 0 else 0):
        for j in range(BLOCK):
            if bits[b, j] >= max(top - SAME_GAIN, 0):
                return b * BLOCK + j
    return -1


@jit(allocates=False, inner=True, forceinline=True)
def is_better(feature, bits, best, best_bits):
    """Whether a feature, by the bits of its gain, is better than the best so far (-1: none)."""
    if feature < best:
        return bits + SAME_GAIN >= best_bits
    return best < 0 or bits > best_bits + SAME_GAIN


@jit(allocates=False, inner=True)
def best_allowed(bits, pool, slot, n_rows, min_rows, n_held, min_held, features, n_drawn, state):
    """The best feature among those that leave enough rows, and enough held rows, on both sides.

    Held rows (the estimation half of an honest tree; n_held = 0 without one) are counted in the
    last row of the pool. Of all features only `n_drawn` drawn at random compete; where none of them
    can cut, drawing goes on until one can, or -1.
    """
    d = features.shape[0]
    held_row = pool.shape[1] - 1
    best = -1
    best_bits = np.int64(0)
    for i in range(d):
        if i >= n_drawn and best >= 0:
            break
        feature = draw_feature(features, i, n_drawn, state)
        b, j = feature // BLOCK, feature % BLOCK
        ones = pool[slot, 0, b, j]
        if ones < min_rows or n_rows - ones < min_rows:
            continue
        if n_held > 0:
            ones = pool[slot, held_row, b, j]
            if ones < min_held or n_held - ones < min_held:
                continue
        if is_better(feature, bits[b, j], best, best_bits):
            best, best_bits = feature, bits[b, j]
    return best
