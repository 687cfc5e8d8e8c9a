"""Trees below a small node: its rows are the bits of one word, and counting them is one instruction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._intrinsics import BLOCK, popcount, sum_where
from rankwise._jit import jit
from rankwise.engine.kernels.boolean_cuts import largest_bits
from rankwise.engine.kernels.nodes import link
from rankwise.engine.kernels.row_statistics import COUNT_MASK

# Bits of a word; a row drawn twice by a bootstrap fills two.
MOST_ROWS = 32

# Features whose largest gain is looked up together.
STEP = 32

# Bits of a target; nodes with larger targets are not grown here.
PLANES = 4

# Gains are fractions D^2 / p with p = n1 n0 <= n^2 / 4 and D <= 15 p. For so few rows D^2 p < 2^23, so
# that two of them that differ at all do so in single precision.
FEW = 11

# For more rows single precision is wrong by less than this share; what is closer is compared exactly.
ROUNDING = np.float32(1 - 2.0**-20)


class RowBits(NamedTuple):
    """The rows of a small node as bits of words, and buffers to search them."""

    words: np.ndarray  # [b, j]: the rows where feature b * BLOCK + j is 1
    steps: np.ndarray  # the same, STEP features to a row
    planes: np.ndarray  # [q]: the rows whose target has bit q
    mask: np.ndarray  # [0]: all rows
    places: np.ndarray  # [r]: the bits that row r fills, where it is one of the node's
    gains: np.ndarray  # of the features of a block, STEP to a row, in single precision
    bits: np.ndarray  # the gains seen as integers
    tops: np.ndarray  # the largest gain of each step
    top_bits: np.ndarray  # the same seen as integers
    best: np.ndarray  # square of the difference, and n1 * n0, of the best cut
    stack: np.ndarray  # nodes that wait
    masks: np.ndarray  # and their rows


def new_row_bits(n_blocks: int, n_rows: int) -> RowBits:
    """Memory for the small nodes of a tree."""
    gains = np.zeros((BLOCK // STEP, STEP), np.float32)
    tops = np.zeros(BLOCK // STEP, np.float32)
    words = np.zeros((n_blocks, BLOCK), np.uint32)
    return RowBits(
        words,
        words.reshape((-1, STEP)),
        np.zeros(PLANES, np.uint32),
        np.zeros(1, np.uint32),
        np.zeros(n_rows, np.uint32),
        gains,
        gains.view(np.int32),
        tops,
        tops.view(np.int32),
        np.zeros(2, np.int64),
        np.zeros(2 * MOST_ROWS, np.int64),
        np.zeros(2 * MOST_ROWS, np.uint32),
    )


@jit(allocates=False, inner=True)
def transpose(bits, packed, kind, rows, start, end, small):
    """Lay the rows of a small node out as bits (a row of weight w fills w): features and targets."""
    places, planes = small.places, small.planes
    n = 0
    for q in range(PLANES):
        planes[q] = 0
    for p in range(start, end):
        r = rows[p]
        weight = np.int64(packed[0, r] & COUNT_MASK)
        places[r] = np.uint32(((1 << weight) - 1) << n)
        for q in range(PLANES):
            if (kind[r] >> q) & 1:
                planes[q] |= places[r]
        n += weight
    small.mask[0] = np.uint32((1 << n) - 1)
    for b in range(small.words.shape[0]):
        sum_where(bits, b, small.places, rows, start, end, small.words[b])


@jit(allocates=False, inner=True, forceinline=True)
def ones(word):
    """How many bits of a word are set."""
    return np.int64(popcount(np.uint32(word)))


@jit(allocates=False, inner=True, forceinline=True)
def gain_bound(planes, mask, n, s):
    """The gain of the best partition of the targets whatever the features: a cut of their order."""
    best = 0.0
    n1 = 0.0
    s1 = 0.0
    for y in range(1 << PLANES):
        members = mask
        for q in range(PLANES):
            members &= planes[q] if (y >> q) & 1 else ~planes[q]
        if members == 0:
            continue
        count = float(ones(members))
        n1 += count
        s1 += y * count
        difference = n * s1 - n1 * s
        best = max(best, difference * difference / (n1 * (n - n1) + 1e-300))
    return best


@jit(allocates=False, inner=True, forceinline=True)
def target_sum(planes, mask):
    """The sum of the targets of the rows of `mask`."""
    total = 0
    for q in range(PLANES):
        total += ones(mask & planes[q]) << q
    return total


@jit(allocates=False, inner=True, forceinline=True)
def block_gains(small, b, mask, n, s):
    """Write the gains of the features of a block, but for a factor of n, and the largest of each step."""
    steps, planes, gains, bits = small.steps, small.planes, small.gains, small.bits
    p0, p1 = np.uint32(planes[0] & mask), np.uint32(planes[1] & mask)
    p2, p3 = np.uint32(planes[2] & mask), np.uint32(planes[3] & mask)
    for i in range(BLOCK // STEP):
        for j in range(STEP):
            w = steps[b * (BLOCK // STEP) + i, j]
            n1 = np.float32(np.int32(popcount(np.uint32(w & mask))))
            s1 = np.float32(
                np.int32(
                    popcount(np.uint32(w & p0))
                    + (popcount(np.uint32(w & p1)) << np.uint32(1))
                    + (popcount(np.uint32(w & p2)) << np.uint32(2))
                    + (popcount(np.uint32(w & p3)) << np.uint32(3))
                )
            )
            difference = n * s1 - n1 * s
            gains[i, j] = difference * difference / (n1 * (n - n1) + np.float32(1e-30))
    for i in range(BLOCK // STEP):
        small.top_bits[i] = largest_bits(bits, i)


@jit(allocates=False, inner=True, forceinline=True)
def note_cut(small, feature, mask, n, s):
    """Write the square of the difference and n1 * n0 of a cut into small.best."""
    right = np.uint32(small.words[feature // BLOCK, feature % BLOCK] & mask)
    n1 = ones(right)
    difference = n * target_sum(small.planes, right) - n1 * s
    small.best[0] = difference * difference
    small.best[1] = n1 * (n - n1)


@jit(allocates=False, inner=True, forceinline=True)
def best_feature_of(small, mask, n, s):
    """The best feature of the rows of `mask`, or -1 where none gains; small.best has its gain.

    Gains in single precision point to the few features that are worth an exact comparison. Among
    few rows the search ends where a feature gains as much as any partition of the rows could.
    """
    gains, tops, cut = small.gains, small.tops, small.best
    n_blocks = small.words.shape[0]
    few = n <= FEW
    bounded = few and n_blocks > 1
    bound = gain_bound(small.planes, mask, float(n), float(s)) * ROUNDING if bounded else np.inf
    rounding = np.float32(1.0) if few else ROUNDING
    best = np.int64(-1)
    best_gain = least = np.float32(0.0)
    square, product = 0, 1
    for b in range(n_blocks):
        block_gains(small, b, mask, np.float32(n), np.float32(s))
        for i in range(BLOCK // STEP):
            least = max(least, rounding * tops[i])
        for i in range(BLOCK // STEP):
            if least == 0 or tops[i] < least or (few and tops[i] <= best_gain):
                continue
            for j in range(STEP):
                if gains[i, j] < least:
                    continue
                feature = b * BLOCK + i * STEP + j
                note_cut(small, feature, mask, n, s)
                if cut[0] * product > square * cut[1]:
                    best, best_gain = feature, gains[i, j]
                    square, product = cut[0], cut[1]
                if few:
                    break
        if best_gain >= bound:
            break
    cut[0], cut[1] = square, product
    return best


@jit(allocates=False, inner=True)
def first_separating(words, mask):
    """The first feature that separates the rows of `mask`, or -1."""
    for b in range(words.shape[0]):
        for j in range(BLOCK):
            if words[b, j] & mask != 0 and ~words[b, j] & mask != 0:
                return b * BLOCK + j
    return -1


@jit(allocates=False, inner=True, forceinline=True)
def is_pure(planes, mask):
    """Whether all rows of `mask` have the same target."""
    for q in range(planes.shape[0]):
        plane = planes[q] & mask
        if plane != 0 and plane != mask:
            return False
    return True


@jit(allocates=False, inner=True)
def grow_small(small, node, n_nodes, max_depth, nodes):
    """Grow everything below a node whose rows are the bits of a word; return the number of nodes."""
    stack, masks, totals = small.stack, small.masks, nodes.totals
    stack[0] = node
    masks[0] = small.mask[0]
    tail = 1
    while tail > 0:
        tail -= 1
        node, mask = stack[tail], masks[tail]
        if nodes.depth[node] >= max_depth or is_pure(small.planes, mask):
            continue
        n = np.int64(totals[node, 0])
        s = np.int64(totals[node, 1])
        best = best_feature_of(small, mask, n, s)
        if best < 0:
            # no feature gains anything alone
            best = first_separating(small.words, mask)
            small.best[0] = 0
        if best < 0:
            continue
        right = np.uint32(small.words[best // BLOCK, best % BLOCK] & mask)
        totals[n_nodes + 1, 0] = ones(right)
        totals[n_nodes + 1, 1] = target_sum(small.planes, right)
        totals[n_nodes + 1, 2] = 0
        link(nodes, node, best, small.best[0] / (n * small.best[1]), n_nodes)
        stack[tail], masks[tail] = n_nodes, np.uint32(mask & ~right)
        stack[tail + 1], masks[tail + 1] = n_nodes + 1, right
        tail += 2
        n_nodes += 2
    return n_nodes
