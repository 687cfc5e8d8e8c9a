"""Trees below a small node: the sums of its rows stay packed, two to a 16-bit lane.

Nodes wait on a stack that holds their sums as well. The smaller of two children is grown first, so
that the stack is never higher than the rows can be halved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import zeros_in_lines
from rankwise._intrinsics import BLOCK, WORD_BITS, packed_gains, popcount, sum_where
from rankwise._jit import jit
from rankwise.engine.kernels.nodes import draw_feature, link, same_kind
from rankwise.engine.kernels.partition import partition_bits
from rankwise.engine.kernels.row_statistics import field, low_bits_of

# A small node has a weight below 2^8: its halves, one more for the root and one to sum in.
MOST_WAITING = 10

# Gains in single precision are wrong by less than this share; what is closer is compared exactly.
ROUNDING = np.float32(1 - 2.0**-18)

# A gain is a fraction A / p of whole numbers with p = n1 n0 <= n^2 / 4. Two that differ do so by a
# share of 1 / (A p) or more, which single precision tells apart while gain * n^4 is below this.
EXACT = np.float32(2.0**26)

# Beyond this weight the gain of one target is rounded as `boolean_cuts.add_gains` rounds it, to the last
# bit: importances do not depend on how many rows fit 16 bits.
ROUNDED_ONCE = 63


class SmallSums(NamedTuple):
    """The sums of the small nodes that wait, and buffers to search them."""

    sums: np.ndarray  # [place on the stack, pair of statistics, feature]
    stack: np.ndarray  # nodes that wait
    gains: np.ndarray  # of each feature, in single precision
    bits: np.ndarray  # the gains seen as integers
    top: np.ndarray  # [0]: the least gain looked for
    top_bits: np.ndarray  # the same seen as an integer


def new_small_sums(n_blocks: int, n_packed: int) -> SmallSums:
    """Memory for the small nodes of a tree."""
    gains, top = zeros_in_lines(n_blocks * BLOCK, np.float32), zeros_in_lines(1, np.float32)
    return SmallSums(
        sums=np.zeros((MOST_WAITING, n_packed, n_blocks * BLOCK), np.uint16),
        stack=zeros_in_lines(MOST_WAITING, np.int64),
        gains=gains,
        bits=gains.view(np.int32),
        top=top,
        top_bits=top.view(np.int32),
    )


@jit(allocates=False, inner=True)
def sum_small(bits, packed, rows, start, end, sums, place):
    """Write the packed sums of the rows where each feature is 1."""
    for g in range(packed.shape[0]):
        for b in range(sums.shape[2] // BLOCK):
            block = sums[place, g, b * BLOCK : (b + 1) * BLOCK]
            sum_where(bits, b, packed[g], rows, start, end, block)


@jit(allocates=False, inner=True)
def subtract_next(sums, place):
    """Larger child = parent - smaller child, which is next on the stack."""
    for g in range(sums.shape[1]):
        for j in range(sums.shape[2]):
            sums[place, g, j] -= sums[place + 1, g, j]


@jit(allocates=False, inner=True)
def next_at_least(bits, least, start):
    """The first feature from `start` on whose gain has at least these bits, or -1."""
    for b in range(start // BLOCK, bits.shape[0] // BLOCK):
        block = bits[b * BLOCK : (b + 1) * BLOCK]
        first, skipped = np.int32(BLOCK), np.int32(max(0, start - b * BLOCK))
        for j in range(BLOCK):
            found = (block[j] >= least) & (np.int32(j) >= skipped)
            first = min(first, np.int32(j) if found else np.int32(BLOCK))
        if first < BLOCK:
            return b * BLOCK + np.int64(first)
    return np.int64(-1)


@jit(allocates=False, inner=True)
def exact_gain(sums, totals, node, low_bits, column):
    """Numerator and denominator of the gain by the sums in a column, but for a factor of n."""
    n = np.int64(totals[node, 0])
    n1 = field(sums[0, column], 0, low_bits)
    numerator = np.int64(0)
    for a in range(1, totals.shape[1] - 1):
        s1 = field(sums[a // 2, column], a, low_bits)
        difference = n * s1 - n1 * np.int64(totals[node, a])
        numerator += difference * difference
    return numerator, n1 * (n - n1)


@jit(allocates=False, inner=True)
def first_separating(sums, place, low_bits, n):
    """The first feature that separates the rows, or -1."""
    for feature in range(sums.shape[2]):
        if 0 < field(sums[place, 0, feature], 0, low_bits) < n:
            return feature
    return -1


@jit(allocates=False, inner=True, forceinline=True)
def best_of_all(small, place, totals, node, low_bits):
    """The lowest feature of the largest gain among those that separate the rows, or -1.

    Gains in single precision point to the few features that are worth an exact comparison.
    """
    sums, n = small.sums, np.float32(totals[node, 0])
    small.top_bits[0] = packed_gains(sums[place], totals[node], low_bits, small.gains)
    top = small.top[0]
    if top == 0:
        return first_separating(sums, place, low_bits, totals[node, 0])
    if top * (n * n * n * n) < EXACT:
        return next_at_least(small.bits, small.top_bits[0], np.int64(0))
    small.top[0] = top * ROUNDING
    least = small.top_bits[0]
    best = next_at_least(small.bits, least, np.int64(0))
    square, product = exact_gain(sums[place], totals, node, low_bits, best)
    feature = next_at_least(small.bits, least, best + 1)
    while feature >= 0:
        other, other_product = exact_gain(sums[place], totals, node, low_bits, feature)
        if other * product > square * other_product:
            best, square, product = feature, other, other_product
        feature = next_at_least(small.bits, least, feature + 1)
    return best


@jit(allocates=False, inner=True)
def best_of_drawn(sums, place, totals, node, low_bits, rules, features, state):
    """The best feature among those drawn that leave enough rows on both sides; see `best_allowed`."""
    n = np.int64(totals[node, 0])
    best = np.int64(-1)
    square, product = np.int64(0), np.int64(1)
    for i in range(features.shape[0]):
        if i >= rules.n_drawn and best >= 0:
            break
        feature = np.int64(draw_feature(features, i, rules.n_drawn, state))
        n1 = field(sums[place, 0, feature], 0, low_bits)
        if min(n1, n - n1) < rules.min_leaf:
            continue
        other, other_product = exact_gain(sums[place], totals, node, low_bits, feature)
        gain, best_gain = other * product, square * other_product
        if best < 0 or gain > best_gain or (gain == best_gain and feature < best):
            best, square, product = feature, other, other_product
    return best


@jit(allocates=False, inner=True)
def tell_apart(bits, first, second):
    """The lowest feature that differs in two rows, or -1, and the row where it is 1.

    It is their best one: all that tell two rows apart gain the same.
    """
    for w in range(bits.shape[1]):
        word = bits[np.uint32(first), w]
        differ = word ^ bits[np.uint32(second), w]
        if differ != 0:
            below = ~differ & (differ - np.uint32(1))
            is_first = word & (below + np.uint32(1)) != 0
            return np.int64(w * WORD_BITS) + np.int64(
                popcount(below)
            ), first if is_first else second
    return np.int64(-1), first


@jit(allocates=False, inner=True, forceinline=True)
def cut_small(bits, rows, buffer, nodes, node, feature, sums, column, low_bits, n_nodes):
    """Make the two children of a node; the packed sums of the right one are in a column of `sums`."""
    totals, segment = nodes.totals, nodes.segment
    n_stats = totals.shape[1] - 1
    for a in range(n_stats):
        totals[n_nodes + 1, a] = field(sums[a // 2, column], a, low_bits)
    totals[n_nodes + 1, n_stats] = 0
    n = np.int64(totals[node, 0])
    square, product = exact_gain(sums, totals, node, low_bits, column)
    if sums.shape[0] == 1 and n > ROUNDED_ONCE:
        gain = 1.0 / n * (square / product)
    else:
        gain = square / (n * product)
    link(nodes, node, feature, gain, n_nodes)
    start, end = segment[node, 0], segment[node, 1]
    middle = partition_bits(bits, feature, rows, start, end, buffer)
    segment[n_nodes, 0], segment[n_nodes, 1] = start, middle
    segment[n_nodes + 1, 0], segment[n_nodes + 1, 1] = middle, end


@jit(allocates=False, inner=True, forceinline=True)
def may_be_cut(nodes, node, rules, kind, rows):
    """Whether a small node has rows of different targets, and enough of them."""
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    if nodes.depth[node] >= rules.max_depth or nodes.totals[node, 0] < 2 * rules.min_leaf:
        return False
    return end - start > 1 and not same_kind(kind, rows, start, end)


@jit(inlined=True)
def grow_small(
    bits, packed, most_weight, kind, rows, buffer, rules, features, state, plain, node, n_nodes, nodes,
    small,
):  # fmt: skip
    """Grow everything below a node whose sums fit 16 bits; return the number of nodes."""
    low_bits = low_bits_of(packed, most_weight)
    stack, segment, totals = small.stack, nodes.segment, nodes.totals
    # two rows need no sums where all features compete
    few = 2 if plain else 0
    start, end = segment[node, 0], segment[node, 1]
    if end - start > few:
        sum_small(bits, packed, rows, start, end, small.sums, np.int64(0))
    stack[0] = node
    tail = np.int64(1)
    while tail > 0:
        tail -= 1
        node = stack[tail]
        start, end = segment[node, 0], segment[node, 1]
        sums = small.sums[tail]
        if end - start <= few:
            best, right = tell_apart(bits, rows[start], rows[start + 1])
            sums, column = packed, np.int64(right)
        elif plain:
            best = column = best_of_all(small, tail, totals, node, low_bits)
        else:
            best = column = best_of_drawn(
                small.sums, tail, totals, node, low_bits, rules, features, state
            )
        if best < 0:
            continue
        cut_small(bits, rows, buffer, nodes, node, best, sums, column, low_bits, n_nodes)
        smaller, larger = n_nodes, n_nodes + 1
        n_nodes += 2
        if totals[smaller, 0] > totals[larger, 0]:
            smaller, larger = larger, smaller
        larger_waits = may_be_cut(nodes, larger, rules, kind, rows)
        smaller_waits = may_be_cut(nodes, smaller, rules, kind, rows)
        start, end = segment[smaller, 0], segment[smaller, 1]
        if larger_waits and segment[larger, 1] - segment[larger, 0] > few:
            sum_small(bits, packed, rows, start, end, small.sums, tail + 1)
            subtract_next(small.sums, tail)
        elif smaller_waits and end - start > few:
            sum_small(bits, packed, rows, start, end, small.sums, tail + larger_waits)
        if larger_waits:
            stack[tail] = larger
            tail += 1
        if smaller_waits:
            stack[tail] = smaller
            tail += 1
    return n_nodes
