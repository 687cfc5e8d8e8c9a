"""Where a label-ranking tree tries to cut the sorted rows of a node, and the runs of rows between.

No cut is tried between rows of one and the same ranking, unless the size of leaves forbids the next:
with the best centre on either side the weighted theta is convex along such rows, so that a cut at
their ends is at least as good (as Fayyad and Irani showed for classes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit

# What may be said of a row: the next one has another ranking, a cut is tried, another value follows.
ENDS, CUT, BLOCK_ENDS = 1, 2, 4


class Rows(NamedTuple):
    """What is known of each row."""

    kind: np.ndarray  # (n,) int32, which of the distinct rankings
    weights: np.ndarray  # (n,) float64
    counts: np.ndarray  # (n,) int32, how many rows it stands for


class Runs(NamedTuple):
    """Neighbours of equal ranking among the sorted rows of a node, between two cuts."""

    kind: np.ndarray  # (n,) int32
    weight: np.ndarray  # (n,) float64, of all rows up to its end
    cut: np.ndarray  # (n,) int32, the place of the last row where a cut is tried after it, else -1
    row_kind: np.ndarray  # (n,) int32, of each row in turn
    flags: np.ndarray  # (n,) uint8, sums of the flags above


@jit
def new_runs(n_rows):
    """Memory for the runs of so many rows."""
    kind, cut = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    row_kind, flags = np.empty(n_rows, np.int32), np.empty(n_rows, np.uint8)
    return Runs(kind, np.empty(n_rows), cut, row_kind, flags)


@jit(allocates=False, forceinline=True)
def outermost_cuts(codes, line, counts, min_leaf):
    """The first and the last place after which the size of leaves allows a cut; -1 if there is none."""
    n = line.shape[0]
    if codes[np.uint32(line[0])] == codes[np.uint32(line[n - 1])]:
        return -1, -1
    first, count = 0, counts[np.uint32(line[0])]
    while first < n - 1 and (
        count < min_leaf or codes[np.uint32(line[first])] == codes[np.uint32(line[first + 1])]
    ):
        first += 1
        count += counts[np.uint32(line[first])]
    last, count = n - 2, counts[np.uint32(line[n - 1])]
    while last >= first and (
        count < min_leaf or codes[np.uint32(line[last])] == codes[np.uint32(line[last + 1])]
    ):
        count += counts[np.uint32(line[last])]
        last -= 1
    return (first, last) if first <= last else (-1, -1)


@jit(allocates=False, forceinline=True)
def find_runs(codes, line, rows, first, last, every, runs):
    """Write the runs of a node's sorted rows up to the last cut; return how many.

    Between two blocks of equal values, but of one and the same ranking, there is no cut unless `every`
    is true, except for the first and the last that the size of leaves allows. Whether a block is mixed is
    seen from its other end, so that rows are passed in both directions; without branches, which nobody
    could guess.
    """
    r = np.uint32(line[last])
    code, kind, mixed = codes[r], rows.kind[r], 0
    runs.row_kind[last] = kind
    runs.flags[last] = ENDS | CUT
    for p in range(last - 1, -1, -1):
        r = np.uint32(line[p])
        differs, ends = np.int64(rows.kind[r] != kind), np.int64(codes[r] != code)
        code, kind = codes[r], rows.kind[r]
        runs.row_kind[p] = kind
        runs.flags[p] = differs + CUT * (ends & (differs | mixed | every)) + BLOCK_ENDS * ends
        mixed = (mixed | differs) & (1 - ends)
    n, weight, mixed = 0, 0.0, 0
    runs.flags[first] |= CUT
    for p in range(last + 1):
        weight += rows.weights[np.uint32(line[p])]
        flags = np.int64(runs.flags[p])
        ends = flags >> 2
        is_cut = ((flags >> 1) | (ends & mixed)) & np.int64(p >= first) & 1
        mixed = (mixed | flags) & (1 - ends)
        place = np.uint64(n)
        runs.kind[place] = runs.row_kind[p]
        runs.weight[place] = weight
        runs.cut[place] = p if is_cut else -1
        n += (flags | is_cut) & 1
    return n
