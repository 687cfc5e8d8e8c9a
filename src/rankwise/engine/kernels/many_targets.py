"""Breiman's algorithm for many targets at once on coded features, with gaps, weights and held rows.

What is added up of a row are lanes of 32-bit integers, LANES to a block, so that vector instructions
add them all:

    | target sums, one for each target | their weights, if each has its own | ... | count, held count, weight |

A row that was held back to fill the cells of an honest tree has a held count and nothing else. Large
nodes have a histogram of lanes over the codes of every feature, small ones sorted lists, as for one
target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.lanes import LANES, add_lanes, own_gain, shared_square
from rankwise.engine.kernels.nodes import Rules, all_agree, draw_feature, link
from rankwise.engine.kernels.one_target import n_waiting, small_node
from rankwise.engine.kernels.partition import partition_codes
from rankwise.engine.kernels.sorted_lists import (
    code_of,
    entry_bits,
    mark_sides,
    n_present,
    new_entries,
    partition_entries,
    sort_entries,
)
from rankwise.engine.kernels.words import SAME, floor_of

# The last lanes of a row.
COUNT, HELD, WEIGHT = range(3)
N_LAST = 3

# Histograms that wait may take so many bytes; beyond it they are summed again.
MOST_KEPT = 1 << 28


class Layout(NamedTuple):
    """Where the lanes of a row are."""

    n_blocks: int
    n_gain_blocks: int  # blocks that gains are made of
    own_weights: bool  # each target has its own weight, behind the target sums


def layout_of(n_outputs: int, own_weights: bool, counts_are_weights: bool) -> Layout:
    """The layout of the lanes of so many targets.

    Where counts are weights and no row is held, the last lanes gain nothing by any cut, so that they may
    stand in a block with targets.
    """
    of_targets = -(-n_outputs // LANES)
    if counts_are_weights:
        n_blocks = -(-(n_outputs + N_LAST) // LANES)
        return Layout(n_blocks, n_blocks, False)
    return Layout((2 if own_weights else 1) * of_targets + 1, of_targets, own_weights)


class TargetSums(NamedTuple):
    """A node and what is left of a position in it, target by target."""

    n_blocks: int
    n_gain_blocks: int
    own_weights: bool
    left: np.ndarray  # the sums left of the position
    total: np.ndarray  # the same of the node; only the last lanes are written
    sums: np.ndarray  # the node's target sums, as floats
    weights: np.ndarray  # its weight of each target
    shares: np.ndarray  # 1 / weight, 0 where there is none


def new_target_sums(layout: Layout) -> TargetSums:
    """Memory for the sums of rows of this layout."""
    left, total = (np.zeros(layout.n_blocks * LANES, np.int32) for _ in range(2))
    sums, weights, shares = (np.zeros(layout.n_gain_blocks * LANES) for _ in range(3))
    return TargetSums(*layout, left, total, sums, weights, shares)


class ManyTargetsBuffers(NamedTuple):
    """Memory to grow in."""

    at: TargetSums  # the node and the position that are looked at
    entries: np.ndarray  # (d + 1, small): the sorted lists of a small node
    shift: np.uint64  # of the code in an entry
    places: np.ndarray  # of the codes, while a list is sorted
    goes_right: np.ndarray  # of each place in a small node
    lanes: np.ndarray  # of its rows
    kind: np.ndarray  # their targets by number, where all are seen
    order: np.ndarray  # its rows, in the order of the lists
    features: np.ndarray
    buffer: np.ndarray
    bins: np.ndarray  # (2, n_bins lanes of rows): histograms of the node and its smaller child
    kept: np.ndarray  # those of the nodes that wait, or none
    has_bins: np.ndarray  # of each node, whether its histogram is kept
    pending: np.ndarray  # nodes that wait
    small_pending: np.ndarray  # the same below a small node


def new_many_targets_buffers(
    n_codes: np.ndarray, n_rows: int, rules: Rules, layout: Layout
) -> ManyTargetsBuffers:
    """Memory for trees on so many rows, held ones among them."""
    small = small_node(n_codes, n_rows, rules)
    d, n_bins = len(n_codes), int(n_codes.sum()) + len(n_codes)
    bits = entry_bits(small, n_codes)
    at = new_target_sums(layout)
    size, waiting = n_bins * len(at.left), n_waiting(n_rows, small)
    if waiting * size * 4 > MOST_KEPT:
        waiting = 0
    return ManyTargetsBuffers(
        at=at,
        entries=new_entries(d, small, bits),
        shift=np.uint64(bits),
        places=np.empty(int(n_codes.max()) + 2, np.int64),
        goes_right=np.empty(small, np.uint8),
        lanes=np.empty(small * len(at.left), np.int32),
        kind=np.empty(small, np.int32),
        order=np.empty(small, np.int32),
        features=np.empty(d, np.int64),
        buffer=np.empty(n_rows, np.int32),
        bins=np.empty((2, size if small < n_rows else 0), np.int32),
        kept=np.empty((waiting, size), np.int32),
        has_bins=np.empty(2 * n_rows + 2, np.bool_),
        pending=np.empty(2 * n_rows + 2, np.int32),
        small_pending=np.empty(2 * small + 2, np.int32),
    )


@jit(allocates=False)
def write_lanes(stats, n_outputs, layout, rows, held, lanes):
    """Write the lanes of the rows that choose the cuts and of those held back.

    The statistics of a row are its count, its weights (or none that differ from the count) and its
    weighted targets.
    """
    first, width = stats.shape[1] - n_outputs, layout.n_blocks * LANES
    last = width - N_LAST
    for r in rows:
        row = lanes[r * width : (r + 1) * width]
        clear(row)
        for o in range(n_outputs):
            row[o] = stats[r, first + o]
        if layout.own_weights:
            for o in range(n_outputs):
                row[layout.n_gain_blocks * LANES + o] = stats[r, 1 + o]
        row[last + COUNT] = stats[r, 0]
        row[last + WEIGHT] = stats[r, first - 1]
    for r in held:
        row = lanes[r * width : (r + 1) * width]
        clear(row)
        row[last + HELD] = stats[r, 0]


@jit(allocates=False, inner=True, forceinline=True)
def clear(lanes):
    """Set lanes to 0."""
    for i in range(lanes.shape[0]):
        lanes[i] = 0


@jit(allocates=False, inner=True, forceinline=True)
def copy(source, target):
    """Copy lanes; an assignment of slices takes seconds to compile."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@jit(allocates=False, inner=True, forceinline=True)
def is_empty(lanes, block, n_blocks):
    """Whether lanes from a block on add up no rows."""
    last = (block + n_blocks) * LANES - N_LAST
    return lanes[last + COUNT] == 0 and lanes[last + HELD] == 0


@jit(allocates=False, inner=True, forceinline=True)
def is_allowed(at, rules, honest):
    """Whether both sides of a position have rows enough."""
    last = at.n_blocks * LANES - N_LAST
    n1, h1 = at.left[last + COUNT], at.left[last + HELD]
    n0, h0 = at.total[last + COUNT] - n1, at.total[last + HELD] - h1
    if not honest:
        return (n1 >= rules.min_leaf) & (n0 >= rules.min_leaf)
    least = 1 if rules.stop_when_pure else 0
    return (n1 >= least) & (n0 >= least) & (h1 >= rules.min_leaf) & (h0 >= rules.min_leaf)


@jit(allocates=False, inner=True, forceinline=True)
def better(at, rules, honest, best):
    """The gain of what is left (times n where weights are shared) if it beats `best`, else `best`."""
    if not is_allowed(at, rules, honest):
        return best
    if at.own_weights:
        gain = own_gain(at.left, 0, at.sums, at.weights, at.shares, at.n_gain_blocks)
        return gain * SAME if gain > best else best
    last = at.n_blocks * LANES - N_LAST + WEIGHT
    n, n1 = np.float64(at.total[last]), np.float64(at.left[last])
    product = n1 * (n - n1)
    if product <= 0.0:
        # an honest tree may cut where all rows that choose are on one side
        return 0.0 if best < 0.0 else best
    square = shared_square(at.left, 0, at.sums, at.n_gain_blocks, n, n1)
    return square / product * SAME if square > best * product else best


@jit(allocates=False, inner=True)
def scan_list(line, size, rules, honest, floor, buffers):
    """The best of the first `size` positions of a sorted list: its gain, its position + 1 (0: none)."""
    mask, at = (np.uint64(1) << buffers.shift) - np.uint64(1), buffers.at
    best = floor
    cut = 0
    entry = np.uint64(line[0])
    for i in range(size):
        after = np.uint64(line[i + 1])
        place = np.int64(entry & mask) * at.n_blocks
        add_lanes(at.left, 0, buffers.lanes, place, at.n_blocks)
        if (entry ^ after) > mask:
            gain = better(at, rules, honest, best)
            if gain > best:
                best, cut = gain, i + 1
        entry = after
    return best, cut


@jit(allocates=False, inner=True)
def best_of_lists(start, end, n_codes, rules, honest, state, buffers):
    """The best feature of a segment of lists (-1: none), how many present rows go left, where gaps go."""
    entries, features, shift = buffers.entries, buffers.features, buffers.shift
    n_blocks = buffers.at.n_blocks
    mask = (np.uint64(1) << shift) - np.uint64(1)
    best, best_feature, best_size, best_side = -1.0, -1, 0, 0
    for i in range(features.shape[0]):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        floor = floor_of(best, best_feature, j)
        line = entries[j, start:end]
        present = n_present(line, n_codes[j], shift)
        if present == 0:
            continue
        clear(buffers.at.left)
        gain, size = scan_list(
            line, min(present, line.shape[0] - 1), rules, honest, floor, buffers
        )
        side = 0
        if present < line.shape[0]:
            clear(buffers.at.left)
            for p in range(present, line.shape[0]):
                place = np.int64(np.uint64(line[p]) & mask) * n_blocks
                add_lanes(buffers.at.left, 0, buffers.lanes, place, n_blocks)
            other, place = scan_list(line, present - 1, rules, honest, gain, buffers)
            if place > 0:
                gain, size, side = other, place, 1
        if size > 0:
            best, best_feature, best_size, best_side = gain, j, size, side
    return best_feature, best_size, best_side, best / SAME


@jit(allocates=False, inner=True)
def scan_bins(bins, first, size, rules, honest, floor, at):
    """The best code of a feature's histogram to cut after: its gain, the code + 1 (0: none)."""
    best = floor
    cut = 0
    for c in range(size):
        block = (first + c) * at.n_blocks
        if is_empty(bins, block, at.n_blocks):
            continue
        add_lanes(at.left, 0, bins, block, at.n_blocks)
        gain = better(at, rules, honest, best)
        if gain > best:
            best, cut = gain, c + 1
    return best, cut


@jit(allocates=False, inner=True)
def best_of_bins(bins, n_codes, offsets, rules, honest, state, features, at):
    """The best feature of a histogram (-1: none), the last code on its left, where gaps go."""
    best, best_feature, best_low, best_side = -1.0, -1, 0, 0
    for i in range(features.shape[0]):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        floor, first, size = floor_of(best, best_feature, j), np.int64(offsets[j]), n_codes[j]
        clear(at.left)
        gain, cut = scan_bins(bins, first, size, rules, honest, floor, at)
        side = 0
        gaps = (first + size) * at.n_blocks
        if not is_empty(bins, gaps, at.n_blocks):
            clear(at.left)
            add_lanes(at.left, 0, bins, gaps, at.n_blocks)
            other, place = scan_bins(bins, first, size, rules, honest, gain, at)
            if place > 0:
                gain, cut, side = other, place, 1
        if cut > 0:
            best, best_feature, best_low, best_side = gain, j, cut - 1, side
    return best_feature, best_low, best_side, best / SAME


@jit(allocates=False, inner=True)
def enter_totals(nodes, node, n_outputs, at):
    """Lay the totals of a node out as lanes, and as floats for each target."""
    totals, last = nodes.totals, at.n_blocks * LANES - N_LAST
    n_stats = totals.shape[1] - 1
    first = n_stats - n_outputs
    at.total[last + COUNT], at.total[last + HELD] = totals[node, 0], totals[node, n_stats]
    at.total[last + WEIGHT] = totals[node, first - 1]
    for o in range(n_outputs):
        at.sums[o] = totals[node, first + o]
    if at.n_gain_blocks == at.n_blocks:
        at.sums[last + COUNT] = at.sums[last + WEIGHT] = totals[node, 0]
    if at.own_weights:
        for o in range(n_outputs):
            at.weights[o] = totals[node, 1 + o]
            at.shares[o] = 1.0 / totals[node, 1 + o] if totals[node, 1 + o] > 0 else 0.0


@jit(allocates=False, inner=True)
def write_totals(at, n_outputs, nodes, node):
    """Write what is left of a position as the totals of a node."""
    totals, last = nodes.totals, at.n_blocks * LANES - N_LAST
    n_stats = totals.shape[1] - 1
    first = n_stats - n_outputs
    totals[node, first - 1] = at.left[last + WEIGHT]
    if at.own_weights:
        for o in range(n_outputs):
            totals[node, 1 + o] = at.left[at.n_gain_blocks * LANES + o]
    for o in range(n_outputs):
        totals[node, first + o] = at.left[o]
    totals[node, 0], totals[node, n_stats] = at.left[last + COUNT], at.left[last + HELD]


@jit(allocates=False, inner=True)
def add_rows(lanes, rows, start, end, at):
    """Write the sums of the lanes of a segment of rows."""
    clear(at.left)
    for p in range(start, end):
        add_lanes(at.left, 0, lanes, np.int64(rows[p]) * at.n_blocks, at.n_blocks)


@jit(allocates=False, inner=True)
def gain_of_cut(gain, at):
    """The gain of the best cut, which is known times n where weights are shared."""
    if at.own_weights:
        return gain
    return gain / max(1.0, np.float64(at.total[at.n_blocks * LANES - N_LAST + WEIGHT]))


@jit(allocates=False, inner=True)
def link_children(nodes, node, feature, gain, n_nodes, start, middle, end):
    """Make the children of a node, whose right one has its totals already."""
    a, b = n_nodes, n_nodes + 1
    link(nodes, node, feature, gain, n_nodes)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end


@jit(allocates=False, inner=True)
def is_pure(nodes, node, kind, lanes, n_blocks, rows, start, end, count_column):
    """Whether the rows that choose have nothing left to explain."""
    if kind.shape[0] == 0:
        return all_agree(nodes.totals, node, count_column)
    first = -1
    for p in range(start, end):
        r = np.int64(rows[p])
        if lanes[(r + 1) * n_blocks * LANES - N_LAST + COUNT] == 0:
            continue
        if first < 0:
            first = r
        elif kind[r] != kind[first]:
            return False
    return True


@jit(allocates=False, inner=True)
def is_final(nodes, node, rules, honest):
    """Whether a node stays a leaf, whatever its targets."""
    n_filling = nodes.totals[node, nodes.totals.shape[1] - 1 if honest else 0]
    too_few = nodes.segment[node, 1] - nodes.segment[node, 0] < 2
    return too_few or nodes.depth[node] >= rules.max_depth or n_filling < 2 * rules.min_leaf


@jit(allocates=False, inner=True)
def grow_lists(base, size, node, n_nodes, n_codes, kind, count_column, rows, rules, honest, state,
               nodes, sides, buffers):  # fmt: skip
    """Grow everything below a node of the rows from `base` on, which the lists hold; return how many nodes.

    Leaves the rows in the order of the leaves.
    """
    entries, pending, goes_right = buffers.entries, buffers.small_pending, buffers.goes_right
    at, lanes = buffers.at, buffers.lanes
    mask = (np.uint64(1) << buffers.shift) - np.uint64(1)
    breadth_first = rules.max_splits >= 0
    until_pure = rules.stop_when_pure or not honest
    n_outputs = count_column.shape[0]
    pending[0] = node
    head, tail = 0, 1
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            node = np.int64(pending[head])
            head += 1
        else:
            tail -= 1
            node = np.int64(pending[tail])
        start, end = nodes.segment[node, 0] - base, nodes.segment[node, 1] - base
        if is_final(nodes, node, rules, honest):
            continue
        if until_pure:
            for p in range(start, end):
                buffers.order[p] = np.uint64(entries[0, p]) & mask
            if is_pure(
                nodes, node, kind, lanes, at.n_blocks, buffers.order, start, end, count_column
            ):
                continue
        enter_totals(nodes, node, n_outputs, at)
        best, left_size, side, gain = best_of_lists(
            start, end, n_codes, rules, honest, state, buffers
        )
        if best < 0:
            continue
        line = entries[best, start:end]
        present = n_present(line, n_codes[best], buffers.shift)
        mark_sides(line, left_size, present, side == 1, mask, goes_right)
        clear(at.left)
        for entry in line:
            place = np.int64(np.uint64(entry) & mask)
            if goes_right[place]:
                add_lanes(at.left, 0, lanes, place * at.n_blocks, at.n_blocks)
        write_totals(at, n_outputs, nodes, n_nodes + 1)
        middle = start + left_size + (line.shape[0] - present if side == 1 else 0)
        link_children(
            nodes, node, best, gain_of_cut(gain, at), n_nodes, base + start, base + middle, base + end
        )  # fmt: skip
        sides[node, 0] = code_of(line[left_size - 1], buffers.shift)
        sides[node, 1] = code_of(line[left_size], buffers.shift)
        larger = nodes.totals[n_nodes, 0] >= nodes.totals[n_nodes + 1, 0]
        sides[node, 2] = np.int64(larger) if present == line.shape[0] else side
        partition_entries(entries, start, end, goes_right, mask)
        pending[tail] = n_nodes if breadth_first else n_nodes + 1
        pending[tail + 1] = n_nodes + 1 if breadth_first else n_nodes
        tail += 2
        n_nodes += 2
    for p in range(size):
        buffers.order[p] = rows[base + np.int64(np.uint64(entries[0, p]) & mask)]
    for p in range(size):
        rows[base + p] = buffers.order[p]
    return n_nodes


@jit(allocates=False, inner=True)
def enter(codes, n_codes, lanes, kind, rows, start, end, buffers):
    """Lay the rows of a small node out as sorted lists."""
    sort_entries(codes, rows, start, end, n_codes, buffers.shift, buffers.places, buffers.entries)
    width = buffers.at.n_blocks * LANES
    for p in range(start, end):
        r, place = np.int64(rows[p]), p - start
        copy(lanes[r * width :], buffers.lanes[place * width : (place + 1) * width])
        if kind.shape[0] > 0:
            buffers.kind[place] = kind[r]


@jit(allocates=False, inner=True)
def fill(codes, lanes, n_blocks, rows, start, end, offsets, bins):
    """Write the histogram of a segment of rows."""
    clear(bins)
    for r in rows[start:end]:
        row = np.int64(r) * n_blocks
        for j in range(codes.shape[1]):
            place = np.int64(offsets[j]) + np.int64(codes[r, j])
            add_lanes(bins, place * n_blocks, lanes, row, n_blocks)


@jit(allocates=False, inner=True)
def write_sides(bins, n_blocks, offsets, low, side, feature, nodes, node, n_nodes, sides):
    """Write the codes beside a cut and where gaps go."""
    first, gap = np.int64(offsets[feature]), np.int64(offsets[feature + 1]) - 1
    high = first + low + 1
    while high < gap and is_empty(bins, high * n_blocks, n_blocks):
        high += 1
    sides[node, 0], sides[node, 1] = low, high - first
    larger = nodes.totals[n_nodes, 0] >= nodes.totals[n_nodes + 1, 0]
    sides[node, 2] = np.int64(larger) if is_empty(bins, gap * n_blocks, n_blocks) else side


@jit(allocates=False, inner=True)
def keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers):
    """Keep the histograms of two children, the smaller one's last; return how many are kept."""
    bins, kept, small = buffers.bins, buffers.kept, buffers.kind.shape[0]
    buffers.has_bins[smaller] = buffers.has_bins[larger] = False
    if kept.shape[0] == 0 or nodes.segment[larger, 1] - nodes.segment[larger, 0] <= small:
        return n_kept
    start, end = nodes.segment[smaller, 0], nodes.segment[smaller, 1]
    fill(codes, lanes, buffers.at.n_blocks, rows, start, end, offsets, bins[1])
    for i in range(bins.shape[1]):
        kept[n_kept, i] = bins[0, i] - bins[1, i]
    buffers.has_bins[larger] = True
    if end - start <= small:
        return n_kept + 1
    copy(bins[1], kept[n_kept + 1])
    buffers.has_bins[smaller] = True
    return n_kept + 2


@jit(allocates=False)
def grow_many_targets(
    codes, n_codes, offsets, lanes, kind, count_column, rows, honest, rules, state, nodes, sides,
    buffers,
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` as for one target.

    `rows` are those that choose and those held back; they are reordered so that each leaf is a
    segment of them.
    """
    at, small = buffers.at, buffers.kind.shape[0]
    bins, kept, pending = buffers.bins, buffers.kept, buffers.pending
    n_outputs, n_blocks = count_column.shape[0], at.n_blocks
    until_pure = rules.stop_when_pure or not honest
    add_rows(lanes, rows, 0, rows.shape[0], at)
    write_totals(at, n_outputs, nodes, np.int64(0))
    for j in range(buffers.features.shape[0]):
        buffers.features[j] = j
    buffers.has_bins[0] = False
    n_kept = np.int64(0)
    pending[0] = 0
    tail = 1
    n_nodes = np.int64(1)
    while tail > 0:
        tail -= 1
        node = np.int64(pending[tail])
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        has_bins = buffers.has_bins[node]
        if has_bins:
            n_kept -= 1
        if is_final(nodes, node, rules, honest):
            continue
        if end - start <= small:
            enter(codes, n_codes, lanes, kind, rows, start, end, buffers)
            own_kind = buffers.kind[: end - start if kind.shape[0] > 0 else 0]
            n_nodes = grow_lists(
                start, end - start, node, n_nodes, n_codes, own_kind, count_column, rows, rules,
                honest, state, nodes, sides, buffers,
            )  # fmt: skip
            continue
        if until_pure and is_pure(
            nodes, node, kind, lanes, n_blocks, rows, start, end, count_column
        ):
            continue
        if has_bins:
            copy(kept[n_kept], bins[0])
        else:
            fill(codes, lanes, n_blocks, rows, start, end, offsets, bins[0])
        enter_totals(nodes, node, n_outputs, at)
        best, low, side, gain = best_of_bins(
            bins[0], n_codes, offsets, rules, honest, state, buffers.features, at
        )
        if best < 0:
            continue
        gap_code = n_codes[best] if side == 1 else -1
        middle = partition_codes(codes, best, low, gap_code, rows, start, end, buffers.buffer)
        add_rows(lanes, rows, middle, end, at)
        write_totals(at, n_outputs, nodes, n_nodes + 1)
        link_children(nodes, node, best, gain_of_cut(gain, at), n_nodes, start, middle, end)
        write_sides(bins[0], n_blocks, offsets, low, side, best, nodes, node, n_nodes, sides)
        smaller, larger = n_nodes, n_nodes + 1
        if middle - start > end - middle:
            smaller, larger = larger, smaller
        n_kept = keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers)
        pending[tail] = larger
        pending[tail + 1] = smaller
        tail += 2
        n_nodes += 2
    return n_nodes
