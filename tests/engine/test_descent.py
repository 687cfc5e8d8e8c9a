"""Rows fall into the leaf that the cuts on their way lead to."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import naive
from rankwise._falling import CODES, COLUMN_BITS, ENTRY, TWELVE
from rankwise.engine import Trees, _packing
from rankwise.engine._trees import FEW_ROWS, _columns
from rankwise.engine.kernels.descent import TILE, TOP
from rankwise.engine.kernels.walking import HEIGHT, ROWS, write_cells

# Numbers that are compared as float64 or wrongly: beyond float32, next to each other, next to 0.
LARGE = np.finfo(float).max
SMALL = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 0.1, np.nextafter(0.1, 1), np.float32(0.1), 1.0]
HOSTILE = np.array(
    [*SMALL, -1.0, 1e300, -1e300, LARGE, -LARGE, 2.0**53, 2.0**53 + 2, np.inf, -np.inf]
)


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
        own_threshold=None,
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
    drawn = rng.choice(HOSTILE, len(trees.feature))
    threshold = np.where(trees.feature < 0, rng.choice([np.nan, np.inf, -1.0]), drawn)
    return replace(trees, own_threshold=threshold, boolean_thresholds=None)


def leaves_by_codes(trees, X):
    """The leaves that trees of any kind find once so many rows have come that it is worth coding."""
    trees._rows_alone[0] = 10**9
    return trees.leaves(X).tolist()


def hostile_rows(rng, n, n_features, dtype, missing):
    """Rows of the numbers above, as far as their type has them, some of them missing if it has that."""
    X = rng.choice(HOSTILE, (n, n_features))
    if dtype == np.float32:
        X = np.where((np.abs(X) > 1e38) & np.isfinite(X), 7.0, X)
    if np.dtype(dtype).kind != "f":
        ends = np.iinfo(dtype)
        return rng.choice(np.array([ends.min, ends.max, ends.max - 1, 0, 1, 2], dtype), X.shape)
    X = X.astype(dtype)
    X[rng.random(X.shape) < (0.2 if missing else 0)] = np.nan
    return X


@given(
    seed=st.integers(0, 2**32),
    n=st.sampled_from([1, 2, FEW_ROWS - 1, FEW_ROWS, TWELVE, TWELVE + 1, ROWS - 1, ROWS + 1]),
    max_depth=st.sampled_from([0, 1, 2, ENTRY - 1, ENTRY, ENTRY + 1, 12]),
    dtype=st.sampled_from([np.float32, np.float64, np.int8, np.uint8, np.int64, np.uint64]),
    missing=st.booleans(),
)
def test_rows_of_any_kind_fall_into_the_leaf_of_the_twin(seed, n, max_depth, dtype, missing):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    trees = trees_of_any_kind(rng, n_trees=3, n_features=d, max_depth=max_depth)
    X = hostile_rows(rng, n, d, dtype, missing)
    expected = leaves_of_the_twin(trees, X)
    trees._rows_alone[0] = -(10**9)
    assert trees.leaves(X).tolist() == expected
    assert leaves_by_codes(trees, X) == expected


def test_trees_are_coded_once_many_rows_have_come():
    rng = np.random.default_rng(0)
    trees = trees_of_any_kind(rng, n_trees=3, n_features=4, max_depth=9)
    X, rounds = hostile_rows(rng, FEW_ROWS, 4, np.float64, False), 0
    expected = leaves_of_the_twin(trees, X)
    while "_coded" not in vars(trees):
        assert trees.leaves(X).tolist() == expected
        rounds += 1
    assert 1 < rounds < len(trees.feature)
    assert trees.leaves(X).tolist() == expected


@pytest.mark.parametrize("n", [0, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 70])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_any_kind_in_several_tiles(n, missing, dtype):
    rng = np.random.default_rng(n)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=6, max_depth=11)
    X = hostile_rows(rng, n, 6, dtype, missing)
    assert leaves_by_codes(trees, X) == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("n", [FEW_ROWS, 200])
def test_rows_of_many_columns(n):
    rng = np.random.default_rng(n)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=2000, max_depth=9)
    X = hostile_rows(rng, n, 2000, np.float32, False)
    assert leaves_by_codes(trees, X) == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("missing", [False, True])
def test_nodes_that_do_not_fit_a_word_are_walked_all_the_same(missing, monkeypatch):
    rng = np.random.default_rng(0)
    trees = trees_of_any_kind(rng, n_trees=2, n_features=40, max_depth=9)
    X = hostile_rows(rng, 30, 40, np.float64, missing)
    monkeypatch.setattr(_packing, "COLUMN_BITS", 8)
    assert trees._coded is None  # and is kept
    assert leaves_by_codes(trees, X) == leaves_of_the_twin(trees, X)


@pytest.mark.parametrize("gaps", [False, True])
def test_nothing_below_the_rows_of_a_tile_leaves_a_leaf(gaps):
    rng = np.random.default_rng(0)
    trees = trees_of_any_kind(rng, n_trees=1, n_features=3, max_depth=9)
    X = hostile_rows(rng, 7, 3, np.float32, gaps)
    columns, nodes = trees._coded
    tiles = _columns(X, gaps, columns)
    assert (tiles[:, :HEIGHT] == 0).all()
    assert (nodes[trees.feature < 0] % (1 << 40) == 0).all()


@given(
    thresholds=st.lists(st.floats(allow_nan=False), max_size=40, unique=True),
    numbers=st.lists(st.floats(), max_size=ROWS + 9),
    gaps=st.booleans(),
)
def test_a_code_is_the_number_of_thresholds_below(thresholds, numbers, gaps):
    thresholds, X = np.sort(np.array(thresholds)), np.array(numbers).reshape(-1, 1)
    X = np.append(X, thresholds)[:, None]  # and ties with each
    tiles = np.zeros((-(-len(X) // ROWS), 3 if gaps else 2, HEIGHT), dtype=np.uint16)
    one = np.zeros(1, dtype=np.int64), np.array([0, len(thresholds)])
    write_cells(X, gaps, *one, thresholds, np.zeros(ROWS), np.zeros(ROWS, np.uint64), tiles)
    found = tiles[:, :, :ROWS].transpose(1, 0, 2).reshape(tiles.shape[1], -1)[:, : len(X)]
    below = [int((thresholds < x).sum()) for x in X[:, 0]]
    if gaps:
        assert found[2].tolist() == below
        below = [CODES if np.isnan(x) else code for x, code in zip(X[:, 0], below, strict=True)]
    assert found[1].tolist() == below
    assert (found[0] == 0).all()


@given(seed=st.integers(0, 2**32), max_depth=st.sampled_from([0, 1, 9]))
def test_columns_hold_the_thresholds_of_their_feature_once_in_order(seed, max_depth):
    rng = np.random.default_rng(seed)
    trees = trees_of_any_kind(rng, n_trees=3, n_features=4, max_depth=max_depth)
    columns, nodes = trees._coded
    for column, f in enumerate(columns.features):
        own = columns.thresholds[columns.starts[column] : columns.starts[column + 1]]
        looks = np.flatnonzero(trees.feature == f)
        assert own.tolist() == np.unique(trees.threshold[looks]).tolist()
        codes = CODES - (nodes[looks].astype(object) >> COLUMN_BITS & CODES)
        assert own[codes.astype(int)].tolist() == trees.threshold[looks].tolist()
        assert (nodes[looks] % (1 << COLUMN_BITS) == (1 + column) * HEIGHT).all()
    assert set(columns.features) == set(trees.feature[trees.feature >= 0])


@pytest.mark.parametrize("missing", [False, True])
def test_a_feature_of_more_thresholds_than_codes_has_several_columns(missing):
    rng = np.random.default_rng(0)
    depth = 17
    n_inner = (1 << depth) - 1
    feature = np.append(np.zeros(n_inner), np.full(n_inner + 1, -1)).astype(np.int32)
    left = np.where(feature < 0, -1, 2 * np.arange(2 * n_inner + 1) + 1).astype(np.int32)
    # a balanced tree of all the whole numbers from 0 on, as a heap
    levels = [np.arange(1 << d) * 2 + 1 << depth - d - 1 for d in range(depth)]
    threshold = np.append(np.concatenate(levels) - 1.0, np.zeros(n_inner + 1))
    n = len(feature)
    trees = Trees(
        feature=feature, own_threshold=threshold, missing_left=rng.integers(0, 2, n).astype(np.uint8),
        left=left, roots=np.zeros(1, np.int64), depths=np.array([depth]),
        value_row=np.zeros(n, np.int32), values=np.zeros((1, 1)), boolean_thresholds=None,
    )  # fmt: skip
    near = np.arange(-2, 3) + np.array([0, CODES, 2 * CODES, n_inner])[:, None]
    X = np.append(rng.uniform(-1, n_inner + 1, 100), near)[:, None]
    X[::7] = np.nan if missing else X[::7]
    columns, _ = trees._coded
    assert np.diff(columns.starts).tolist() == [CODES, CODES, 1]
    assert leaves_by_codes(trees, X) == leaves_of_the_twin(trees, X)


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
        own_threshold=None if boolean else threshold,
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
    expected = [leaves_by_codes(trees, X)[t] for t in chosen]
    assert leaves_by_codes(some, X) == expected


@pytest.mark.parametrize("n", [1, 2 * FEW_ROWS])
def test_a_very_deep_tree_is_walked_to_its_end(n):
    X = np.linspace(-1, 500, n)[:, None]
    X[n // 2 :] = X[n // 2 :][::-1]
    for rows, trees in ((X, chain(500, False)), (X > 250, chain(500, True))):
        assert leaves_by_codes(trees, rows) == leaves_of_the_twin(trees, rows)


def far_columns(rng, kind, d):
    """Trees on the last 40 of many features, and rows."""
    trees = kind(rng, n_trees=2, n_features=40, max_depth=11)
    far = replace(
        trees,
        feature=np.where(trees.feature < 0, -1, trees.feature + d - 40).astype(np.int32),
        own_threshold=np.zeros(len(trees.feature)) if kind is trees_of_any_kind else None,
        boolean_thresholds=None if kind is trees_of_any_kind else np.zeros(d),
    )
    X = np.zeros((FEW_ROWS, d), dtype=bool if kind is random_trees else np.float32)
    X[:, -40:] = rng.integers(0, 2, (FEW_ROWS, 40))
    return far, X


def test_boolean_nodes_that_do_not_fit_32_bits():
    trees, X = far_columns(np.random.default_rng(1), random_trees, 1 << 20)
    assert trees._boolean[0].words.dtype == np.uint64
    assert trees.leaves(X).tolist() == leaves_of_the_twin(trees, X)


def test_only_features_that_trees_look_at_have_columns():
    trees, X = far_columns(np.random.default_rng(1), trees_of_any_kind, 1 << 19)
    assert len(trees._coded[0].features) == 40
    assert leaves_by_codes(trees, X) == leaves_of_the_twin(trees, X)


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
