"""Rows of a small node, in one list for each feature, sorted by its codes.

An entry holds the code of a row's value and the row's place in the node, `shift` bits each; a gap has
the highest code, so that gaps come last. A node is the same segment of all lists, and cutting it is a
stable partition of each, so that nothing is sorted again below it:

    entries[j]:  [start ... left child, sorted | right child, sorted ... end)

A feature that has one code in a node cannot cut it, nor any node below: there its list is neither looked at
nor kept. So a column that is 0 in nearly all rows, as that of a word, costs next to nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._jit import jit
from rankwise.engine.kernels.nodes import Rules

# How often features are passed over on the way down to a leaf, and in nodes of how many rows at least.
MOST_LEVELS = 24
LEAST_ROWS = 5


class Varying(NamedTuple):
    """Which features have more than one code, on the way down from a small node.

    The first level has all features, in the order in which they are tried. It is the only one where
    some are drawn for each cut, for one that does not vary may be drawn, and where nodes are taken
    breadth first, for all that wait would need levels of their own.
    """

    features: np.ndarray  # (n_levels, d)
    sizes: np.ndarray  # how many there are at each level
    levels: np.ndarray  # of each node that waits


def new_varying(n_features: int, small: int, rules: Rules) -> Varying:
    """Memory for the features of nodes below one of so many rows."""
    all_compete = rules.n_drawn >= n_features and rules.max_splits < 0
    n_levels = 1 + MOST_LEVELS if all_compete else 1
    return Varying(
        features=np.empty((n_levels, n_features), np.int64),
        sizes=np.full(n_levels, n_features),
        levels=np.empty(2 * small + 2, np.int64),
    )


def entry_bits(size: int, n_codes: np.ndarray) -> int:
    """Bits of half an entry: of a place among so many rows, and of a code."""
    return 16 if max(size, int(n_codes.max()) + 1) <= 1 << 16 else 32


def new_entries(n_features: int, size: int, bits: int) -> np.ndarray:
    """Memory for the lists of so many rows; the last line is a buffer.

    Vector instructions read beyond the end of a list, but use nothing of it.
    """
    return np.zeros((n_features + 1, size + 2 * LANES), np.uint32 if bits == 16 else np.uint64)


@jit(allocates=False, inner=True, forceinline=True)
def differ(codes, rows, feature):
    """Whether two of the rows differ in a feature."""
    first = codes[rows[0], feature]
    for r in rows:
        if codes[np.uint32(r), feature] != first:
            return True
    return False


@jit(allocates=False, inner=True)
def sort_entries(codes, rows, start, end, n_codes, shift, places, entries, varying):
    """Fill the lists of a segment of rows, a counting sort for each feature; return the level of these."""
    here, passes_over = rows[start:end], varying.features.shape[0] > 1
    level, n = np.int64(passes_over), 0
    for j in varying.features[0]:
        width = n_codes[j] + 1
        line = entries[j]
        if passes_over:
            if not differ(codes, here, j):
                continue
            varying.features[level, n] = j
        n += 1
        for c in range(width + 1):
            places[c] = 0
        # an index without a sign is not looked at for being negative
        for r in here:
            places[np.uint64(codes[np.uint32(r), j]) + np.uint64(1)] += 1
        for c in range(width):
            places[c + 1] += places[c]
        for i in range(here.shape[0]):
            code = np.uint64(codes[np.uint32(here[i]), j])
            line[np.uint64(places[code])] = (code << shift) | np.uint64(i)
            places[code] += 1
    varying.sizes[level] = n
    return level


@jit(allocates=False, inner=True, forceinline=True)
def pass_over(entries, start, end, mask, level, varying):
    """The level of the features that vary in a segment of the lists, which is written if it pays."""
    if end - start < LEAST_ROWS or level == 0 or level + 1 == varying.features.shape[0]:
        return level
    below, n = varying.features[level + 1], np.uint64(0)
    for j in varying.features[level, : varying.sizes[level]]:
        # no branch, which nobody could guess
        below[n] = j
        n += np.uint64((np.uint64(entries[j, start]) ^ np.uint64(entries[j, end - 1])) > mask)
    varying.sizes[level + 1] = n
    return level + 1


@jit(allocates=False, inner=True, forceinline=True)
def code_of(entry, shift):
    """The code in an entry."""
    return np.int64(np.uint64(entry) >> shift)


@jit(allocates=False, inner=True, forceinline=True)
def n_present(line, gap_code, shift):
    """How many entries of a sorted list are no gaps."""
    size = line.shape[0]
    while size > 0 and code_of(line[size - 1], shift) == gap_code:
        size -= 1
    return size


@jit(allocates=False, inner=True, forceinline=True)
def mark_sides(line, left_size, present, gaps_left, mask, goes_right):
    """Write for each place whether it goes right: what comes after `left_size`, gaps on their side."""
    for i in range(present):
        goes_right[np.uint64(line[i]) & mask] = i >= left_size
    for i in range(present, line.shape[0]):
        goes_right[np.uint64(line[i]) & mask] = not gaps_left


@jit(allocates=False, inner=True)
def partition_entries(entries, features, start, end, goes_right, mask):
    """Bring what goes left to the front of the segment of the lists of these features."""
    buffer = entries[entries.shape[0] - 1]
    for j in features:
        line = entries[j, start:end]
        n_left = np.uint64(0)
        n_right = np.uint64(0)
        for entry in line:
            right = np.uint64(goes_right[np.uint64(entry) & mask])
            line[n_left] = entry
            buffer[n_right] = entry
            n_left += np.uint64(1) - right
            n_right += right
        after = line[n_left:]
        for i in range(after.shape[0]):
            after[i] = buffer[i]


@jit(allocates=False, inner=True)
def keep_left(entries, features, start, end, goes_right, mask):
    """Move what goes left to the front of the segment of these lists; the rest is lost."""
    for j in features:
        line = entries[j, start:end]
        n_left = np.uint64(0)
        for entry in line:
            line[n_left] = entry
            n_left += np.uint64(1) - np.uint64(goes_right[np.uint64(entry) & mask])


@jit(allocates=False, inner=True)
def keep_right(entries, features, start, end, goes_right, mask):
    """Move what goes right to the end of the segment of these lists; the rest is lost."""
    for j in features:
        line = entries[j, start:end]
        place = np.uint64(line.shape[0] - 1)
        for i in range(line.shape[0] - 1, -1, -1):
            entry = line[np.uint64(i)]
            line[place] = entry
            place -= np.uint64(goes_right[np.uint64(entry) & mask])
