"""Trees cut at a depth: the same as trees that were never let grow deeper."""

import numpy as np
import pytest
from sklearn.base import clone

from engine.problems import random_ranks
from rankwise.forest import ForestRanker
from rankwise.tree import TreeRanker, positions_at_depths
from tree.test_input import problem

DEPTHS = [3, 0, None, 1, 5, 3]


def data(kind):
    """120 rows to learn from and 30 new ones, of noisy rankings: trees grow deep."""
    rng = np.random.default_rng(0)
    if kind == "boolean":
        X = rng.integers(0, 2, (150, 12)).astype(float)
    else:
        X = rng.normal(size=(150, 6)).round(1 if kind == "repeated" else 9)
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    return X[:120], random_ranks(rng, 120, 4, ties=kind == "repeated"), X[120:]


@pytest.mark.parametrize("kind", ["boolean", "continuous", "repeated", "missing"])
@pytest.mark.parametrize(
    "model",
    [
        TreeRanker(),
        TreeRanker(honest=True, min_samples_leaf=2, random_state=1),
        TreeRanker(decomposition="joint", min_samples_leaf=3),
        ForestRanker(3, random_state=0),
        ForestRanker(2, honest=True, bootstrap=False, max_samples=0.5, random_state=2),
    ],
    ids=["tree", "honest", "joint", "forest", "honest forest"],
)
def test_a_cut_tree_predicts_what_a_limited_one_does(model, kind):
    X, Y, X_new = data(kind)
    cut = positions_at_depths(model, X, Y, X_new, DEPTHS)
    for depth, positions in zip(DEPTHS, cut, strict=True):
        limited = clone(model).set_params(max_depth=depth, ties="never").fit(X, Y)
        np.testing.assert_array_equal(positions, limited.predict_positions(X_new))


def test_values_that_were_never_missing_at_fit_go_the_same_way():
    X, Y, X_new = data("boolean")
    X_new[::2, ::3] = np.nan
    cut = positions_at_depths(TreeRanker(), X, Y, X_new, [4])[0]
    limited = TreeRanker(max_depth=4).fit(X, Y)
    np.testing.assert_array_equal(cut, limited.predict_positions(X_new))


@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_with_features_drawn_at_random_uncut_trees_are_equal_and_cut_ones_alike(kind):
    X, Y, X_new = data(kind)
    forest = ForestRanker(100, max_features="sqrt", random_state=0)
    whole, cut = positions_at_depths(forest, X, Y, X_new, [None, 2])
    np.testing.assert_array_equal(whole, clone(forest).fit(X, Y).predict_positions(X_new))
    limited = clone(forest).set_params(max_depth=2)
    one = limited.fit(X, Y).predict_positions(X_new)
    other = clone(limited).set_params(random_state=1).fit(X, Y).predict_positions(X_new)
    # The rows drawn are the same: nearer to it than a limited forest of another seed. Cut one level
    # higher or lower, it would be further away.
    assert np.abs(cut - one).mean() < 0.75 * np.abs(other - one).mean()


def test_what_cannot_be_cut_is_refused():
    X, Y = problem(kind="boolean")
    for model, told in (
        (TreeRanker("level"), "criterion is 'level'"),
        (TreeRanker(max_splits=3), "max_splits is 3"),
        (TreeRanker(max_depth=3), "max_depth is 3"),
        (TreeRanker(decomposition="pairwise"), "a model for each depth"),
    ):
        with pytest.raises(ValueError, match=told):
            positions_at_depths(model, X, Y, X, [1])
    with pytest.raises(ValueError, match="depths start at 0"):
        positions_at_depths(TreeRanker(), X, Y, X, [None, -1])
    with pytest.raises(ValueError, match="rows of the features of X"):
        positions_at_depths(TreeRanker(), X, Y, X[:, 1:], [1])
