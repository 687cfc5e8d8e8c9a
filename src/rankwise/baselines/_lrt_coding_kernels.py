"""Features and rankings as a label-ranking tree wants them: places of values, and distinct rankings.

Pairs of labels i < j are numbered as two nested loops meet them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit

# Lines are padded to a multiple of this, so that loops over them are vectors throughout.
LANES = 8


class Kinds(NamedTuple):
    """The distinct rankings: far fewer than rows, so that they stay in the cache."""

    bits: np.ndarray  # (n_kinds, n_words) uint64, 1 where i stands before j
    seen: np.ndarray  # (n_kinds, n_words) uint64, 1 where i and j were both observed
    # (n_kinds, n_lanes) float32: of each label, labels behind it less labels before it; of each pair,
    # 1: i before j, -1: behind, 0: not observed
    lines: np.ndarray
    compared: np.ndarray  # (n_kinds,) float64, how many comparisons were observed


class TrainingData(NamedTuple):
    """Features and rankings as the kernels want them; one for all trees of an ensemble."""

    columns: np.ndarray  # (d, n) float64, the values of each feature
    codes: np.ndarray  # (d, n) int32, the place of a value among those of its feature
    order: np.ndarray  # (d, n) int32, rows by rising value, then by kind
    observed: np.ndarray  # (n, k) int64, as `observed_places` has it
    kind: np.ndarray  # (n,) int32, which of the distinct rankings a row has
    kinds: Kinds

    @property
    def compared(self) -> np.ndarray:
        """How many comparisons were observed in each row."""
        return self.kinds.compared[self.kind]


@jit
def code(columns, by_value, ranks):
    """Code features and rankings; `by_value` (d, n) lists the rows of each feature by rising value.

    Returns all that `TrainingData` holds beside the columns.
    """
    n, k = ranks.shape
    observed, kind = np.empty((n, k), np.int64), np.empty(n, np.int32)
    n_pairs = k * (k - 1) // 2
    n_words = -(-n_pairs // 64)
    n_lanes = -(-(k + n_pairs) // LANES) * LANES
    # memory for n rankings; memory is not touched before one is written
    bits, seen = np.empty((n, n_words), np.uint64), np.empty((n, n_words), np.uint64)
    lines, compared = np.empty((n, n_lanes), np.float32), np.empty(n)
    n_slots = 2
    while n_slots < 2 * n:
        n_slots *= 2
    slots = np.full(n_slots, np.int32(-1))
    n_kinds = code_rankings(ranks, observed, kind, Kinds(bits, seen, lines, compared), slots)
    codes, order = np.empty(by_value.shape, np.int32), np.empty(by_value.shape, np.int32)
    starts, by_kind = np.zeros(n + 1, np.int32), np.empty(n, np.int32)
    sort_by_kind(kind, starts, by_kind)
    code_columns(columns, by_value, codes, by_kind, starts, order)
    kinds = Kinds(bits[:n_kinds], seen[:n_kinds], lines[:n_kinds], compared[:n_kinds])
    return codes, order, observed, kind, kinds


@jit(allocates=False, inner=True)
def sort_by_kind(kind, starts, by_kind):
    """List the rows by rising kind, then by number. `starts` is memory for n + 1 numbers, all 0."""
    for r in range(kind.shape[0]):
        starts[kind[r] + 1] += 1
    for i in range(1, starts.shape[0]):
        starts[i] += starts[i - 1]
    for r in range(kind.shape[0]):
        by_kind[starts[kind[r]]] = r
        starts[kind[r]] += 1


@jit(allocates=False, inner=True)
def code_columns(columns, by_value, codes, by_kind, starts, order):
    """Write the place of each value among those of its feature, and the rows by it.

    `by_value` has equal values in any order; in `order` they are in the order of `by_kind`: equal
    rankings follow each other, and are looked at together. `starts` is memory for n numbers.
    """
    n = order.shape[1]
    for j in range(order.shape[0]):
        code = -1
        before = 0.0
        for p in range(n):
            r = np.uint32(by_value[j, p])
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


@jit(allocates=False, forceinline=True, inner=True)
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
    for i in range(k + p, line.shape[0]):
        line[i] = 0
    return m


@jit(allocates=False, forceinline=True, inner=True)
def hashed(bits, seen):
    """A number that differs for most rankings."""
    h = np.uint64(0)
    for i in range(bits.shape[0]):
        h = (h ^ bits[i]) * np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(29)) ^ seen[i]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(32)
    return h


@jit(allocates=False, forceinline=True, inner=True)
def same_kind(kinds, a, b):
    """Whether two rankings compare the same labels in the same way."""
    for i in range(kinds.bits.shape[1]):
        if kinds.bits[a, i] != kinds.bits[b, i] or kinds.seen[a, i] != kinds.seen[b, i]:
            return False
    return True


@jit(allocates=False, inner=True)
def code_rankings(ranks, places, kind, kinds, slots):
    """Write the observed places of labels, the number of each row's kind, and the kinds; return how many.

    `slots` is a hash table, all -1, whose length is a power of 2 and twice the number of rows at least.
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
