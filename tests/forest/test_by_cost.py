"""Forests that are given values: trees that weigh pairs by them, mixed with others."""

import numpy as np
import pytest

import rankwise as rw
from rankwise.forest._kinds import kinds_by_cost
from rankwise.metrics import regret
from rankwise.ranker import pair_weights


def runs(n, k=5, seed=0, d=6):
    """Run times with heavy tails, some stopped at a cutoff of 400."""
    rng = np.random.default_rng([seed, n])
    X = rng.normal(size=(n, d))
    solvers = np.random.default_rng(seed).normal(size=(d, k))
    seconds = np.exp(3 + X @ solvers + rng.normal(scale=0.7, size=(n, k)))
    values = np.where(seconds > 400, 4000.0, seconds)
    return X, rw.ranks_from_scores(values, higher_is_better=False), values


def test_a_tree_of_a_pair_weighs_rows_by_the_difference_of_its_values():
    X, _, seconds = runs(80)
    values = np.ceil(np.minimum(seconds, 400)) / 4
    Y = rw.ranks_from_scores(values, higher_is_better=False)
    tree = rw.TreeRanker(by_cost=True, min_samples_leaf=6, random_state=0)
    shares = tree.fit(X, Y, values=values).predict_pairwise(X)
    assert tree.decomposition_ == "pairwise"
    for i, j in ((0, 1), (2, 4)):
        # of two labels alone, with weights of rows in place of values; where they tie nothing counts
        apart = np.abs(values[:, i] - values[:, j])
        rows = apart > 0
        pair = rw.ranks_from_scores(values[rows][:, [i, j]], higher_is_better=False)
        plain = rw.TreeRanker(decomposition="pairwise", min_samples_leaf=6, random_state=0)
        plain.fit(X[rows], pair, sample_weight=apart[rows])
        np.testing.assert_allclose(shares[:, i, j], plain.predict_pairwise(X)[:, 0, 1], atol=1e-4)


def test_in_one_tree_on_all_pairs_the_costly_pair_decides_the_cut():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 2)) + rng.normal(scale=0.1, size=(60, 2))
    by_one, by_other = X[:, 0] > 0.5, X[:, 1] > 0.5
    # the first feature decides between a and b, by an hour; the other between c, d and e, by seconds
    values = np.column_stack(
        [
            np.where(by_one, 9000.0, 5400.0),
            np.where(by_one, 5400.0, 9000.0),
            *(np.where(by_other, j, 3 - j) + 1.0 for j in range(3)),
        ]
    )
    Y = rw.ranks_from_scores(values, higher_is_better=False)
    known = {"decomposition": "joint_pairwise", "max_depth": 1}
    plain = rw.TreeRanker(**known).fit(X, Y, values=values)
    weighed = rw.TreeRanker(by_cost=True, **known).fit(X, Y, values=values)
    assert plain.splits_[0][0].feature == 1
    assert weighed.splits_[0][0].feature == 0


def test_pairs_that_are_tied_or_not_measured_weigh_as_the_average_of_their_pair():
    values = np.array([[1.0, 4.0, 2.0], [60.0, 51.0, np.nan], [5.0, 5.0, 9.0]])
    ranks = rw.ranks_from_scores(values, higher_is_better=False)
    weights = pair_weights(values, ranks)
    typical = (3 + 9 + 1 + 4 + 2 + 4) / 6
    np.testing.assert_allclose(weights[:, 0], np.array([3, 9, 6]) / typical)
    np.testing.assert_allclose(weights[:, 1], np.array([1, 2.5, 4]) / typical)
    np.testing.assert_allclose(pair_weights(np.ones((3, 3)), np.ones((3, 3))), 1.0)


@pytest.mark.parametrize(
    ("by_cost", "kinds", "sizes"),
    [
        ("auto", ["pairwise", "pairwise"], [15, 15]),
        (True, ["pairwise"], [30]),
        (False, None, None),
    ],
)
def test_of_which_trees_a_forest_is_made(by_cost, kinds, sizes):
    X, Y, values = runs(60)
    assert len(np.unique(Y[:, 0])) < 60
    forest = rw.ForestRanker(30, by_cost=by_cost, random_state=0).fit(X, Y, values=values)
    if kinds is None:
        plain = rw.ForestRanker(30, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(forest.predict(X), plain.predict(X))
        return
    assert [part.decomposition_ for part in forest._parts] == kinds
    assert [part._n_rankings() for part in forest._parts] == sizes
    assert forest.ties_ is None  # a choice needs one label in front
    assert (np.sort(forest.predict(X), axis=1) == np.arange(1, 6)).all()
    assert all("_values" not in vars(part) for part in (forest, *forest._parts))
    shares = np.mean([part.predict_pairwise(X) for part in forest._parts], axis=0)
    np.testing.assert_allclose(forest.predict_pairwise(X), shares)


def test_of_many_labels_fewer_samples_are_drawn():
    for n_rows, k, expected in ((1000, 5, [50, 50]), (2000, 30, [18, 18]), (9000, 40, [5, 5])):
        forest = rw.ForestRanker(100)
        forest.n_labels_ = k
        kinds = kinds_by_cost(forest, n_rows, drawn=False, incomplete=False)
        assert [kind["n_estimators"] for kind in kinds] == expected
    assert [kind["by_cost"] for kind in kinds] == [False, True]


@pytest.mark.parametrize(
    "how",
    [
        {"ties": 0.6},
        {"oob_score": True},
        {"n_estimators": 1},
        {"n_estimators": 2},
        {"criterion": "level", "max_depth": 3},
        {"decomposition": "mixed"},
        {"decomposition": "pairwise", "honest": True},
    ],
)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_values_go_with_every_kind_of_forest_and_its_file(tmp_path, how, missing):
    X, _, values = runs(60)
    values[np.random.default_rng(0).random(values.shape) < missing] = np.nan
    Y = rw.ranks_from_scores(values, higher_is_better=False)
    forest = rw.ForestRanker(**{"n_estimators": 12, "random_state": 0, **how})
    forest.fit(X, Y, values=values)
    assert not how.get("oob_score") or forest.oob_score_ > 0.2
    assert forest.feature_importances_.sum() == pytest.approx(1)
    if how.get("ties") != 0.6:
        assert (np.sort(forest.predict(X), axis=1) == np.arange(1, 6)).all()
    rw.save_model(forest, tmp_path / "m.rankwise")
    again = rw.load_model(tmp_path / "m.rankwise")
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    np.testing.assert_array_equal(again.predict_values(X), forest.predict_values(X))


def test_labels_in_another_order_get_the_same_trees():
    X, Y, values = runs(50)
    order = [3, 0, 4, 2, 1]
    tree = rw.TreeRanker(by_cost=True, min_samples_leaf=4, random_state=0)
    one = tree.fit(X, Y, values=values).predict_pairwise(X)
    other = tree.fit(X, Y[:, order], values=values[:, order]).predict_pairwise(X)
    np.testing.assert_allclose(other, one[:, order][:, :, order])


def test_parameters_that_do_not_go_together_are_refused():
    X, Y, values = runs(20)
    with pytest.raises(ValueError, match="by_cost=True weighs pairs of labels"):
        rw.ForestRanker(by_cost=True, decomposition="labelwise").fit(X, Y, values=values)
    for ranker in (rw.TreeRanker(by_cost="auto"), rw.ForestRanker(by_cost="always")):
        with pytest.raises(TypeError, match="use True or False"):
            ranker.fit(X, Y)


@pytest.mark.slow
def test_the_default_costs_about_as_little_as_the_better_of_its_kinds():
    lost, gap = {"auto": 0.0, True: 0.0, False: 0.0}, 0.0
    by_trees_alone = 0.0
    for seed in range(4):
        X, Y, values = runs(150, seed=seed)
        new, _, cost = runs(800, seed=seed)
        single = np.tile(values.mean(axis=0).argsort().argsort() + 1, (len(new), 1))
        gap += regret(cost, single, higher_is_better=False)
        for by_cost in lost:
            forest = rw.ForestRanker(60, by_cost=by_cost, random_state=0).fit(X, Y, values=values)
            lost[by_cost] += regret(cost, forest.predict(new), higher_is_better=False)
        # without ties no row and no kernel votes beside the trees
        trees = rw.ForestRanker(60, by_cost=False, ties="never", random_state=0)
        predicted = trees.fit(X, Y, values=values).predict(new)
        by_trees_alone += regret(cost, predicted, higher_is_better=False)
    closed = {by_cost: 1 - amount / gap for by_cost, amount in lost.items()}
    assert closed["auto"] > max(closed[True], closed[False]) - 0.03
    assert lost["auto"] < 0.75 * by_trees_alone
