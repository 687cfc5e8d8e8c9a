"""Which leaf each row falls into.

Rows of Boolean features go down in tiles of TILE rows, feature by feature: ``tile[j, i]`` is feature
j of the tile's row i as 0 or 1. The first TOP levels of a tree are the same few features for all
rows, so that vector instructions find the place of many rows at once; below, each row goes its own way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit

# Rows that go down together: their features stay in the cache.
TILE = 256

# Levels that are read off for all rows at once, in two times three.
TOP = 6

LEFT_SHIFT = np.uint64(32)
CELL_MASK = np.uint64(0xFFFFFFFF)


class Packed(NamedTuple):
    """The nodes of trees on Boolean features, as prediction reads them."""

    nodes: np.ndarray  # left child << 32 | first cell of the feature in a tile; see `step_down`
    features: (
        np.ndarray
    )  # (n_trees, 9, 7): of the first three levels, then below each of their ends
    ends: np.ndarray  # (n_trees, 64): the nodes below the first TOP levels


@jit(allocates=False, inner=True)
def find_places(tile, features, high, low):
    """Write where each row stands after three levels, 0 to 7, and after three more below that.

    A child is chosen by bits: right ^ left is what changes if the bit above it is 1.
    """
    for part in range(features.shape[0]):
        f = features[part]
        c0, c1, c2, c3 = tile[f[0]], tile[f[1]], tile[f[2]], tile[f[3]]
        c4, c5, c6 = tile[f[4]], tile[f[5]], tile[f[6]]
        if part == 0:
            for i in range(high.shape[0]):
                a = c0[i]
                b = c1[i] ^ (a & (c1[i] ^ c2[i]))
                x = c3[i] ^ (b & (c3[i] ^ c4[i]))
                y = c5[i] ^ (b & (c5[i] ^ c6[i]))
                high[i] = (a << 2) | (b << 1) | (x ^ (a & (x ^ y)))
        else:
            above = np.uint8(part - 1)
            for i in range(high.shape[0]):
                a = c0[i]
                b = c1[i] ^ (a & (c1[i] ^ c2[i]))
                x = c3[i] ^ (b & (c3[i] ^ c4[i]))
                y = c5[i] ^ (b & (c5[i] ^ c6[i]))
                place = np.uint8((a << 2) | (b << 1) | (x ^ (a & (x ^ y))))
                # read before the choice, so that there is no branch
                other = low[i]
                low[i] = place if high[i] == above else other


@jit(allocates=False, forceinline=True, inner=True)
def step_down(nodes, node, cells, row):
    """The child of a node that a row falls into; a leaf has a feature of 0 in every row, and itself."""
    word = nodes[node]
    return (word >> LEFT_SHIFT) + np.uint64(cells[(word & CELL_MASK) + np.uint64(row)])


@jit(allocates=False, inner=True)
def go_down(cells, nodes, steps, line):
    """Take each row of `line` so many steps down from its node.

    Eight rows go together, each in a register: while one waits for memory the others go on. Unsigned
    numbers throughout: an index that may be negative costs a test.
    """
    for r in range(np.uint64(0), np.uint64(line.shape[0]), np.uint64(8)):
        at, eight = cells[r:], line[r:]
        n0, n1, n2, n3 = eight[0], eight[1], eight[2], eight[3]
        n4, n5, n6, n7 = eight[4], eight[5], eight[6], eight[7]
        for _ in range(steps):
            n0, n1 = step_down(nodes, n0, at, 0), step_down(nodes, n1, at, 1)
            n2, n3 = step_down(nodes, n2, at, 2), step_down(nodes, n3, at, 3)
            n4, n5 = step_down(nodes, n4, at, 4), step_down(nodes, n5, at, 5)
            n6, n7 = step_down(nodes, n6, at, 6), step_down(nodes, n7, at, 7)
        eight[0], eight[1], eight[2], eight[3] = n0, n1, n2, n3
        eight[4], eight[5], eight[6], eight[7] = n4, n5, n6, n7


@jit(allocates=False)
def leaves_boolean(tiles, packed, depths, high, low, line, leaves):
    """Write the leaf of every row in every tree.

    The last feature of a tile is 0 in every row. `high`, `low` and `line` are memory for a tile.
    """
    size = tiles.shape[2]
    for t in range(depths.shape[0]):
        ends = packed.ends[t]
        for b in range(tiles.shape[0]):
            out = leaves[t, b * size : (b + 1) * size]
            eights = (out.shape[0] + 7) // 8 * 8
            find_places(tiles[b], packed.features[t], high[:eights], low)
            for i in range(eights):
                place = (np.uint64(high[i]) << np.uint64(3)) | np.uint64(low[i])
                line[i] = ends[place]
            if depths[t] > TOP:
                go_down(tiles[b].reshape(-1), packed.nodes, depths[t] - TOP, line[:eights])
            for i in range(out.shape[0]):
                out[i] = line[i]


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
def leaves_any(X, feature, threshold, left, missing_left, roots, leaves):
    """Write the leaf of every row in every tree, for features of any kind."""
    for t in range(roots.shape[0]):
        for r in range(X.shape[0]):
            node = roots[t]
            while feature[node] >= 0:
                node = child_of(node, X[r], feature, threshold, left, missing_left)
            leaves[t, r] = node


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
