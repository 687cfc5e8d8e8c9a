"""Extremely randomised trees: each feature is cut at one threshold drawn at random, the best one is taken.

A threshold is uniform between the lowest and the highest value of the node's rows; rows that miss the
feature go to a side drawn at random. Features stand beside each other in a row, LANES to a block, so
that vector instructions look at all of them at once; what is added up of a row is a word for one
target and lanes for many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.lanes import LANES, add_lanes, clear_lanes
from rankwise.engine.kernels.many_targets import (
    WEIGHT,
    TargetSums,
    add_rows,
    better,
    enter_totals,
    is_final,
    is_pure,
    link_children,
    new_target_sums,
)
from rankwise.engine.kernels.many_targets import write_totals as write_lane_totals
from rankwise.engine.kernels.nodes import draw_feature, next_random, same_kind
from rankwise.engine.kernels.one_target import totals_of, write_totals
from rankwise.engine.kernels.words import SAME, floor_of, is_allowed, sum_of, weight_of

# next_random gives 53 bits.
ONE = 1.0 / (1 << 53)


class RandomBuffers(NamedTuple):
    """Memory to grow in; blocks of features are (n_blocks, LANES)."""

    low: np.ndarray  # the lowest value of each feature in the node
    high: np.ndarray
    threshold: np.ndarray  # +inf where the feature cannot cut
    gaps_right: np.ndarray  # 1 where rows that miss the feature go right
    has_gaps: np.ndarray  # whether rows of the node miss the feature
    words: np.ndarray  # of each feature the sum of the rows that go right
    lanes: np.ndarray  # the same for many targets: (d, n_blocks, LANES)
    drawn: np.ndarray  # features that compete
    features: np.ndarray
    pending: np.ndarray  # nodes that wait
    buffer: np.ndarray
    at: TargetSums


def new_random_buffers(
    n_features: int, n_rows: int, n_outputs: int, n_blocks: int
) -> RandomBuffers:
    """Memory for trees on so many rows; no blocks of lanes where words are added up."""
    of_features = (-(-n_features // LANES), LANES)
    return RandomBuffers(
        low=np.empty(of_features),
        high=np.empty(of_features),
        threshold=np.empty(of_features),
        gaps_right=np.empty(of_features, np.uint8),
        has_gaps=np.empty(of_features, np.uint8),
        words=np.empty(of_features, np.int64),
        lanes=np.empty((n_features, n_blocks, LANES), np.int32),
        drawn=np.empty(n_features, np.int64),
        features=np.empty(n_features, np.int64),
        pending=np.empty(2 * n_rows + 2, np.int32),
        buffer=np.empty(n_rows, np.int32),
        at=new_target_sums(n_outputs, max(1, n_blocks)),
    )


@jit(allocates=False, inner=True)
def find_ranges(values, rows, start, end, any_gaps, buffers):
    """Write the lowest and highest value of each feature in a segment of rows, and where gaps are."""
    low, high, has_gaps = buffers.low, buffers.high, buffers.has_gaps
    for b in range(low.shape[0]):
        for i in range(LANES):
            low[b, i], high[b, i], has_gaps[b, i] = np.inf, -np.inf, 0
    for r in rows[start:end]:
        row = values[r]
        for b in range(low.shape[0]):
            for i in range(LANES):
                x = row[b, i]
                low[b, i] = x if x < low[b, i] else low[b, i]
                high[b, i] = x if x > high[b, i] else high[b, i]
        if any_gaps:
            for b in range(low.shape[0]):
                for i in range(LANES):
                    has_gaps[b, i] |= np.uint8(row[b, i] != row[b, i])


@jit(allocates=False, inner=True, forceinline=True)
def draw_threshold(low, high, state):
    """A number t with low <= t < high, uniform."""
    share = np.float64(next_random(state)) * ONE
    t = low * (1.0 - share) + high * share
    return t if low <= t < high else low


@jit(allocates=False, inner=True)
def draw_thresholds(rules, state, buffers):
    """Draw the features that compete and a threshold for each; return how many they are."""
    d, n = buffers.features.shape[0], 0
    threshold = buffers.threshold
    for b in range(threshold.shape[0]):
        for i in range(LANES):
            threshold[b, i] = np.inf
            buffers.gaps_right[b, i] = 0
    for i in range(d):
        if n >= rules.n_drawn:
            break
        j = draw_feature(buffers.features, i, rules.n_drawn, state)
        b, lane = j // LANES, j % LANES
        low, high = buffers.low[b, lane], buffers.high[b, lane]
        has_gaps = buffers.has_gaps[b, lane]
        if low < high:
            threshold[b, lane] = draw_threshold(low, high, state)
            if has_gaps:
                buffers.gaps_right[b, lane] = next_random(state) & np.uint64(1)
        elif has_gaps and low == high:
            # nothing but gaps to cut off
            threshold[b, lane] = np.inf
            buffers.gaps_right[b, lane] = 1
        else:
            continue
        buffers.drawn[n] = j
        n += 1
    return n


@jit(allocates=False, inner=True)
def sum_words(values, words, rows, start, end, any_gaps, buffers):
    """Write for each feature the sum of the words of the rows that go right."""
    sums, threshold, gaps_right = buffers.words, buffers.threshold, buffers.gaps_right
    for b in range(sums.shape[0]):
        for i in range(LANES):
            sums[b, i] = 0
    for r in rows[start:end]:
        row, word = values[r], words[r]
        if any_gaps:
            for b in range(sums.shape[0]):
                for i in range(LANES):
                    x = row[b, i]
                    gap = (x != x) & (gaps_right[b, i] != 0)
                    sums[b, i] += word if (x > threshold[b, i]) | gap else 0
        else:
            for b in range(sums.shape[0]):
                for i in range(LANES):
                    sums[b, i] += word if row[b, i] > threshold[b, i] else 0


@jit(allocates=False, inner=True, forceinline=True)
def goes_right(x, threshold, gaps_right):
    """Whether a value goes right."""
    return x > threshold or (x != x and gaps_right != 0)


@jit(allocates=False, inner=True)
def best_of_words(n_drawn, n, s, min_leaf, buffers):
    """The best of the features that compete (-1: none) and its gain times n, from sums of words."""
    best, best_feature = -1.0, -1
    for i in range(n_drawn):
        j = buffers.drawn[i]
        right = buffers.words[j // LANES, j % LANES]
        n1 = weight_of(right)
        difference = n * sum_of(right) - n1 * s
        square, product = difference * difference, n1 * (n - n1)
        floor = floor_of(best, best_feature, j)
        if is_allowed(right, n, min_leaf) and square > floor * product:
            best, best_feature = square / product * SAME, j
    return best_feature, best / SAME


@jit(allocates=False, inner=True)
def best_of_lanes(values, lanes, rows, start, end, n_drawn, rules, honest, buffers):
    """The same for many targets, whose lanes are added up for each feature."""
    sums, at = buffers.lanes, buffers.at
    for i in range(n_drawn):
        clear_lanes(sums[i])
    for r in rows[start:end]:
        row = lanes[r]
        for i in range(n_drawn):
            j = buffers.drawn[i]
            b, lane = j // LANES, j % LANES
            if goes_right(values[r, b, lane], buffers.threshold[b, lane], buffers.gaps_right[b, lane]):
                add_lanes(sums[i], row)
    best, best_feature = -1.0, -1
    for i in range(n_drawn):
        j = buffers.drawn[i]
        clear_lanes(at.left)
        add_lanes(at.left, sums[i])
        floor = floor_of(best, best_feature, j)
        gain = better(at, rules, honest, floor)
        if gain > floor:
            best, best_feature = gain, j
    return best_feature, best / SAME


@jit(allocates=False, inner=True)
def partition_values(values, b, lane, threshold, gaps_right, rows, start, end, buffer):
    """Bring the rows that go left to the front, stably; return where the others start."""
    line = rows[start:end]
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for r in line:
        right = np.uint64(goes_right(values[r, b, lane], threshold, gaps_right))
        line[n_left] = r
        buffer[n_right] = r
        n_left += np.uint64(1) - right
        n_right += right
    after = line[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)


@jit(allocates=False, inner=True)
def sum_right(stats, words, lanes, rows, middle, end, n_outputs, nodes, node, buffers):
    """Write the totals of a node that has the rows from `middle` on."""
    if lanes.shape[0] > 0:
        add_rows(lanes, rows, middle, end, buffers.at.left)
        write_lane_totals(buffers.at.left, n_outputs, buffers.at.sums.shape[0], nodes, node)
        return
    word, count = np.int64(0), np.int64(0)
    for p in range(middle, end):
        word += words[rows[p]]
        count += stats[rows[p], 0]
    write_totals(nodes, node, word, count)


@jit(allocates=False)
def grow_random(
    values, any_gaps, stats, words, lanes, kind, count_column, rows, honest, rules, state, nodes,
    threshold, missing_left, buffers,
):  # fmt: skip
    """Grow one tree into `nodes` and return how many there are; reorders `rows`.

    ``values[r]`` are the features of row r in blocks. `lanes` is empty where words are added up.
    `threshold` and `missing_left` get those of each node.
    """
    at, pending, n_outputs = buffers.at, buffers.pending, count_column.shape[0]
    by_lanes = lanes.shape[0] > 0
    own = at.left.shape[0] > at.sums.shape[0] + 1
    breadth_first = rules.max_splits >= 0
    until_pure = rules.stop_when_pure or not honest
    sum_right(stats, words, lanes, rows, 0, rows.shape[0], n_outputs, nodes, np.int64(0), buffers)
    for j in range(buffers.features.shape[0]):
        buffers.features[j] = j
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
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        if is_final(nodes, node, rules, honest):
            continue
        if by_lanes:
            if until_pure and is_pure(nodes, node, kind, lanes, rows, start, end, count_column):
                continue
        elif same_kind(kind, rows, start, end):
            continue
        find_ranges(values, rows, start, end, any_gaps, buffers)
        n_drawn = draw_thresholds(rules, state, buffers)
        n = 1.0
        if by_lanes:
            enter_totals(nodes, node, n_outputs, at)
            best, gain = best_of_lanes(
                values, lanes, rows, start, end, n_drawn, rules, honest, buffers
            )
            if not own:
                n = max(1.0, np.float64(at.total[at.total.shape[0] - 1, WEIGHT]))
        else:
            n, s = totals_of(nodes, node)
            sum_words(values, words, rows, start, end, any_gaps, buffers)
            best, gain = best_of_words(n_drawn, n, s, rules.min_leaf, buffers)
        if best < 0:
            continue
        b, lane = best // LANES, best % LANES
        t, gaps_right = buffers.threshold[b, lane], buffers.gaps_right[b, lane]
        middle = partition_values(
            values, b, lane, t, gaps_right, rows, start, end, buffers.buffer
        )
        sum_right(stats, words, lanes, rows, middle, end, n_outputs, nodes, n_nodes + 1, buffers)
        link_children(nodes, node, best, gain / n, n_nodes, start, middle, end)
        larger = nodes.totals[n_nodes, 0] >= nodes.totals[n_nodes + 1, 0]
        threshold[node] = t
        missing_left[node] = gaps_right == 0 if buffers.has_gaps[b, lane] else larger
        pending[tail] = n_nodes if breadth_first else n_nodes + 1
        pending[tail + 1] = n_nodes + 1 if breadth_first else n_nodes
        tail += 2
        n_nodes += 2
    return n_nodes
