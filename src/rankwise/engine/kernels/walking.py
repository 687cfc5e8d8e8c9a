"""Which leaf each row falls into, for features of any kind.

Features stand in tiles of rows, column by column, and a leaf looks at a column behind the others that
sends every row left, to itself. All rows of a tile go as deep as a balanced tree would be, and then those
that have not come to a leaf, closed up, a few steps at a time.
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise._walks import ENTRY, WALKERS, enter, walk
from rankwise.engine.kernels.descent import child_of

# Rows of a tile, at most.
ROWS = 2048

# Cells behind them: columns must not be a power of two apart, or those of a row would share one place in
# the cache.
MARGIN = 16

# Steps of the rows that have not come to a leaf, before they are closed up again.
STRIDE = 4


@jit(allocates=False)
def write_cells(X, gaps, tiles):
    """Write rows to tiles (n_tiles, n_columns, height), but for the column behind the features.

    With gaps each feature is there twice: what is missing goes right first, as NaN, then left.
    """
    d, size = X.shape[1], tiles.shape[2] - MARGIN
    for r in range(X.shape[0]):
        tile, row = tiles[r // size], r % size
        for j in range(d):
            x = X[r, j]
            tile[j, row] = x
            if gaps:
                tile[d + j, row] = -np.inf if np.isnan(x) else x


@jit(allocates=False)
def leaves_any(
    tiles, height, nodes, shift, columns, thresholds, ends, usual, roots, rows, standing, leaves
):  # fmt: skip
    """Write the leaf of every row in every tree, of tiles as `write_cells` leaves them.

    What `nodes`, `columns`, `thresholds` and `ends` are `walk` and `enter` say; `usual` is how deep all
    rows go at first. `rows` and `standing` are memory for the rows of a tile.
    """
    size = height - MARGIN
    for t in range(roots.shape[0]):
        own = nodes[2 * roots[t] :]
        for b in range(tiles.shape[0]):
            out = leaves[t, b * size : (b + 1) * size]
            n = out.shape[0]
            for i in range(size):
                rows[i] = i
            for first in range(0, n, WALKERS):
                enter(tiles[b], first, columns[t], thresholds[t], ends[t], standing)
            steps = usual[t] - ENTRY
            while n > 0:
                kept = 0
                for first in range(0, n, WALKERS):
                    kept = walk(
                        tiles[b], own, shift, steps, roots[t], rows, standing, first, n, kept, out
                    )
                n, steps = kept, STRIDE


@jit(allocates=False)
def leaves_few(X, feature, threshold, left, missing_left, roots, leaves):
    """The same for few rows, which are not worth a tile: one after the other."""
    for t in range(roots.shape[0]):
        for r in range(X.shape[0]):
            node = roots[t]
            while feature[node] >= 0:
                node = child_of(node, X[r], feature, threshold, left, missing_left)
            leaves[t, r] = node
