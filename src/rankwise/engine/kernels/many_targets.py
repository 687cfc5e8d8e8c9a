"""Breiman's algorithm for many targets at once on coded features, with gaps, weights and held rows.

What is added up of a row are lanes of 32-bit integers in groups of blocks (`target_lanes`). A node's
gains are added up group by group: the lanes of one group, of all its rows, stay in the cache while
every feature goes through them. Large nodes have a histogram of lanes over the codes of every feature,
small ones sorted lists (`target_lists`); a list of the codes in order makes both look alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._jit import jit
from rankwise._lanes import add_lanes, add_to_bins
from rankwise.engine.kernels.nodes import (
    Rules,
    draw_feature,
    link_children,
    order_features,
    write_root,
)
from rankwise.engine.kernels.one_target import n_waiting, small_node
from rankwise.engine.kernels.partition import partition_codes
from rankwise.engine.kernels.target_lanes import (
    COUNT,
    HELD,
    LAST,
    WEIGHT,
    Layout,
    NodeSums,
    add_gains,
    add_rows,
    clear,
    enter_totals,
    gain_of_cut,
    is_empty,
    is_pure,
    left_is_larger,
    new_node_sums,
    too_few_or_deep,
    write_lane_totals,
)
from rankwise.engine.kernels.target_lists import (
    TargetLists,
    enter,
    grow_lists,
    new_centred,
    new_target_lists,
)
from rankwise.engine.kernels.target_slots import (
    Slots,
    any_cut,
    better_slot,
    end_block,
    leaves_enough,
    limits_of,
    new_slots,
)
from rankwise.engine.kernels.words import SAME

# Histograms that wait may take so many bytes; beyond it each group of lanes is summed when it is needed.
MOST_KEPT = 1 << 28


class ManyTargetsBuffers(NamedTuple):
    """Memory to grow in."""

    at: NodeSums
    first: np.ndarray  # the lanes of a group that are left before the first code
    slots: Slots
    codes_in_order: np.ndarray  # 0, 1, 2, ...
    lists: TargetLists
    centred: np.ndarray | None  # lanes of small nodes
    features: np.ndarray  # all of them, in the order in which they are tried
    buffer: np.ndarray
    bins: (
        np.ndarray
    )  # histograms of the nodes that wait, and of the node; only one if that is too much
    has_bins: np.ndarray  # of each node, whether its histogram is kept
    pending: np.ndarray  # nodes that wait


def new_many_targets_buffers(
    n_codes: np.ndarray, n_rows: int, rules: Rules, layout: Layout
) -> ManyTargetsBuffers:
    """Memory for trees on so many rows, held ones among them."""
    small, d = small_node(n_codes, n_rows, rules), len(n_codes)
    lists = new_target_lists(n_codes, small, rules, layout)
    n_bins = int(n_codes.sum()) + d
    waiting, size = n_waiting(n_rows, small), n_bins * layout.n_blocks * LANES
    if waiting * size * 4 > MOST_KEPT:
        waiting, size = 0, n_bins * (layout.group + 1) * LANES
    return ManyTargetsBuffers(
        at=new_node_sums(layout),
        first=np.zeros(2 * LANES, np.int32),
        slots=new_slots(2 * d, int(n_codes.max())),
        codes_in_order=np.arange(int(n_codes.max()) + 1, dtype=np.uint32),
        lists=lists,
        centred=new_centred(small, layout),
        features=lists.varying.features[0],
        buffer=np.empty(n_rows, np.int32),
        bins=np.empty((waiting + 1, size if small < n_rows else 0), np.int32),
        has_bins=np.empty(2 * n_rows + 2, np.bool_),
        pending=np.empty(2 * n_rows + 2, np.int32),
    )


@jit(allocates=False, inner=True)
def open_bins(bins, last, size, slot, first, n, limits, slots):
    """Write the weight up to each code, where a cut may be made; codes start at `last`.

    Returns whether there is such a code.
    """
    any_allowed = False
    gains, weights = slots.gains[slot], slots.weights[slot]
    count, held = first[LAST + COUNT], first[LAST + HELD]
    weight = first[LAST + WEIGHT]
    for c in range(size if any_cut(limits) else 0):
        block = bins[(last + c) * LANES : (last + c + 1) * LANES]
        weight += block[LAST + WEIGHT]
        allowed = (block[LAST + COUNT] != 0) & (weight < n)
        any_allowed |= allowed
        gains[c], weights[c] = 0.0, np.float64(weight) if allowed else np.nan
    for c in range(0 if any_cut(limits) else size):
        place = (last + c) * LANES + LAST
        there = (bins[place + COUNT] != 0) | (bins[place + HELD] != 0)
        count += bins[place + COUNT]
        held += bins[place + HELD]
        weight += bins[place + WEIGHT]
        allowed = there & leaves_enough(count, held, limits)
        any_allowed |= allowed
        gains[c], weights[c] = 0.0, np.float64(weight) if allowed else np.nan
    end_block(weights, size)
    return any_allowed


@jit(allocates=False, inner=True)
def open_bins_of(j, n_slots, bins, last, n_codes, offsets, limits, buffers):
    """Make a slot for a feature that can cut a large node, or two where it has gaps; return how many.

    Behind the last code only gaps are cut off, if they go right.
    """
    slots, first = buffers.slots, last + np.int64(offsets[j])
    gap, n = first + n_codes[j], buffers.at.last[WEIGHT]
    n_sides = 1 if is_empty(bins, gap) else 2
    for side in range(n_sides):
        clear(buffers.first)
        if side == 1:
            add_lanes(buffers.first, np.int64(0), bins, gap, np.int64(1))
        size = n_codes[j] - (0 if side == 0 and n_sides == 2 else 1)
        slots.feature[n_slots], slots.side[n_slots], slots.size[n_slots] = j, side, size
        n_slots += open_bins(bins, first, size, n_slots, buffers.first, n, limits, slots)
    return n_slots


@jit(allocates=False, inner=True)
def add_gains_of_bins(n_slots, bins, base, g, n_codes, offsets, buffers):
    """Add up the gains of one group, whose histogram starts at block `base`, for all slots."""
    slots, at, mask = buffers.slots, buffers.at, np.uint64(0xFFFFFFFF)
    for slot in range(n_slots):
        j = slots.feature[slot]
        first = base + np.int64(offsets[j]) * at.group
        clear(buffers.first)
        if slots.side[slot] == 1:
            add_lanes(buffers.first, np.int64(0), bins, first + n_codes[j] * at.group, at.group)
        add_gains(
            buffers.codes_in_order, mask, bins, first, buffers.first, g, slots.weights[slot],
            slots.gains[slot], slots.size[slot], at,
        )  # fmt: skip


@jit(allocates=False, inner=True)
def best_of_bins(
    codes, lanes, rows, start, end, bins, n_codes, offsets, rules, honest, state, buffers
):  # fmt: skip
    """The best slot of a histogram (-1: none), its code + 1, and its gain.

    Features are drawn together, and then one by one until one of them can cut. Where the histogram is
    not kept whole, each group is summed here.
    """
    at, d, tried = buffers.at, buffers.features.shape[0], np.int64(0)
    n_bins, whole = np.int64(offsets[d]), buffers.bins.shape[0] > 1
    last = (at.n_blocks - 1 if whole else at.group) * n_bins
    best, found, cut, limits = -1.0, np.int64(-1), np.int64(0), limits_of(at, rules, honest)
    if not whole:
        fill_group(
            codes, lanes, at, at.n_blocks - 1, np.int64(1), rows, start, end, offsets, bins, last
        )
    while found < 0 and tried < d:
        n_slots = np.int64(0)
        for _ in range(min(rules.n_drawn, d) if tried == 0 else 1):
            j = draw_feature(buffers.features, tried, rules.n_drawn, state)
            n_slots = open_bins_of(j, n_slots, bins, last, n_codes, offsets, limits, buffers)
            tried += 1
        for g in range(at.n_groups):
            base, group = g * at.group * n_bins, at.group
            if not whole:
                base = np.int64(0)
                fill_group(
                    codes, lanes, at, g * group, group, rows, start, end, offsets, bins, base
                )
            add_gains_of_bins(n_slots, bins, base, g, n_codes, offsets, buffers)
        for slot in range(n_slots):
            best, found, cut = better_slot(slot, best, found, cut, rules.shuffle, at, buffers.slots)
    return found, cut, best / SAME


@jit(allocates=False, inner=True)
def fill_group(codes, lanes, at, block, n, rows, start, end, offsets, bins, base):
    """Write the histogram of n blocks of a segment of rows, from block `base` on."""
    clear(bins[base * LANES : (base + n * np.int64(offsets[codes.shape[1]])) * LANES])
    for r in rows[start:end]:
        row = np.int64(r)
        for b in range(n):
            own = row * at.n_blocks + block + b
            add_to_bins(bins, base + b, np.int64(n), offsets, codes, row, lanes, own)


@jit(allocates=False, inner=True)
def fill(codes, lanes, at, rows, start, end, offsets, bins):
    """Write the whole histogram of a segment of rows, group by group."""
    n_bins = np.int64(offsets[codes.shape[1]])
    for g in range(at.n_groups):
        first = g * at.group
        fill_group(
            codes, lanes, at, first, at.group, rows, start, end, offsets, bins, first * n_bins
        )
    last = at.n_blocks - 1
    if last == at.n_groups * at.group:
        fill_group(
            codes, lanes, at, last, np.int64(1), rows, start, end, offsets, bins, last * n_bins
        )


@jit(allocates=False, inner=True)
def write_sides(bins, last, offsets, low, side, feature, totals, node, n_nodes, sides):
    """Write the codes beside a cut and where gaps go."""
    first = last + np.int64(offsets[feature])
    gap = last + np.int64(offsets[feature + 1]) - 1
    high = first + low + 1
    while high < gap and is_empty(bins, high):
        high += 1
    sides[node, 0], sides[node, 1] = low, high - first
    sides[node, 2] = left_is_larger(totals, n_nodes) if is_empty(bins, gap) else side


@jit(allocates=False, inner=True)
def keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers):
    """Keep the histograms of two children, the smaller one's last; return how many are kept.

    The larger one's is what is left of its parent's, in the same place.
    """
    bins, small = buffers.bins, buffers.lists.rows.shape[0]
    buffers.has_bins[smaller] = buffers.has_bins[larger] = False
    if bins.shape[0] == 1 or nodes.segment[larger, 1] - nodes.segment[larger, 0] <= small:
        return n_kept
    start, end = nodes.segment[smaller, 0], nodes.segment[smaller, 1]
    rest, part = bins[n_kept], bins[n_kept + 1]
    fill(codes, lanes, buffers.at, rows, start, end, offsets, part)
    for i in range(part.shape[0]):
        rest[i] -= part[i]
    buffers.has_bins[larger] = True
    if end - start <= small:
        return n_kept + 1
    buffers.has_bins[smaller] = True
    return n_kept + 2


@jit(allocates=False)
def grow_many_targets(
    codes, n_codes, offsets, lanes, kind, count_column, rows, honest, rules, state, nodes, sides,
    buffers, centred,
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` as for one target.

    `rows` are those that choose and those held back; they are reordered so that each leaf is a
    segment of them. `centred` is that of the buffers.
    """
    at, small = buffers.at, buffers.lists.rows.shape[0]
    pending, whole = buffers.pending, buffers.bins.shape[0] > 1
    n_outputs, n_bins = count_column.shape[0], np.int64(offsets[codes.shape[1]])
    last = (at.n_blocks - 1 if whole else at.group) * n_bins
    until_pure = rules.stop_when_pure or not honest
    write_root(nodes, rows.shape[0], np.int64(0))
    add_rows(lanes, rows, np.int64(0), rows.shape[0], at)
    write_lane_totals(at, n_outputs, nodes.totals, np.int64(0))
    order_features(buffers.features, rules.shuffle, state)
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
        if too_few_or_deep(nodes, node, rules, honest):
            continue
        if until_pure and is_pure(
            nodes.totals, node, kind, lanes, at.n_blocks, rows, start, end, count_column
        ):
            continue
        if end - start <= small:
            level = enter(codes, n_codes, lanes, kind, rows, start, end, at, buffers.lists)
            n_nodes = grow_lists(
                start, node, level, n_nodes, n_codes, kind, count_column, rows, rules, honest, state,
                nodes, sides, at, buffers.lists, centred,
            )  # fmt: skip
            continue
        bins = buffers.bins[n_kept]
        if whole and not has_bins:
            fill(codes, lanes, at, rows, start, end, offsets, bins)
        enter_totals(nodes.totals, node, n_outputs, at)
        slot, cut, gain = best_of_bins(
            codes, lanes, rows, start, end, bins, n_codes, offsets, rules, honest, state, buffers
        )
        if slot < 0:
            continue
        best, side = buffers.slots.feature[slot], buffers.slots.side[slot]
        gap_code = n_codes[best] if side == 1 else -1
        middle = partition_codes(codes, best, cut - 1, gap_code, rows, start, end, buffers.buffer)
        add_rows(lanes, rows, middle, end, at)
        write_lane_totals(at, n_outputs, nodes.totals, n_nodes + 1)
        link_children(
            nodes,
            node,
            best,
            gain_of_cut(gain, at.last[WEIGHT], at.group),
            n_nodes,
            start,
            middle,
            end,
        )
        write_sides(bins, last, offsets, cut - 1, side, best, nodes.totals, node, n_nodes, sides)
        smaller, larger = n_nodes, n_nodes + 1
        if middle - start > end - middle:
            smaller, larger = larger, smaller
        n_kept = keep_bins(codes, lanes, rows, offsets, nodes, smaller, larger, n_kept, buffers)
        pending[tail] = larger
        pending[tail + 1] = smaller
        tail += 2
        n_nodes += 2
    return n_nodes
