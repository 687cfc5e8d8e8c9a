"""What is added up of a row that has many targets: lanes of 32-bit integers, LANES to a block.

    | target sums | ... | count, held count, weight |                 targets share the row's weight
    | target sums | their weights | target sums | their weights | ... | count, held count, weight |

The weight is added to the sum of a target, which may be -1, so that none is negative: then two lanes are
a word that can be added. Blocks that gains are made of come in groups: of one block, or of two where
each target has its own weight. A row that was held back to fill the cells of an honest tree has a held
count and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._jit import jit
from rankwise._lanes import add_lanes, add_own_gains, add_squares
from rankwise.engine.kernels.nodes import all_agree

# The last lanes of a row, and where they start in its last block.
COUNT, HELD, WEIGHT = range(3)
N_LAST = 3
LAST = LANES - N_LAST


class Layout(NamedTuple):
    """Where the lanes of a row are."""

    n_blocks: int
    n_groups: int
    group: int  # blocks of a group: 2 where targets have weights of their own


def layout_of(n_outputs: int, own_weights: bool, counts_are_weights: bool) -> Layout:
    """The layout of the lanes of so many targets.

    Where counts are weights and no row is held, the last lanes gain nothing by any cut, so that they may
    stand in a block with targets.
    """
    n_groups = -(-n_outputs // LANES)
    if own_weights:
        return Layout(2 * n_groups + 1, n_groups, 2)
    if counts_are_weights:
        n_blocks = -(-(n_outputs + N_LAST) // LANES)
        return Layout(n_blocks, n_blocks, 1)
    return Layout(n_groups + 1, n_groups, 1)


class NodeSums(NamedTuple):
    """A node, target by target, and room for the sums of some of its rows."""

    n_blocks: int
    n_groups: int
    group: int
    left: np.ndarray  # sums of the lanes of some rows
    last: np.ndarray  # the last lanes of the node
    sums: np.ndarray  # its target sums, as floats
    weights: np.ndarray  # its weight of each target
    shares: np.ndarray  # 1 / weight, 0 where there is none


def new_node_sums(layout: Layout) -> NodeSums:
    """Memory for rows of this layout."""
    left, last = np.zeros(layout.n_blocks * LANES, np.int32), np.zeros(N_LAST, np.int32)
    sums, weights, shares = (np.zeros(layout.n_groups * LANES) for _ in range(3))
    return NodeSums(*layout, left, last, sums, weights, shares)


@jit(allocates=False, inner=True, forceinline=True)
def clear(lanes):
    """Set lanes to 0."""
    for i in range(lanes.shape[0]):
        lanes[i] = 0


@jit(allocates=False, inner=True, forceinline=True)
def lane_of(output, group):
    """The lane that holds the sum of a target; its own weight, if it has one, is LANES behind it."""
    return output // LANES * group * LANES + output % LANES


@jit(allocates=False)
def write_lanes(stats, n_outputs, layout, rows, held, lanes):
    """Write the lanes of the rows that choose the cuts and of those held back.

    The statistics of a row are its count, its weights (or none that differ from the count) and its
    weighted targets.
    """
    first, width = stats.shape[1] - n_outputs, layout.n_blocks * LANES
    for r in rows:
        row = lanes[r * width : (r + 1) * width]
        clear(row)
        for o in range(n_outputs):
            weight = stats[r, 1 + o if layout.group == 2 else first - 1]
            row[lane_of(o, layout.group)] = stats[r, first + o] + weight
            if layout.group == 2:
                row[lane_of(o, layout.group) + LANES] = weight
        row[width - N_LAST + COUNT] = stats[r, 0]
        row[width - N_LAST + WEIGHT] = stats[r, first - 1]
    for r in held:
        row = lanes[r * width : (r + 1) * width]
        clear(row)
        row[width - N_LAST + HELD] = stats[r, 0]


@jit(allocates=False, inner=True, forceinline=True)
def is_empty(lanes, block):
    """Whether a last block adds up no rows."""
    last = block * LANES + LAST
    return lanes[last + COUNT] == 0 and lanes[last + HELD] == 0


@jit(allocates=False, inner=True)
def add_gains(line, mask, lanes, base, first, g, weights, gains, size, at):
    """Add what the targets of group g gain at each of `size` positions of a list.

    Gains are times n and the product of the weights on both sides, where targets share the weight.
    """
    if at.group == 1:
        n = np.float64(at.last[WEIGHT])
        add_squares(lanes, base, first, at.sums, g, n, weights, gains, size)
    else:
        add_own_gains(
            line, mask, lanes, base, first, at.sums, at.weights, at.shares, g, gains, size
        )


@jit(allocates=False, inner=True, forceinline=True)
def gain_of_cut(gain, n, group):
    """The gain of the best cut of a node of weight n, which is known times n where weights are shared."""
    return gain if group == 2 else gain / max(1.0, np.float64(n))


@jit(allocates=False, inner=True, forceinline=True)
def enter_totals(totals, node, n_outputs, at):
    """Lay the totals of a node out as lanes, as floats for each target."""
    n_stats = totals.shape[1] - 1
    first = n_stats - n_outputs
    at.last[COUNT], at.last[HELD] = totals[node, 0], totals[node, n_stats]
    at.last[WEIGHT] = totals[node, first - 1]
    for o in range(n_outputs):
        weight = totals[node, 1 + o if at.group == 2 else first - 1]
        at.sums[o] = totals[node, first + o] + weight
    if at.group == 2:
        for o in range(n_outputs):
            at.weights[o] = totals[node, 1 + o]
            at.shares[o] = 1.0 / totals[node, 1 + o] if totals[node, 1 + o] > 0 else 0.0
    elif at.n_groups == at.n_blocks:
        last = at.n_blocks * LANES - N_LAST
        at.sums[last + COUNT] = at.sums[last + WEIGHT] = totals[node, 0]


@jit(allocates=False, inner=True, forceinline=True)
def write_lane_totals(at, n_outputs, totals, node):
    """Write the sums of lanes in `at.left` as the totals of a node."""
    n_stats = totals.shape[1] - 1
    first, last = n_stats - n_outputs, at.n_blocks * LANES - N_LAST
    totals[node, first - 1] = at.left[last + WEIGHT]
    for o in range(n_outputs):
        lane = lane_of(o, at.group)
        weight = at.left[lane + LANES] if at.group == 2 else at.left[last + WEIGHT]
        if at.group == 2:
            totals[node, 1 + o] = weight
        totals[node, first + o] = at.left[lane] - weight
    totals[node, 0], totals[node, n_stats] = at.left[last + COUNT], at.left[last + HELD]


@jit(allocates=False, inner=True)
def add_rows(lanes, rows, start, end, at):
    """Write the sums of the lanes of a segment of rows into `at.left`."""
    clear(at.left)
    for p in range(start, end):
        add_lanes(at.left, np.int64(0), lanes, np.int64(rows[p]) * at.n_blocks, at.n_blocks)


@jit(allocates=False, inner=True)
def is_pure(totals, node, kind, lanes, n_blocks, rows, start, end, count_column):
    """Whether the rows that choose have nothing left to explain."""
    if kind.shape[0] == 0:
        return all_agree(totals, node, count_column)
    width, first = n_blocks * LANES, -1
    for p in range(start, end):
        r = np.int64(rows[p])
        if lanes[(r + 1) * width - N_LAST + COUNT] == 0:
            continue
        if first < 0:
            first = r
        elif kind[r] != kind[first]:
            return False
    return True


@jit(allocates=False, inner=True, forceinline=True)
def too_few_or_deep(nodes, node, rules, honest):
    """Whether a node stays a leaf, whatever its targets."""
    n_filling = nodes.totals[node, nodes.totals.shape[1] - 1 if honest else 0]
    too_few = nodes.segment[node, 1] - nodes.segment[node, 0] < 2
    return too_few or nodes.depth[node] >= rules.max_depth or n_filling < 2 * rules.min_leaf


@jit(allocates=False, inner=True, forceinline=True)
def left_is_larger(totals, a):
    """Whether the left one of two children, a and a + 1, has more rows."""
    return np.int64(totals[a, 0] >= totals[a + 1, 0])
