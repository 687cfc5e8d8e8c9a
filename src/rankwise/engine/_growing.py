"""From coded features and targets to grown trees: picks the kernel that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise.engine._features import (
    MISSING,
    BooleanFeatures,
    CodedFeatures,
    Features,
    PlainFeatures,
)
from rankwise.engine._limits import UNLIMITED
from rankwise.engine._sampling import Bags, DrawnBag
from rankwise.engine._targets import (
    RowWeights,
    Statistics,
    Targets,
    counted,
    row_weights,
    statistics,
)
from rankwise.engine.kernels.boolean_growing import grow_boolean, new_boolean_buffers
from rankwise.engine.kernels.leaves import finish, held_totals
from rankwise.engine.kernels.level_cuts import build, choose_boolean, choose_sorted
from rankwise.engine.kernels.many_targets import grow_many_targets, new_many_targets_buffers
from rankwise.engine.kernels.midpoints import write_thresholds
from rankwise.engine.kernels.nodes import Nodes, Rules, new_nodes
from rankwise.engine.kernels.one_target import grow_one_target, new_one_target_buffers
from rankwise.engine.kernels.random_cuts import grow_random, new_random_buffers
from rankwise.engine.kernels.small_growing import new_small_sums
from rankwise.engine.kernels.target_lanes import Layout, layout_of, write_lanes
from rankwise.engine.kernels.words import write_words

# Memory to grow in is as large as the rows of a sample, rounded up to a share of all rows.
ROOM_STEPS = 32

# Trees of more nodes than this between them grow one at a time.
MOST_NODES = 1 << 18

NONE = np.empty((0, 0))


class Grown(NamedTuple):
    """A grown tree, or several one behind the other: one entry per node, children after their parent."""

    sizes: np.ndarray  # (n_trees,) nodes, of which the root is the first
    depths: np.ndarray  # (n_trees,) of the deepest leaf
    feature: np.ndarray  # -1 in a leaf
    left: np.ndarray  # the left child, counted from the root; the right one follows it
    means: np.ndarray  # (n_leaves, n_outputs), or of all nodes where these are kept
    missing_left: (
        np.ndarray
    )  # whether a missing value goes left: to the larger child if none was seen
    # a value goes left if it is at most this; None where Boolean features say it:
    threshold: np.ndarray | None = None
    # empty unless inner nodes keep what is theirs:
    weight: np.ndarray = NONE  # (n_nodes,) rows that fill the node
    gain: np.ndarray = NONE  # (n_nodes, n_outputs): what the cut explains of each target
    # of Level-Splits, the directions in the order chosen:
    levels: tuple[tuple[int, float, float], ...] = ()  # feature, threshold, gain
    # where leaves share their means, the row of `means` that each leaf has, in the order of nodes:
    shared: np.ndarray | None = None

    def thresholds(self, features: Features) -> np.ndarray:
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

    trees: list[Grown]
    importances: np.ndarray  # (n_outputs, n_features): what cuts at each feature explain
    bag: np.ndarray  # how often the sample has each row


@dataclass(frozen=True)
class TreeGrower:
    """Data and rules from which the trees of any sample of the rows are grown."""

    features: Features
    targets: Targets
    bags: Bags | DrawnBag
    fractions: np.ndarray | None  # weights of the rows that are no whole numbers
    rules: Rules
    criterion: str  # "breiman" or "level"
    honest: bool
    spare: list[dict[str, Any]] = field(default_factory=list)  # memory that no sample grows in

    def grow(self, seed: np.random.SeedSequence, keep_inner: bool = False) -> GrownSample:
        """Draw a sample and grow its trees, one per label or one in all.

        With `keep_inner` trees keep the means and gains of their inner nodes.
        """
        drawn = self.bags.draw(seed)
        weights = row_weights(drawn.counts, self.fractions, self.targets.largest)
        rng = np.random.default_rng(seed.spawn(1)[0])
        sample = Sample(drawn.rows, drawn.rows[:0])
        if self.honest:
            sample = _honest_halves(drawn.rows, rng)
        memory = self._spare_memory()
        grower = SampleGrower(self.features, sample, self.rules, keep_inner, memory)
        grow = grower.level if self.criterion == "level" else grower.breiman
        share = 1.0 / float(weights.total - weights.units[sample.held].sum())
        trees: list[Grown] = []
        seeds = self._tree_seeds(rng)
        step = 1 if keep_inner else self._n_together(weights, len(sample.rows))
        n_outputs = self.targets.values.shape[1] // len(seeds)
        importances = np.zeros((len(seeds), n_outputs, self.features.n_features))
        for first in range(0, len(seeds), step):
            own = slice(first, first + step)
            s = statistics(self.targets, own, weights)
            tree = grow(s, seeds[own], importances[own])
            if self.targets.weights is not None:
                # a unit of a comparison is none of a row
                of_pairs = s.stats[0][:, s.count_column].sum(axis=0)
                share = 1.0 / max(1.0, float(of_pairs.max()))
            importances[own] *= share
            trees.append(self._kept(tree, share, keep_inner))
        self.spare.append(memory)
        return GrownSample(trees, importances.reshape(-1, self.features.n_features), drawn.bag)

    def _kept(self, tree: Grown, share: float, keep_inner: bool) -> Grown:
        """A tree with what is read off it; a unit is so much of all rows."""
        if keep_inner:
            levels = tuple((f, threshold, gain * share) for f, threshold, gain in tree.levels)
            return tree._replace(gain=tree.gain * share, levels=levels)
        if self.targets.keeps_ties and tree.means.shape[1] > 1:
            return _sharing_means(tree)
        return tree

    def _n_together(self, weights: RowWeights, n_rows: int) -> int:
        """How many trees of a sample grow in one call: all on bits, unless they are large.

        Threads that come back to Python after each small tree wait for each other.
        """
        on_bits = isinstance(self.features, BooleanFeatures) and self.criterion == "breiman"
        n_trees = self.targets.n_trees
        small = 2 * n_rows * n_trees <= MOST_NODES
        return (
            n_trees
            if on_bits and small and not self.honest and counted(self.targets, weights)
            else 1
        )

    def _spare_memory(self) -> dict[str, Any]:
        """Memory that another sample has grown in, if there is any; a thread more needs some more."""
        try:
            return self.spare.pop()
        except IndexError:
            return {}

    def _tree_seeds(self, rng: np.random.Generator) -> list[int]:
        """A seed for each tree of a sample; trees of labels share one where all features compete.

        There it only orders equal features, and labels in another order must get the same trees.
        """
        n, d = self.targets.n_trees, self.features.n_features
        seeds: list[int] = rng.integers(1, 1 << 62, n).tolist()
        draws = self.rules.n_drawn < d or isinstance(self.features, PlainFeatures)
        return seeds if draws or self.targets.compares else seeds[:1] * n


class SampleGrower:
    """Grows the trees of one sample in the same memory, which may come from another of the same data.

    On bits several trees may grow in one call, else each has its own. What the cuts of a tree explain of
    each target is added to `amounts`, (n_trees, n_outputs, n_features).
    """

    def __init__(
        self,
        features: Features,
        sample: Sample,
        rules: Rules,
        keep_inner: bool,
        memory: dict[str, Any],
    ) -> None:
        self.features, self.sample, self.rules = features, sample, rules
        self.keep_inner = keep_inner
        # samples differ by a few rows: with some to spare one memory fits all of them
        step = max(1, features.n_samples // ROOM_STEPS)
        self._room = tuple(-(-len(rows) // step) * step for rows in sample)
        self._memory = memory

    def breiman(self, s: Statistics, seeds: list[int], amounts: np.ndarray) -> Grown:
        """Grow trees by Breiman's criterion: each node its own best direction."""
        states = np.array([[seed | 1] for seed in seeds], dtype=np.uint64)
        rows, held = self._seen(self.sample.rows, s), self._seen(self.sample.held, s)
        rules = self.rules
        if len(self.sample.held) and not held.size:
            # nothing fills the cells of this pair, so that what should choose fills the only one
            rules = rules._replace(max_depth=0)
        if isinstance(self.features, BooleanFeatures):
            return self._boolean(self.features, s, rows, held, rules, states, amounts)
        grow: Any = self._random if isinstance(self.features, PlainFeatures) else self._coded
        tree: Grown = grow(self.features, s.of_one(), rows[0], held[0], rules, states[0], amounts)
        return tree

    def _boolean(
        self,
        features: BooleanFeatures,
        s: Statistics,
        rows: np.ndarray,
        held: np.ndarray,
        rules: Rules,
        states: np.ndarray,
        amounts: np.ndarray,
    ) -> Grown:
        nodes, n_nodes = self._nodes(s), np.empty(len(states), np.int64)
        d, n_blocks = features.n_features, features.n_blocks
        grow_boolean(
            features.bits, s.stats, s.packed, s.most_weight, s.kind,
            s.count_column, rows, held, rules, states, nodes,
            self._made("small sums", new_small_sums, n_blocks, s.packed.shape[1]),
            self._made("boolean", new_boolean_buffers, *self._room, d, n_blocks, s.stats),
            n_nodes,
        )  # fmt: skip
        filled = nodes.totals
        if held.size:
            own, n = _only(nodes), n_nodes[0]
            filled = held_totals(own.left[:n], own.segment[:n, 2:].copy(), s.stats[0], held[0])[
                None
            ]
        return self._trees(nodes, n_nodes, s, filled, amounts)

    def _coded(
        self,
        features: CodedFeatures,
        s: Statistics,
        rows: np.ndarray,
        held: np.ndarray,
        rules: Rules,
        state: np.ndarray,
        amounts: np.ndarray,
    ) -> Grown:
        n_rows = sum(self._room)
        codes, n_codes, offsets = features.codes, features.n_codes, features.offsets
        both = np.concatenate([rows, held])
        nodes = _only(self._nodes(s))
        sides: np.ndarray = self._made("sides", np.empty, (len(nodes.feature), 3), np.int32)
        if self._takes_words(s, held):
            n_nodes = grow_one_target(
                codes, n_codes, offsets, s.stats, self._words(s), s.kind, both, rules, state, nodes,
                sides, self._made("one target", new_one_target_buffers, n_codes, n_rows, self.rules),
            )  # fmt: skip
        else:
            layout = _layout(s, held)
            lanes = self._lanes(s, layout, rows, held)
            buffers = self._made(
                "many targets", new_many_targets_buffers, n_codes, n_rows, self.rules, layout
            )
            n_nodes = grow_many_targets(
                codes, n_codes, offsets, lanes, s.kind, s.count_column, both, len(held) > 0, rules,
                state, nodes, sides, buffers, buffers.centred,
            )  # fmt: skip
        tree = self._tree(nodes, n_nodes, s, self._filled(s, nodes, n_nodes, both, held), amounts)
        threshold, missing_left = np.empty(n_nodes), np.empty(n_nodes, dtype=np.uint8)
        write_thresholds(tree.feature, sides, offsets, *features.ends, threshold, missing_left)
        return tree._replace(threshold=threshold, missing_left=missing_left)

    def _random(
        self,
        features: PlainFeatures,
        s: Statistics,
        rows: np.ndarray,
        held: np.ndarray,
        rules: Rules,
        state: np.ndarray,
        amounts: np.ndarray,
    ) -> Grown:
        n_rows, both = sum(self._room), np.concatenate([rows, held])
        nodes = _only(self._nodes(s))
        by_words, layout = self._takes_words(s, held), _layout(s, held)
        lanes = np.empty(0, np.int32) if by_words else self._lanes(s, layout, rows, held)
        words = self._words(s) if by_words else lanes.view(np.int64)
        threshold: np.ndarray = self._made("threshold", np.empty, len(nodes.feature))
        missing_left: np.ndarray = self._made(
            "missing left", np.empty, len(nodes.feature), np.uint8
        )
        n_nodes = grow_random(
            features.values, s.stats, words, lanes, s.kind, s.count_column, both,
            len(held) > 0, rules, state, nodes, threshold, missing_left,
            self._made("random", new_random_buffers, features.n_features, n_rows, layout),
        )  # fmt: skip
        tree = self._tree(nodes, n_nodes, s, self._filled(s, nodes, n_nodes, both, held), amounts)
        return tree._replace(
            threshold=threshold[:n_nodes].copy(), missing_left=missing_left[:n_nodes].copy()
        )

    def _seen(self, rows: np.ndarray, s: Statistics) -> np.ndarray:
        """For each tree a copy of those rows that show its only target; of all if there are several."""
        if len(s.count_column) > 1 or s.count_column[0] == 0:
            return np.repeat(rows[None], len(s.stats), axis=0)
        return rows[None, s.stats[0, rows, 1] > 0]

    def _takes_words(self, s: Statistics, held: np.ndarray) -> bool:
        """Whether one word for each row is all that a tree needs to add up."""
        counts_are_weights = s.stats.shape[1] == 2
        one = len(s.count_column) == 1
        return one and not len(held) and (self.rules.min_leaf <= 1 or counts_are_weights)

    def _words(self, s: Statistics) -> np.ndarray:
        words: np.ndarray = self._made("words", np.empty, len(s.stats), np.int64)
        write_words(s.stats, words)
        return words

    def _lanes(
        self, s: Statistics, layout: Layout, rows: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        size = len(s.stats) * layout.n_blocks * LANES
        lanes: np.ndarray = self._made("lanes", np.empty, size, np.int32)
        write_lanes(s.stats, len(s.count_column), layout, rows, held, lanes)
        return lanes

    def _filled(
        self, s: Statistics, nodes: Nodes, n_nodes: int, both: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        """The sums that fill each node: of its rows, or of those that were held back."""
        if not len(held):
            return nodes.totals
        stats = np.zeros_like(s.stats)
        stats[held] = s.stats[held]
        return held_totals(nodes.left[:n_nodes], nodes.segment, stats, both)

    def level(self, s: Statistics, seeds: list[int], amounts: np.ndarray) -> Grown:
        """Grow a tree by Level-Splits: one direction for all cells of a level."""
        features, rules = self.features, self.rules
        assert not isinstance(features, PlainFeatures)
        state = np.array([seeds[0] | 1], dtype=np.uint64)
        rows, held = self._seen(self.sample.rows, s)[0], self._seen(self.sample.held, s)[0]
        s = s.of_one()
        sample = Sample(rows.copy(), held)
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
                features, sample, s.stats[:, 0], chosen, thresholds, missing_left
            )
        filling = held if len(held) else rows
        nodes = _only(self._nodes(s))
        n_nodes = build(goes_right, s.stats, filling, rules.min_leaf, nodes)
        inner = np.flatnonzero(nodes.feature[:n_nodes] >= 0)
        level = nodes.feature[inner]
        threshold, side = np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.uint8)
        threshold[inner] = thresholds[level]
        a = nodes.left[inner]
        left_is_larger = nodes.totals[a, 0] >= nodes.totals[a + 1, 0]
        side[inner] = np.where(never_missing[level], left_is_larger, missing_left[level])
        nodes.feature[inner] = chosen[level]
        tree = self._tree(nodes, n_nodes, s, nodes.totals, amounts)
        levels = tuple(zip(chosen.tolist(), thresholds.tolist(), gains.tolist(), strict=True))
        return tree._replace(threshold=threshold, missing_left=side, levels=levels)

    def _made(self, name: str, make: Callable[..., Any], *sizes: Any) -> Any:
        """The memory of that name, which `make` makes when it is first asked for in this size."""
        # an array gives but its type and width, and these stay
        size = tuple(size for size in sizes if not isinstance(size, np.ndarray))
        if name not in self._memory or self._memory[name][0] != size:
            self._memory[name] = size, make(*sizes)
        return self._memory[name][1]

    def _nodes(self, s: Statistics) -> Nodes:
        """Nodes for the largest trees that may grow."""
        n_trees = len(s.stats) if s.stats.ndim == 3 else 1
        nodes: Nodes = self._made("nodes", new_nodes, n_trees, sum(self._room), s.stats)
        return nodes

    def _tree(
        self, nodes: Nodes, n_nodes: int, s: Statistics, filled: np.ndarray, amounts: np.ndarray
    ) -> Grown:
        """The only tree that has grown, of nodes without the axis of trees."""
        of_one = Nodes(*(array[None] for array in nodes))
        return self._trees(of_one, np.array([n_nodes]), s, filled[None], amounts)

    def _trees(
        self,
        nodes: Nodes,
        n_nodes: np.ndarray,
        s: Statistics,
        filled: np.ndarray,
        amounts: np.ndarray,
    ) -> Grown:
        keep_inner, n_outputs, depths = self.keep_inner, len(s.count_column), np.empty_like(n_nodes)
        n = int(n_nodes.sum())
        feature, left = np.empty(n, np.int32), np.empty(n, np.int32)
        # a binary tree has one leaf more than inner nodes
        n_means = n if keep_inner else (n + len(n_nodes)) // 2
        means, larger = np.empty((n_means, n_outputs)), np.empty(n, np.uint8)
        n_kept = n if keep_inner else 0
        weight, gain = np.empty(n_kept, filled.dtype), np.empty((n_kept, n_outputs))
        finish(
            nodes, n_nodes, filled, s.count_column, s.first_output, s.lowest, s.scale, keep_inner,
            feature, left, larger, weight, means, gain, amounts, depths,
        )  # fmt: skip
        return Grown(n_nodes, depths, feature, left, means, larger, None, weight, gain)


def _only(nodes: Nodes) -> Nodes:
    """The nodes of the only tree, without the axis of trees."""
    return Nodes(*(array[0] for array in nodes))


def _sharing_means(tree: Grown) -> Grown:
    """The same tree with each distinct row of means once.

    Two comparisons of each pair are many numbers, and most leaves of a full tree hold one of few rankings.
    """
    rows = np.ascontiguousarray(tree.means.astype(np.float32))
    as_one = rows.view(np.dtype((np.void, rows.strides[0])))[:, 0]
    _, first, shared = np.unique(as_one, return_index=True, return_inverse=True)
    return tree._replace(means=tree.means[first], shared=shared.astype(np.int32).ravel())


def _layout(s: Statistics, held: np.ndarray) -> Layout:
    """How many targets of a row lie in lanes; one target has one weight in any case."""
    n_outputs = len(s.count_column)
    own_weights = n_outputs > 1 and int(s.count_column[-1]) == n_outputs
    return layout_of(n_outputs, own_weights, s.stats.shape[1] == 1 + n_outputs and not len(held))


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
        np.searchsorted(features.lowest[j], t, side="right") - 1
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


def _honest_halves(drawn: np.ndarray, rng: np.random.Generator) -> Sample:
    if len(drawn) < 2:
        # a single row chooses no cut, so that it may fill the only cell
        return Sample(drawn, drawn[:0])
    rows = drawn.copy()
    rng.shuffle(rows)
    half = (len(rows) + 1) // 2
    return Sample(np.sort(rows[:half]), np.sort(rows[half:]))
