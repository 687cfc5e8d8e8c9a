"""Breiman's algorithm for one small integer target on coded features without missing values.

``codes[r, j]`` is the place of row r's value among the distinct values of feature j. A large node
has a histogram of count and target sum over the codes of every feature, all in one array where
feature j starts at ``offsets[j]``; that of one child follows from its parent's and its sibling's.
Where a node has fewer rows than a feature has codes, sorted lists take over.

    bin:  | target sum : 32 | count : 32 |
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.tree._entries_kernels import SAME, best_position, grow_entries, sort_entries
from rankwise.tree._nodes_kernels import Rules, draw_feature, link, sum_rows
from rankwise.tree._sums_kernels import COUNT_BITS, COUNT_MASK

SUM_SHIFT = 32
BIN_MASK = (1 << SUM_SHIFT) - 1


@jit
def fill(codes, packed, rows, start, end, offsets, bins):
    """Write the histogram of a segment of rows."""
    for b in range(bins.shape[0]):
        bins[b] = 0
    d = codes.shape[1]
    for r in rows[start:end]:
        v = np.int64(packed[r])
        v = (v & COUNT_MASK) | ((v >> COUNT_BITS) << SUM_SHIFT)
        for j in range(d):
            bins[offsets[j] + np.uint64(codes[r, j])] += v


@jit
def cumulate_bins(bins, n, min_leaf, positions):
    """Write count and target sum up to each code; 0 where the code is absent or a leaf too small."""
    counts, sums = positions.counts, positions.sums
    total = 0
    most = n - min_leaf
    for c in range(bins.shape[0]):
        v = bins[c]
        total += v
        n1 = total & BIN_MASK
        allowed = (v != 0) & (n1 >= min_leaf) & (n1 <= most)
        counts[c] = n1 if allowed else 0
        sums[c] = (total >> SUM_SHIFT) if allowed else 0


@jit
def best_code(bins, offsets, n, s, rules, features, state, positions):
    """The best feature of a histogram (-1: none), the last code on its left, and its gain times n."""
    d = offsets.shape[0] - 1
    best, best_feature, best_low = -1.0, -1, 0
    for i in range(d):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        line = bins[offsets[j] : offsets[j + 1]]
        cumulate_bins(line, n, rules.min_leaf, positions)
        floor = best / (SAME * SAME) if j < best_feature else best
        gain, cut = best_position(positions, line.shape[0], n, s, floor)
        if cut > 0:
            best, best_feature, best_low = gain, j, cut - 1
    return best_feature, best_low, best / SAME


@jit
def partition_codes(codes, feature, low, rows, start, end, buffer):
    """Move the rows whose code is at most `low` to the front, stably; return where the rest starts."""
    line = rows[start:end]
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for r in line:
        right = np.uint64(codes[r, feature] > low)
        line[n_left] = r
        buffer[n_right] = r
        n_left += np.uint64(1) - right
        n_right += right
    after = line[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)


@jit
def write_cut(bins, offsets, feature, low, gain, nodes, node, n_nodes, sides):
    """Write the children of a node and the codes beside its cut, all read off the histogram."""
    a, b = n_nodes, n_nodes + 1
    high = low + 1
    line = bins[offsets[feature] : offsets[feature + 1]]
    while line[high] == 0:
        high += 1
    right = 0
    for c in range(high, line.shape[0]):
        right += line[c]
    nodes.totals[b, 0] = right & BIN_MASK
    nodes.totals[b, 1] = right >> SUM_SHIFT
    nodes.totals[b, 2] = 0
    link(nodes, node, feature, gain, n_nodes)
    sides[node, 0], sides[node, 1] = low, high
    sides[node, 2] = nodes.totals[a, 0] >= nodes.totals[b, 0]


@jit
def same_target(packed, rows):
    """Whether all rows have the same target."""
    first = np.int64(packed[rows[0]])
    for r in rows:
        v = np.int64(packed[r])
        if (v >> COUNT_BITS) * (first & COUNT_MASK) != (first >> COUNT_BITS) * (v & COUNT_MASK):
            return False
    return True


def small_node(n_codes: np.ndarray, n_rows: int, rules: Rules) -> int:
    """Below how many rows lists take over: where a scan of them costs what a histogram does.

    With a budget all nodes are grown breadth first from lists.
    """
    return n_rows if rules.max_splits >= 0 else min(n_rows, max(32, int(n_codes.mean())))


@jit
def copy(source, target):
    """Copy a histogram; an assignment of slices takes seconds to compile."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@jit
def grow_histogram(
    codes, n_codes, offsets, stats, packed, rows, rules, state, nodes, sides, positions, entries
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` gets the codes on both sides of each cut.

    The third column tells that missing values, should they come, go to the left (larger) child.
    """
    d, n_rows = codes.shape[1], rows.shape[0]
    small_node = entries.shape[1]
    sum_rows(stats, 2, rows, nodes.totals, 0)
    capacity = nodes.feature.shape[0]
    n_bins = np.int64(offsets[d])
    places = np.zeros(positions.counts.shape[0] + 1, np.int64)
    entry_buffer = np.empty(small_node, np.uint64)
    goes_right = np.zeros(stats.shape[0], np.uint8)
    features = np.arange(d)
    buffer = np.empty(n_rows, rows.dtype)
    bins = np.zeros((2, n_bins), np.int64)
    kept = np.zeros((4, n_bins), np.int64)
    has_bins = np.zeros(capacity, np.bool_)
    n_kept = 0
    pending = np.empty(capacity, np.int32)
    small_pending = np.empty(2 * small_node + 2, np.int32)
    pending[0] = 0
    tail = 1
    n_nodes = 1
    while tail > 0:
        tail -= 1
        node = pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        # last in, first out: the histogram kept last is this node's, if it has one
        if has_bins[node]:
            n_kept -= 1
            copy(kept[n_kept], bins[0])
        n, s = float(nodes.totals[node, 0]), float(nodes.totals[node, 1])
        if (
            nodes.depth[node] >= rules.max_depth
            or n < 2 * rules.min_leaf
            or same_target(packed, rows[start:end])
        ):
            continue
        if end - start <= small_node:
            sort_entries(codes, packed, rows, start, end, n_codes, places, entries)
            n_nodes = grow_entries(
                entries, end - start, node, n_nodes, rules, features, state, positions,
                goes_right, entry_buffer, small_pending, nodes, sides,
            )  # fmt: skip
            continue
        if not has_bins[node]:
            fill(codes, packed, rows, start, end, offsets, bins[0])
        best, low, gain = best_code(bins[0], offsets, n, s, rules, features, state, positions)
        if best < 0:
            continue
        write_cut(bins[0], offsets, best, low, gain / n, nodes, node, n_nodes, sides)
        middle = partition_codes(codes, best, low, rows, start, end, buffer)
        a, b = n_nodes, n_nodes + 1
        nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
        nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
        n_nodes += 2
        # the smaller child is summed, the larger one's histogram is what is left of the parent's
        if middle - start < end - middle:
            a, b = b, a
        if nodes.segment[a, 1] - nodes.segment[a, 0] > small_node:
            fill(codes, packed, rows, nodes.segment[b, 0], nodes.segment[b, 1], offsets, bins[1])
            if n_kept + 2 > kept.shape[0]:
                more = np.empty((2 * kept.shape[0], n_bins), np.int64)
                for i in range(n_kept):
                    copy(kept[i], more[i])
                kept = more
            if nodes.segment[b, 1] - nodes.segment[b, 0] > small_node:
                copy(bins[1], kept[n_kept])
                has_bins[b] = True
                n_kept += 1
            for i in range(n_bins):
                kept[n_kept, i] = bins[0, i] - bins[1, i]
            has_bins[a] = True
            n_kept += 1
        pending[tail] = b
        pending[tail + 1] = a
        tail += 2
    return n_nodes
