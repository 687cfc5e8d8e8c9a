"""Breiman's algorithm for one small integer target on coded features without missing values.

``codes[r, j]`` is the place of row r's value among the distinct values of feature j. A large node
has a histogram of count and target sum over the codes of every feature, all in one array where
feature j starts at ``offsets[j]``; that of one child follows from its parent's and its sibling's.
Where a node has fewer rows than a feature has codes, sorted lists take over; a bin is laid out as
their sums are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.nodes import Rules, draw_feature, is_final, sum_rows
from rankwise.engine.kernels.partition import partition_codes
from rankwise.engine.kernels.row_statistics import COUNT_BITS, COUNT_MASK
from rankwise.engine.kernels.small_node_cuts import (
    SAME,
    SUM_SHIFT,
    LeftSums,
    best_position,
    grow_entries,
    is_allowed,
    new_left_sums,
    sort_entries,
    write_children,
)


@jit(allocates=False, inner=True)
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


@jit(allocates=False, inner=True)
def cumulate_bins(bins, n, min_leaf, left_sums):
    """Write the sums up to each code; 0 where the code is absent or a leaf too small."""
    sums = left_sums.sums
    total = 0
    for c in range(bins.shape[0]):
        total += bins[c]
        sums[c] = total if (bins[c] != 0) & is_allowed(total, n, min_leaf) else 0


@jit(allocates=False, inner=True)
def best_code(bins, offsets, n, s, rules, features, state, left_sums):
    """The best feature of a histogram (-1: none), the last code on its left, and its gain times n."""
    d = offsets.shape[0] - 1
    best, best_feature, best_low = -1.0, -1, 0
    for i in range(d):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        line = bins[offsets[j] : offsets[j + 1]]
        cumulate_bins(line, n, rules.min_leaf, left_sums)
        floor = best / (SAME * SAME) if j < best_feature else best
        gain, cut = best_position(left_sums, line.shape[0], n, s, floor)
        if cut > 0:
            best, best_feature, best_low = gain, j, cut - 1
    return best_feature, best_low, best / SAME


@jit(allocates=False, inner=True)
def write_cut(bins, offsets, feature, low, gain, nodes, node, n_nodes, sides):
    """Write the children of a node and the codes beside its cut, all read off the histogram."""
    high = low + 1
    line = bins[offsets[feature] : offsets[feature + 1]]
    while line[high] == 0:
        high += 1
    right = 0
    for c in range(high, line.shape[0]):
        right += line[c]
    write_children(right, low, high, feature, gain, nodes, node, n_nodes, sides)


def small_node(n_codes: np.ndarray, n_rows: int, rules: Rules) -> int:
    """Below how many rows lists take over: where a scan of them costs what a histogram does.

    With a budget all nodes are grown breadth first from lists.
    """
    return n_rows if rules.max_splits >= 0 else min(n_rows, max(32, int(n_codes.mean())))


@jit(allocates=False, inner=True)
def copy(source, target):
    """Copy a histogram; an assignment of slices takes seconds to compile."""
    for i in range(source.shape[0]):
        target[i] = source[i]


class HistogramBuffers(NamedTuple):
    """Memory to grow in."""

    left_sums: LeftSums
    entries: np.ndarray  # (d, small_node): the sorted lists of a small node
    entry_buffer: np.ndarray
    places: np.ndarray  # of the codes, while a list is sorted
    goes_right: np.ndarray  # of each row
    features: np.ndarray
    buffer: np.ndarray
    bins: np.ndarray  # histograms of the node, and of its smaller child
    kept: np.ndarray  # those of the nodes that wait
    has_bins: np.ndarray  # of each node, whether its histogram is kept
    pending: np.ndarray  # nodes that wait
    small_pending: np.ndarray  # the same below a small node
    small_bounds: np.ndarray  # of each of these, what its cut can gain at most


def new_histogram_buffers(
    n_codes: np.ndarray, n_samples: int, n_rows: int, rules: Rules
) -> HistogramBuffers:
    """Memory for trees on so many of the rows."""
    size = small_node(n_codes, n_rows, rules)
    d, n_bins = len(n_codes), int(n_codes.sum())
    left_sums = new_left_sums(max(size, int(n_codes.max())))
    return HistogramBuffers(
        left_sums=left_sums,
        entries=np.empty((d, size), np.uint64),
        entry_buffer=np.empty(size, np.uint64),
        places=np.zeros(len(left_sums.sums) + 1, np.int64),
        goes_right=np.zeros(n_samples, np.uint8),
        features=np.arange(d),
        buffer=np.empty(n_rows, np.int32),
        bins=np.empty((2, n_bins), np.int64),
        # the smaller child is taken first, so that no more wait than n_rows can be halved
        kept=np.empty((2 * n_rows.bit_length(), n_bins), np.int64),
        has_bins=np.empty(2 * n_rows + 2, np.bool_),
        pending=np.empty(2 * n_rows + 2, np.int32),
        small_pending=np.empty(2 * size + 2, np.int32),
        small_bounds=np.empty(2 * size + 2),
    )


@jit(allocates=False, inner=True)
def keep_bins(codes, packed, rows, offsets, nodes, smaller, larger, n_kept, buffers):
    """Keep the histograms of two children, the smaller one's last; return how many are kept.

    The smaller child is summed, the larger one's histogram is what is left of the parent's. Small
    nodes need none.
    """
    bins, kept, small = buffers.bins, buffers.kept, buffers.entries.shape[1]
    buffers.has_bins[smaller] = buffers.has_bins[larger] = False
    if nodes.segment[larger, 1] - nodes.segment[larger, 0] <= small:
        return n_kept
    start, end = nodes.segment[smaller, 0], nodes.segment[smaller, 1]
    fill(codes, packed, rows, start, end, offsets, bins[1])
    for i in range(bins.shape[1]):
        kept[n_kept, i] = bins[0, i] - bins[1, i]
    buffers.has_bins[larger] = True
    if end - start <= small:
        return n_kept + 1
    copy(bins[1], kept[n_kept + 1])
    buffers.has_bins[smaller] = True
    return n_kept + 2


@jit(allocates=False)
def grow_histogram(
    codes, n_codes, offsets, stats, packed, kind, count_column, rows, rules, state, nodes, sides,
    buffers,
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` gets the codes on both sides of each cut.

    The third column is 1 where missing values, should they come, go left: to the larger child.
    """
    small_node = buffers.entries.shape[1]
    bins, kept, pending = buffers.bins, buffers.kept, buffers.pending
    sum_rows(stats, 2, rows, nodes.totals, 0)
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
        # last in, first out: the histogram kept last is this node's, if it has one
        if buffers.has_bins[node]:
            n_kept -= 1
            copy(kept[n_kept], bins[0])
        n, s = float(nodes.totals[node, 0]), float(nodes.totals[node, 1])
        if is_final(nodes, node, rules, kind, rows, count_column, False):
            continue
        if end - start <= small_node:
            sort_entries(codes, packed, rows, start, end, n_codes, buffers.places, buffers.entries)
            n_nodes = grow_entries(
                buffers.entries, end - start, node, n_nodes, rules, buffers.features, state,
                buffers.left_sums, buffers.goes_right, buffers.entry_buffer, buffers.small_pending,
                buffers.small_bounds, nodes, sides,
            )  # fmt: skip
            continue
        if not buffers.has_bins[node]:
            fill(codes, packed, rows, start, end, offsets, bins[0])
        best, low, gain = best_code(
            bins[0], offsets, n, s, rules, buffers.features, state, buffers.left_sums
        )
        if best < 0:
            continue
        write_cut(bins[0], offsets, best, low, gain / n, nodes, node, n_nodes, sides)
        middle = partition_codes(codes, best, low, rows, start, end, buffers.buffer)
        smaller, larger = n_nodes, n_nodes + 1
        nodes.segment[smaller, 0], nodes.segment[smaller, 1] = start, middle
        nodes.segment[larger, 0], nodes.segment[larger, 1] = middle, end
        if middle - start > end - middle:
            smaller, larger = larger, smaller
        n_kept = keep_bins(codes, packed, rows, offsets, nodes, smaller, larger, n_kept, buffers)
        pending[tail] = larger
        pending[tail + 1] = smaller
        tail += 2
        n_nodes += 2
    return n_nodes
