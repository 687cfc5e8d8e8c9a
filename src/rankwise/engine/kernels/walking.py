"""Which leaf each row falls into, for features of any kind.

Trees only ask whether a number is above one of their thresholds. So a feature is a column of codes: how
many of its thresholds are below the number. Columns stand in tiles of ROWS rows, behind one of 0, at which
leaves look: it sends every row left, which from a leaf is to itself.

The first levels are decided for all rows of a tile at once. Below them TOGETHER rows go down at a time,
each in a register, until all of them are in a leaf.
"""

from __future__ import annotations

import numpy as np

from rankwise._first_levels import CODE_BITS, CODE_ROWS, CODES, COLUMN_BITS, ENTRY, decide_codes
from rankwise._jit import jit
from rankwise.engine.kernels.descent import child_of

# Rows of a tile.
ROWS = CODE_ROWS

# Cells of a column: an odd number of lines of the cache, or columns of a row would share a place there.
HEIGHT = ROWS + 32

# Steps of rows that go together, of which some have not come to a leaf, before they are looked at again.
STRIDE = 3

# Rows that go down together.
TOGETHER = 12

U64 = np.uint64
COLUMN, CODE, LEFT = U64(COLUMN_BITS), U64(CODE_BITS), U64(COLUMN_BITS + CODE_BITS)
CELL = (U64(1) << COLUMN) - U64(1)


@jit(allocates=False, inner=True)
def count_below(thresholds, numbers, counts):
    """Write how many thresholds, in ascending order, each number is above; none if it is NaN.

    All numbers go step by step, so that vector instructions do it.
    """
    for i in range(counts.shape[0]):
        counts[i] = 0
    n = U64(thresholds.shape[0])
    while n > U64(0):
        half = (n + U64(1)) >> U64(1)
        for i in range(counts.shape[0]):
            place = counts[i]
            counts[i] = place + U64(thresholds[place + half - U64(1)] < numbers[i]) * half
        n -= half


@jit(allocates=False)
def write_cells(X, gaps, features, starts, thresholds, numbers, counts, tiles):
    """Write the codes of rows to tiles (n_tiles, n_columns, HEIGHT), but for the column of 0.

    Each column is of one of `features`. With gaps all are there twice: what is missing goes right in the
    first, left in the second. `numbers` and `counts` are memory for the rows of a tile.
    """
    n_columns = features.shape[0]
    for c in range(n_columns):
        own = thresholds[starts[c] : starts[c + 1]]
        for b in range(tiles.shape[0]):
            rows = X[b * ROWS : (b + 1) * ROWS, features[c]]
            for i in range(rows.shape[0]):
                numbers[i] = rows[i]
            count_below(own, numbers, counts)
            line = tiles[b, 1 + c]
            for i in range(ROWS):
                line[i] = CODES if gaps and np.isnan(numbers[i]) else counts[i]
            if gaps:
                line = tiles[b, 1 + n_columns + c]
                for i in range(ROWS):
                    line[i] = counts[i]


@jit(allocates=False, forceinline=True, inner=True)
def below(nodes, node, cells, row):
    """The child of a node that a row falls into."""
    word = nodes[node]
    return ((word >> COLUMN) + U64(cells[(word & CELL) + row])) >> CODE


@jit(allocates=False, forceinline=True, inner=True)
def way_left(nodes, node):
    """0 in a leaf, which is its own left child."""
    return (nodes[node] >> LEFT) ^ node


@jit(allocates=False, inner=True)
def go_down(cells, nodes, usual, ends, places, n, line):
    """Write the leaves of n rows, from their places below the first levels on.

    TOGETHER rows go at a time, the others while one waits for memory: the usual steps, then till all are
    there.
    """
    for first in range(U64(0), n, U64(TOGETHER)):
        at, own, out = cells[first:], places[first:], line[first:]
        n0, n1, n2 = U64(ends[own[0]]), U64(ends[own[1]]), U64(ends[own[2]])
        n3, n4, n5 = U64(ends[own[3]]), U64(ends[own[4]]), U64(ends[own[5]])
        n6, n7, n8 = U64(ends[own[6]]), U64(ends[own[7]]), U64(ends[own[8]])
        n9, n10, n11 = U64(ends[own[9]]), U64(ends[own[10]]), U64(ends[own[11]])
        steps, left = usual, U64(1)
        while left:
            for _ in range(steps):
                n0 = below(nodes, n0, at, U64(0))
                n1 = below(nodes, n1, at, U64(1))
                n2 = below(nodes, n2, at, U64(2))
                n3 = below(nodes, n3, at, U64(3))
                n4 = below(nodes, n4, at, U64(4))
                n5 = below(nodes, n5, at, U64(5))
                n6 = below(nodes, n6, at, U64(6))
                n7 = below(nodes, n7, at, U64(7))
                n8 = below(nodes, n8, at, U64(8))
                n9 = below(nodes, n9, at, U64(9))
                n10 = below(nodes, n10, at, U64(10))
                n11 = below(nodes, n11, at, U64(11))
            left = way_left(nodes, n0) | way_left(nodes, n1) | way_left(nodes, n2)
            left |= way_left(nodes, n3) | way_left(nodes, n4) | way_left(nodes, n5)
            left |= way_left(nodes, n6) | way_left(nodes, n7) | way_left(nodes, n8)
            left |= way_left(nodes, n9) | way_left(nodes, n10) | way_left(nodes, n11)
            steps = STRIDE
        out[0], out[1], out[2], out[3] = n0, n1, n2, n3
        out[4], out[5], out[6], out[7] = n4, n5, n6, n7
        out[8], out[9], out[10], out[11] = n8, n9, n10, n11


@jit(allocates=False)
def leaves_any(tiles, nodes, tests, ends, usual, roots, places, line, leaves):
    """Write the leaf of every row in every tree, of tiles as `write_cells` leaves them.

    `tests` are the nodes of the first levels of each tree, `ends` those below them, and `usual` is how
    deep all rows go at first. `places` and `line` are memory for the rows of a tile.
    """
    for t in range(roots.shape[0]):
        own = nodes[roots[t] :]
        for b in range(tiles.shape[0]):
            out = leaves[t, b * ROWS : (b + 1) * ROWS]
            decide_codes(tiles[b], tests[t], places)
            n = U64(out.shape[0])
            go_down(tiles[b], own, usual[t] - ENTRY, ends[t], places, n, line)
            for i in range(out.shape[0]):
                out[i] = line[i] + roots[t]


@jit(allocates=False)
def leaves_few(X, feature, threshold, left, missing_left, roots, leaves):
    """The same for few rows, which are not worth a tile: one after the other."""
    for t in range(roots.shape[0]):
        for r in range(X.shape[0]):
            node = roots[t]
            while feature[node] >= 0:
                node = child_of(node, X[r], feature, threshold, left, missing_left)
            leaves[t, r] = node
