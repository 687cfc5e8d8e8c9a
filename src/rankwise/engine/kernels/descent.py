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

from rankwise._falling import EIGHT, ROW_WORDS, TOP, decide, fall
from rankwise._jit import jit

# Rows that go down together.
TILE = 64 * ROW_WORDS

# Bytes of a column of bits.
COLUMN_BYTES = TILE // 8

# With fewer rows in a tile each of them goes its own way from the root.
FEW_ROWS = 64


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


@jit(allocates=False)
def leaves_boolean(tiles, bits, nodes, shift, tops, roots, usual, places, line, leaves):
    """Write the leaf of every row in every tree, of tiles of words and the same tiles as bytes.

    `usual` is how deep all rows go at first. `places` and `line` are memory for the rows of a tile.
    """
    for t in range(usual.shape[0]):
        for b in range(tiles.shape[0]):
            out = leaves[t, b * TILE : (b + 1) * TILE]
            eights = (out.shape[0] + EIGHT - 1) // EIGHT * EIGHT
            steps = usual[t]
            if out.shape[0] < FEW_ROWS:
                for i in range(eights):
                    line[i] = 0
            else:
                decide(tiles[b], tops.columns[t], places)
                for i in range(eights):
                    line[i] = tops.ends[t, places[i]]
                steps -= TOP
            for first in range(0, eights, EIGHT):
                fall(bits[b], nodes[roots[t] :], shift, first, steps, line)
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
