"""Small nodes of trees for many targets: everything below one is grown from sorted lists.

The lanes of the node's rows are copied group by group. Where all targets share the weight of a row, they
are also centred, n * target - weight * sum over the node, so that the gain of a cut is the square of what
is left of it, over the weights on both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._jit import jit
from rankwise._lanes import (
    add_centred_squares,
    add_lanes,
    add_own_gains,
    add_two_centred_squares,
    centre_lanes,
    copy_lanes,
    write_left_weights,
)
from rankwise.engine.kernels.nodes import Rules, all_agree, draw_feature, link_children
from rankwise.engine.kernels.sorted_lists import (
    Varying,
    code_of,
    entry_bits,
    keep_left,
    keep_right,
    mark_sides,
    n_present,
    new_entries,
    new_varying,
    partition_entries,
    pass_over,
    sort_entries,
)
from rankwise.engine.kernels.target_lanes import (
    COUNT,
    HELD,
    N_LAST,
    WEIGHT,
    Layout,
    clear,
    enter_totals,
    gain_of_cut,
    left_is_larger,
    too_few_or_deep,
    write_lane_totals,
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

# Of a row that is held back, the upper half of its count is not 0.
HELD_SHIFT = 32
COUNT_MASK = (1 << HELD_SHIFT) - 1


class TargetLists(NamedTuple):
    """The rows of a small node, by their places in it, and the features that compete for its cut."""

    entries: np.ndarray  # (d + 1, small): the sorted lists
    shift: np.uint64  # of the code in an entry
    code_places: np.ndarray  # of the codes, while a list is sorted
    varying: Varying
    goes_right: np.ndarray
    rows: np.ndarray  # their numbers
    kinds: np.ndarray
    counts: np.ndarray  # how often they were drawn, and how often held back, in one word
    weights: np.ndarray
    squares: np.ndarray  # of their lanes, over the weight they share
    lanes: np.ndarray  # group by group
    gap_lanes: np.ndarray  # of the rows that miss a feature
    gap_centred: np.ndarray  # the same, centred, behind as many lanes of 0
    slots: Slots
    present: np.ndarray  # of each slot, rows without a gap
    pending: np.ndarray  # nodes that wait


def new_target_lists(n_codes: np.ndarray, small: int, rules: Rules, layout: Layout) -> TargetLists:
    """Memory for nodes of at most so many rows."""
    d, bits = len(n_codes), entry_bits(small, n_codes)
    return TargetLists(
        entries=new_entries(d, small, bits),
        shift=np.uint64(bits),
        code_places=np.empty(int(n_codes.max()) + 2, np.int64),
        varying=new_varying(d, small, rules),
        goes_right=np.empty(small, np.uint8),
        rows=np.empty(small, np.int32),
        kinds=np.empty(small, np.int64),
        counts=np.empty(small, np.int64),
        weights=np.empty(small, np.int64),
        squares=np.empty(small),
        lanes=np.empty(small * layout.n_blocks * LANES, np.int32),
        gap_lanes=np.empty(2 * LANES, np.int32),
        gap_centred=np.zeros(4 * LANES),
        slots=new_slots(2 * d, small),
        present=np.empty(2 * d, np.int64),
        pending=np.empty(2 * small + 2, np.int32),
    )


def new_centred(small: int, layout: Layout) -> np.ndarray | None:
    """Memory for centred lanes, or None where targets have weights of their own.

    Kernels take it apart from the lists: for None the compiler leaves out what it is for.
    """
    return np.empty(small * layout.n_groups * LANES) if layout.group == 1 else None


@jit(allocates=False, inner=True, forceinline=True)
def block_place(at, block, place, n_places):
    """Where a block of a row goes where lanes are kept group by group."""
    # groups have one block or two: no division is needed
    both = at.group - 1
    g = block >> both
    if g == at.n_groups:
        return block * n_places + place
    return ((g * n_places + place) << both) + (block & both)


@jit(allocates=False, inner=True)
def enter(codes, n_codes, lanes, kind, rows, start, end, at, lists):
    """Lay the rows of a small node out as sorted lists, and their lanes group by group.

    Returns the level of the features that vary.
    """
    small = lists.rows.shape[0]
    for p in range(start, end):
        row, place = np.int64(rows[p]), p - start
        last = (row + 1) * at.n_blocks * LANES - N_LAST
        lists.rows[place] = rows[p]
        held = np.int64(lanes[last + HELD]) << HELD_SHIFT
        lists.counts[place] = held + lanes[last + COUNT]
        lists.weights[place] = lanes[last + WEIGHT]
        if kind.shape[0] > 0:
            lists.kinds[place] = kind[row]
        squares = 0.0
        for b in range(at.n_blocks):
            into = block_place(at, b, place, small)
            own = copy_lanes(lists.lanes, into, lanes, row * at.n_blocks + b)
            squares += own if b < at.n_groups else 0.0
        lists.squares[place] = squares / max(lists.weights[place], 1)
    return sort_entries(
        codes,
        rows,
        start,
        end,
        n_codes,
        lists.shift,
        lists.code_places,
        lists.entries,
        lists.varying,
    )


@jit(allocates=False, inner=True, forceinline=True)
def spread_of(line, mask, n, sums, squares):
    """What a cut can gain at most, times n, where targets share the weight."""
    total, of_sums = 0.0, 0.0
    for entry in line:
        total += squares[np.uint64(entry) & mask]
    for own in sums:
        of_sums += own * own
    return np.float64(n) * total - of_sums


@jit(allocates=False, inner=True, forceinline=True)
def centre(line, mask, at, lists, centred):
    """Centre the lanes of a node's rows."""
    n, small = np.float64(at.last[WEIGHT]), lists.rows.shape[0]
    for g in range(at.n_groups):
        centre_lanes(
            line, mask, lists.lanes, g * small, lists.weights, at.sums, g, n, centred,
            line.shape[0],
        )  # fmt: skip


@jit(allocates=False, inner=True, forceinline=True)
def first_to_differ(start, n_codes, features, mask, lists):
    """The first feature in which two rows differ (-1: none); it explains all that any cut of them can."""
    for i in range(features.shape[0]):
        j = features[i]
        one, other = np.uint64(lists.entries[j, start]), np.uint64(lists.entries[j, start + 1])
        if (one ^ other) > mask:
            lists.slots.feature[0], lists.slots.side[0] = j, 0
            lists.present[0] = 1 if code_of(other, lists.shift) == n_codes[j] else 2
            return np.int64(0)
    return np.int64(-1)


@jit(allocates=False, inner=True)
def write_allowed_weights(line, size, gaps, mask, limits, counts, weights, left):
    """Write the weight left of each position of a list where a cut may be made.

    The gaps are left of all of them.
    """
    count, weight = np.int64(0), np.int64(0)
    for entry in gaps:
        count += counts[np.uint64(entry) & mask]
        weight += weights[np.uint64(entry) & mask]
    entry = np.uint64(line[0])
    for i in range(size):
        after = np.uint64(line[i + 1])
        count += counts[entry & mask]
        weight += weights[entry & mask]
        allowed = leaves_enough(count & COUNT_MASK, count >> HELD_SHIFT, limits)
        left[i] = np.float64(weight) if ((entry ^ after) > mask) & allowed else np.nan
        entry = after
    end_block(left, size)


@jit(allocates=False, inner=True, forceinline=True)
def open_slots(j, n_slots, start, end, n_codes, mask, limits, lists):
    """Let a feature compete, in two ways where it has gaps; return how many slots there are.

    Behind the last present row gaps are cut off, if they go right.
    """
    line, slots = lists.entries[j, start:end], lists.slots
    n_rows, present = line.shape[0], n_present(line, n_codes[j], lists.shift)
    for side in range(0 if present == 0 else 1 if present == n_rows else 2):
        size = present - 1 if side == 1 else min(present, n_rows - 1)
        slots.feature[n_slots], slots.side[n_slots], slots.size[n_slots] = j, side, size
        lists.present[n_slots] = present
        gains, weights = slots.gains[n_slots], slots.weights[n_slots]
        for i in range((size + LANES - 1) // LANES * LANES):
            gains[i] = 0.0
        if present == n_rows and any_cut(limits):
            write_left_weights(line, mask, lists.weights, size, weights)
        else:
            gaps = line[present if side == 1 else n_rows :]
            write_allowed_weights(
                line, size, gaps, mask, limits, lists.counts, lists.weights, weights
            )
        n_slots += 1
    return n_slots


@jit(allocates=False, inner=True, forceinline=True)
def sum_gaps(gaps, g, n_groups, small, mask, centred, sums):
    """Sum the centred lanes of two groups, if there are two, over the gaps of a list; return where."""
    if gaps.shape[0] == 0:
        return 0
    for i in range(2 * LANES):
        sums[2 * LANES + i] = 0.0
    for entry in gaps:
        place = np.int64(np.uint64(entry) & mask)
        for b in range(min(2, n_groups - g)):
            first = ((g + b) * small + place) * LANES
            for i in range(LANES):
                sums[(2 + b) * LANES + i] += centred[first + i]
    return 2 * LANES


@jit(allocates=False, inner=True, forceinline=True)
def add_centred_gains(slot, start, end, mask, n_groups, lists, centred):
    """Add the squares of what is left of each position, where targets share the weight."""
    slots, small = lists.slots, lists.rows.shape[0]
    line, gains = lists.entries[slots.feature[slot], start:end], slots.gains[slot]
    gaps = line[lists.present[slot] if slots.side[slot] == 1 else line.shape[0] :]
    for g in range(0, n_groups, 2):
        lane = sum_gaps(gaps, g, n_groups, small, mask, centred, lists.gap_centred)
        first = lists.gap_centred[lane:]
        if g + 1 < n_groups:
            add_two_centred_squares(
                line, mask, centred, g * small, small, first, gains, slots.size[slot]
            )  # fmt: skip
        else:
            add_centred_squares(
                line, mask, centred, g * small, small, first, gains, slots.size[slot]
            )  # fmt: skip


@jit(allocates=False, inner=True, forceinline=True)
def add_gains_of_group(g, slot, start, end, mask, at, lists):
    """Add the gains of each position by the targets of a group, which have weights of their own."""
    slots, base = lists.slots, g * 2 * lists.rows.shape[0]
    line = lists.entries[slots.feature[slot], start:end]
    clear(lists.gap_lanes)
    if slots.side[slot] == 1:
        for entry in line[lists.present[slot] :]:
            place = base + np.int64(np.uint64(entry) & mask) * 2
            add_lanes(lists.gap_lanes, np.int64(0), lists.lanes, place, np.int64(2))
    add_own_gains(
        line, mask, lists.lanes, base, lists.gap_lanes, at.sums, at.weights, at.shares, g,
        slots.gains[slot], slots.size[slot],
    )  # fmt: skip


@jit(allocates=False, inner=True, forceinline=True)
def best_of_lists(features, start, end, n_codes, rules, honest, state, at, lists, centred):
    """The best slot of a segment of lists (-1: none), its position + 1, and its gain.

    Features are drawn together, and then one by one until one of them can cut. Where all compete and
    share the weight, none is tried after one that explains everything.
    """
    mask = (np.uint64(1) << lists.shift) - np.uint64(1)
    d, tried, slots = features.shape[0], np.int64(0), lists.slots
    best, found, cut = -1.0, np.int64(-1), np.int64(0)
    limits = limits_of(at, rules, honest)
    most = np.inf
    if centred is not None and d > 0:
        line = lists.entries[features[0], start:end]
        most = spread_of(line, mask, at.last[WEIGHT], at.sums, lists.squares)
        if end - start == 2 and rules.n_drawn >= d and any_cut(limits):
            return first_to_differ(start, n_codes, features, mask, lists), np.int64(1), most
        centre(line, mask, at, lists, centred)
    while found < 0 and tried < d:
        n_slots, n_open = np.int64(0), np.int64(0)
        for _ in range(min(rules.n_drawn, d) if tried == 0 else 1):
            j = draw_feature(features, tried, rules.n_drawn, state)
            tried += 1
            n_slots = open_slots(j, n_slots, start, end, n_codes, mask, limits, lists)
            if centred is not None:
                for slot in range(n_open, n_slots):
                    add_centred_gains(slot, start, end, mask, at.n_groups, lists, centred)
                    best, found, cut = better_slot(slot, best, found, cut, rules.shuffle, at, slots)
                n_open = n_slots
            if best >= most and rules.n_drawn >= d:
                break
        if centred is None:
            for g in range(at.n_groups):
                for slot in range(n_slots):
                    add_gains_of_group(g, slot, start, end, mask, at, lists)
            for slot in range(n_slots):
                best, found, cut = better_slot(slot, best, found, cut, rules.shuffle, at, slots)
    return found, cut, best / SAME


@jit(allocates=False, inner=True, forceinline=True)
def part_rows(line, mask, first, middle, kind, at, rows, lists):
    """Write the rows of a node in the order of its children; return whether these differ in kind.

    The sums of the lanes of those that go right are left in `at.left`.
    """
    small, n_left, n_right = lists.rows.shape[0], first, middle
    left_place, right_place = np.int64(-1), np.int64(-1)
    left_differs, right_differs = False, False
    clear(at.left)
    for entry in line:
        place = np.int64(np.uint64(entry) & mask)
        chooses = kind.shape[0] > 0 and lists.counts[place] & COUNT_MASK > 0
        if lists.goes_right[place]:
            rows[n_right] = lists.rows[place]
            n_right += 1
            for b in range(0, at.n_blocks, at.group):
                size = min(at.group, at.n_blocks - b)
                add_lanes(at.left, b, lists.lanes, block_place(at, b, place, small), size)
            if chooses:
                if right_place >= 0:
                    right_differs |= lists.kinds[right_place] != lists.kinds[place]
                right_place = place
        else:
            rows[n_left] = lists.rows[place]
            n_left += 1
            if chooses:
                if left_place >= 0:
                    left_differs |= lists.kinds[left_place] != lists.kinds[place]
                left_place = place
    return left_differs, right_differs


@jit(allocates=False, inner=True, forceinline=True)
def cut_lists(slot, left_size, gain, base, start, end, n_codes, kind, n_outputs, rows, nodes, node,
              n_nodes, sides, at, lists):  # fmt: skip
    """Make the children of a node of sorted lists; return whether their rows differ in kind."""
    mask = (np.uint64(1) << lists.shift) - np.uint64(1)
    feature, side, present = lists.slots.feature[slot], lists.slots.side[slot], lists.present[slot]
    line = lists.entries[feature, start:end]
    mark_sides(line, left_size, present, side == 1, mask, lists.goes_right)
    first, last = base + start, base + end
    middle = first + left_size + (line.shape[0] - present if side == 1 else 0)
    differ = part_rows(line, mask, first, middle, kind, at, rows, lists)
    write_lane_totals(at, n_outputs, nodes.totals, n_nodes + 1)
    link_children(nodes, node, feature, gain, n_nodes, first, middle, last)
    sides[node, 0] = code_of(line[left_size - 1], lists.shift)
    sides[node, 1] = code_of(line[left_size], lists.shift)
    sides[node, 2] = left_is_larger(nodes.totals, n_nodes) if present == line.shape[0] else side
    return differ


@jit(inlined=True)
def grow_lists(base, node, level, n_nodes, n_codes, kind, count_column, rows, rules, honest, state,
               nodes, sides, at, lists, centred):  # fmt: skip
    """Grow everything below a node of the rows from `base` on, which the lists hold; return how many nodes.

    The node is one that may be cut, `level` that of the features that vary in it. Leaves the rows in the
    order of the leaves.
    """
    mask = (np.uint64(1) << lists.shift) - np.uint64(1)
    breadth_first, n_outputs = rules.max_splits >= 0, count_column.shape[0]
    until_pure = rules.stop_when_pure or not honest
    varying = lists.varying
    lists.pending[0], varying.levels[0] = node, level
    head, tail = 0, 1
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            place = head
            head += 1
        else:
            tail -= 1
            place = tail
        node = np.int64(lists.pending[place])
        start, end = nodes.segment[node, 0] - base, nodes.segment[node, 1] - base
        enter_totals(nodes.totals, node, n_outputs, at)
        level = pass_over(lists.entries, start, end, mask, varying.levels[place], varying)
        features = varying.features[level, : varying.sizes[level]]
        slot, left_size, gain = best_of_lists(
            features, start, end, n_codes, rules, honest, state, at, lists, centred
        )
        if slot < 0:
            continue
        gain = gain_of_cut(gain, at.last[WEIGHT], at.group)
        differ = cut_lists(
            slot, left_size, gain, base, start, end, n_codes, kind, n_outputs, rows, nodes, node,
            n_nodes, sides, at, lists,
        )  # fmt: skip
        grows_left = not too_few_or_deep(nodes, n_nodes, rules, honest)
        grows_right = not too_few_or_deep(nodes, n_nodes + 1, rules, honest)
        if until_pure and kind.shape[0] > 0:
            grows_left, grows_right = grows_left and differ[0], grows_right and differ[1]
        elif until_pure:
            grows_left = grows_left and not all_agree(nodes.totals, n_nodes, count_column)
            grows_right = grows_right and not all_agree(nodes.totals, n_nodes + 1, count_column)
        if grows_left and grows_right:
            partition_entries(lists.entries, features, start, end, lists.goes_right, mask)
        elif grows_left:
            keep_left(lists.entries, features, start, end, lists.goes_right, mask)
        elif grows_right:
            keep_right(lists.entries, features, start, end, lists.goes_right, mask)
        # what is taken last goes first
        first = 0 if breadth_first else 1
        for child in (first, 1 - first):
            if grows_right if child == 1 else grows_left:
                lists.pending[tail], varying.levels[tail] = n_nodes + child, level
                tail += 1
        n_nodes += 2
    return n_nodes
