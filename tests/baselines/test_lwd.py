"""Labelwise decomposition: probabilities of positions, thresholds, aggregation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from baselines import naive
from baselines.strategies import features, rankings
from rankwise.baselines import LWD
from rankwise.baselines._lwd import assign_positions, position_probabilities
from rankwise.baselines._mallows import observed_places
from rankwise.baselines._ordinal import probabilities_behind

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
few = settings(max_examples=15, deadline=None)


@given(Y=rankings(missing=True, max_rows=4))
@few
def test_probabilities_of_positions_count_the_sets_that_may_be_observed(Y):
    k = Y.shape[1]
    places = observed_places(Y)
    got = probabilities_behind(places)
    for i, row in enumerate(places):
        m = int((row > 0).sum())
        for j, place in enumerate(row):
            if not place:
                assert np.isnan(got[i, j]).all()
                continue
            for r in range(1, k):
                behind = sum(
                    naive.position_probability(place, m, k, p) for p in range(r + 1, k + 1)
                )
                assert got[i, j, r - 1] == pytest.approx(float(behind))


@given(Y=rankings(missing=True, max_rows=8))
@few
def test_complete_rankings_leave_no_doubt(Y):
    Y = np.where(np.isnan(Y).any(axis=1, keepdims=True), np.arange(1.0, Y.shape[1] + 1), Y)
    behind = probabilities_behind(observed_places(Y))
    np.testing.assert_array_equal(1 + behind.sum(axis=2), Y)


def test_expected_positions_are_the_sums_of_the_classifiers():
    rng = np.random.default_rng(0)
    X, Y = features(40), np.argsort(rng.random((40, 3)), axis=1) + 1.0
    model = LWD(LogisticRegression()).fit(X, Y)
    for j, r in itertools.product(range(3), range(2)):
        alone = LogisticRegression().fit(X, Y[:, j] > r + 1)
        np.testing.assert_allclose(
            model.estimators_[j][r].predict_proba(X)[:, 1], alone.predict_proba(X)[:, 1]
        )
    sums = [sum(m.predict_proba(X)[:, 1] for m in row) for row in model.estimators_]
    np.testing.assert_allclose(model.predict_positions(X), 1 + np.transpose(sums))


def test_a_missing_label_counts_as_every_position_that_it_leaves_open_by_its_probability():
    X = features(30)
    Y = np.argsort(np.random.default_rng(1).random((30, 3)), axis=1) + 1.0
    Y[:10, 2] = np.nan
    model = LWD(LogisticRegression()).fit(X, Y)
    rows, classes, weights = [], [], []
    for r, row in enumerate(Y):
        m = int((~np.isnan(row)).sum())
        place = int(1 + (row < row[0]).sum())
        first = float(naive.position_probability(place, m, 3, 1))
        rows += [r, r]
        classes += [1, 0]
        weights += [1 - first, first]
    alone = LogisticRegression().fit(X[rows], classes, weights)
    np.testing.assert_allclose(
        model.estimators_[0][0].predict_proba(X), alone.predict_proba(X), atol=1e-3
    )


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
@few
def test_assignment_has_the_least_expected_distance_of_all_rankings(seed, k):
    tables = position_probabilities(np.random.default_rng(seed).random((2, k, k - 1)))
    np.testing.assert_allclose(tables.sum(axis=1), 1)

    def cost(table, ranks):
        return sum(table[p, j] * abs(p + 1 - ranks[j]) for p in range(k) for j in range(len(ranks)))

    for table, ranks in zip(tables, assign_positions(tables), strict=True):
        least = min(cost(table, r) for r in itertools.permutations(range(1, k + 1)))
        assert cost(table, ranks) == pytest.approx(least)


def test_a_row_of_weight_two_counts_as_two_rows():
    X, Y = features(30), np.argsort(np.random.default_rng(2).random((30, 3)), axis=1) + 1.0
    weights = np.where(np.arange(30) < 10, 2, np.where(np.arange(30) < 20, 1, 0))
    repeated = np.repeat(np.arange(30), weights)
    weighted = LWD().fit(X, Y, weights).predict_positions(X)
    np.testing.assert_allclose(weighted, LWD().fit(X[repeated], Y[repeated]).predict_positions(X))


def test_a_position_that_a_label_never_leaves_needs_no_classifier():
    X = features(10)
    Y = np.where(X[:, :1] > 0, [[1.0, 2.0, 3.0]], [[2.0, 1.0, 3.0]])
    model = LWD().fit(X, Y)
    assert model.estimators_[2] == [1.0, 1.0]
    assert (model.predict(X)[:, 2] == 3).all()


@pytest.mark.parametrize("aggregation", ["expected", "assignment"])
def test_separable_rankings_are_learned(aggregation):
    X = np.linspace(-1, 1, 40)[:, None]
    Y = np.where(X > 0, [[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]])
    model = LWD(aggregation=aggregation).fit(X, Y)
    assert model.score(X, Y) == 1
    shares = model.predict_pairwise(X)
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1, atol=1e-6)
    assert (shares[X[:, 0] > 0.1, 0, 2] > 0.9).all()


def test_seeds_decide_what_random_classifiers_draw():
    X, Y = features(30), np.argsort(np.random.default_rng(2).random((30, 3)), axis=1) + 1.0
    tree = DecisionTreeClassifier(splitter="random", max_depth=2)
    one = LWD(tree, random_state=0).fit(X, Y).predict_positions(X)
    np.testing.assert_array_equal(one, LWD(tree, random_state=0).fit(X, Y).predict_positions(X))
    assert (one != LWD(tree, random_state=1).fit(X, Y).predict_positions(X)).any()


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"aggregation": "mean"}, ValueError, "aggregation is 'mean'"),
        ({"estimator": LinearSVC()}, TypeError, "LinearSVC has no predict_proba"),
        ({"estimator": "logistic"}, TypeError, "give a scikit-learn classifier"),
    ],
)
def test_wrong_parameters_are_named(options, kind, text):
    with pytest.raises(kind, match=text):
        LWD(**options).fit(features(4), np.tile([1.0, 2.0], (4, 1)))


def test_classifiers_without_weights_are_refused_for_incomplete_rankings_alone():
    class Unweighted(GaussianNB):
        def fit(self, X, y):
            return super().fit(X, y)

    X, Y = features(20), np.argsort(np.random.default_rng(0).random((20, 3)), axis=1) + 1.0
    LWD(Unweighted()).fit(X, Y)
    Y[0, 0] = np.nan
    with pytest.raises(TypeError, match="incomplete rankings needs a classifier whose fit takes"):
        LWD(Unweighted()).fit(X, Y)


def test_a_label_that_is_never_seen_is_refused_by_name():
    with pytest.raises(ValueError, match="label 1 is missing in every row"):
        LWD().fit(features(3), [[1, None, 2]] * 3)
