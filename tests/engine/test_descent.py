"""Rows fall into the leaf that the cuts on their way lead to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import naive
from rankwise.engine import Trees
from rankwise.engine.kernels.descent import TILE, TOP


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
