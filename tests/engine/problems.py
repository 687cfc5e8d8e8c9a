"""Random problems for trees, the twins grown on them, and the comparison of a tree with a twin."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from engine import naive
from rankwise.engine import (
    PAIRWISE,
    UNLIMITED,
    BooleanFeatures,
    Grown,
    Targets,
    boolean_features,
    code_features,
    flatten,
    pairwise_targets,
    plain_features,
    position_targets,
)
from rankwise.engine._growing import Sample, SampleGrower
from rankwise.engine._targets import row_weights, statistics
from rankwise.engine.kernels.nodes import Rules

DECOMPOSITIONS = pytest.mark.parametrize(
    "decomposition", ["labelwise", "joint", "pairwise", "joint_pairwise"]
)
HONESTY = pytest.mark.parametrize(
    "honesty",
    [
        {"honest": False},
        {"honest": True, "stop_when_pure": True},
        {"honest": True, "stop_when_pure": False},
    ],
    ids=["plain", "honest until pure", "honest"],
)

NO_ROWS = np.empty(0, dtype=np.int32)


def random_ranks(rng, n, k, ties=False, missing=0.0):
    """Rankings that depend on nothing; each row keeps two labels at least."""
    ranks = rng.permuted(np.tile(np.arange(1.0, k + 1), (n, 1)), axis=1)
    if ties:
        ranks = np.ceil(ranks / 2)
    gaps = rng.random((n, k)) < missing
    gaps[gaps.sum(axis=1) > k - 2] = False
    ranks[gaps] = np.nan
    return ranks


def targets_of(ranks, decomposition) -> Targets:
    if decomposition in PAIRWISE:
        return pairwise_targets(ranks, decomposition)
    return position_targets(ranks, decomposition)


def exact(weight):
    return int(weight) if weight == int(weight) else Fraction(weight)


@dataclass
class Problem:
    """One tree to grow: the data, how often each row was drawn, and the rules."""

    X: np.ndarray
    targets: Targets
    counts: np.ndarray
    rows: np.ndarray
    held: np.ndarray
    rules: Rules
    fractions: np.ndarray | None = None
    label: int = 0
    splitter: str = "best"

    def twin_targets(self):
        outputs = self.targets.outputs[self.label].tolist()
        if self.targets.compares:
            return [tuple(y or None for y in row) for row in outputs]
        return [tuple(row) for row in outputs]

    def twin_weights(self):
        """Exact weights: whole ones as int, which is many times quicker to add than a fraction."""
        fractions = np.ones(len(self.counts)) if self.fractions is None else self.fractions
        pairs = zip(self.counts, fractions, strict=True)
        of_rows = [exact(float(f)) * int(c) for c, f in pairs]
        own = self.targets.weights
        if own is None:
            return of_rows
        if self.targets.n_trees > 1:
            own = own[:, [self.label]]
        return [tuple(w * exact(x) for x in row) for w, row in zip(of_rows, own, strict=True)]

    def statistics(self, packed=True):
        weights = row_weights(self.counts, self.fractions, self.targets.largest)
        s = statistics(self.targets, slice(self.label, self.label + 1), weights)
        return s if packed else s._replace(packed=s.packed[:, :0])

    def unit(self):
        return row_weights(self.counts, self.fractions, self.targets.largest).unit

    def features(self):
        if self.splitter == "random":
            return boolean_features(self.X) or plain_features(self.X)
        return code_features(self.X)


def grown(problem, criterion, packed=True, seed=7, keep_inner=True, features=None):
    """The tree of the kernels, and the levels (empty for Breiman)."""
    p = problem
    features, s = features or p.features(), p.statistics(packed)
    amounts = np.zeros((1, len(s.count_column), features.n_features))
    grower = SampleGrower(features, Sample(p.rows, p.held), p.rules, keep_inner, {})
    grow = grower.level if criterion == "level" else grower.breiman
    tree = grow(s, [seed], amounts)
    unit = p.unit()
    amounts = amounts[0] * unit
    levels = tuple((f, t, gain * unit) for f, t, gain in tree.levels)
    tree = tree._replace(gain=tree.gain * unit, levels=levels)
    if keep_inner:
        expected = np.zeros_like(amounts)
        inner = tree.feature >= 0
        np.add.at(expected.T, tree.feature[inner], tree.gain[inner])
        np.testing.assert_allclose(amounts, expected, err_msg="importances are sums of gains")
    return tree, tree.levels


def twin(problem, criterion):
    """The tree of the twin, and the levels (empty for Breiman)."""
    p = problem
    X = p.X.tolist()
    counts = p.counts.tolist()
    targets, rows, held = p.twin_targets(), p.rows.tolist(), p.held.tolist()
    if len(targets[0]) == 1:
        rows, held = ([r for r in part if targets[r] != (None,)] for part in (rows, held))
    data = X, targets, counts, p.twin_weights(), rows
    max_depth, max_splits = p.rules.max_depth, p.rules.max_splits
    if len(p.held) and not held and criterion == "breiman":
        max_depth = 0  # nothing fills the cells: what should choose fills the only one
    held = held or None
    if criterion == "level":
        most = min(max_depth, max_splits if max_splits >= 0 else UNLIMITED)
        levels = naive.level_directions(*data, held, most)
        filling = rows if held is None else held
        tree = naive.level_tree(X, counts, filling, [d for d, _ in levels], p.rules.min_leaf)
        return tree, levels
    if max_splits < 0:
        max_splits = UNLIMITED
    limits = p.rules.min_leaf, max_depth, max_splits, p.rules.stop_when_pure
    if p.splitter == "random":
        return naive.random_tree(*data, held, *limits, p.rules.n_drawn, naive.Stream(7)), []
    order = naive.shuffled(p.X.shape[1], naive.Stream(7)) if p.rules.shuffle else None
    return naive.breiman_tree(*data, held, *limits, order), []


def assert_same_tree(tree: Grown, expected, problem):
    """Node by node: direction, side of missing values, rows that fill it, and means."""
    p = problem
    features = p.features()
    boolean = features.thresholds if isinstance(features, BooleanFeatures) else None
    flat = flatten([tree], boolean, np.float64)
    targets, weights, counts = p.twin_targets(), p.twin_weights(), p.counts.tolist()
    waiting = [(0, expected, [None] * len(targets[0]))]
    n_seen = deepest = 0
    while waiting:
        node, own, above = waiting.pop()
        n_seen += 1
        means = naive.cell_means(own, targets, weights, above)
        filling = own["rows"] if own["held"] is None else own["held"]
        assert tree.weight[node] == sum(counts[r] for r in filling)
        deepest = max(deepest, own["depth"])
        found = [None if np.isnan(m) else m for m in tree.means[node].tolist()]
        assert [m is None for m in found] == [m is None for m in means]
        np.testing.assert_allclose(
            [m for m in found if m is not None],
            [float(m + p.targets.lowest) / p.targets.scale for m in means if m is not None],
            rtol=1e-9,
            atol=1e-9,
        )
        if "direction" not in own:
            assert tree.feature[node] == -1, f"node {node} is cut, the twin's is a leaf"
            continue
        feature, threshold, side = own["direction"]
        where = f"node {node} of {len(filling)} rows"
        assert (flat.feature[node], flat.threshold[node]) == (feature, threshold), where
        if not len(p.held) or np.isnan(p.X[own["rows"] + filling, feature]).any():
            assert flat.missing_left[node] == side, where
        left = tree.left[node]
        waiting += [(left, own["children"][0], means), (left + 1, own["children"][1], means)]
    assert n_seen == len(tree.feature)
    assert tree.depths.tolist() == [deepest]


def assert_same_levels(levels, expected):
    assert [(f, t) for f, t, _ in levels] == [d[:2] for d, _ in expected]
    np.testing.assert_allclose(
        [g for _, _, g in levels], [float(g) for _, g in expected], rtol=1e-9, atol=1e-9
    )


def assert_grows_as_the_twin(problem, criterion):
    tree, levels = grown(problem, criterion)
    expected, expected_levels = twin(problem, criterion)
    assert_same_levels(levels, expected_levels)
    assert_same_tree(tree, expected, problem)


def halves(rng, rows):
    """Two halves of the rows, as an honest tree makes them."""
    rows = rng.permutation(rows)
    half = (len(rows) + 1) // 2
    return np.sort(rows[:half]).astype(np.int32), np.sort(rows[half:]).astype(np.int32)


def random_problem(rng, X, decomposition, *, honest, bootstrap, k=None, **options):
    """A problem on the given features, with a random target and random rules unless given."""
    n = len(X)
    k = int(rng.integers(2, 6)) if k is None else k
    missing = 0.4 if decomposition in PAIRWISE else 0.0
    ranks = random_ranks(rng, n, k, ties=bool(rng.random() < 0.3), missing=missing)
    if rng.random() < 0.5:  # features that decide something, so that gains differ
        by_feature = np.lexsort([rng.random(n), X[:, -1], X[:, 0]])
        ranks[by_feature] = ranks[np.lexsort(ranks.T)]
    counts = rng.multinomial(n, np.full(n, 1 / n)) if bootstrap else np.ones(n, dtype=np.int64)
    rows = np.flatnonzero(counts).astype(np.int32)
    held = NO_ROWS
    if honest and len(rows) > 1:
        rows, held = halves(rng, rows)
    rules = Rules(
        min_leaf=options.get("min_leaf", int(rng.integers(1, 4))),
        max_depth=options.get("max_depth", int(rng.choice([UNLIMITED, UNLIMITED, 0, 1, 3, 6]))),
        max_splits=options.get("max_splits", int(rng.choice([-1, -1, -1, 0, 1, 5, 20]))),
        n_drawn=options.get("n_drawn", X.shape[1]),
        stop_when_pure=options.get("stop_when_pure", True),
        shuffle=options.get("shuffle", False),
    )
    targets = targets_of(ranks, decomposition)
    label = int(rng.integers(targets.n_trees))
    splitter = options.get("splitter", "best")
    return Problem(X, targets, counts, rows, held, rules, options.get("fractions"), label, splitter)
