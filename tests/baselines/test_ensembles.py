"""LRRF and BoostLR: what their trees are grown on, how members vote, published figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_val_score

from baselines.strategies import features, rankings
from rankwise.baselines import LRRF, BoostLR
from rankwise.baselines._boost import PERFECT, boosted
from rankwise.baselines._lrrf import mean_positions
from rankwise.datasets import load
from rankwise.metrics import kendall_tau

NAN = float("nan")
ENSEMBLES = pytest.mark.parametrize("make", [LRRF, BoostLR])


def problem(n=200, missing=0.0, seed=0):
    """Rankings that follow two features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    scores = np.c_[X[:, 0], 1 - X[:, 0], X[:, 1], 0.5 * np.ones(n)] + 0.05 * rng.random((n, 4))
    truth = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0
    Y = truth.copy()
    gaps = rng.random(Y.shape) < missing
    gaps[gaps.sum(axis=1) > 2] = False
    Y[gaps] = NAN
    return X, Y, truth


@settings(max_examples=20, deadline=None)
@given(rankings(missing=True, max_rows=12), st.integers(0, 10**6))
def test_a_leaf_of_lrrf_ranks_its_sample_by_mean_positions(Y, seed):
    Y = Y[(~np.isnan(Y)).sum(axis=1) > 1]
    X = features(len(Y), seed)
    model = LRRF(1, max_depth=1, random_state=seed).fit(X, Y)
    trees = model._forest._trees
    # the sample is drawn from the seed alone, so that growing again tells which rows it has
    bag = model._forest._grow(X, Y, np.ones(len(Y)))[0]
    leaves, positions = trees.leaves(X)[0], mean_positions(Y)
    for leaf in np.unique(leaves[bag > 0]):
        rows = np.flatnonzero((leaves == leaf) & (bag > 0))
        means = bag[rows] @ positions[rows] / bag[rows].sum()
        ranked = [
            1 + np.sum(means < m - 1e-9) + (np.sum(abs(means - m) < 1e-9) - 1) / 2 for m in means
        ]
        assert trees.values[trees.value_row[leaf]].tolist() == pytest.approx(ranked)


def test_lrrf_cuts_by_the_top_label_before_all_else():
    # feature 0 tells the top label, feature 1 turns all others round
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 5, dtype=float)
    others = {0.0: [2, 3, 4, 5, 6], 1.0: [6, 5, 4, 3, 2]}
    Y = np.array([[1, *others[b]] if a == 0 else [others[b][0], 1, *others[b][1:]] for a, b in X])
    model = LRRF(5, max_features=None, max_depth=1, random_state=0).fit(X, Y)
    trees = model._forest._trees
    assert (trees.feature[trees.roots] == 0).all()


def test_mean_positions_are_means_over_completions():
    from baselines import naive

    row = np.array([NAN, 2.0, 1.0, NAN])
    expected = np.mean(list(naive.completions(row)), axis=0)
    np.testing.assert_allclose(mean_positions(row[None])[0], expected)


@given(st.integers(3, 30), st.integers(0, 10**6))
def test_rows_with_more_loss_gain_weight(n, seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(n)
    weights /= weights.sum()
    losses = rng.integers(0, 4, n) / 2
    vote, new = boosted(weights, losses)
    if not losses.any():
        assert vote == PERFECT
        return
    mean = losses @ weights / losses.sum()
    assert vote == pytest.approx(max(0.0, np.log((1 - mean) / max(mean, 1e-300))), rel=1e-6) or (
        vote == pytest.approx(PERFECT / 2)
    )
    assert new.sum() == pytest.approx(1.0)
    if vote > 0:
        factor = new / weights
        order = np.argsort(losses, kind="stable")
        assert (np.diff(factor[order]) >= -1e-9).all()


def test_a_tree_without_mistakes_ends_the_rounds():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]] * 5)
    Y = np.where(X == 0, [1.0, 2, 3], [3.0, 2, 1])
    model = BoostLR(random_state=0).fit(X, Y)
    assert len(model.estimator_weights_) == 1
    assert (model.predict(X) == Y).all()


def test_members_vote_with_their_weights():
    X, Y, _ = problem(80)
    model = BoostLR(7, random_state=0).fit(X, Y)
    trees = model._trees
    total = np.zeros(Y.shape)
    for vote, leaves in zip(model.estimator_weights_, trees.leaves(X), strict=True):
        total += vote * trees.values[trees.value_row[leaves]]
    expected = total / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.predict_positions(X), expected)
    shares = model.predict_pairwise(X)
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1.0)
    # positions are what the shares add up to
    np.testing.assert_allclose(0.5 + 4 - shares.sum(axis=2), expected)


@ENSEMBLES
def test_the_same_seed_gives_the_same_model(make):
    X, Y, _ = problem(80)
    a, b, c = (make(8, random_state=s).fit(X, Y).predict_positions(X) for s in (0, 0, 1))
    assert (a == b).all()
    assert (a != c).any()


@ENSEMBLES
def test_incomplete_rankings_are_learned_from(make):
    X, Y, _ = problem(300, missing=0.4)
    X_new, _, truth = problem(200, seed=1)
    model = make(20, random_state=0).fit(X, Y)
    assert kendall_tau(truth, model.predict(X_new)) > 0.75


@ENSEMBLES
def test_rows_of_no_weight_and_rows_that_compare_nothing_change_nothing(make):
    X, Y, _ = problem(60)
    Y = np.vstack([Y, [[1, NAN, NAN, NAN]]])
    X = np.vstack([X, [[0.5, 0.5, 0.5]]])
    with pytest.warns(UserWarning, match="fewer than two"):
        more = make(5, random_state=0).fit(X, Y)
    weights = np.append(np.ones(60), 0.0)
    with pytest.warns(UserWarning, match="fewer than two"):
        less = make(5, random_state=0).fit(X, Y, weights)
    assert (more.predict_positions(X) == less.predict_positions(X)).all()


@ENSEMBLES
@pytest.mark.parametrize(
    ("Y", "options", "message"),
    [
        (
            [[1, 2, 2], [1, 2, 3]],
            {},
            "row 0: label 1 and label 2 are tied at rank 2, and .* takes no ties",
        ),
        ([[1, NAN, NAN], [NAN, 1, NAN]], {}, "at least one row must order two labels"),
        ([[1, 2, 3], [1, 2, 3]], {"n_estimators": 0}, "n_estimators is 0; use a whole number of 1"),
        ([[1, 2, 3], [1, 2, 3]], {"min_samples_leaf": True}, "is True; use a whole number of 1"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_bad_input_gets_an_error_that_tells_what_to_do(make, Y, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(**options).fit([[0.0], [1.0]], Y)


@pytest.mark.data
@pytest.mark.parametrize(
    ("model", "name", "published"),
    [
        (LRRF(30, random_state=0), "iris", 0.97),
        (LRRF(30, random_state=0), "wine", 0.95),
        (BoostLR(random_state=0), "wine", 0.95),
        (BoostLR(random_state=0), "glass", 0.89),
    ],
    ids=str,
)
def test_ten_folds_give_the_published_figure(model, name, published, data_folder, monkeypatch):
    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    X, Y = load(name)
    folds = KFold(10, shuffle=True, random_state=0)
    assert cross_val_score(model, X, Y, cv=folds).mean() == pytest.approx(published, abs=0.03)
