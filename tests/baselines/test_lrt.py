"""LRT: every cut is the best by the plain criterion, every leaf the model of its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import naive
from baselines.mallows import fit_mallows
from baselines.strategies import features, rankings
from rankwise.baselines import LRT
from rankwise.baselines._lrt_growing import LARGEST_THETA, theta_table
from rankwise.metrics import kendall_tau

NAN = float("nan")


def rows_of_nodes(model, X):
    """For each node of the tree the rows that pass it."""
    trees = model._trees
    rows = {0: np.arange(len(X))}
    for node in range(len(trees.feature)):
        if trees.feature[node] >= 0:
            here = rows[node]
            left = X[here, trees.feature[node]] <= trees.threshold[node]
            rows[trees.left[node]], rows[trees.left[node] + 1] = here[left], here[~left]
    return rows


@settings(max_examples=20, deadline=None)
@given(
    rankings(missing=True, max_labels=4, max_rows=14),
    st.sampled_from(["few", "many"]),
    st.integers(1, 3),
    st.integers(0, 10**6),
)
def test_every_cut_is_the_best_one_and_no_node_stops_too_early(Y, kind, min_leaf, seed):
    Y = Y[(~np.isnan(Y)).sum(axis=1) > 1]
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=(len(Y), 2)) * 1.0 if kind == "few" else features(len(Y), seed)
    weights = rng.integers(1, 4, len(Y))
    model = LRT(min_samples_leaf=min_leaf).fit(X, Y, weights)
    for node, rows in rows_of_nodes(model, X).items():
        y, w = Y[rows].tolist(), weights[rows].tolist()
        cuts = [c for x in X[rows].T for c in naive.lrt_cuts(x.tolist(), y, w, min_leaf)]
        if model._trees.feature[node] < 0:
            assert not cuts or naive.lrt_theta(y, w) == LARGEST_THETA
            continue
        left = X[rows, model._trees.feature[node]] <= model._trees.threshold[node]
        best = max(naive.lrt_goodness(y, w, cut) for cut in cuts)
        assert naive.lrt_goodness(y, w, left.tolist()) == pytest.approx(best, abs=1e-3)


@given(rankings(missing=True, max_rows=14), st.integers(0, 10**6))
def test_a_leaf_predicts_the_model_of_its_rows(Y, seed):
    Y = Y[(~np.isnan(Y)).sum(axis=1) > 1]
    X = features(len(Y), seed)
    model = LRT(max_depth=2).fit(X, Y)
    predicted, shares = model.predict(X), model.predict_pairwise(X)
    for node, rows in rows_of_nodes(model, X).items():
        if model._trees.feature[node] >= 0:
            continue
        center, theta = fit_mallows(Y[rows])
        assert (predicted[rows] == center).all()
        place = model._trees.value_row[node]
        assert model.thetas_[place] == pytest.approx(theta)
        assert model.centers_[place].tolist() == center.tolist()
        assert (shares[rows] >= 0.5)[:, center[:, None] <= center].all()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_table_holds_the_theta_of_each_share(k):
    table = theta_table(k)
    n = len(table) - 2
    for i in (50, 500, 2000, n - 1):
        share = (i / n) ** 2 / 2
        exact = min(LARGEST_THETA, naive.mallows_theta(share * k * (k - 1) / 2, k))
        assert table[i] == pytest.approx(exact, abs=1e-3)
    assert table[0] == LARGEST_THETA
    assert table[n] == pytest.approx(0.0, abs=1e-9)


def test_many_labels_need_several_words_of_bits():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    base = np.arange(1.0, 31)
    Y = np.where(X[:, :1] < 0.5, base, base[::-1])
    model = LRT().fit(X, Y)
    assert model.score(X, Y) == 1.0
    assert len(model.thetas_) == 2


def test_fractional_weights_that_are_proportional_to_whole_ones_give_the_same_tree():
    rng = np.random.default_rng(1)
    X, Y = rng.random((60, 3)), np.argsort(rng.random((60, 4)), axis=1) + 1
    weights = rng.integers(1, 4, 60)
    whole = LRT(min_samples_leaf=1).fit(X, Y, weights)
    parts = LRT(min_samples_leaf=1).fit(X, Y, weights / 4)
    assert (whole._trees.threshold == parts._trees.threshold).all()
    assert (whole.predict(X) == parts.predict(X)).all()


def test_it_learns_from_incomplete_rankings():
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    truth = np.where(X[:, :1] < 0.4, [1.0, 2, 3, 4], [4.0, 2, 1, 3])
    Y = truth.copy()
    Y[rng.random(Y.shape) < 0.4] = NAN
    with pytest.warns(UserWarning, match="fewer than two"):
        model = LRT(min_samples_leaf=10).fit(X, Y)
    assert kendall_tau(truth, model.predict(X)) > 0.97


def test_rows_that_compare_nothing_are_left_out():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    Y = np.array([[1, 2, 3], [3, 2, 1], [NAN, 1, NAN], [NAN, NAN, NAN]])
    with pytest.warns(UserWarning, match="fewer than two"):
        model = LRT(min_samples_leaf=1).fit(X, Y)
    assert (model.predict(X) == [[1, 2, 3], [3, 2, 1], [3, 2, 1], [3, 2, 1]]).all()


@pytest.mark.parametrize(
    ("Y", "options", "message"),
    [
        (
            [[1, 1, 2], [1, 2, 3]],
            {},
            "row 0: label 0 and label 1 are tied at rank 1, and LRT takes no",
        ),
        ([[1, NAN, NAN], [NAN, 1, NAN]], {}, "at least one row must order two labels"),
        ([[1, 2, 3], [1, 2, 3]], {"min_samples_leaf": 0}, "is 0; use a whole number of 1 or more"),
        ([[1, 2, 3], [1, 2, 3]], {"max_depth": 1.5}, "is 1.5; use a whole number of 0 or more"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_bad_input_gets_an_error_that_tells_what_to_do(Y, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        LRT(**options).fit([[0.0], [1.0]], Y)


PUBLISHED = {"iris": 0.95, "wine": 0.88, "stock": 0.90}


@pytest.mark.data
@pytest.mark.parametrize("name", PUBLISHED)
def test_ten_folds_give_the_published_figure(name, data_folder, monkeypatch):
    from sklearn.model_selection import KFold, cross_val_score

    from rankwise.datasets import load

    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    X, Y = load(name)
    folds = KFold(10, shuffle=True, random_state=0)
    assert cross_val_score(LRT(), X, Y, cv=folds).mean() == pytest.approx(PUBLISHED[name], abs=0.03)
