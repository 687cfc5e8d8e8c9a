"""From coded features and targets to a grown tree: picks the kernel that fits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.engine import MISSING, BooleanFeatures, CodedFeatures
from rankwise.engine._targets import Statistics
from rankwise.engine.kernels.bitset_growing import PLANES, Word, new_word
from rankwise.engine.kernels.boolean_growing import Desk, grow, new_desk
from rankwise.engine.kernels.histogram_growing import Bench, grow_histogram, new_bench
from rankwise.engine.kernels.leaves import finish, held_totals, write_sides
from rankwise.engine.kernels.level_growing import build, choose_boolean, choose_sorted
from rankwise.engine.kernels.nodes import Nodes, Rules, new_nodes, start
from rankwise.engine.kernels.sorted_growing import filtered, grow_sorted

UNLIMITED = 1 << 30


class Tree(NamedTuple):
    """A grown tree: one entry per node, the root first, children after their parent."""

    feature: np.ndarray  # -1 in a leaf
    left: np.ndarray  # the left child; the right one follows it
    depth: int  # of the deepest leaf
    means: np.ndarray  # (n_leaves, n_outputs), or of all nodes where these are kept
    weight: np.ndarray  # (n_nodes,) rows that fill the node
    gain: np.ndarray  # (n_nodes, n_outputs): what the cut explains of each target; or empty
    # None where Boolean features say it all:
    threshold: np.ndarray | None = None  # a value goes left if it is at most this
    missing_left: np.ndarray | None = None  # whether a missing value goes left


class Sample(NamedTuple):
    """The rows of one tree: those that choose its cuts, and those held back to fill its cells."""

    rows: np.ndarray
    held: np.ndarray  # empty unless the tree is honest


class Room:
    """Where the trees of one sample grow, one after the other: memory is asked for once.

    With `keep_inner` trees keep the means and gains of their inner nodes.
    """

    def __init__(self, keep_inner: bool = False) -> None:
        self.keep_inner = keep_inner
        self._nodes: Nodes | None = None
        self._desk: tuple[Word, Desk] | None = None
        self._bench: Bench | None = None

    def nodes(self, sample: Sample, stats: np.ndarray) -> Nodes:
        """Nodes for the largest tree on the sample, with the root in it."""
        if self._nodes is None or self._nodes.totals.dtype != stats.dtype:
            self._nodes = new_nodes(len(sample.rows), stats)
        start(self._nodes, len(sample.rows), len(sample.held))
        return self._nodes

    def desk(
        self, features: BooleanFeatures, sample: Sample, stats: np.ndarray, fits_word: bool
    ) -> tuple[Word, Desk]:
        """What the Boolean kernels work on."""
        if self._desk is None or self._desk[1].pool.dtype != stats.dtype:
            n_blocks = features.n_blocks
            self._desk = (
                new_word(n_blocks if fits_word else 0, features.n_samples),
                new_desk(len(sample.rows), len(sample.held), features.n_features, n_blocks, stats),
            )
        return self._desk

    def bench(self, features: CodedFeatures, sample: Sample, rules: Rules) -> Bench:
        """What the histogram kernels work on."""
        if self._bench is None:
            self._bench = new_bench(features.n_codes, features.n_samples, len(sample.rows), rules)
        return self._bench


def grow_breiman(
    features: BooleanFeatures | CodedFeatures,
    statistics: Statistics,
    kind: np.ndarray,
    sample: Sample,
    rules: Rules,
    seed: int,
    room: Room,
    amounts: np.ndarray,
) -> tuple[Tree, list]:
    """Grow a tree by Breiman's criterion: each node its own best direction.

    What its cuts explain of each target is added to `amounts`, (n_outputs, n_features).
    """
    s = statistics
    state = np.array([seed | 1], dtype=np.uint64)
    rows, held = sample.rows.copy(), sample.held.copy()
    nodes = room.nodes(sample, s.stats)
    if isinstance(features, BooleanFeatures):
        fits_word = len(s.packed) == 1 and s.largest >> PLANES == 0
        word, desk = room.desk(features, sample, s.stats, fits_word)
        n_nodes = grow(
            features.bits, features.columns, s.stats, s.packed, kind, s.count_column, rows, held,
            rules, state, nodes, word, desk,
        )  # fmt: skip
        return _tree(nodes, n_nodes, s, held, room, amounts), []
    sides = np.empty((len(nodes.feature), 3), dtype=np.int32)
    if len(s.packed) == 1 and not len(held) and features.fits_16_bits:
        n_nodes = grow_histogram(
            features.by_row, features.n_codes, features.offsets, s.stats, s.packed[0], rows, rules,
            state, nodes, sides, room.bench(features, sample, rules),
        )  # fmt: skip
    else:
        lists = filtered(features.order, _indicator(rows, features.n_samples))
        held_lists = filtered(features.order, _indicator(held, features.n_samples))
        n_nodes = grow_sorted(
            features.by_feature, features.flat_values, features.offsets, s.stats, kind,
            s.count_column, lists, held_lists, rules, state, nodes, sides,
        )  # fmt: skip
        held = held_lists[0]
    tree = _tree(nodes, n_nodes, s, held, room, amounts)
    threshold, missing_left = np.empty(n_nodes), np.empty(n_nodes, dtype=np.uint8)
    write_sides(
        tree.feature, sides, features.offsets, features.flat_values, threshold, missing_left
    )
    return tree._replace(threshold=threshold, missing_left=missing_left), []


def grow_level(
    features: BooleanFeatures | CodedFeatures,
    statistics: Statistics,
    kind: np.ndarray,
    sample: Sample,
    rules: Rules,
    seed: int,
    room: Room,
    amounts: np.ndarray,
) -> tuple[Tree, list[tuple[int, float, float]]]:
    """Grow a tree by Level-Splits; also returns its directions: feature, threshold, gain."""
    s = statistics
    state = np.array([seed | 1], dtype=np.uint64)
    rows = sample.rows.copy()
    levels = min(rules.max_depth, rules.max_splits if rules.max_splits >= 0 else UNLIMITED)
    if isinstance(features, BooleanFeatures):
        chosen, gains = choose_boolean(
            features.bits, features.n_features, s.stats, s.packed, kind, s.count_column, rows,
            levels, rules.n_drawn, state,
        )  # fmt: skip
        thresholds = features.thresholds[chosen]
        goes_right = features.columns_of(chosen)
        missing_left = np.zeros(len(chosen), dtype=np.uint8)
        never_missing = np.ones(len(chosen), dtype=bool)
    else:
        found = choose_sorted(
            features.by_feature, features.order, s.stats, kind, s.count_column, rows,
            min(levels, len(rows)), rules.n_drawn, state,
        )  # fmt: skip
        gains, missing_left = found[:, 0], found[:, 4].astype(np.uint8)
        chosen, low, high = (found[:, i].astype(np.int64) for i in (1, 2, 3))
        thresholds = features.thresholds(chosen, low, high)
        goes_right, missing_left, never_missing = _level_sides(
            features, sample, s.stats[:, 0], chosen, thresholds, missing_left
        )
    filling = sample.held.copy() if len(sample.held) else rows
    nodes = room.nodes(Sample(filling, filling[:0]), s.stats)
    n_nodes = build(goes_right, s.stats, filling, rules.min_leaf, nodes)
    inner = np.flatnonzero(nodes.feature[:n_nodes] >= 0)
    level = nodes.feature[inner]
    threshold, side = np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.uint8)
    threshold[inner] = thresholds[level]
    a = nodes.left[inner]
    left_is_larger = nodes.totals[a, 0] >= nodes.totals[a + 1, 0]
    side[inner] = np.where(never_missing[level], left_is_larger, missing_left[level])
    nodes.feature[inner] = chosen[level]
    tree = _tree(nodes, n_nodes, s, np.empty(0, np.int32), room, amounts)
    directions = list(zip(chosen.tolist(), thresholds.tolist(), gains.tolist(), strict=True))
    return tree._replace(threshold=threshold, missing_left=side), directions


def _level_sides(
    features: CodedFeatures,
    sample: Sample,
    counts: np.ndarray,
    chosen: np.ndarray,
    thresholds: np.ndarray,
    missing_left: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which rows each level sends right, its side of missing values, and whether none was seen.

    Values that only held rows miss go to the side of more rows.
    """
    codes = features.by_feature[chosen]
    # a held row may lie between the two values that a threshold separates
    last_left = [
        np.searchsorted(features.values[j], t, side="right") - 1
        for j, t in zip(chosen, thresholds, strict=True)
    ]
    goes_right = codes > np.array(last_left, dtype=np.int64)[:, None]
    missing = codes == MISSING
    seen = missing[:, sample.rows].any(axis=1)
    n_right = (goes_right * counts)[:, sample.rows].sum(axis=1)
    left_is_larger = 2 * n_right <= counts[sample.rows].sum()
    missing_left = np.where(seen, missing_left, left_is_larger)
    goes_right = np.where(missing, missing_left[:, None] == 0, goes_right).astype(np.uint8)
    return goes_right, missing_left, ~seen & ~missing[:, sample.held].any(axis=1)


def _tree(
    nodes: Nodes,
    n_nodes: int,
    statistics: Statistics,
    held: np.ndarray,
    room: Room,
    amounts: np.ndarray,
) -> Tree:
    s, n_outputs = statistics, len(statistics.count_column)
    filled = nodes.totals
    if len(held):
        filled = held_totals(nodes.left[:n_nodes], nodes.segment, s.stats, held)
    feature, left = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    weight = np.empty(n_nodes, filled.dtype)
    # a binary tree has one leaf more than inner nodes
    means = np.empty((n_nodes if room.keep_inner else (n_nodes + 1) // 2, n_outputs))
    gain = np.empty((n_nodes if room.keep_inner else 0, n_outputs))
    depth = finish(
        nodes, n_nodes, filled, s.count_column, s.first_output, room.keep_inner, feature, left,
        weight, means, gain, amounts,
    )  # fmt: skip
    return Tree(feature, left, depth, means, weight, gain)


def _indicator(rows: np.ndarray, n: int) -> np.ndarray:
    result = np.zeros(n, dtype=np.int64)
    result[rows] = 1
    return result
