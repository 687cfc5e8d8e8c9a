"""From coded features and targets to grown trees: picks the kernel that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankwise.engine._features import MISSING, BooleanFeatures, CodedFeatures
from rankwise.engine._limits import UNLIMITED
from rankwise.engine._targets import Statistics, Targets, statistics
from rankwise.engine.kernels.boolean_growing import grow_boolean, new_boolean_buffers
from rankwise.engine.kernels.histogram_cuts import grow_histogram, new_histogram_buffers
from rankwise.engine.kernels.leaves import finish, held_totals
from rankwise.engine.kernels.level_cuts import build, choose_boolean, choose_sorted
from rankwise.engine.kernels.midpoints import write_thresholds
from rankwise.engine.kernels.nodes import Nodes, Rules, new_nodes, start
from rankwise.engine.kernels.partition import filtered
from rankwise.engine.kernels.small_growing import new_small_sums
from rankwise.engine.kernels.sorted_cuts import grow_sorted


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
    # of Level-Splits, the directions in the order chosen:
    levels: tuple[tuple[int, float, float], ...] = ()  # feature, threshold, gain

    def cuts(self, features: BooleanFeatures | CodedFeatures) -> list[tuple[int, float, float]]:
        """Feature, threshold and gain of every inner node, where gains are kept."""
        inner = np.flatnonzero(self.feature >= 0)
        feature, gain = self.feature[inner], self.gain[inner].sum(axis=1)
        threshold = self.thresholds(features)[inner]
        return list(zip(feature.tolist(), threshold.tolist(), gain.tolist(), strict=True))

    def thresholds(self, features: BooleanFeatures | CodedFeatures) -> np.ndarray:
        """The threshold of every inner node; any number in a leaf."""
        if isinstance(features, BooleanFeatures):
            return features.thresholds[self.feature]
        assert self.threshold is not None
        return self.threshold


class Sample(NamedTuple):
    """The rows of one tree: those that choose its cuts, and those held back to fill its cells."""

    rows: np.ndarray
    held: np.ndarray  # empty unless the tree is honest


class GrownSample(NamedTuple):
    """The trees of one sample."""

    trees: list[Tree]
    importances: np.ndarray  # (n_outputs, n_features): what cuts at each feature explain


@dataclass(frozen=True)
class TreeGrower:
    """Data and rules from which the trees of any sample of the rows are grown."""

    features: BooleanFeatures | CodedFeatures
    targets: Targets
    fractions: np.ndarray | None  # weights of the rows that are no whole numbers
    rules: Rules
    criterion: str  # "breiman" or "level"
    honest: bool

    def grow(
        self, bag: np.ndarray, seed: np.random.SeedSequence, keep_inner: bool = False
    ) -> GrownSample:
        """Grow the trees of one sample, one per label or one in all; row i is in it `bag[i]` times.

        With `keep_inner` trees keep the means and gains of their inner nodes.
        """
        bag = bag.astype(np.int32)
        rng = np.random.default_rng(seed.spawn(1)[0])
        sample = _honest_halves(bag, rng) if self.honest else Sample(_drawn(bag), _drawn(bag[:0]))
        grower = SampleGrower(self.features, sample, self.rules, keep_inner)
        grow = grower.level if self.criterion == "level" else grower.breiman
        integer = np.int32 if isinstance(self.features, BooleanFeatures) else np.int64
        weight = bag if self.fractions is None else bag * self.fractions
        total = float(weight[sample.rows].sum())
        trees = []
        importances = np.zeros((self.targets.values.shape[1], self.features.n_features))
        for t in range(self.targets.n_trees):
            s = statistics(self.targets, t, bag, self.fractions, integer)
            tree = grow(s, int(rng.integers(1, 1 << 62)), importances[t:])
            levels = tuple((f, threshold, gain / total) for f, threshold, gain in tree.levels)
            trees.append(tree._replace(gain=tree.gain / total, levels=levels))
        return GrownSample(trees, importances / total)


class SampleGrower:
    """Grows the trees of one sample, one after the other, in memory that is asked for once.

    What the cuts of a tree explain of each target is added to `amounts`, (n_outputs, n_features).
    """

    def __init__(
        self,
        features: BooleanFeatures | CodedFeatures,
        sample: Sample,
        rules: Rules,
        keep_inner: bool,
    ) -> None:
        self.features, self.sample, self.rules = features, sample, rules
        self.keep_inner = keep_inner
        self._memory: dict[Callable[..., Any], Any] = {}

    def breiman(self, s: Statistics, seed: int, amounts: np.ndarray) -> Tree:
        """Grow a tree by Breiman's criterion: each node its own best direction."""
        features, rules = self.features, self.rules
        state = np.array([seed | 1], dtype=np.uint64)
        rows, held = self.sample.rows.copy(), self.sample.held.copy()
        nodes = self._root(s, len(rows), len(held))
        if isinstance(features, BooleanFeatures):
            d, n_blocks = features.n_features, features.n_blocks
            n_nodes = grow_boolean(
                features.bits, features.columns, s.stats, s.packed, s.most_weight, s.kind,
                s.count_column, rows, held, rules, state, nodes,
                self._made(new_small_sums, n_blocks, len(s.packed)),
                self._made(new_boolean_buffers, len(rows), len(held), d, n_blocks, s.stats),
            )  # fmt: skip
            return self._tree(nodes, n_nodes, s, held, amounts)
        sides = np.empty((len(nodes.feature), 3), dtype=np.int32)
        n, n_codes = features.n_samples, features.n_codes
        if len(s.packed) == 1 and not len(held) and features.fits_16_bits:
            n_nodes = grow_histogram(
                features.by_row, n_codes, features.offsets, s.stats, s.packed[0], s.kind,
                s.count_column, rows, rules, state, nodes, sides,
                self._made(new_histogram_buffers, n_codes, n, len(rows), rules),
            )  # fmt: skip
        else:
            lists, held_lists = (filtered(features.order, _indicator(r, n)) for r in (rows, held))
            n_nodes = grow_sorted(
                features.by_feature, features.flat_values, features.offsets, s.stats, s.kind,
                s.count_column, lists, held_lists, rules, state, nodes, sides,
            )  # fmt: skip
            held = held_lists[0]
        tree = self._tree(nodes, n_nodes, s, held, amounts)
        threshold, missing_left = np.empty(n_nodes), np.empty(n_nodes, dtype=np.uint8)
        write_thresholds(
            tree.feature, sides, features.offsets, features.flat_values, threshold, missing_left
        )
        return tree._replace(threshold=threshold, missing_left=missing_left)

    def level(self, s: Statistics, seed: int, amounts: np.ndarray) -> Tree:
        """Grow a tree by Level-Splits: one direction for all cells of a level."""
        features, rules = self.features, self.rules
        state = np.array([seed | 1], dtype=np.uint64)
        rows = self.sample.rows.copy()
        most = min(rules.max_depth, rules.max_splits if rules.max_splits >= 0 else UNLIMITED)
        if isinstance(features, BooleanFeatures):
            chosen, gains = choose_boolean(
                features.bits, features.n_features, s.stats, s.packed, s.most_weight, s.kind,
                s.count_column, rows, most, rules.n_drawn, state,
            )  # fmt: skip
            thresholds = features.thresholds[chosen]
            goes_right = features.columns_of(chosen)
            missing_left = np.zeros(len(chosen), dtype=np.uint8)
            never_missing = np.ones(len(chosen), dtype=bool)
        else:
            found = choose_sorted(
                features.by_feature, features.order, s.stats, s.kind, s.count_column, rows,
                min(most, len(rows)), rules.n_drawn, state,
            )  # fmt: skip
            gains, missing_left = found[:, 0], found[:, 4].astype(np.uint8)
            chosen, low, high = (found[:, i].astype(np.int64) for i in (1, 2, 3))
            thresholds = features.thresholds(chosen, low, high)
            goes_right, missing_left, never_missing = _level_sides(
                features, self.sample, s.stats[:, 0], chosen, thresholds, missing_left
            )
        filling = self.sample.held.copy() if len(self.sample.held) else rows
        nodes = self._root(s, len(filling), 0)
        n_nodes = build(goes_right, s.stats, filling, rules.min_leaf, nodes)
        inner = np.flatnonzero(nodes.feature[:n_nodes] >= 0)
        level = nodes.feature[inner]
        threshold, side = np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.uint8)
        threshold[inner] = thresholds[level]
        a = nodes.left[inner]
        left_is_larger = nodes.totals[a, 0] >= nodes.totals[a + 1, 0]
        side[inner] = np.where(never_missing[level], left_is_larger, missing_left[level])
        nodes.feature[inner] = chosen[level]
        tree = self._tree(nodes, n_nodes, s, np.empty(0, np.int32), amounts)
        levels = tuple(
            zip(chosen.tolist(), thresholds.tolist(), (gains * s.unit).tolist(), strict=True)
        )
        return tree._replace(threshold=threshold, missing_left=side, levels=levels)

    def _made(self, make: Callable[..., Any], *sizes: Any) -> Any:
        """What `make` made when it was first asked for, of the sizes given then."""
        if make not in self._memory:
            self._memory[make] = make(*sizes)
        return self._memory[make]

    def _root(self, s: Statistics, n_rows: int, n_held: int) -> Nodes:
        """Nodes for the largest tree on so many rows, with the root in it."""
        nodes: Nodes = self._made(new_nodes, max(n_rows, n_held), s.stats)
        start(nodes, n_rows, n_held)
        return nodes

    def _tree(
        self, nodes: Nodes, n_nodes: int, s: Statistics, held: np.ndarray, amounts: np.ndarray
    ) -> Tree:
        keep_inner, n_outputs = self.keep_inner, len(s.count_column)
        filled = nodes.totals
        if len(held):
            filled = held_totals(nodes.left[:n_nodes], nodes.segment, s.stats, held)
        feature, left = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
        weight = np.empty(n_nodes, filled.dtype)
        # a binary tree has one leaf more than inner nodes
        means = np.empty((n_nodes if keep_inner else (n_nodes + 1) // 2, n_outputs))
        gain = np.empty((n_nodes if keep_inner else 0, n_outputs))
        depth = finish(
            nodes, n_nodes, filled, s.count_column, s.first_output, s.unit, keep_inner, feature,
            left, weight, means, gain, amounts,
        )  # fmt: skip
        return Tree(feature, left, depth, means, weight, gain)


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


def _indicator(rows: np.ndarray, n: int) -> np.ndarray:
    result = np.zeros(n, dtype=np.int64)
    result[rows] = 1
    return result


def _drawn(bag: np.ndarray) -> np.ndarray:
    return np.flatnonzero(bag).astype(np.int32)


def _honest_halves(bag: np.ndarray, rng: np.random.Generator) -> Sample:
    rows = _drawn(bag)
    if len(rows) < 2:
        # a single row chooses no cut, so that it may fill the only cell
        return Sample(rows, rows[:0])
    rng.shuffle(rows)
    half = (len(rows) + 1) // 2
    return Sample(np.sort(rows[:half]), np.sort(rows[half:]))
