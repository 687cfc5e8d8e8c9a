"""Which leaf each row falls into, for Boolean features.

The left child of a leaf is itself, and a leaf looks at a column behind the others that sends every row
left: then all rows can take equally many steps. Eight rows go down at a time, each in a register.

Boolean features stand in tiles of TILE rows, column by column: a bit for each row, 1 where the value is
above the threshold. The first TOP levels of a tree are the same few tests for all rows, so that vector
instructions find the place of many rows at once; below, each row goes its own way. Nodes are counted from
the root of their tree: they fit 32 bits each, and what is read often stays in the nearest cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._first_levels import ROW_WORDS, TOP, decide
from rankwise._jit import jit

# Rows that go down together.
TILE = 64 * ROW_WORDS

# Bytes of a column of bits.
COLUMN_BYTES = TILE // 8

# With fewer rows in a tile each of them goes its own way from the root.
FEW_ROWS = 64

# Steps of eight rows, of which some have not come to a leaf, before they are looked at again.
STRIDE = 2

U64 = np.uint64
ONE = U64(1)


class Tops(NamedTuple):
    """The first levels of trees on Boolean features."""

    columns: np.ndarray  # (n_trees, 2^TOP - 1) uint32, level by level
    ends: np.ndarray  # (n_trees, 2^TOP) uint32, the nodes below


@jit(allocates=False)
def write_bits(cells, tiles):
    """Write cells of 0 or 1 (n_rows, n_features), eight rows to a byte, feature by feature."""
    n, d = cells.shape
    for r in range(0, n // 8 * 8, 8):
        column = tiles[r // TILE, :, r % TILE // 8]
        r0, r1, r2, r3 = cells[r], cells[r + 1], cells[r + 2], cells[r + 3]
        r4, r5, r6, r7 = cells[r + 4], cells[r + 5], cells[r + 6], cells[r + 7]
        for j in range(d):
            low = r0[j] | (r1[j] << 1) | (r2[j] << 2) | (r3[j] << 3)
            column[j] = low | (r4[j] << 4) | (r5[j] << 5) | (r6[j] << 6) | (r7[j] << 7)
    for r in range(n // 8 * 8, n):
        column = tiles[r // TILE, :, r % TILE // 8]
        for j in range(d):
            column[j] |= cells[r, j] << (r % 8)


@jit(allocates=False, forceinline=True, inner=True)
def step_down(nodes, shift, mask, node, bits, row):
    """The child of a node that a row falls into; `bits` are those of eight rows."""
    word = U64(nodes[node])
    return (word >> shift) + ((U64(bits[word & mask]) >> row) & ONE)


@jit(allocates=False, forceinline=True, inner=True)
def way_left(nodes, shift, node):
    """0 in a leaf, which is its own left child."""
    return (U64(nodes[node]) >> shift) ^ node


@jit(allocates=False, inner=True)
def go_down(bits, nodes, shift, usual, line):
    """Take each row of `line` down from its node to its leaf: the usual steps, then till all are there.

    Eight rows go together, each in a register: while one waits for memory the others go on. Unsigned
    numbers throughout: an index that may be negative costs a test.
    """
    s, m = shift, (ONE << shift) - ONE
    for r in range(U64(0), U64(line.shape[0]), U64(8)):
        at, eight = bits[r >> U64(3) :], line[r:]
        n0, n1, n2, n3 = U64(eight[0]), U64(eight[1]), U64(eight[2]), U64(eight[3])
        n4, n5, n6, n7 = U64(eight[4]), U64(eight[5]), U64(eight[6]), U64(eight[7])
        steps, left = usual, ONE
        while left:
            for _ in range(steps):
                n0 = step_down(nodes, s, m, n0, at, U64(0))
                n1 = step_down(nodes, s, m, n1, at, U64(1))
                n2 = step_down(nodes, s, m, n2, at, U64(2))
                n3 = step_down(nodes, s, m, n3, at, U64(3))
                n4 = step_down(nodes, s, m, n4, at, U64(4))
                n5 = step_down(nodes, s, m, n5, at, U64(5))
                n6 = step_down(nodes, s, m, n6, at, U64(6))
                n7 = step_down(nodes, s, m, n7, at, U64(7))
            left = way_left(nodes, s, n0) | way_left(nodes, s, n1) | way_left(nodes, s, n2)
            left |= way_left(nodes, s, n3) | way_left(nodes, s, n4) | way_left(nodes, s, n5)
            left |= way_left(nodes, s, n6) | way_left(nodes, s, n7)
            steps = STRIDE
        eight[0], eight[1], eight[2], eight[3] = n0, n1, n2, n3
        eight[4], eight[5], eight[6], eight[7] = n4, n5, n6, n7


@jit(allocates=False)
def leaves_boolean(tiles, bits, nodes, shift, tops, roots, usual, places, line, leaves):
    """Write the leaf of every row in every tree, of tiles of words and the same tiles as bytes.

    `usual` is how deep all rows go at first. `places` and `line` are memory for the rows of a tile.
    """
    for t in range(usual.shape[0]):
        for b in range(tiles.shape[0]):
            out = leaves[t, b * TILE : (b + 1) * TILE]
            eights = (out.shape[0] + 7) // 8 * 8
            steps = usual[t]
            if out.shape[0] < FEW_ROWS:
                for i in range(eights):
                    line[i] = 0
            else:
                decide(tiles[b], tops.columns[t], places)
                for i in range(eights):
                    line[i] = tops.ends[t, places[i]]
                steps -= TOP
            go_down(bits[b], nodes[roots[t] :], shift, steps, line[:eights])
            for i in range(out.shape[0]):
                out[i] = line[i] + roots[t]


@jit(allocates=False, inner=True, forceinline=True)
def child_of(node, row, feature, threshold, left, missing_left):
    """The child of a node that a row falls into, for features of any kind."""
    x = row[feature[node]]
    if np.isnan(x):
        goes_left = missing_left[node] != 0
    else:
        goes_left = x <= threshold[node]
    return np.int64(left[node]) + (0 if goes_left else 1)


@jit(allocates=False)
def add_at_depths(X, feature, threshold, left, missing_left, means, depths, first, totals):
    """Add the means of the nodes where each row stands when the tree is cut at each depth.

    `depths` ascend; `totals` is (n_depths, n_rows, n_targets), of which those from `first` on are the
    tree's. One walk down serves all depths.
    """
    for r in range(X.shape[0]):
        node, depth = np.int64(0), np.int64(0)
        for d in range(depths.shape[0]):
            while depth < depths[d] and feature[node] >= 0:
                node = child_of(node, X[r], feature, threshold, left, missing_left)
                depth += 1
            for o in range(means.shape[1]):
                totals[d, r, first + o] += means[node, o]
