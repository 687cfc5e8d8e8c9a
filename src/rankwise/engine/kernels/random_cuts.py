"""Extremely randomised trees: each feature is cut at one threshold drawn at random, the best one is taken.

A threshold is uniform between the lowest and the highest value of the node's rows; rows that miss the
feature go to a side drawn at random. Features stand beside each other in a row, LANES to a block, so
that vector instructions look at all of them at once; what is added up of a row is a word for one
target and lanes for many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._feature_lanes import draw_cuts, find_range, sum_word_above, sum_words_above
from rankwise._jit import jit
from rankwise.engine.kernels.nodes import (
    draw_feature,
    link_children,
    next_random,
    same_kind,
    write_root,
)
from rankwise.engine.kernels.one_target import totals_of, write_totals
from rankwise.engine.kernels.target_lanes import (
    COUNT,
    HELD,
    LAST,
    WEIGHT,
    Layout,
    NodeSums,
    add_rows,
    enter_totals,
    gain_of_cut,
    is_pure,
    lane_of,
    new_node_sums,
    too_few_or_deep,
    write_lane_totals,
)
from rankwise.engine.kernels.target_slots import any_cut, leaves_enough, limits_of, pick
from rankwise.engine.kernels.words import SAME, WEIGHT_MASK, is_allowed, sum_of, weight_of

# Added to a divisor that may be 0 where the dividend is 0 too.
TINY = 1e-300


class RandomBuffers(NamedTuple):
    """Memory to grow in; lanes are one for each feature, and as many as fill the last block."""

    n_blocks: int  # of lanes of features
    states: np.ndarray  # of a generator of random numbers for each feature
    low: np.ndarray  # the lowest value of each feature in the node
    high: np.ndarray
    has_gaps: np.ndarray  # whether rows of the node miss the feature
    threshold: np.ndarray
    gaps_right: np.ndarray  # 1 where rows that miss the feature go right
    words: np.ndarray  # word by word, of each feature the sum over the rows that go right
    competes: np.ndarray  # whether a feature may be cut, and is one of those drawn
    features: np.ndarray
    pending: np.ndarray  # nodes that wait
    buffer: np.ndarray
    at: NodeSums
    weights: (
        np.ndarray
    )  # of each feature, what goes right; nan where it does not compete; a block more
    gains: np.ndarray  # the same


def new_random_buffers(n_features: int, n_rows: int, layout: Layout) -> RandomBuffers:
    """Memory for trees on so many rows."""
    n_blocks = -(-n_features // LANES)
    states, has_gaps, gaps_right = (np.zeros(n_blocks * LANES, np.int64) for _ in range(3))
    low, high, threshold = (np.zeros(n_blocks * LANES) for _ in range(3))
    weights, gains = (np.full((n_blocks + 1) * LANES, np.nan) for _ in range(2))
    at = new_node_sums(layout)
    return RandomBuffers(
        n_blocks=n_blocks,
        states=states,
        low=low,
        high=high,
        has_gaps=has_gaps,
        threshold=threshold,
        gaps_right=gaps_right,
        words=np.zeros(n_blocks * LANES * len(at.left) // 2, np.int64),
        competes=np.empty(n_blocks * LANES, np.bool_),
        features=np.empty(n_features, np.int64),
        pending=np.empty(2 * n_rows + 2, np.int32),
        buffer=np.empty(n_rows, np.int32),
        at=at,
        weights=weights,
        gains=gains,
    )


@jit(allocates=False, inner=True)
def seed_features(state, buffers):
    """Start a generator for each feature."""
    for j in range(buffers.features.shape[0]):
        buffers.features[j] = j
        buffers.states[j] = np.int64(next_random(state) | np.uint64(1))


@jit(allocates=False, inner=True, forceinline=True)
def draw_thresholds(rules, state, buffers):
    """Draw a threshold for each feature, and those that compete; return where the turn begins.

    A threshold t is uniform in low <= t < high; +inf where there are but gaps to cut off. Of features
    that gain the same the first one in turn is taken, from anywhere on, so that none wins all draws.
    """
    low, high, has_gaps, competes = buffers.low, buffers.high, buffers.has_gaps, buffers.competes
    draw_cuts(buffers.states, low, high, buffers.threshold, buffers.gaps_right, buffers.n_blocks)
    for j in range(competes.shape[0]):
        competes[j] = (low[j] < high[j]) | ((low[j] == high[j]) & (has_gaps[j] != 0))
    d, n = buffers.features.shape[0], np.int64(0)
    turn = np.int64(next_random(state) % np.uint64(d))
    for i in range(d if rules.n_drawn < d else 0):
        if n < rules.n_drawn:
            n += np.int64(competes[draw_feature(buffers.features, i, rules.n_drawn, state)])
        else:
            competes[buffers.features[i]] = False
    return turn


@jit(allocates=False, inner=True, forceinline=True)
def sum_sides(values, words, stride, rows, buffers):
    """Write for each feature the sums of the words of the rows that go right."""
    width, threshold = buffers.n_blocks, buffers.threshold
    gaps, gaps_right = buffers.has_gaps, buffers.gaps_right
    for b in range(width):
        if stride == 1:
            sum_word_above(
                values, width, b, rows, words, stride, np.int64(0), threshold, gaps,
                gaps_right, buffers.words,
            )  # fmt: skip
        else:
            for q in range(0, stride, 4):
                sum_words_above(
                    values, width, b, rows, words, stride, q, threshold, gaps, gaps_right, buffers.words
                )  # fmt: skip


@jit(allocates=False, inner=True, forceinline=True)
def goes_right(x, threshold, gaps_right):
    """Whether a value goes right."""
    return (x > threshold) | ((x != x) & (gaps_right != 0))


@jit(allocates=False, inner=True, forceinline=True)
def weigh_words(n, s, min_leaf, buffers):
    """Write what each feature sends right, and gains, from sums of words: as `pick` compares it."""
    words, weights, gains = buffers.words, buffers.weights, buffers.gains
    buffers.at.last[WEIGHT] = n
    for j in range(buffers.competes.shape[0]):
        n1 = weight_of(words[j])
        difference = n * sum_of(words[j]) - n1 * s
        gains[j] = difference * difference
        weights[j] = n1 if buffers.competes[j] & is_allowed(words[j], n, min_leaf) else np.nan


@jit(allocates=False, inner=True, forceinline=True)
def lane_sum(words, lane, width, j):
    """The sum of a lane over the rows that go right at feature j; two lanes are a word."""
    return (words[(lane >> 1) * width + j] >> ((lane & 1) << 5)) & WEIGHT_MASK


@jit(allocates=False, inner=True)
def add_gains(n_outputs, words, width, at, weights, gains):
    """Write what each feature gains, target by target: as `pick` compares it."""
    n = np.float64(at.last[WEIGHT])
    for j in range(width):
        gains[j] = 0.0
    for o in range(n_outputs):
        lane, s = lane_of(o, at.group), at.sums[o]
        if at.group == 1:
            for j in range(width):
                difference = n * lane_sum(words, lane, width, j) - weights[j] * s
                gains[j] += difference * difference
        else:
            n, share = at.weights[o], at.shares[o]
            for j in range(width):
                n1 = np.float64(lane_sum(words, lane + LANES, width, j))
                difference = n * lane_sum(words, lane, width, j) - n1 * s
                gains[j] += difference * difference * share / (n1 * (n - n1) + TINY)


@jit(allocates=False, inner=True, forceinline=True)
def weigh_lanes(n_outputs, rules, honest, buffers):
    """The same for many targets."""
    at, words, width = buffers.at, buffers.words, buffers.n_blocks * LANES
    limits, last = limits_of(at, rules, honest), (at.n_blocks - 1) * LANES + LAST
    weights, competes = buffers.weights, buffers.competes
    # one row on each side there is wherever a feature may be cut
    for j in range(0 if any_cut(limits) else width):
        count = lane_sum(words, last + COUNT, width, j)
        competes[j] &= leaves_enough(count, lane_sum(words, last + HELD, width, j), limits)
    for j in range(width):
        weights[j] = lane_sum(words, last + WEIGHT, width, j) if competes[j] else np.nan
    add_gains(n_outputs, words, width, at, weights, buffers.gains)


@jit(allocates=False, inner=True, forceinline=True)
def best_in_turn(turn, buffers):
    """The best of the features that compete (-1: none), and its gain as `pick` has it."""
    gains, weights = buffers.gains, buffers.weights
    gain, best, first, size = -1.0, np.int64(-1), turn, buffers.features.shape[0] - turn
    for _ in range(2):
        # the second time, from the first feature on, those that have had their turn cannot win
        gain, place = pick(gains[first:], weights[first:], size, gain, buffers.at)
        best = first + place - 1 if place > 0 else best
        first, size = np.int64(0), turn
    return best, gain / SAME


@jit(allocates=False, inner=True)
def partition_values(values, width, feature, threshold, gaps_right, rows, start, end, buffer):
    """Bring the rows that go left to the front, stably; return where the others start."""
    line = rows[start:end]
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for r in line:
        x = values[np.uint64(r) * np.uint64(width) + np.uint64(feature)]
        right = np.uint64(goes_right(x, threshold, gaps_right))
        line[n_left] = r
        buffer[n_right] = r
        n_left += np.uint64(1) - right
        n_right += right
    after = line[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)


@jit(allocates=False, inner=True)
def sum_word(stats, words, rows, counts_are_weights, word, nodes, node):
    """Write the totals of a node whose rows are these and add up to this word."""
    count = word & WEIGHT_MASK
    if not counts_are_weights:
        count = np.int64(0)
        for r in rows:
            count += stats[r, 0]
    write_totals(nodes, node, word, count)


@jit(allocates=False)
def grow_random(
    values, stats, words, lanes, kind, count_column, rows, honest, rules, state, nodes, threshold,
    missing_left, buffers,
):  # fmt: skip
    """Grow one tree into `nodes` and return how many there are; reorders `rows`.

    `values` has the features of each row in blocks. `words` has the word of each row; where there are
    `lanes`, it is these, two to a word.
    `threshold` and `missing_left` get those of each node; 0 and 1 in a leaf.
    """
    at, pending, n_outputs = buffers.at, buffers.pending, count_column.shape[0]
    by_lanes, counts_are_weights = lanes.shape[0] > 0, stats.shape[1] == 2
    stride = at.n_blocks * LANES // 2 if by_lanes else 1
    breadth_first = rules.max_splits >= 0
    until_pure = rules.stop_when_pure or not honest
    write_root(nodes, rows.shape[0], np.int64(0))
    if by_lanes:
        add_rows(lanes, rows, np.int64(0), rows.shape[0], at)
        write_lane_totals(at, n_outputs, nodes.totals, np.int64(0))
    else:
        total = np.int64(0)
        for r in rows:
            total += words[r]
        sum_word(stats, words, rows, counts_are_weights, total, nodes, np.int64(0))
    seed_features(state, buffers)
    threshold[0], missing_left[0] = 0.0, 1
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
        if too_few_or_deep(nodes, node, rules, honest):
            continue
        if by_lanes:
            if until_pure and is_pure(
                nodes.totals, node, kind, lanes, at.n_blocks, rows, start, end, count_column
            ):
                continue
        elif same_kind(kind, rows, start, end):
            continue
        here = rows[start:end]
        for block in range(buffers.n_blocks):
            find_range(
                values, buffers.n_blocks, block, here, buffers.low, buffers.high, buffers.has_gaps
            )
        turn = draw_thresholds(rules, state, buffers)
        sum_sides(values, words, stride, here, buffers)
        if by_lanes:
            enter_totals(nodes.totals, node, n_outputs, at)
            weigh_lanes(n_outputs, rules, honest, buffers)
        else:
            n, s = totals_of(nodes, node)
            weigh_words(n, s, rules.min_leaf, buffers)
        best, gain = best_in_turn(turn, buffers)
        if best < 0:
            continue
        gain = gain_of_cut(gain, at.last[WEIGHT], at.group)
        t, gaps_right = buffers.threshold[best], buffers.gaps_right[best]
        middle = partition_values(
            values, buffers.n_blocks * LANES, best, t, gaps_right, rows, start, end, buffers.buffer
        )
        if by_lanes:
            for lane in range(at.left.shape[0]):
                at.left[lane] = lane_sum(buffers.words, lane, buffers.n_blocks * LANES, best)
            write_lane_totals(at, n_outputs, nodes.totals, n_nodes + 1)
        else:
            sum_word(
                stats, words, rows[middle:end], counts_are_weights, buffers.words[best], nodes,
                n_nodes + 1,
            )  # fmt: skip
        link_children(nodes, node, best, gain, n_nodes, start, middle, end)
        larger = nodes.totals[n_nodes, 0] >= nodes.totals[n_nodes + 1, 0]
        threshold[node] = t
        missing_left[node] = gaps_right == 0 if buffers.has_gaps[best] != 0 else larger
        for child in range(n_nodes, n_nodes + 2):
            threshold[child], missing_left[child] = 0.0, 1
        pending[tail] = n_nodes if breadth_first else n_nodes + 1
        pending[tail + 1] = n_nodes + 1 if breadth_first else n_nodes
        tail += 2
        n_nodes += 2
    return n_nodes
