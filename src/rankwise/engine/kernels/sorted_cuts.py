"""Breiman's algorithm on features of any kind, exactly: every threshold is tried.

``codes[j, r]`` is the place of row r's value among the distinct values of feature j, and
``order[j]`` lists the rows by it; a missing value has the code MISSING and comes last. Each tree
keeps the sorted lists of its own rows. A node is the same segment of all lists, and cutting it is a
stable partition of each, so nothing is ever sorted again:

    order[j]:  [start ... left child, sorted | right child, sorted ... end)
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.engine import MISSING
from rankwise.engine.kernels.midpoints import between_codes
from rankwise.engine.kernels.nodes import draw_feature, is_final, link, sum_rows
from rankwise.engine.kernels.partition import partition_lists

# Two gains that differ by less than this share are one gain rounded in two ways.
SAME = 1.0 + 1e-12


# The best cut of a node found so far is an array: its gain, its feature (-1: none), the codes of the
# last value on its left and of the first on its right, and 1 where missing values go left.
GAIN, FEATURE, LOW, HIGH, MISSING_LEFT = range(5)


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
def consider(cut, gain, feature, low, high, missing_left):
    """Keep the cut if it is better than the best so far; equal gains go to the lower feature."""
    lower = feature < cut[FEATURE]
    if gain > cut[GAIN] * SAME or (lower and gain * SAME >= cut[GAIN]):
        cut[GAIN], cut[FEATURE] = gain, feature
        cut[LOW], cut[HIGH], cut[MISSING_LEFT] = low, high, missing_left


@jit(allocates=False, inner=True)
def scan(feature, codes, values, offsets, stats, lists, held_lists, nodes, node, count_column,
         min_leaf, sums, cut):  # fmt: skip
    """Try every threshold of a feature in a node, with missing values on either side.

    Where no row misses the feature, a missing value belongs to the larger side.
    """
    start, end, held_start, held_end = nodes.segment[node]
    n_stats = stats.shape[1]
    honest = held_lists.shape[1] > 0
    n_rows, n_held = nodes.totals[node, 0], nodes.totals[node, n_stats]
    min_rows = 1 if honest else min_leaf
    left, missing, both = sums[0], sums[1], sums[2]
    for a in range(n_stats):
        left[a] = missing[a] = 0
    last = end
    while last > start and codes[feature, lists[feature, last - 1]] == MISSING:
        last -= 1
        for a in range(n_stats):
            missing[a] += stats[lists[feature, last], a]
    held_missing = held_left = missing[0] * 0
    held_last = held_end
    while honest and held_last > held_start:
        r = held_lists[feature, held_last - 1]
        if codes[feature, r] != MISSING:
            break
        held_last -= 1
        held_missing += stats[r, 0]
    h = held_start
    for p in range(start, last):
        r = lists[feature, p]
        for a in range(n_stats):
            left[a] += stats[r, a]
        low = codes[feature, r]
        high = codes[feature, lists[feature, p + 1]] if p + 1 < end else low
        if low == high:
            continue
        if honest:
            threshold = between_codes(values, offsets[feature], low, high)
            while h < held_last:
                held_row = held_lists[feature, h]
                if values[offsets[feature] + np.uint64(codes[feature, held_row])] > threshold:
                    break
                held_left += stats[held_row, 0]
                h += 1
        for side in range(2 if last < end and high != MISSING else 1):
            n1, h1 = left[0], held_left
            missing_left = side if last < end else np.int64(2 * n1 >= n_rows)
            if missing_left:
                n1, h1 = n1 + missing[0], h1 + held_missing
            if n1 < min_rows or n_rows - n1 < min_rows:
                continue
            if honest and (h1 < min_leaf or n_held - h1 < min_leaf):
                continue
            if missing_left:
                for a in range(n_stats):
                    both[a] = left[a] + missing[a]
                gain = gain_of(both, nodes.totals, node, count_column)
            else:
                gain = gain_of(left, nodes.totals, node, count_column)
            consider(cut, gain, feature, low, high, missing_left)


@jit(allocates=False, inner=True)
def scan_one_target(feature, codes, stats, lists, nodes, node, cut):
    """The same for one target, no missing values, no held rows and leaves of any size.

    Gains are compared as fractions, so that only a better cut costs a division.
    """
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    n, s = float(nodes.totals[node, 0]), float(nodes.totals[node, 1])
    n1 = nodes.totals[node, 0] * 0
    s1 = n1
    best = cut[GAIN] * n * SAME
    best_low, best_high, best_side = -1, -1, 0
    low = codes[feature, lists[feature, start]]
    for p in range(start, end - 1):
        r = lists[feature, p]
        n1 += stats[r, 0]
        s1 += stats[r, 1]
        high = codes[feature, lists[feature, p + 1]]
        if low != high:
            difference = n * s1 - n1 * s
            square, product = difference * difference, n1 * (n - n1)
            if square > best * product:
                best = square / product * SAME
                best_low, best_high, best_side = low, high, np.int64(2 * n1 >= n)
            low = high
    if best_low >= 0:
        consider(cut, best / SAME / n, feature, best_low, best_high, best_side)


@jit(allocates=False, inner=True)
def best_cut(codes, values, offsets, stats, lists, held_lists, nodes, node, count_column, rules,
             simple, features, state, sums, cut):  # fmt: skip
    """Find the best cut of a node."""
    cut[GAIN], cut[FEATURE] = -1.0, -1.0
    d = codes.shape[0]
    last = nodes.segment[node, 1] - 1
    for i in range(d):
        if i >= rules.n_drawn and cut[FEATURE] >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        if simple and codes[j, lists[j, last]] != MISSING:
            scan_one_target(j, codes, stats, lists, nodes, node, cut)
        else:
            scan(
                j, codes, values, offsets, stats, lists, held_lists, nodes, node, count_column,
                rules.min_leaf, sums, cut,
            )  # fmt: skip


@jit(allocates=False, inner=True)
def mark(codes, values, offsets, lists, start, end, cut, goes_right):
    """Write for each row of a segment whether it goes right."""
    feature = np.int64(cut[FEATURE])
    offset = offsets[feature]
    threshold = between_codes(values, offset, np.int64(cut[LOW]), np.int64(cut[HIGH]))
    for p in range(start, end):
        r = lists[feature, p]
        code = codes[feature, r]
        if code == MISSING:
            goes_right[r] = cut[MISSING_LEFT] == 0
        else:
            goes_right[r] = values[offset + np.uint64(code)] > threshold


@jit
def grow_sorted(
    codes, values, offsets, stats, kind, count_column, lists, held_lists, rules, state, nodes, sides
):  # fmt: skip
    """Grow one tree from sorted lists of its rows into `nodes`, return how many.

    `held_lists` has no columns unless the tree is honest. `sides` gets for each node the codes on
    both sides of its cut and whether missing values go left; a node that saw
    none missing sends them to its larger child. The value of a code is
    ``values[offsets[feature] + code]``.
    """
    d, n = lists.shape
    n_stats = stats.shape[1]
    honest = held_lists.shape[1] > 0
    breadth_first = rules.max_splits >= 0
    simple = not honest and rules.min_leaf <= 1 and n_stats == 2 and count_column.shape[0] == 1
    sum_rows(stats, n_stats, lists[0], nodes.totals, np.int64(0))
    sum_rows(stats, np.int64(1), held_lists[0], nodes.totals, n_stats)
    cut = np.zeros(5)
    sums = np.zeros((3, n_stats), stats.dtype)
    features = np.arange(d)
    goes_right = np.zeros(stats.shape[0], np.uint8)
    buffer = np.empty(max(n, held_lists.shape[1]), np.int32)
    pending = np.empty(2 * n + 2, np.int32)
    pending[0] = 0
    head, tail = 0, 1
    n_nodes = np.int64(1)
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            node = np.int64(pending[head])
            head += 1
        else:
            tail -= 1
            node = np.int64(pending[tail])
        start, end, held_start, held_end = nodes.segment[node]
        if is_final(nodes, node, rules, kind, lists[0], count_column, honest):
            continue
        best_cut(
            codes, values, offsets, stats, lists, held_lists, nodes, node, count_column, rules,
            simple, features, state, sums, cut,
        )  # fmt: skip
        if cut[FEATURE] < 0:
            continue
        a, b = n_nodes, n_nodes + 1
        mark(codes, values, offsets, lists, start, end, cut, goes_right)
        middle = partition_lists(lists, start, end, goes_right, buffer)
        nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
        nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
        for i in range(n_stats + 1):
            nodes.totals[b, i] = 0
        for i in range(2, 4):
            nodes.segment[a, i] = nodes.segment[b, i] = 0
        if honest:
            mark(codes, values, offsets, held_lists, held_start, held_end, cut, goes_right)
            held_middle = partition_lists(held_lists, held_start, held_end, goes_right, buffer)
            nodes.segment[a, 2], nodes.segment[a, 3] = held_start, held_middle
            nodes.segment[b, 2], nodes.segment[b, 3] = held_middle, held_end
            for p in range(held_middle, held_end):
                nodes.totals[b, n_stats] += stats[held_lists[0, p], 0]
        for p in range(middle, end):
            for i in range(n_stats):
                nodes.totals[b, i] += stats[lists[0, p], i]
        link(nodes, node, np.int64(cut[FEATURE]), cut[GAIN], n_nodes)
        sides[node, 0], sides[node, 1], sides[node, 2] = cut[LOW], cut[HIGH], cut[MISSING_LEFT]
        pending[tail] = a if breadth_first else b
        pending[tail + 1] = b if breadth_first else a
        tail += 2
        n_nodes += 2
    return n_nodes
