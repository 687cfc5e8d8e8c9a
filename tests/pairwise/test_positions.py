"""The star setting: positions are true, labels are missing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pairwise import naive
from rankwise.metrics import kendall_tau
from rankwise.oracles import Oracle, SparseLinear, Survival, TruncatedGaussian, UniformFeatures
from rankwise.pairwise import PositionRanker
from rankwise.pairwise._star import labels_at_positions, possible_labels
from rankwise.ranker import balance, pairwise_by_table, positions_by_table, ranks_by_table
from rankwise.rankings import RankingWarning

pytestmark = pytest.mark.filterwarnings("ignore:.*rows show no label")

METHODS = ["observed", "self-training", "coarse"]


def sample(n, q=0.5, noise=0.05, seed=0):
    oracle = Oracle(
        SparseLinear(6, 4, 3, random_state=seed),
        features=UniformFeatures(6),
        noise=TruncatedGaussian(noise),
        mechanism=Survival(q, keep_positions=True),
    )
    X, Y = oracle.sample(n, random_state=1)
    X_new, _ = oracle.sample(1000, random_state=2)
    return X, Y, X_new, oracle.truth(X_new)


@pytest.mark.parametrize("q", [pytest.param(0.5, marks=pytest.mark.slow), [0.9, 0.9, 0.1, 0.1]])
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_coarse_labels_beat_observed_ones_where_half_is_deleted(q):
    gains = []
    for seed in range(3):
        X, Y, X_new, truth = sample(200, q, noise=0.1, seed=seed)
        tau = {
            method: kendall_tau(truth, PositionRanker(method=method).fit(X, Y).predict(X_new))
            for method in ("observed", "coarse")
        }
        gains.append(tau["coarse"] - tau["observed"])
    assert np.mean(gains) > 0.005


@pytest.mark.parametrize("method", METHODS)
def test_on_complete_rankings_all_methods_are_one_and_learn(method):
    X, Y, X_new, truth = sample(600, q=1.0)
    model = PositionRanker(LogisticRegression(), method=method).fit(X, Y)
    assert kendall_tau(truth, model.predict(X_new)) > 0.75
    observed = PositionRanker(LogisticRegression()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X_new), observed.predict(X_new))


@pytest.mark.parametrize("method", METHODS)
def test_the_order_is_not_reversed(method):
    X = np.linspace(-1, 1, 60)[:, None]
    Y = np.where(X > 0, [[1.0, 2.0, 3.0]], [[2.0, 3.0, 1.0]])
    Y[::4, 0] = np.nan
    Y[1::4, 2] = np.nan
    model = PositionRanker(method=method).fit(X, Y)
    np.testing.assert_array_equal(model.predict([[0.9], [-0.9]]), [[1, 2, 3], [2, 3, 1]])
    assert (
        model.predict_pairwise([[0.9]])[0, 0, 2] > 0.5 > model.predict_pairwise([[-0.9]])[0, 0, 2]
    )
    assert np.argmin(model.predict_positions([[-0.9]])) == 2


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_decoding_finds_the_likeliest_assignment(k, seed):
    table = np.random.default_rng(seed).dirichlet(np.ones(k), size=(1, k))
    ranks = ranks_by_table(table)[0]
    product = np.prod([table[0, rank - 1, label] for label, rank in enumerate(ranks)])
    assert product == pytest.approx(naive.likeliest_assignment(table[0]))


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_balanced_tables_give_positions_and_mirrored_shares(k, seed):
    table = balance(np.random.default_rng(seed).dirichlet(np.ones(k), size=(3, k)) + 1e-3)
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(table.sum(axis=2), 1, atol=1e-6)
    np.testing.assert_allclose(positions_by_table(table).sum(axis=1), k * (k + 1) / 2, atol=1e-5)
    shares = pairwise_by_table(table)
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1)
    for r in range(3):
        np.testing.assert_allclose(shares[r], naive.before_by_positions(table[r]), atol=1e-5)


def test_positions_more_and_less_sure_are_balanced_too():
    sure = np.array([[[1.0, 0.0], [0.005, 0.995]], [[0.0, 1.0], [0.99, 0.01]]]) + 1e-3
    table = balance(sure)
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(table.sum(axis=2), 1, atol=1e-6)
    # of two labels, the odds of the two ways to place them are kept
    ways = sure[:, 0, 0] * sure[:, 1, 1] / (sure[:, 0, 1] * sure[:, 1, 0])
    np.testing.assert_allclose((table[:, 0, 0] / table[:, 0, 1]) ** 2, ways, rtol=1e-3)


def test_hidden_labels_may_stand_at_hidden_positions_alone():
    at = labels_at_positions(np.array([[3.0, np.nan, 1.0, np.nan]]), list("abcd"))
    assert at.tolist() == [[2, -1, 0, -1]]
    assert possible_labels(at)[0].astype(int).tolist() == [
        [0, 0, 1, 0],
        [0, 1, 0, 1],
        [1, 0, 0, 0],
        [0, 1, 0, 1],
    ]


@pytest.mark.filterwarnings("error")
def test_a_row_with_one_label_teaches():
    X = np.linspace(-1, 1, 40)[:, None]
    Y = np.full((40, 2), np.nan)
    Y[::2, 0] = np.where(X[::2, 0] > 0, 1, 2)
    Y[1::2, 1] = np.where(X[1::2, 0] > 0, 2, 1)
    for method in ("observed", "coarse"):
        model = PositionRanker(method=method).fit(X, Y)
        assert model.predict([[0.9], [-0.9]]).tolist() == [[1, 2], [2, 1]]


@pytest.mark.parametrize(
    ("Y", "text"),
    [
        ([[1, 2, 4], [1, 2, 3]], "row 0: label 2 has position 4; true positions are whole numbers"),
        ([[1, 2, 3], [1, 2.5, 3]], "row 1: label 1 has position 2.5"),
        ([[1, 2, 3], [1, 1, 3]], "tied"),
        ([[np.nan] * 3] * 2, "no observed position"),
    ],
)
def test_positions_that_cannot_be_true_are_refused(Y, text):
    with pytest.raises(ValueError, match=text):
        PositionRanker().fit([[0], [1]], Y)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"method": "em"}, ValueError, "method is 'em'"),
        ({"max_iter": 0}, ValueError, "max_iter is 0"),
        ({"max_iter": 1.5}, TypeError, "max_iter is 1.5"),
        ({"tol": -1}, ValueError, "tol is -1"),
        ({"estimator": LinearSVC()}, TypeError, "predict_proba"),
        ({"estimator": KNeighborsClassifier(), "method": "coarse"}, TypeError, "sample_weight"),
    ],
)
def test_wrong_parameters_are_named(options, kind, text):
    with pytest.raises(kind, match=text):
        PositionRanker(**options).fit([[0], [1]], [[1, 2], [2, 1]])


def test_errors_of_the_classifier_name_the_position():
    X = np.array([[0.0], [np.nan], [2.0]])
    with pytest.raises(ValueError, match=r"position 1: LogisticRegression.*NaN"):
        PositionRanker(LogisticRegression()).fit(X, [[1, 2], [2, 1], [1, 2]])


class Broken(LogisticRegression):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


def test_errors_at_prediction_name_the_position():
    X, Y = np.array([[0.0], [1.0], [2.0]]), [[1, 2], [2, 1], [1, 2]]
    with pytest.raises(ValueError, match=r"predicting position 1: LogisticRegression.*NaN"):
        PositionRanker(LogisticRegression()).fit(X, Y).predict([[np.nan]])
    model = PositionRanker(Broken()).fit(X, Y)
    for predict in (model.predict, model.predict_pairwise, model.predict_positions):
        with pytest.raises(ValueError, match="position 1: Broken: gave the probability nan"):
            predict(X)


def test_rows_that_show_no_label_are_counted_and_ignored():
    X, Y, X_new, _ = sample(80, 1.0)
    emptied = Y.copy()
    emptied[:3] = np.nan
    with pytest.warns(RankingWarning, match="3 of 80 rows show no label"):
        model = PositionRanker().fit(X, emptied)
    left = PositionRanker().fit(X[3:], Y[3:])
    np.testing.assert_allclose(model.predict_pairwise(X_new), left.predict_pairwise(X_new))


def test_positions_with_one_label_or_none_are_told_and_survived():
    X = np.arange(6.0)[:, None]
    Y = [[1, 2, np.nan], [1, np.nan, 2], [1, 2, np.nan]] * 2
    with pytest.warns(RankingWarning, match=r"no label observed: 3; with one label only: 1"):
        model = PositionRanker().fit(X, Y)
    assert model.estimators_[0] is None
    assert model.predict(X)[:, 0].tolist() == [1] * 6


@pytest.mark.parametrize("method", METHODS)
def test_the_result_does_not_depend_on_n_jobs(method):
    X, Y, X_new, _ = sample(120, 0.7)
    tree = DecisionTreeClassifier(max_features=1, max_depth=3)
    kept = [
        PositionRanker(tree, method=method, n_jobs=n_jobs, random_state=0).fit(X, Y)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(kept[0].predict_pairwise(X_new), kept[1].predict_pairwise(X_new))


def test_names_survive_to_the_output():
    X, Y, X_new, _ = sample(60)
    model = PositionRanker().fit(X, pd.DataFrame(Y, columns=list("abcd")))
    assert list(model.predict(X_new).columns) == list("abcd")
