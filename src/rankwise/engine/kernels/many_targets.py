"""Breiman's algorithm for many targets at once on coded features, with gaps, weights and held rows.

What is added up of a row are lanes of 32-bit integers, LANES to a block, so that vector instructions
add them all:

    | target sums, one for each target | their weights, if each has its own | count, held count, weight |

A row that was held back to fill the cells of an honest tree has a held count and nothing else. Large
nodes have a histogram of lanes over the codes of every feature, small ones sorted lists, as for one
target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.lanes import (
    LANES,
    add_lanes,
    clear_lanes,
    set_lanes,
    subtract_lanes,
)
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

# Lanes of the last block.
COUNT, HELD, WEIGHT = range(3)

# Histograms that wait may take so many bytes; beyond it they are summed again.
MOST_KEPT = 1 << 28

# Sums of floats may be made in any order.
FAST = {"reassoc", "contract", "nsz"}


class TargetSums(NamedTuple):
    """A node and what is left of a position in it, target by target."""

    left: np.ndarray  # (n_blocks, LANES): the sums left of the position
    total: np.ndarray  # the same of the node; only the last block is written
    weights: np.ndarray  # (n_target_blocks, LANES): the node's weight of each target, as floats
    sums: np.ndarray  # its target sums
    shares: np.ndarray  # 1 / weight, 0 where there is none


def n_target_blocks(n_outputs: int) -> int:
    """Blocks of lanes that hold one number for each target."""
    return -(-n_outputs // LANES)


def new_target_sums(n_outputs: int, n_blocks: int) -> TargetSums:
    """Memory for the sums of so many targets."""
    of_targets = (n_target_blocks(n_outputs), LANES)
    return TargetSums(
        left=np.zeros((n_blocks, LANES), np.int32),
        total=np.zeros((n_blocks, LANES), np.int32),
        weights=np.zeros(of_targets),
        sums=np.zeros(of_targets),
        shares=np.zeros(of_targets),
    )


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
    bins: np.ndarray  # (2, n_bins, n_blocks, LANES): histograms of the node and its smaller child
    kept: np.ndarray  # those of the nodes that wait, or none
    has_bins: np.ndarray  # of each node, whether its histogram is kept
    pending: np.ndarray  # nodes that wait
    small_pending: np.ndarray  # the same below a small node


def new_many_targets_buffers(
    n_codes: np.ndarray, n_rows: int, rules: Rules, n_outputs: int, n_blocks: int
) -> ManyTargetsBuffers:
    """Memory for trees on so many rows, held ones among them."""
    small = small_node(n_codes, n_rows, rules)
    d, n_bins = len(n_codes), int(n_codes.sum()) + len(n_codes)
    bits = entry_bits(small, n_codes)
    waiting = n_waiting(n_rows, small)
    if waiting * n_bins * n_blocks * LANES * 4 > MOST_KEPT:
        waiting = 0
    return ManyTargetsBuffers(
        at=new_target_sums(n_outputs, n_blocks),
        entries=new_entries(d, small, bits),
        shift=np.uint64(bits),
        places=np.empty(int(n_codes.max()) + 2, np.int64),
        goes_right=np.empty(small, np.uint8),
        lanes=np.empty((small, n_blocks, LANES), np.int32),
        kind=np.empty(small, np.int32),
        order=np.empty(small, np.int32),
        features=np.empty(d, np.int64),
        buffer=np.empty(n_rows, np.int32),
        bins=np.empty((2, n_bins if small < n_rows else 0, n_blocks, LANES), np.int32),
        kept=np.empty((waiting, n_bins, n_blocks, LANES), np.int32),
        has_bins=np.empty(2 * n_rows + 2, np.bool_),
        pending=np.empty(2 * n_rows + 2, np.int32),
        small_pending=np.empty(2 * small + 2, np.int32),
    )


@jit(allocates=False)
def write_lanes(stats, n_outputs, rows, held, lanes):
    """Write the lanes of the rows that choose the cuts and of those held back.

    The statistics of a row are its count, its weights (or none that differ from the count) and its
    weighted targets.
    """
    n_stats, last = stats.shape[1], lanes.shape[1] - 1
    first = n_stats - n_outputs
    own = first - 1 == n_outputs and n_outputs > 1
    for r in rows:
        row = lanes[r]
        for b in range(lanes.shape[1]):
            for i in range(LANES):
                row[b, i] = 0
        for o in range(n_outputs):
            row[o // LANES, o % LANES] = stats[r, first + o]
        if own:
            half = last // 2
            for o in range(n_outputs):
                row[half + o // LANES, o % LANES] = stats[r, 1 + o]
        row[last, COUNT] = stats[r, 0]
        row[last, WEIGHT] = stats[r, first - 1]
    for r in held:
        for b in range(lanes.shape[1]):
            for i in range(LANES):
                lanes[r, b, i] = 0
        lanes[r, last, HELD] = stats[r, 0]


@jit(allocates=False, inner=True, fastmath=FAST)
def shared_gain(at):
    """Numerator and denominator of the gain times n of what is left, where targets share one weight."""
    left, sums, last = at.left, at.sums, at.left.shape[0] - 1
    n, n1 = np.float64(at.total[last, WEIGHT]), np.float64(left[last, WEIGHT])
    square = 0.0
    for b in range(sums.shape[0]):
        for i in range(LANES):
            difference = n * np.float64(left[b, i]) - n1 * sums[b, i]
            square += difference * difference
    return square, n1 * (n - n1)


@jit(allocates=False, inner=True, fastmath=FAST)
def own_gain(at):
    """The gain of what is left, where each target has its own weight."""
    left, sums, weights, shares = at.left, at.sums, at.weights, at.shares
    half = sums.shape[0]
    gain = 0.0
    for b in range(half):
        for i in range(LANES):
            n, n1 = weights[b, i], np.float64(left[half + b, i])
            difference = n * np.float64(left[b, i]) - n1 * sums[b, i]
            gain += shares[b, i] * (difference * difference / (n1 * (n - n1) + 1e-300))
    return gain


@jit(allocates=False, inner=True, forceinline=True)
def is_allowed(at, rules, honest):
    """Whether both sides of a position have rows enough."""
    last = at.left.shape[0] - 1
    n1, h1 = at.left[last, COUNT], at.left[last, HELD]
    n0, h0 = at.total[last, COUNT] - n1, at.total[last, HELD] - h1
    if not honest:
        return (n1 >= rules.min_leaf) & (n0 >= rules.min_leaf)
    least = 1 if rules.stop_when_pure else 0
    return (
        (n1 >= least) & (n0 >= least) & (h1 >= rules.min_leaf) & (h0 >= rules.min_leaf)
    )


@jit(allocates=False, inner=True, forceinline=True)
def better(at, rules, honest, best):
    """The gain of what is left (times n where weights are shared) if it beats `best`, else `best`."""
    if not is_allowed(at, rules, honest):
        return best
    if at.left.shape[0] == at.sums.shape[0] + 1:
        square, product = shared_gain(at)
        if product <= 0.0:
            # an honest tree may cut where all rows that choose are on one side
            return 0.0 if best < 0.0 else best
        return square / product * SAME if square > best * product else best
    gain = own_gain(at)
    return gain * SAME if gain > best else best


@jit(allocates=False, inner=True)
def scan_list(line, size, rules, honest, floor, buffers):
    """The best of the first `size` positions of a sorted list: its gain, its position + 1 (0: none)."""
    mask = (np.uint64(1) << buffers.shift) - np.uint64(1)
    best = floor
    cut = 0
    entry = np.uint64(line[0])
    for i in range(size):
        after = np.uint64(line[i + 1])
        add_lanes(buffers.at.left, buffers.lanes[entry & mask])
        if (entry ^ after) > mask:
            gain = better(buffers.at, rules, honest, best)
            if gain > best:
                best, cut = gain, i + 1
        entry = after
    return best, cut


@jit(allocates=False, inner=True)
def best_of_lists(start, end, n_codes, rules, honest, state, buffers):
    """The best feature of a segment of lists (-1: none), how many present rows go left, where gaps go."""
    entries, features, shift = buffers.entries, buffers.features, buffers.shift
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
        clear_lanes(buffers.at.left)
        gain, size = scan_list(
            line, min(present, line.shape[0] - 1), rules, honest, floor, buffers
        )
        side = 0
        if present < line.shape[0]:
            clear_lanes(buffers.at.left)
            for p in range(present, line.shape[0]):
                add_lanes(buffers.at.left, buffers.lanes[np.uint64(line[p]) & mask])
            other, place = scan_list(line, present - 1, rules, honest, gain, buffers)
            if place > 0:
                gain, size, side = other, place, 1
        if size > 0:
            best, best_feature, best_size, best_side = gain, j, size, side
    return best_feature, best_size, best_side, best / SAME


@jit(allocates=False, inner=True)
def scan_bins(bins, first, size, rules, honest, floor, buffers):
    """The best code of a feature's histogram to cut after: its gain, the code + 1 (0: none)."""
    last = bins.shape[1] - 1
    best = floor
    cut = 0
    for c in range(size):
        here = bins[first + np.uint64(c)]
        if here[last, COUNT] == 0 and here[last, HELD] == 0:
            continue
        add_lanes(buffers.at.left, here)
        gain = better(buffers.at, rules, honest, best)
        if gain > best:
            best, cut = gain, c + 1
    return best, cut


@jit(allocates=False, inner=True)
def best_of_bins(bins, n_codes, offsets, rules, honest, state, buffers):
    """The best feature of a histogram (-1: none), the last code on its left, where gaps go."""
    features, last = buffers.features, bins.shape[1] - 1
    best, best_feature, best_low, best_side = -1.0, -1, 0, 0
    for i in range(features.shape[0]):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        floor = floor_of(best, best_feature, j)
        clear_lanes(buffers.at.left)
        gain, cut = scan_bins(bins, offsets[j], n_codes[j], rules, honest, floor, buffers)
        side = 0
        gaps = bins[offsets[j + 1] - np.uint64(1)]
        if gaps[last, COUNT] != 0 or gaps[last, HELD] != 0:
            set_lanes(buffers.at.left, gaps)
            other, place = scan_bins(bins, offsets[j], n_codes[j], rules, honest, gain, buffers)
            if place > 0:
                gain, cut, side = other, place, 1
        if cut > 0:
            best, best_feature, best_low, best_side = gain, j, cut - 1, side
    return best_feature, best_low, best_side, best / SAME


@jit(allocates=False, inner=True)
def enter_totals(nodes, node, n_outputs, at):
    """Lay the totals of a node out as lanes, and as floats for each target."""
    totals, total, last = nodes.totals, at.total, at.total.shape[0] - 1
    n_stats = totals.shape[1] - 1
    first, half = n_stats - n_outputs, at.sums.shape[0]
    total[last, COUNT], total[last, HELD] = totals[node, 0], totals[node, n_stats]
    total[last, WEIGHT] = totals[node, first - 1]
    own = at.total.shape[0] > half + 1
    for b in range(half):
        for i in range(LANES):
            at.sums[b, i] = at.weights[b, i] = at.shares[b, i] = 0.0
    for o in range(n_outputs):
        b, i = o // LANES, o % LANES
        at.sums[b, i] = totals[node, first + o]
        if own:
            at.weights[b, i] = totals[node, 1 + o]
            if totals[node, 1 + o] > 0:
                at.shares[b, i] = 1.0 / totals[node, 1 + o]


@jit(allocates=False, inner=True)
def write_totals(sums, n_outputs, half, nodes, node):
    """Write sums of lanes as the totals of a node."""
    totals, last = nodes.totals, sums.shape[0] - 1
    n_stats = totals.shape[1] - 1
    first = n_stats - n_outputs
    if sums.shape[0] > half + 1:
        for o in range(n_outputs):
            totals[node, 1 + o] = sums[half + o // LANES, o % LANES]
    else:
        totals[node, first - 1] = sums[last, WEIGHT]
    for o in range(n_outputs):
        totals[node, first + o] = sums[o // LANES, o % LANES]
    totals[node, 0], totals[node, n_stats] = sums[last, COUNT], sums[last, HELD]


@jit(allocates=False, inner=True)
def add_rows(lanes, rows, start, end, sums):
    """Write the sums of the lanes of a segment of rows."""
    clear_lanes(sums)
    for p in range(start, end):
        add_lanes(sums, lanes[rows[p]])


@jit(allocates=False, inner=True)
def link_children(nodes, node, feature, gain, n_nodes, start, middle, end):
    """Make the children of a node, whose right one has its totals already."""
    a, b = n_nodes, n_nodes + 1
    link(nodes, node, feature, gain, n_nodes)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end


@jit(allocates=False, inner=True)
def is_pure(nodes, node, kind, chooses, rows, start, end, count_column):
    """Whether the rows that choose have nothing left to explain."""
    if kind.shape[0] == 0:
        return all_agree(nodes.totals, node, count_column)
    last = chooses.shape[1] - 1
    first = -1
    for p in range(start, end):
        r = rows[p]
        if chooses[r, last, COUNT] == 0:
            continue
        if first < 0:
            first = np.int64(r)
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
    mask = (np.uint64(1) << buffers.shift) - np.uint64(1)
    breadth_first = rules.max_splits >= 0
    until_pure = rules.stop_when_pure or not honest
    n_outputs, half = count_column.shape[0], buffers.at.sums.shape[0]
    own = buffers.at.left.shape[0] > half + 1
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
                nodes, node, kind, buffers.lanes, buffers.order, start, end, count_column
            ):
                continue
        enter_totals(nodes, node, n_outputs, buffers.at)
        best, left_size, side, gain = best_of_lists(
            start, end, n_codes, rules, honest, state, buffers
        )
        if best < 0:
            continue
        line = entries[best, start:end]
        present = n_present(line, n_codes[best], buffers.shift)
        mark_sides(line, left_size, present, side == 1, mask, goes_right)
        clear_lanes(buffers.at.left)
        for entry in line:
            if goes_right[np.uint64(entry) & mask]:
                add_lanes(buffers.at.left, buffers.lanes[np.uint64(entry) & mask])
        write_totals(buffers.at.left, n_outputs, half, nodes, n_nodes + 1)
        middle = start + left_size + (line.shape[0] - present if side == 1 else 0)
        gain = gain if own else gain / max(1.0, np.float64(buffers.at.total[half, WEIGHT]))
        link_children(
            nodes, node, best, gain, n_nodes, base + start, base + middle, base + end
        )
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
    sort_entries(
        codes, rows, start, end, n_codes, buffers.shift, buffers.places, buffers.entries
    )
    for p in range(start, end):
        set_lanes(buffers.lanes[p - start], lanes[rows[p]])
        if kind.shape[0] > 0:
            buffers.kind[p - start] = kind[rows[p]]


@jit(allocates=False, inner=True)
def fill(codes, lanes, rows, start, end, offsets, bins):
    """Write the histogram of a segment of rows."""
    for c in range(bins.shape[0]):
        clear_lanes(bins[c])
    for r in rows[start:end]:
        row = lanes[r]
        for j in range(codes.shape[1]):
            add_lanes(bins[offsets[j] + np.uint64(codes[r, j])], row)


@jit(allocates=False, inner=True)
def cut_bins(bins, offsets, low, side, feature, nodes, node, n_nodes, sides):
    """Write the codes beside a cut and where gaps go."""
    last = bins.shape[1] - 1
    end = offsets[feature + 1] - np.uint64(1)
    high = offsets[feature] + np.uint64(low + 1)
    while high < end and bins[high, last, COUNT] == 0 and bins[high, last, HELD] == 0:
        high += np.uint64(1)
    sides[node, 0], sides[node, 1] = low, np.int64(high - offsets[feature])
    larger = nodes.totals[n_nodes, 0] >= nodes.totals[n_nodes + 1, 0]
    no_gaps = bins[end, last, COUNT] == 0 and bins[end, last, HELD] == 0
    sides[node, 2] = np.int64(larger) if no_gaps else side


@jit(allocates=False, inner=True)
def keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers):
    """Keep the histograms of two children, the smaller one's last; return how many are kept."""
    bins, kept, small = buffers.bins, buffers.kept, buffers.lanes.shape[0]
    buffers.has_bins[smaller] = buffers.has_bins[larger] = False
    if kept.shape[0] == 0 or nodes.segment[larger, 1] - nodes.segment[larger, 0] <= small:
        return n_kept
    start, end = nodes.segment[smaller, 0], nodes.segment[smaller, 1]
    fill(codes, lanes, rows, start, end, offsets, bins[1])
    for c in range(bins.shape[1]):
        subtract_lanes(kept[n_kept, c], bins[0, c], bins[1, c])
    buffers.has_bins[larger] = True
    if end - start <= small:
        return n_kept + 1
    for c in range(bins.shape[1]):
        set_lanes(kept[n_kept + 1, c], bins[1, c])
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
    small, half = buffers.lanes.shape[0], buffers.at.sums.shape[0]
    bins, kept, pending = buffers.bins, buffers.kept, buffers.pending
    n_outputs = count_column.shape[0]
    own = buffers.at.left.shape[0] > half + 1
    until_pure = rules.stop_when_pure or not honest
    add_rows(lanes, rows, 0, rows.shape[0], buffers.at.left)
    write_totals(buffers.at.left, n_outputs, half, nodes, np.int64(0))
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
            nodes, node, kind, lanes, rows, start, end, count_column
        ):
            continue
        if has_bins:
            for c in range(bins.shape[1]):
                set_lanes(bins[0, c], kept[n_kept, c])
        else:
            fill(codes, lanes, rows, start, end, offsets, bins[0])
        enter_totals(nodes, node, n_outputs, buffers.at)
        best, low, side, gain = best_of_bins(
            bins[0], n_codes, offsets, rules, honest, state, buffers
        )
        if best < 0:
            continue
        gap_code = n_codes[best] if side == 1 else -1
        middle = partition_codes(codes, best, low, gap_code, rows, start, end, buffers.buffer)
        add_rows(lanes, rows, middle, end, buffers.at.left)
        write_totals(buffers.at.left, n_outputs, half, nodes, n_nodes + 1)
        gain = gain if own else gain / max(1.0, np.float64(buffers.at.total[half, WEIGHT]))
        link_children(nodes, node, best, gain, n_nodes, start, middle, end)
        cut_bins(bins[0], offsets, low, side, best, nodes, node, n_nodes, sides)
        smaller, larger = n_nodes, n_nodes + 1
        if middle - start > end - middle:
            smaller, larger = larger, smaller
        n_kept = keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers)
        pending[tail] = larger
        pending[tail + 1] = smaller
        tail += 2
        n_nodes += 2
    return n_nodes
