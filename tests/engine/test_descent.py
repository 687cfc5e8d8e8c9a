"""Rows fall into the leaf that the cuts on their way lead to."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import naive
from rankwise._walks import ENTRY
from rankwise.engine import Trees
from rankwise.engine._trees import FEW_ROWS, _columns
from rankwise.engine.kernels.descent import TILE, TOP
from rankwise.engine.kernels.walking import ROWS

# Numbers that are compared as float64 or wrongly: beyond float32, next to each other, next to 0.
LARGE = np.finfo(float).max
SMALL = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 0.1, np.nextafter(0.1, 1), np.float32(0.1), 1.0]
HOSTILE = np.array([*SMALL, -1.0, 1e300, -1e300, LARGE, -LARGE, 2.0**53, 2.0**53 + 2])


def random_trees(rng, n_trees, n_features, max_depth):
    """Trees whose nodes are cut at random down to a depth; children come after their parent."""
    feature, left, roots, depths = [], [], [], []
    for _ in range(n_trees):
        roots.append(len(feature))
        waiting = [(0, len(feature))]
        feature.append(-1)
        left.append(-1)
        deepest = 0
        while waiting:
            depth, node = waiting.pop()
            deepest = max(deepest, depth)
            if depth == max_depth or rng.random() < 0.15:
                continue
            feature[node], left[node] = int(rng.integers(n_features)), len(feature)
            waiting += [(depth + 1, len(feature) + side) for side in (0, 1)]
            feature += [-1, -1]
            left += [-1, -1]
        depths.append(deepest)
    thresholds = rng.choice([0.5, -0.5, 0.0, 1.0, np.inf], size=n_features, p=[0.6, *[0.1] * 4])
    feature = np.array(feature, dtype=np.int32)
    return Trees(
        feature=feature,
        threshold=np.where(feature < 0, 0.0, thresholds[feature]),
        missing_left=rng.integers(0, 2, len(feature)).astype(np.uint8),
        left=np.array(left, dtype=np.int32),
        roots=np.array(roots, dtype=np.int64),
        depths=np.array(depths, dtype=np.int64),
        value_row=np.zeros(len(feature), dtype=np.int32),
        values=np.zeros((1, 1)),
        boolean_thresholds=thresholds,
    )


def leaves_of_the_twin(trees, X):
    """The last node that each row passes in each tree."""
    parts = (trees.feature, trees.threshold, trees.left, trees.left + 1, trees.missing_left)
    nodes = [(f, *rest) if f >= 0 else (None, None) for f, *rest in zip(*parts, strict=True)]
    return [[naive.nodes_passed(nodes, x, int(root))[-1] for x in X] for root in trees.roots]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.sampled_from([1, 2, 7, 8, 9, 40]),
    max_depth=st.sampled_from([0, 1, 2, 3, TOP - 1, TOP, TOP + 1, 11]),
    dtype=st.sampled_from([bool, np.uint8, np.float32, np.float64]),
    missing=st.booleans(),
)
def test_rows_fall_into_the_leaf_of_the_twin(seed, n, max_depth, dtype, missing):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees=3, n_features=int(rng.integers(1, 9)), max_depth=max_depth)
    X = rng.integers(0, 2, (n, len(trees.boolean_thresholds))).astype(dtype)
    if missing and np.dtype(dtype).kind == "f":
        X[rng.random(X.shape) < 0.1] = np.nan
    assert trees.leaves(X).tolist() == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("n", [TILE - 1, TILE, TILE + 1, 2 * TILE + 12])
def test_rows_of_several_tiles_fall_as_each_alone(n):
    rng = np.random.default_rng(n)
    trees = random_trees(rng, n_trees=2, n_features=20, max_depth=TOP + 3)
    X = rng.integers(0, 2, (n, 20)).astype(bool)
    some = rng.choice(n, 10, replace=False)
    some[:2] = 0, n - 1
    assert trees.leaves(X)[:, some].tolist() == leaves_of_the_twin(trees, X[some])


def trees_of_any_kind(rng, n_trees, n_features, max_depth):
    """The same, each node with a threshold of its own, and anything in a leaf."""
    trees = random_trees(rng, n_trees, n_features, max_depth)
    drawn = rng.choice(np.append(HOSTILE, np.inf), len(trees.feature))
    threshold = np.where(trees.feature < 0, rng.choice([np.nan, np.inf, -1.0]), drawn)
    return replace(trees, threshold=threshold, boolean_thresholds=None)


def hostile_rows(rng, n, n_features, dtype, missing):
    """Rows of the numbers above, as far as their type has them, some of them missing."""
    X = rng.choice(HOSTILE, (n, n_features))
    if dtype == np.float32:
        X = np.where(np.abs(X) > 1e38, 7.0, X)
    X = X.astype(dtype)
    X[rng.random(X.shape) < (0.2 if missing else 0)] = np.nan
    return X


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.sampled_from([1, 2, FEW_ROWS - 1, FEW_ROWS, 7, 8, 9, 63, 64, 65]),
    max_depth=st.sampled_from([0, 1, 2, ENTRY - 1, ENTRY, ENTRY + 1, 6, 12]),
    dtype=st.sampled_from([np.float32, np.float64]),
    missing=st.booleans(),
)
def test_rows_of_any_kind_fall_into_the_leaf_of_the_twin(seed, n, max_depth, dtype, missing):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    trees = trees_of_any_kind(rng, n_trees=3, n_features=d, max_depth=max_depth)
    X = hostile_rows(rng, n, d, dtype, missing)
    assert trees.leaves(X).tolist() == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("n", [0, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 70])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_any_kind_in_several_tiles(n, missing, dtype):
    rng = np.random.default_rng(n)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=6, max_depth=11)
    X = hostile_rows(rng, n, 6, dtype, missing)
    assert trees.leaves(X).tolist() == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("n", [FEW_ROWS, 200])
def test_rows_of_many_columns_stand_in_low_tiles(n):
    rng = np.random.default_rng(n)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=2000, max_depth=9)
    X = hostile_rows(rng, n, 2000, np.float32, False)
    assert trees.leaves(X).tolist() == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("gaps", [False, True])
def test_nothing_below_the_rows_of_a_tile_leaves_a_leaf(gaps):
    rng = np.random.default_rng(0)
    trees = trees_of_any_kind(rng, n_trees=1, n_features=3, max_depth=9)
    X, paths = hostile_rows(rng, 7, 3, np.float32, gaps), trees._paths(gaps, True)
    tiles = _columns(X[:, : trees._n_columns], gaps, paths)
    assert (tiles[:, -paths.height :] == -np.inf).all()


def test_what_prediction_makes_is_not_pickled():
    rng = np.random.default_rng(0)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=3, max_depth=4)
    before, X = pickle.dumps(trees), hostile_rows(rng, FEW_ROWS, 3, np.float32, False)
    leaves = trees.leaves(X)
    assert pickle.dumps(trees) == before
    np.testing.assert_array_equal(pickle.loads(before).leaves(X), leaves)


def test_no_rows_fall_into_no_leaves():
    trees = random_trees(np.random.default_rng(0), n_trees=2, n_features=3, max_depth=4)
    assert trees.leaves(np.empty((0, 3), dtype=bool)).shape == (2, 0)


def chain(depth, boolean):
    """A tree that cuts off one leaf after the other."""
    n = 2 * depth + 1
    feature, left = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    inner = np.append(0, np.arange(2, n - 1, 2))
    feature[inner], left[inner] = 0, np.arange(1, n, 2)
    threshold = np.zeros(n)
    threshold[inner] = 0.5 if boolean else np.arange(depth)
    return Trees(
        feature=feature,
        threshold=threshold,
        missing_left=np.zeros(n, dtype=np.uint8),
        left=left,
        roots=np.zeros(1, dtype=np.int64),
        depths=np.array([depth]),
        value_row=np.zeros(n, dtype=np.int32),
        values=np.zeros((1, 1)),
        boolean_thresholds=np.array([0.5]) if boolean else None,
    )


@pytest.mark.parametrize("kind", [random_trees, trees_of_any_kind])
def test_some_of_the_trees_in_any_order(kind):
    rng = np.random.default_rng(3)
    trees = kind(rng, n_trees=6, n_features=5, max_depth=9)
    X = rng.integers(0, 2, (FEW_ROWS, 5)).astype(float)
    chosen = [4, 1, 2, 4]
    some = replace(trees, roots=trees.roots[chosen], depths=trees.depths[chosen])
    assert some.leaves(X).tolist() == trees.leaves(X)[chosen].tolist()


@pytest.mark.parametrize("n", [1, 2 * FEW_ROWS])
def test_a_very_deep_tree_is_walked_to_its_end(n):
    X = np.linspace(-1, 500, n)[:, None]
    X[n // 2 :] = X[n // 2 :][::-1]
    for rows, trees in ((X, chain(500, False)), (X > 250, chain(500, True))):
        assert trees.leaves(rows).tolist() == leaves_of_the_twin(trees, rows)


@pytest.mark.parametrize(("kind", "d"), [(random_trees, 1 << 20), (trees_of_any_kind, 1 << 19)])
def test_nodes_that_do_not_fit_32_bits(kind, d):
    rng = np.random.default_rng(1)
    trees = kind(rng, n_trees=2, n_features=40, max_depth=11)
    wide = replace(
        trees,
        feature=np.where(trees.feature < 0, -1, trees.feature + d - 40).astype(np.int32),
        boolean_thresholds=None if kind is trees_of_any_kind else np.zeros(d),
    )
    X = np.zeros((FEW_ROWS, d), dtype=bool if kind is random_trees else np.float32)
    X[:, -40:] = rng.integers(0, 2, (FEW_ROWS, 40))
    wide = replace(wide, threshold=np.zeros(len(wide.feature)))
    boolean = wide.boolean_thresholds is not None
    words = wide._boolean[0].words if boolean else wide._paths(False, True).nodes
    assert words.dtype == np.uint64
    assert wide.leaves(X).tolist() == leaves_of_the_twin(wide, X)


@pytest.mark.parametrize("n_outputs", [1, 2, 8, 9])
@pytest.mark.parametrize("n", [0, 1, TILE + 1])
def test_sums_add_tree_after_tree(n, n_outputs, monkeypatch):
    rng = np.random.default_rng(n)
    trees = trees_of_any_kind(rng, n_trees=6, n_features=4, max_depth=5)
    size = len(trees.feature)
    rows, values = rng.permutation(size).astype(np.int32), rng.normal(size=(size, n_outputs))
    trees = replace(trees, value_row=rows, values=values)
    X = hostile_rows(rng, n, 4, np.float64, False)
    n_targets = 3 if n_outputs == 1 else n_outputs
    leaves = trees.leaves(X)
    expected = np.zeros((n, n_targets))
    for t, line in enumerate(leaves):
        targets = [t % 3] if n_outputs == 1 else slice(None)
        expected[:, targets] += values[rows[line]]
    assert trees.sums(leaves, n_targets).tolist() == expected.tolist()
    monkeypatch.setattr("rankwise.engine._trees.NEAR", 2 * n)
    assert trees.sums_of(X, n_targets).tolist() == expected.tolist()
