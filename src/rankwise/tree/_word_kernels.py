"""Trees below a small node: its rows are the bits of one word, and counting them is one instruction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit, popcount
from rankwise.tree._nodes_kernels import link
from rankwise.tree._sums_kernels import BLOCK, COUNT_BITS, COUNT_MASK, SAME_GAIN, largest_bits

# A row drawn twice by a bootstrap fills two bits.
WORD = 64

# Features are searched so many at a time, until some are found that none can beat.
STEP = 32

# With more rows than this no feature is likely to split them as well as can be.
WORTH_A_BOUND = 12


# Targets are written in so many bits; larger ones are not for words.
PLANES = 4


class Word(NamedTuple):
    """The rows of a small node as bits, and room to search them."""

    words: np.ndarray  # [b, j]: the rows where feature b * BLOCK + j is 1
    steps: np.ndarray  # the same, STEP features to a row
    planes: np.ndarray  # [q]: the rows whose target has bit q
    mask: np.ndarray  # [0]: all rows
    members: np.ndarray  # row number of each bit
    bytes: np.ndarray  # eight rows of a block, transposed
    gains: np.ndarray  # [0]: of the features of a step, [1]: bound and best
    bits: np.ndarray  # the gains seen as integers
    stack: np.ndarray  # nodes that wait
    masks: np.ndarray  # and their rows


def new_word(n_blocks: int) -> Word:
    """Room for small nodes."""
    words = np.zeros((n_blocks, BLOCK), np.uint64)
    gains = np.zeros((2, STEP), np.float64)
    return Word(
        words,
        words.reshape((n_blocks * BLOCK // STEP, STEP)),
        np.zeros(PLANES, np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(WORD, np.int64),
        np.zeros((WORD // 8, BLOCK), np.uint8),
        gains,
        gains.view(np.int64),
        np.zeros(2 * WORD, np.int64),
        np.zeros(2 * WORD, np.uint64),
    )


@jit
def list_members(packed, rows, start, end, word):
    """Write which row each bit stands for and the bits of the targets; return the number of bits."""
    members, planes = word.members, word.planes
    n = 0
    for q in range(PLANES):
        planes[q] = 0
    for p in range(start, end):
        r = rows[p]
        weight = packed[r] & COUNT_MASK
        y = (packed[r] >> COUNT_BITS) // weight
        for _ in range(weight):
            members[n] = r
            for q in range(PLANES):
                planes[q] |= np.uint64((y >> q) & 1) << np.uint64(n)
            n += 1
    for i in range(n, WORD):
        members[i] = members[0]
    return n


@jit
def transpose(blocks, packed, rows, start, end, word):
    """Lay the rows of a small node out as bits; a row of weight w fills w bits."""
    words, members, lines = word.words, word.members, word.bytes
    n = list_members(packed, rows, start, end, word)
    word.mask[0] = ~np.uint64(0) >> np.uint64(WORD - n)
    for b in range(blocks.shape[0]):
        for g in range(WORD // 8):
            if 8 * g >= n:
                for j in range(BLOCK):
                    lines[g, j] = 0
                continue
            r0, r1, r2, r3 = (
                members[8 * g],
                members[8 * g + 1],
                members[8 * g + 2],
                members[8 * g + 3],
            )
            r4, r5, r6, r7 = (
                members[8 * g + 4], members[8 * g + 5], members[8 * g + 6], members[8 * g + 7],
            )  # fmt: skip
            for j in range(BLOCK):
                high = blocks[b, r7, j] * 8 + blocks[b, r6, j] * 4 + blocks[b, r5, j] * 2
                low = blocks[b, r3, j] * 8 + blocks[b, r2, j] * 4 + blocks[b, r1, j] * 2
                lines[g, j] = (high + blocks[b, r4, j]) * 16 + low + blocks[b, r0, j]
        for j in range(BLOCK):
            words[b, j] = (
                np.uint64(lines[0, j])
                | (np.uint64(lines[1, j]) << np.uint64(8))
                | (np.uint64(lines[2, j]) << np.uint64(16))
                | (np.uint64(lines[3, j]) << np.uint64(24))
                | (np.uint64(lines[4, j]) << np.uint64(32))
                | (np.uint64(lines[5, j]) << np.uint64(40))
                | (np.uint64(lines[6, j]) << np.uint64(48))
                | (np.uint64(lines[7, j]) << np.uint64(56))
            )


@jit
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
        count = float(np.int32(popcount(members)))
        n1 += count
        s1 += y * count
        difference = n * s1 - n1 * s
        best = max(best, difference * difference / (n * (n1 * (n - n1)) + 1e-300))
    return best


@jit
def best_in_word(word, mask, n, s):
    """The best feature of the rows of `mask`, or -1, and its gain in word.gains[1, 1].

    The search ends where a feature gains as much as any partition of the rows could; that is likely
    only for few rows, and looked up for those alone.
    """
    words, planes, gains, bits = word.steps, word.planes, word.gains, word.bits
    gains[1, 0] = gain_bound(planes, mask, n, s) if n <= WORTH_A_BOUND else np.inf
    p0, p1, p2, p3 = planes[0] & mask, planes[1] & mask, planes[2] & mask, planes[3] & mask
    best = -1
    best_bits = np.int64(0)
    for b in range(words.shape[0]):
        for j in range(STEP):
            w = words[b, j]
            n1 = np.float64(np.int32(popcount(w & mask)))
            s1 = np.float64(
                np.int32(
                    popcount(w & p0)
                    + (popcount(w & p1) << np.uint64(1))
                    + (popcount(w & p2) << np.uint64(2))
                    + (popcount(w & p3) << np.uint64(3))
                )
            )
            difference = n * s1 - n1 * s
            gains[0, j] = difference * difference / (n * (n1 * (n - n1)) + 1e-300)
        top = largest_bits(bits, 0)
        if best >= 0 and top <= best_bits + SAME_GAIN:
            continue
        for j in range(STEP):
            if (
                bits[0, j] + SAME_GAIN >= top
                and words[b, j] & mask != 0
                and ~words[b, j] & mask != 0
            ):
                best = b * STEP + j
                best_bits = bits[0, j]
                break
        if best_bits + SAME_GAIN >= bits[1, 0]:
            break
    bits[1, 1] = best_bits
    return best


@jit
def is_pure(planes, mask):
    """Whether all rows of `mask` have the same target."""
    for q in range(planes.shape[0]):
        plane = planes[q] & mask
        if plane != 0 and plane != mask:
            return False
    return True


@jit
def target_sum(planes, mask):
    """The sum of the targets of the rows of `mask`."""
    total = np.uint64(0)
    for q in range(planes.shape[0]):
        total += popcount(mask & planes[q]) << np.uint64(q)
    return total


@jit
def grow_word(word, node, n_nodes, max_depth, nodes):
    """Grow everything below a node whose rows are the bits of a word; return the number of nodes."""
    stack, masks, totals = word.stack, word.masks, nodes.totals
    stack[0] = node
    masks[0] = word.mask[0]
    tail = 1
    while tail > 0:
        tail -= 1
        node, mask = stack[tail], masks[tail]
        if nodes.depth[node] >= max_depth or is_pure(word.planes, mask):
            continue
        best = best_in_word(word, mask, float(totals[node, 0]), float(totals[node, 1]))
        if best < 0:
            continue
        ones = word.steps[best // STEP, best % STEP] & mask
        totals[n_nodes + 1, 0] = popcount(ones)
        totals[n_nodes + 1, 1] = target_sum(word.planes, ones)
        totals[n_nodes + 1, 2] = 0
        link(nodes, node, best, word.gains[1, 1], n_nodes)
        stack[tail], masks[tail] = n_nodes, mask & ~ones
        stack[tail + 1], masks[tail + 1] = n_nodes + 1, ones
        tail += 2
        n_nodes += 2
    return n_nodes
