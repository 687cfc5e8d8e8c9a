"""Forests: samples of rows, honesty, rows left out, threads, and the peer they are measured by."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import cross_val_score

from engine.problems import random_ranks
from rankwise.forest import ForestRanker
from rankwise.oracles import make_family
from rankwise.tree import LabelwiseRanker, TreeRanker
from tree.test_input import problem

OPTIONS = pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "level"},
        {"decomposition": "joint", "honest": True},
        {"decomposition": "pairwise", "max_features": "sqrt"},
        {"bootstrap": False, "max_samples": 0.6, "max_features": 2, "honest": True},
    ],
    ids=str,
)


@OPTIONS
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_results_do_not_depend_on_the_number_of_threads(options, kind):
    X, Y = problem(n=120, kind=kind)
    one, two = (
        ForestRanker(n_estimators=6, n_jobs=jobs, random_state=0, oob_score=True, **options).fit(
            X, Y
        )
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_pairwise(X), two.predict_pairwise(X))
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)
    assert one.oob_score_ == two.oob_score_


@OPTIONS
def test_the_random_state_decides_everything(options):
    X, Y = problem(n=120, kind="continuous")
    a, b, c = (
        ForestRanker(n_estimators=4, random_state=state, **options).fit(X, Y).predict_positions(X)
        for state in (0, 0, 1)
    )
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


@pytest.mark.parametrize("state", [np.random.RandomState(0), np.random.default_rng(0), None])
def test_any_source_of_randomness_is_taken(state):
    X, Y = problem()
    assert ForestRanker(n_estimators=2, random_state=state).fit(X, Y).predict(X).shape == Y.shape


def test_without_replacement_every_row_makes_every_tree_the_same_one():
    X, Y = problem()
    forest = ForestRanker(n_estimators=3, bootstrap=False).fit(X, Y)
    np.testing.assert_allclose(
        forest.predict_positions(X), TreeRanker().fit(X, Y).predict_positions(X), rtol=1e-12
    )


@pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise"])
def test_of_equally_good_features_each_tree_takes_one_by_chance(decomposition):
    X, Y = problem(kind="continuous")
    twice = np.hstack([X, X])
    d = X.shape[1]
    options = {"decomposition": decomposition, "random_state": 0}
    by_chance = ForestRanker(40, **options).fit(twice, Y).feature_importances_
    # twenty of forty on average, and less than ten once in two thousand times
    assert 0.25 < by_chance[:d].sum() < 0.75
    assert TreeRanker(**options).fit(twice, Y).feature_importances_[d:].sum() == 0


def test_a_forest_is_the_mean_of_its_trees():
    X, Y = problem()
    forest = ForestRanker(n_estimators=5, decomposition="joint", random_state=0).fit(X, Y)
    leaves = forest._trees.leaves(X)
    values = forest._trees.values[forest._trees.value_row[leaves]]
    np.testing.assert_allclose(forest.predict_positions(X), values.mean(axis=0))


def test_votes_are_shares_of_trees():
    X, Y = problem()
    votes = ForestRanker(n_estimators=4, random_state=0).fit(X, Y).predict_pairwise(X) * 8
    np.testing.assert_array_equal(votes, np.round(votes))


@pytest.mark.parametrize("max_samples", [0, 61, 1.5, -0.5, "half", True])
def test_a_sample_that_cannot_be_drawn_is_refused(max_samples):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"max_samples must be a whole number from 1 to 60"):
        ForestRanker(max_samples=max_samples).fit(X, Y)


@pytest.mark.parametrize("n_estimators", [0, -1, 2.0, True])
def test_a_forest_has_at_least_one_tree(n_estimators):
    X, Y = problem()
    with pytest.raises(
        (TypeError, ValueError), match=r"n_estimators is .*; use a whole number of 1 or more"
    ):
        ForestRanker(n_estimators).fit(X, Y)


@pytest.mark.parametrize("name", ["honest", "bootstrap", "oob_score"])
def test_what_is_on_or_off_is_nothing_else(name):
    X, Y = problem()
    with pytest.raises(TypeError, match=f"{name} is 1; use True or False"):
        ForestRanker(2, **{name: 1}).fit(X, Y)
    ForestRanker(2, **{name: np.True_}).fit(X, Y)


@pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise"])
def test_tau_on_rows_left_out_is_near_tau_on_new_rows(decomposition):
    X, Y = problem(n=1600, d=8, kind="continuous")
    model = ForestRanker(
        n_estimators=100, oob_score=True, decomposition=decomposition, random_state=0
    ).fit(X[:800], Y[:800])
    assert model.oob_score_ == pytest.approx(model.score(X[800:], Y[800:]), abs=0.05)


def test_tau_on_rows_left_out_of_noise_is_near_zero():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(2, size=(600, 6)), random_ranks(rng, 600, 4)
    model = ForestRanker(n_estimators=20, oob_score=True, random_state=0).fit(X, Y)
    assert abs(model.oob_score_) < 0.08


def test_no_row_left_out_is_told():
    X, Y = problem()
    with pytest.warns(UserWarning, match="no row left out"):
        model = ForestRanker(n_estimators=2, bootstrap=False, oob_score=True).fit(X, Y)
    assert np.isnan(model.oob_score_)


def test_whole_weights_draw_rows_in_proportion():
    X, Y = problem()
    weights = np.zeros(60)
    weights[:5] = 3
    model = ForestRanker(n_estimators=3, oob_score=True, random_state=0).fit(X, Y, weights)
    expected = ForestRanker(n_estimators=200, random_state=0).fit(
        np.repeat(X[:5], 3, axis=0), np.repeat(Y[:5], 3, axis=0)
    )
    many = ForestRanker(n_estimators=200, random_state=1).fit(X, Y, weights)
    np.testing.assert_allclose(many.predict_positions(X), expected.predict_positions(X), atol=0.35)
    assert -1 <= model.oob_score_ <= 1


def test_noiseless_sfn_is_learned():
    X, Y, _ = make_family("SFN", n_samples=10_000, random_state=0)
    model = ForestRanker(n_estimators=30, random_state=0).fit(X[:9000], Y[:9000])
    assert model.score(X[9000:], Y[9000:]) > 0.79


@pytest.mark.slow
def test_noiseless_sfn_is_learned_as_well_as_by_the_peer():
    X, Y, _ = make_family("SFN", n_samples=10_000, random_state=0)
    own = ForestRanker(n_estimators=50, random_state=0).fit(X[:9000], Y[:9000])
    peer = LabelwiseRanker(RandomForestRegressor(50, random_state=0, n_jobs=2))
    peer.fit(X[:9000], Y[:9000])
    assert own.score(X[9000:], Y[9000:]) == pytest.approx(peer.score(X[9000:], Y[9000:]), abs=0.01)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "noise"), [("iris", 0.02), pytest.param("glass", 0.03, marks=pytest.mark.slow)]
)
def test_benchmarks_are_learned_as_well_as_by_the_peer(name, noise):
    from rankwise.datasets import load

    data = load(name)
    shuffled = np.random.default_rng(0).permutation(len(data))
    X, Y = data.features[shuffled], data.ranks[shuffled]
    own = cross_val_score(ForestRanker(n_estimators=50, random_state=0), X, Y, cv=5)
    peer = LabelwiseRanker(RandomForestRegressor(50, random_state=0))
    assert own.mean() == pytest.approx(cross_val_score(peer, X, Y, cv=5).mean(), abs=noise)
