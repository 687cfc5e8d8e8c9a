"""The Level-Splits algorithm: at every level one direction for all cells.

Directions are chosen first, on the rows that choose them; the tree is then built from the directions
and the rows that fill its cells, which are the same rows unless the tree is honest.
"""

from __future__ import annotations

import numpy as np

from rankwise._intrinsics import BLOCK, WORD_BITS
from rankwise._jit import jit
from rankwise.engine._features import MISSING
from rankwise.engine.kernels.boolean_cuts import (
    is_better,
    split_gains,
    sum_packed,
    sum_stats,
)
from rankwise.engine.kernels.nodes import (
    all_agree,
    draw_feature,
    link,
    same_kind,
    sum_rows,
    write_root,
)
from rankwise.engine.kernels.partition import partition

# Gains of a level are running sums of many cells' gains.
SAME_LEVEL = 1.0 + 1e-10


@jit(allocates=False, inner=True)
def gain_of(left, totals, node, count_column):
    """Increase of V_n, times the number of rows, where `left` is cut off from the node's totals."""
    first = left.shape[0] - count_column.shape[0]
    gain = 0.0
    for o in range(count_column.shape[0]):
        c = count_column[o]
        n, n1 = float(totals[node, c]), float(left[c])
        if 0.0 < n1 < n:
            difference = n * left[first + o] - n1 * totals[node, first + o]
            gain += difference * difference / (n * (n1 * (n - n1)))
    return gain


@jit(allocates=False, inner=True)
def sum_cell(stats, rows, start, end, totals, cell):
    """Write the sums of a cell's statistics."""
    for a in range(stats.shape[1]):
        totals[cell, a] = 0
    for p in range(start, end):
        r = rows[p]
        for a in range(stats.shape[1]):
            totals[cell, a] += stats[r, a]


@jit(allocates=False, inner=True)
def undecided(kind, stats, count_column, rows, start, end, totals):
    """Whether a cell has anything left to explain; leaves its sums in totals[0]."""
    if end - start < 2 or (kind.shape[0] > 0 and same_kind(kind, rows, start, end)):
        return False
    sum_cell(stats, rows, start, end, totals, 0)
    return kind.shape[0] > 0 or not all_agree(totals, 0, count_column)


@jit(allocates=False, inner=True)
def split_cells(
    cells, n_cells, next_cells, goes_right, kind, stats, count_column, rows, buffer, totals
):  # fmt: skip
    """Cut every cell, and keep the children that have anything left to explain; return how many."""
    n_next = 0
    for i in range(n_cells):
        start, end = cells[i, 0], cells[i, 1]
        middle = start + partition(rows[start:end], goes_right, buffer)
        for a, b in ((start, middle), (middle, end)):
            if undecided(kind, stats, count_column, rows, a, b, totals):
                next_cells[n_next, 0], next_cells[n_next, 1] = a, b
                n_next += 1
    return n_next


@jit(allocates=False, inner=True)
def level_gains(bits, stats, packed, most_weight, count_column, rows, cells, n_cells, totals, pool, lanes,
                gains, cell_gains, separates):  # fmt: skip
    """Add up the gains of every direction over all open cells, and whether it separates any."""
    n_stats = stats.shape[1]
    for b in range(pool.shape[2]):
        for j in range(BLOCK):
            gains[b, j] = 0.0
            separates[b, j] = 0
    for i in range(n_cells):
        start, end = cells[i, 0], cells[i, 1]
        sum_cell(stats, rows, start, end, totals, 0)
        if packed.shape[0] > 0:
            sum_packed(bits, packed, most_weight, n_stats, rows, start, end, lanes, pool, 0)
        else:
            sum_stats(bits, stats, n_stats, rows, start, end, pool, 0, 0)
        split_gains(pool, 0, totals, 0, count_column, cell_gains)
        n = totals[0, 0]
        for b in range(gains.shape[0]):
            for j in range(BLOCK):
                gains[b, j] += cell_gains[b, j]
                separates[b, j] |= (pool[0, 0, b, j] > 0) & (pool[0, 0, b, j] < n)


@jit(allocates=False, inner=True)
def best_direction(gain_blocks, separates, features, n_drawn, state):
    """The lowest direction of the largest gain among those drawn that separate a cell, or -1."""
    best = -1
    best_bits = np.int64(0)
    for i in range(features.shape[0]):
        if i >= n_drawn and best >= 0:
            break
        feature = draw_feature(features, i, n_drawn, state)
        b, j = feature // BLOCK, feature % BLOCK
        if separates[b, j] and is_better(feature, gain_blocks[b, j], best, best_bits):
            best, best_bits = feature, gain_blocks[b, j]
    return best


@jit
def choose_boolean(
    bits, n_features, stats, packed, most_weight, kind, count_column, rows, max_levels, n_drawn, state
):  # fmt: skip
    """Choose directions among Boolean features until the budget, or nothing to explain, is left.

    Returns the features in the order chosen, and the gain of each. Reorders `rows`.
    """
    n, n_blocks = rows.shape[0], bits.shape[1] * WORD_BITS // BLOCK
    n_stats = stats.shape[1]
    chosen = np.empty(min(max_levels, n_features), np.int64)
    chosen_gain = np.empty(chosen.shape[0], np.float64)
    cells = np.empty((max(1, n), 2), np.int64)
    next_cells = np.empty_like(cells)
    totals = np.zeros((1, n_stats + 1), stats.dtype)
    pool = np.empty((1, n_stats, n_blocks, BLOCK), stats.dtype)
    lanes = np.zeros(BLOCK, np.uint16)
    gains = np.zeros((n_blocks, BLOCK), np.float64)
    cell_gains = np.zeros((n_blocks + 1, BLOCK), np.float64)
    separates = np.zeros((n_blocks, BLOCK), np.uint8)
    gain_blocks = gains.view(np.int64)
    features = np.arange(n_features)
    buffer = np.empty(n, rows.dtype)
    goes_right = np.empty(bits.shape[0], np.uint8)
    cells[0, 0], cells[0, 1] = 0, n
    n_cells = np.int64(undecided(kind, stats, count_column, rows, 0, n, totals))
    level = 0
    while n_cells > 0 and level < chosen.shape[0]:
        level_gains(
            bits, stats, packed, most_weight, count_column, rows, cells, n_cells, totals, pool, lanes,
            gains, cell_gains, separates,
        )  # fmt: skip
        best = best_direction(gain_blocks, separates, features, n_drawn, state)
        if best < 0:
            break
        chosen[level] = best
        chosen_gain[level] = gains[best // BLOCK, best % BLOCK]
        level += 1
        for r in range(goes_right.shape[0]):
            goes_right[r] = (bits[r, best // WORD_BITS] >> np.uint32(best % WORD_BITS)) & 1
        n_cells = split_cells(
            cells, n_cells, next_cells, goes_right, kind, stats, count_column, rows, buffer, totals
        )
        cells, next_cells = next_cells, cells
    return chosen[:level], chosen_gain[:level]


@jit(allocates=False, inner=True)
def scan_level(feature, missing_left, codes, order, stats, count_column, cell_of, n_cells, totals,
               left, cell_gain, best):  # fmt: skip
    """Move a threshold through a feature; the gain of the level is kept by what each row changes.

    `best` holds gain, feature, low code, high code and side of missing values of the best direction.
    """
    n_stats = stats.shape[1]
    for c in range(n_cells):
        for a in range(n_stats):
            left[c, a] = 0
    if missing_left:
        for r in order[feature]:
            if cell_of[r] >= 0 and codes[feature, r] == MISSING:
                for a in range(n_stats):
                    left[cell_of[r], a] += stats[r, a]
    total = 0.0
    n_separated = 0
    for c in range(n_cells):
        cell_gain[c] = gain_of(left[c], totals, c, count_column)
        total += cell_gain[c]
        n_separated += 0 < left[c, 0] < totals[c, 0]
    line = order[feature]
    low, first = -1, 0
    for p in range(line.shape[0]):
        c = cell_of[line[p]]
        if c < 0:
            continue
        high = codes[feature, line[p]]
        if low >= 0 and high != low:
            # equal values move together: gains half-way through them must leave no rounding behind
            for q in range(first, p):
                moved = cell_of[line[q]]
                if moved >= 0:
                    gain = gain_of(left[moved], totals, moved, count_column)
                    total += gain - cell_gain[moved]
                    cell_gain[moved] = gain
            first = p
            lower = feature < best[1]
            if n_separated > 0 and (
                total > best[0] * SAME_LEVEL or (lower and total * SAME_LEVEL >= best[0])
            ):
                best[0], best[1] = total, feature
                best[2], best[3], best[4] = low, high, missing_left
        if high == MISSING:
            break
        low = high
        n_separated -= 0 < left[c, 0] < totals[c, 0]
        for a in range(n_stats):
            left[c, a] += stats[line[p], a]
        n_separated += 0 < left[c, 0] < totals[c, 0]


@jit
def choose_sorted(codes, order, stats, kind, count_column, rows, max_levels, n_drawn, state):
    """Choose directions (feature, threshold) among features of any kind.

    Returns for each level gain, feature, the codes on both sides of the threshold, and 1 where
    missing values go left. Reorders `rows`.
    """
    d, n = codes.shape[0], rows.shape[0]
    n_stats = stats.shape[1]
    levels = np.empty((max_levels, 5), np.float64)
    cells = np.empty((max(1, n), 2), np.int64)
    next_cells = np.empty_like(cells)
    scratch = np.zeros((1, n_stats + 1), stats.dtype)
    totals = np.zeros((max(1, n), n_stats + 1), stats.dtype)
    left = np.zeros((max(1, n), n_stats), stats.dtype)
    cell_gain = np.zeros(max(1, n), np.float64)
    cell_of = np.full(codes.shape[1], -1, np.int64)
    features = np.arange(d)
    goes_right = np.zeros(codes.shape[1], np.uint8)
    buffer = np.empty(n, rows.dtype)
    cells[0, 0], cells[0, 1] = 0, n
    n_cells = np.int64(undecided(kind, stats, count_column, rows, 0, n, scratch))
    level = 0
    while n_cells > 0 and level < max_levels:
        for r in rows:
            cell_of[r] = -1
        for c in range(n_cells):
            sum_cell(stats, rows, cells[c, 0], cells[c, 1], totals, c)
            for p in range(cells[c, 0], cells[c, 1]):
                cell_of[rows[p]] = c
        best = levels[level]
        best[0], best[1] = -1.0, -1.0
        for i in range(d):
            if i >= n_drawn and best[1] >= 0:
                break
            j = draw_feature(features, i, n_drawn, state)
            sides = 2 if codes[j, order[j, order.shape[1] - 1]] == MISSING else 1
            for missing_left in range(sides):
                scan_level(
                    j, missing_left, codes, order, stats, count_column, cell_of, n_cells, totals,
                    left, cell_gain, best,
                )  # fmt: skip
        if best[1] < 0:
            break
        level += 1
        feature, low = np.int64(best[1]), np.int64(best[2])
        for r in rows:
            code = codes[feature, r]
            goes_right[r] = best[4] == 0.0 if code == MISSING else code > low
        n_cells = split_cells(
            cells, n_cells, next_cells, goes_right, kind, stats, count_column, rows, buffer, scratch
        )
        cells, next_cells = next_cells, cells
    return levels[:level]


@jit
def build(goes_right, stats, rows, min_leaf, nodes):
    """Build the tree of given directions and return how many nodes it has.

    ``goes_right[level, r]`` is the side of row r. A cell is cut only where both sides keep
    `min_leaf` rows, and is tried again at later levels. The feature of a node is the level that cuts
    it. Reorders `rows`.
    """
    n = rows.shape[0]
    write_root(nodes, n, np.int64(0))
    sum_rows(stats, stats.shape[1], rows, nodes.totals, 0)
    cells = np.empty(max(1, n), np.int32)
    next_cells = np.empty_like(cells)
    buffer = np.empty(n, rows.dtype)
    cells[0] = 0
    n_cells = 1
    n_nodes = np.int64(1)
    for level in range(goes_right.shape[0]):
        n_next = 0
        for i in range(n_cells):
            node = cells[i]
            start, end = nodes.segment[node, 0], nodes.segment[node, 1]
            middle = start + partition(rows[start:end], goes_right[level], buffer)
            sum_cell(stats, rows, middle, end, nodes.totals, n_nodes + 1)
            n_right = nodes.totals[n_nodes + 1, 0]
            if n_right < min_leaf or nodes.totals[node, 0] - n_right < min_leaf:
                next_cells[n_next] = node
                n_next += 1
                continue
            nodes.totals[n_nodes + 1, stats.shape[1]] = 0
            link(nodes, node, level, 0.0, n_nodes)
            nodes.segment[n_nodes, 0], nodes.segment[n_nodes, 1] = start, middle
            nodes.segment[n_nodes + 1, 0], nodes.segment[n_nodes + 1, 1] = middle, end
            for child in range(n_nodes, n_nodes + 2):
                next_cells[n_next] = child
                n_next += 1
            n_nodes += 2
        cells, next_cells = next_cells, cells
        n_cells = n_next
    return n_nodes
