"""Breiman's algorithm for one target on coded features, with gaps and weights.

``codes[r, j]`` is the place of row r's value among those of feature j, ``n_codes[j]`` where it is
missing. A large node has a histogram of words over the codes of every feature, all in one array where
feature j starts at ``offsets[j]``; that of one child follows from its parent's and its sibling's.
Where a node has fewer rows than a feature has codes, sorted lists take over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.nodes import (
    Rules,
    draw_feature,
    link,
    order_features,
    same_kind,
    sum_rows,
    write_root,
)
from rankwise.engine.kernels.partition import partition_codes
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
from rankwise.engine.kernels.words import (
    SAME,
    STRETCH,
    SUM_SHIFT,
    WEIGHT_MASK,
    best_position,
    floor_of,
    is_allowed,
    sum_of,
    weight_of,
)

# Lists so short are scanned one entry at a time.
SHORT = 16


class OneTargetBuffers(NamedTuple):
    """Memory to grow in."""

    sums: np.ndarray  # left of each position of a list or a histogram
    stretches: np.ndarray  # the same memory, STRETCH to a row
    entries: np.ndarray  # (d + 1, small): the sorted lists of a small node
    shift: np.uint64  # of the code in an entry
    places: np.ndarray  # of the codes, while a list is sorted
    goes_right: np.ndarray  # of each place in a small node
    words: np.ndarray  # of its rows
    squares: np.ndarray  # of their targets, times their weight
    counts: np.ndarray  # how often each was drawn
    varying: Varying
    features: np.ndarray  # all of them, in the order in which they are tried
    buffer: np.ndarray
    bins: np.ndarray  # histograms of the nodes that wait, and of the node
    has_bins: np.ndarray  # of each node, whether its histogram is kept
    pending: np.ndarray  # nodes that wait
    small_pending: np.ndarray  # the same below a small node
    bounds: np.ndarray  # of each of these, what its cut can gain at most


def small_node(n_codes: np.ndarray, n_rows: int, rules: Rules) -> int:
    """Below how many rows lists take over: where a scan of them costs what a histogram does.

    With a budget all nodes are grown breadth first from lists.
    """
    return n_rows if rules.max_splits >= 0 else min(n_rows, max(32, int(n_codes.mean())))


def n_waiting(n_rows: int, small: int) -> int:
    """How many histograms wait at most: two for each time that the rows can be halved."""
    return 2 * (n_rows // small).bit_length() if small < n_rows else 0


def new_one_target_buffers(n_codes: np.ndarray, n_rows: int, rules: Rules) -> OneTargetBuffers:
    """Memory for trees on so many rows."""
    small = small_node(n_codes, n_rows, rules)
    d, n_bins = len(n_codes), int(n_codes.sum()) + len(n_codes)
    bits, widest = entry_bits(small, n_codes), int(n_codes.max()) + 1
    sums = np.zeros((max(small, widest) // STRETCH + 1) * STRETCH, np.int64)
    varying = new_varying(d, small, rules)
    return OneTargetBuffers(
        sums=sums,
        stretches=sums.reshape((-1, STRETCH)),
        entries=new_entries(d, small, bits),
        shift=np.uint64(bits),
        places=np.empty(widest + 1, np.int64),
        goes_right=np.empty(small, np.uint8),
        words=np.empty(small, np.int64),
        squares=np.empty(small, np.int64),
        counts=np.empty(small, np.int32),
        varying=varying,
        features=varying.features[0],
        buffer=np.empty(n_rows, np.int32),
        bins=np.empty((n_waiting(n_rows, small) + 1, n_bins), np.int64),
        has_bins=np.empty(2 * n_rows + 2, np.bool_),
        pending=np.empty(2 * n_rows + 2, np.int32),
        small_pending=np.empty(2 * small + 2, np.int32),
        bounds=np.empty(2 * small + 2),
    )


@jit(allocates=False, inner=True, forceinline=True)
def cumulate(line, size, first, n, min_leaf, mask, words, sums):
    """Write the sums left of each of `size` positions of a sorted list, starting from `first`."""
    total = first
    entry = np.uint64(line[0])
    for i in range(size):
        after = np.uint64(line[i + 1])
        total += words[entry & mask]
        sums[i] = total if (entry ^ after) > mask else 0
        entry = after
    if min_leaf > 1:
        for i in range(size):
            if not is_allowed(sums[i], n, min_leaf):
                sums[i] = 0


@jit(allocates=False, inner=True, forceinline=True)
def scan_short(line, size, first, n, s, min_leaf, mask, words, floor):
    """What `cumulate` and `best_position` find, in one pass that pays for short lists."""
    best = floor
    cut = 0
    total = first
    entry = np.uint64(line[0])
    for i in range(size):
        after = np.uint64(line[i + 1])
        total += words[entry & mask]
        differs = (entry ^ after) > mask
        entry = after
        n1 = weight_of(total)
        difference = n * sum_of(total) - n1 * s
        square, product = difference * difference, n1 * (n - n1)
        if differs & (square > best * product) & is_allowed(total, n, min_leaf):
            best = square / product * SAME
            cut = i + 1
    return best, cut


@jit(allocates=False, inner=True, forceinline=True)
def scan_positions(line, size, first, n, s, min_leaf, mask, buffers, floor):
    """The best of the first `size` positions of a list, where `first` is left of them all."""
    if line.shape[0] <= SHORT:
        return scan_short(line, size, first, n, s, min_leaf, mask, buffers.words, floor)
    cumulate(line, size, first, n, min_leaf, mask, buffers.words, buffers.sums)
    return best_position(buffers.stretches, size, n, s, floor)


@jit(allocates=False, inner=True)
def scan_with_gaps(line, present, n, s, min_leaf, mask, buffers, floor):
    """The best cut of a list that ends in gaps, which go right, or left if that is better."""
    if present == 0:
        return floor, 0, 0
    best, cut = scan_positions(line, present, 0, n, s, min_leaf, mask, buffers, floor)
    gaps = 0
    for i in range(present, line.shape[0]):
        gaps += buffers.words[np.uint64(line[i]) & mask]
    other, place = scan_positions(line, present - 1, gaps, n, s, min_leaf, mask, buffers, best)
    return (other, place, 1) if place > 0 else (best, cut, 0)


@jit(allocates=False, inner=True, forceinline=True)
def best_of_lists(features, start, end, n, s, bound, n_codes, rules, state, buffers):
    """The best feature of a segment of lists (-1: none), how many present rows go left, where gaps go."""
    entries, shift = buffers.entries, buffers.shift
    mask = (np.uint64(1) << shift) - np.uint64(1)
    d = features.shape[0]
    best, best_feature, best_size, best_side = -1.0, -1, 0, 0
    for i in range(d):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        floor = floor_of(best, best_feature, j, rules.shuffle)
        line = entries[j, start:end]
        last = line.shape[0] - 1
        if code_of(line[last], shift) == n_codes[j]:
            present = n_present(line, n_codes[j], shift)
            gain, size, side = scan_with_gaps(
                line, present, n, s, rules.min_leaf, mask, buffers, floor
            )
        else:
            gain, size = scan_positions(line, last, 0, n, s, rules.min_leaf, mask, buffers, floor)
            side = 0
        if size > 0:
            best, best_feature, best_size, best_side = gain, j, size, side
            if rules.n_drawn >= d and best >= bound:
                break
    return best_feature, best_size, best_side, best / SAME


@jit(allocates=False, inner=True, forceinline=True)
def write_totals(nodes, node, word, count):
    """Write the totals of a node: count, weight if that is another number, target sum, no held rows."""
    totals = nodes.totals
    last = totals.shape[1] - 1
    totals[node, last - 2] = word & WEIGHT_MASK
    totals[node, 0] = count
    totals[node, last - 1] = word >> SUM_SHIFT
    totals[node, last] = 0


@jit(allocates=False, inner=True, forceinline=True)
def totals_of(nodes, node):
    """Weight and target sum of a node."""
    last = nodes.totals.shape[1] - 1
    return float(nodes.totals[node, last - 2]), float(nodes.totals[node, last - 1])


@jit(allocates=False, inner=True, forceinline=True)
def spread(n, s, squares):
    """N times the squared error about the mean: 0 where the targets are all equal.

    Nothing that is cut off can gain more.
    """
    return float(n) * float(squares) - float(s) * float(s)


@jit(allocates=False, inner=True, forceinline=True)
def spread_of(line, mask, buffers):
    """The spread of all entries of a list."""
    total = squares = 0
    for entry in line:
        place = np.uint64(entry) & mask
        total += buffers.words[place]
        squares += buffers.squares[place]
    return spread(total & WEIGHT_MASK, total >> SUM_SHIFT, squares)


@jit(allocates=False, inner=True, forceinline=True)
def cut_lists(line, start, left_size, side, feature, gain, gap_code, mask, buffers, nodes, node,
              n_nodes, sides):  # fmt: skip
    """Make the children of a node, mark the sides of its rows, and return the spread of both."""
    a, b = n_nodes, n_nodes + 1
    shift, goes_right = buffers.shift, buffers.goes_right
    present = n_present(line, gap_code, shift)
    mark_sides(line, left_size, present, side == 1, mask, goes_right)
    left = right = left_squares = right_squares = count = 0
    for entry in line:
        place = np.uint64(entry) & mask
        if goes_right[place]:
            right += buffers.words[place]
            right_squares += buffers.squares[place]
            count += buffers.counts[place]
        else:
            left += buffers.words[place]
            left_squares += buffers.squares[place]
    write_totals(nodes, b, right, count)
    link(nodes, node, feature, gain, n_nodes)
    sides[node, 0] = code_of(line[left_size - 1], shift)
    sides[node, 1] = code_of(line[left_size], shift)
    sides[node, 2] = nodes.totals[a, 0] >= nodes.totals[b, 0] if present == line.shape[0] else side
    n_left = left_size + (line.shape[0] - present if side == 1 else 0)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, start + n_left
    nodes.segment[b, 0], nodes.segment[b, 1] = start + n_left, start + line.shape[0]
    return (
        spread(left & WEIGHT_MASK, left >> SUM_SHIFT, left_squares),
        spread(right & WEIGHT_MASK, right >> SUM_SHIFT, right_squares),
    )


@jit(allocates=False, inner=True)
def enter(codes, n_codes, counts, words, rows, start, end, buffers):
    """Lay the rows of a small node out as sorted lists; return the level of the features that vary."""
    for p in range(start, end):
        word = words[rows[p]]
        n, s = word & WEIGHT_MASK, word >> SUM_SHIFT
        buffers.words[p - start] = word
        buffers.squares[p - start] = s * s // n
        buffers.counts[p - start] = counts[rows[p]]
    return sort_entries(
        codes, rows, start, end, n_codes, buffers.shift, buffers.places, buffers.entries,
        buffers.varying,
    )  # fmt: skip


@jit(inlined=True)
def grow_lists(size, node, level, n_nodes, n_codes, rules, state, nodes, sides, buffers):
    """Grow everything below a node whose rows fill the first `size` places of the lists.

    Segments below it are places in these lists, which are kept for children that are not pure; `level`
    is that of the features that vary in the node. Returns the number of nodes.
    """
    entries, pending, bounds = buffers.entries, buffers.small_pending, buffers.bounds
    goes_right, varying = buffers.goes_right, buffers.varying
    if varying.sizes[level] == 0:
        return n_nodes
    mask = (np.uint64(1) << buffers.shift) - np.uint64(1)
    breadth_first = rules.max_splits >= 0
    nodes.segment[node, 0], nodes.segment[node, 1] = 0, size
    some_list = entries[varying.features[level, 0], :size]
    pending[0], bounds[0], varying.levels[0] = node, spread_of(some_list, mask, buffers), level
    head, tail = 0, 1
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            place = head
            head += 1
        else:
            tail -= 1
            place = tail
        node, bound = np.int64(pending[place]), bounds[place]
        if (
            bound == 0.0
            or nodes.depth[node] >= rules.max_depth
            or nodes.totals[node, 0] < 2 * rules.min_leaf
        ):
            continue
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        n, s = totals_of(nodes, node)
        level = pass_over(entries, start, end, mask, varying.levels[place], varying)
        features = varying.features[level, : varying.sizes[level]]
        best, left_size, side, gain = best_of_lists(
            features, start, end, n, s, bound, n_codes, rules, state, buffers
        )
        if best < 0:
            continue
        left, right = cut_lists(
            entries[best, start:end], start, left_size, side, best, gain / n, n_codes[best], mask,
            buffers, nodes, node, n_nodes, sides,
        )  # fmt: skip
        n_nodes += 2
        if left == 0.0 and right == 0.0:
            continue
        if right == 0.0:
            keep_left(entries, features, start, end, goes_right, mask)
        elif left == 0.0:
            keep_right(entries, features, start, end, goes_right, mask)
        else:
            partition_entries(entries, features, start, end, goes_right, mask)
        # what is taken last goes first
        first = 0 if breadth_first else 1
        for child in (first, 1 - first):
            child_bound = right if child == 1 else left
            if child_bound > 0.0:
                pending[tail], bounds[tail] = n_nodes - 2 + child, child_bound
                varying.levels[tail] = level
                tail += 1
    return n_nodes


@jit(allocates=False, inner=True)
def fill(codes, words, rows, start, end, offsets, bins):
    """Write the histogram of a segment of rows."""
    for b in range(bins.shape[0]):
        bins[b] = 0
    d = codes.shape[1]
    for r in rows[start:end]:
        word = words[r]
        for j in range(d):
            bins[offsets[j] + np.uint64(codes[r, j])] += word


@jit(allocates=False, inner=True)
def cumulate_bins(line, size, first, n, min_leaf, sums):
    """Write the sums up to each code; 0 where the code is absent or a leaf too small."""
    total = first
    for c in range(size):
        total += line[c]
        sums[c] = total if (line[c] != 0) & is_allowed(total, n, min_leaf) else 0


@jit(allocates=False, inner=True, forceinline=True)
def scan_bins(line, size, first, n, s, min_leaf, buffers, floor):
    """The best of the first `size` codes of a histogram to cut after, where `first` is left of them all."""
    if size > SHORT:
        cumulate_bins(line, size, first, n, min_leaf, buffers.sums)
        return best_position(buffers.stretches, size, n, s, floor)
    best, cut, total = floor, 0, first
    for c in range(size):
        total += line[c]
        n1 = weight_of(total)
        difference = n * sum_of(total) - n1 * s
        square, product = difference * difference, n1 * (n - n1)
        if (line[c] != 0) & (square > best * product) & is_allowed(total, n, min_leaf):
            best, cut = square / product * SAME, c + 1
    return best, cut


@jit(allocates=False, inner=True)
def best_of_bins(bins, offsets, n, s, rules, state, buffers):
    """The best feature of a histogram (-1: none), the last code left of it, where gaps go, gain times n."""
    d = offsets.shape[0] - 1
    best, best_feature, best_low, best_side = -1.0, -1, 0, 0
    for i in range(d):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(buffers.features, i, rules.n_drawn, state)
        line = bins[offsets[j] : offsets[j + 1]]
        size = line.shape[0] - 1
        floor = floor_of(best, best_feature, j, rules.shuffle)
        gain, cut = scan_bins(line, size, 0, n, s, rules.min_leaf, buffers, floor)
        side = 0
        if line[size] != 0:
            other, place = scan_bins(line, size, line[size], n, s, rules.min_leaf, buffers, gain)
            if place > 0:
                gain, cut, side = other, place, 1
        if cut > 0:
            best, best_feature, best_low, best_side = gain, j, cut - 1, side
    return best_feature, best_low, best_side, best / SAME


@jit(allocates=False, inner=True)
def cut_bins(bins, offsets, low, side, feature, gain, counts, rows, middle, end, nodes, node,
             n_nodes, sides):  # fmt: skip
    """Make the children of a node whose rows from `middle` on go right."""
    b = n_nodes + 1
    line = bins[offsets[feature] : offsets[feature + 1]]
    gap_code = line.shape[0] - 1
    high = low + 1
    while high < gap_code and line[high] == 0:
        high += 1
    right = line[gap_code] if side == 0 else 0
    for c in range(high, gap_code):
        right += line[c]
    count = right & WEIGHT_MASK
    if nodes.totals.shape[1] > 3:
        count = 0
        for p in range(middle, end):
            count += counts[rows[p]]
    write_totals(nodes, b, right, count)
    link(nodes, node, feature, gain, n_nodes)
    sides[node, 0], sides[node, 1] = low, high
    larger = nodes.totals[n_nodes, 0] >= nodes.totals[b, 0]
    sides[node, 2] = side if line[gap_code] != 0 else np.int64(larger)


@jit(allocates=False, inner=True)
def keep_bins(codes, words, rows, offsets, nodes, smaller, larger, n_kept, buffers):
    """Keep the histograms of two children, the smaller one's last; return how many are kept.

    The smaller child is summed, the larger one's histogram is what is left of the parent's, in the same
    place. Small nodes need none.
    """
    bins, small = buffers.bins, buffers.words.shape[0]
    buffers.has_bins[smaller] = buffers.has_bins[larger] = False
    if nodes.segment[larger, 1] - nodes.segment[larger, 0] <= small:
        return n_kept
    start, end = nodes.segment[smaller, 0], nodes.segment[smaller, 1]
    rest, part = bins[n_kept], bins[n_kept + 1]
    fill(codes, words, rows, start, end, offsets, part)
    for i in range(part.shape[0]):
        rest[i] -= part[i]
    buffers.has_bins[larger] = True
    if end - start <= small:
        return n_kept + 1
    buffers.has_bins[smaller] = True
    return n_kept + 2


@jit(allocates=False)
def grow_one_target(
    codes, n_codes, offsets, stats, words, kind, rows, rules, state, nodes, sides, buffers
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` gets the codes on both sides of each cut.

    The third column is 1 where missing values go left; a node that saw none sends them to its larger
    child. Reorders `rows`.
    """
    small, counts = buffers.words.shape[0], stats[:, 0]
    pending = buffers.pending
    write_root(nodes, rows.shape[0], np.int64(0))
    sum_rows(stats, stats.shape[1], rows, nodes.totals, 0)
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
        # last in, first out: the histogram kept last is this node's, if it has one
        if buffers.has_bins[node]:
            n_kept -= 1
        if (
            nodes.depth[node] >= rules.max_depth
            or nodes.totals[node, 0] < 2 * rules.min_leaf
            or same_kind(kind, rows, start, end)
        ):
            continue
        if end - start <= small:
            level = enter(codes, n_codes, counts, words, rows, start, end, buffers)
            n_nodes = grow_lists(
                end - start, node, level, n_nodes, n_codes, rules, state, nodes, sides, buffers
            )
            continue
        bins = buffers.bins[n_kept]
        if not buffers.has_bins[node]:
            fill(codes, words, rows, start, end, offsets, bins)
        n, s = totals_of(nodes, node)
        best, low, side, gain = best_of_bins(bins, offsets, n, s, rules, state, buffers)
        if best < 0:
            continue
        gap_code = n_codes[best] if side == 1 else -1
        middle = partition_codes(codes, best, low, gap_code, rows, start, end, buffers.buffer)
        cut_bins(
            bins, offsets, low, side, best, gain / n, counts, rows, middle, end, nodes, node,
            n_nodes, sides,
        )  # fmt: skip
        smaller, larger = n_nodes, n_nodes + 1
        nodes.segment[smaller, 0], nodes.segment[smaller, 1] = start, middle
        nodes.segment[larger, 0], nodes.segment[larger, 1] = middle, end
        if middle - start > end - middle:
            smaller, larger = larger, smaller
        n_kept = keep_bins(codes, words, rows, offsets, nodes, smaller, larger, n_kept, buffers)
        pending[tail] = larger
        pending[tail + 1] = smaller
        tail += 2
        n_nodes += 2
    return n_nodes
