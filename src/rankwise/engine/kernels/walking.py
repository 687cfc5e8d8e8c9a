"""Which leaf each row falls into, for features of any kind.

Trees only ask whether a number is above one of their thresholds. So a feature is a column of codes: how
many of its thresholds are below the number. Columns stand in tiles of ROWS rows, behind one of 0, at which
leaves look: it sends every row left, which from a leaf is to itself.

The first levels are decided for all rows of a tile at once. Below them TWELVE rows go down at a time,
each in a register, until all of them are in a leaf.
"""

from __future__ import annotations

import numpy as np

from rankwise._falling import CODE_ROWS, CODES, ENTRY, TWELVE, decide_codes, fall_by_codes
from rankwise._jit import jit
from rankwise.engine.kernels.descent import child_of

# Rows of a tile.
ROWS = CODE_ROWS

# Cells of a column: an odd number of lines of the cache, or columns of a row would share a place there.
HEIGHT = ROWS + 32

U64 = np.uint64


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
            for i in range(HEIGHT):
                line[i] = ends[t, places[i]]
            for first in range(0, out.shape[0], TWELVE):
                fall_by_codes(tiles[b], own, first, usual[t] - ENTRY, line)
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
