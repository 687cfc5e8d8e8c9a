"""Features and rankings as a label-ranking tree wants them: places of values, and distinct rankings.

Pairs of labels i < j are numbered as two nested loops meet them.
"""
# mypy: ignore-errors
# (kernels take arrays and scalars only; numba types them itself)

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit

# Lines are padded to a multiple of this, so that loops over them are vectors throughout.
LANES = 16


class Kinds(NamedTuple):
    """The distinct rankings: far fewer than rows, so that they stay in the cache."""

    bits: np.ndarray  # (n_kinds, n_words) uint64, 1 where i stands before j
    seen: np.ndarray  # (n_kinds, n_words) uint64, 1 where i and j were both observed
    # (n_kinds, n_lanes) float32: of each label, labels behind it less labels before it; of each pair,
    # 1: i before j, -1: behind, 0: not observed
    lines: np.ndarray
    compared: np.ndarray  # (n_kinds,) float64, how many comparisons were observed


def new_kinds(n: int, k: int) -> Kinds:
    """Room for at most n rankings; memory is not touched before one is written."""
    n_pairs = k * (k - 1) // 2
    n_words = -(-n_pairs // 64)
    n_lanes = -(-(k + n_pairs) // LANES) * LANES
    return Kinds(
        np.zeros((n, n_words), np.uint64),
        np.zeros((n, n_words), np.uint64),
        np.zeros((n, n_lanes), np.float32),
        np.zeros(n),
    )


@jit(allocates=False)
def code_columns(columns, order, codes, by_kind, starts):
    """Write the place of each value among those of its feature, and bring equal values in order.

    `order` (d, n) lists the rows of each feature by rising value, equal ones in any order; after it
    they are in the order of `by_kind`: equal rankings follow each other, and are looked at together.
    `starts` is room for n numbers.
    """
    n = order.shape[1]
    for j in range(order.shape[0]):
        code = -1
        before = 0.0
        for p in range(n):
            r = np.uint32(order[j, p])
            value = columns[j, r]
            if code < 0 or value != before:
                code += 1
                starts[code] = p
                before = value
            codes[j, r] = code
        for i in range(n):
            r = np.uint32(by_kind[i])
            code = np.uint32(codes[j, r])
            order[j, np.uint32(starts[code])] = r
            starts[code] += 1


@jit(allocates=False, forceinline=True)
def write_comparisons(ranks, places, bits, seen, line):
    """Write what one ranking says of labels and pairs; return how many labels were observed."""
    k = ranks.shape[0]
    m = 0
    for i in range(bits.shape[0]):
        bits[i] = seen[i] = np.uint64(0)
    for j in range(k):
        # NaN is not equal to itself
        places[j] = ranks[j] == ranks[j]
        m += places[j]
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            # NaN is neither before nor behind
            before, behind = ranks[i] < ranks[j], ranks[i] > ranks[j]
            places[j] += before
            places[i] += behind
            bits[p >> 6] |= np.uint64(before) << np.uint64(p & 63)
            seen[p >> 6] |= np.uint64(before | behind) << np.uint64(p & 63)
            line[k + p] = np.int64(before) - np.int64(behind)
            p += 1
    for j in range(k):
        line[j] = m + 1 - 2 * places[j] if places[j] > 0 else 0
    return m


@jit(allocates=False, forceinline=True)
def hashed(bits, seen):
    """A number that differs for most rankings."""
    h = np.uint64(0)
    for i in range(bits.shape[0]):
        h = (h ^ bits[i]) * np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(29)) ^ seen[i]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(32)
    return h


@jit(allocates=False, forceinline=True)
def same_kind(kinds, a, b):
    """Whether two rankings compare the same labels in the same way."""
    for i in range(kinds.bits.shape[1]):
        if kinds.bits[a, i] != kinds.bits[b, i] or kinds.seen[a, i] != kinds.seen[b, i]:
            return False
    return True


@jit(allocates=False)
def code_rankings(ranks, places, kind, kinds, slots):
    """Write the observed places of labels, the number of each row's kind, and the kinds; return how many.

    `slots` is a hash table, all -1, whose length is a power of 2 and larger than the number of rows.
    """
    n_kinds = 0
    for r in range(ranks.shape[0]):
        bits, seen = kinds.bits[n_kinds], kinds.seen[n_kinds]
        m = write_comparisons(ranks[r], places[r], bits, seen, kinds.lines[n_kinds])
        slot = hashed(bits, seen) & np.uint64(slots.shape[0] - 1)
        while slots[slot] >= 0 and not same_kind(kinds, slots[slot], n_kinds):
            slot = (slot + np.uint64(1)) & np.uint64(slots.shape[0] - 1)
        if slots[slot] < 0:
            slots[slot] = n_kinds
            kinds.compared[n_kinds] = m * (m - 1) / 2.0
            n_kinds += 1
        kind[r] = slots[slot]
    return n_kinds
