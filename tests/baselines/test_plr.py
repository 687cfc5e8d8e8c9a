"""Partial label ranking: trees, their ensembles and neighbours against plain twins; ties come out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import naive
from baselines.strategies import features, rankings
from rankwise.baselines import InstancePLR, PLRBagging, PLRForest, PLRTree
from rankwise.baselines._plr_growing import CRITERIA, growing_rules, partial_data
from rankwise.consensus import bucket_order_batch
from rankwise.metrics import tau_x
from rankwise.rankings import ranks_from_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

NAN = float("nan")
BY_CRITERION = pytest.mark.parametrize("criterion", list(CRITERIA))


def problem(n=80, k=4, seed=0, missing=0.0):
    """Rows and rankings with ties that follow from them, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = np.round(X @ rng.normal(size=(3, k)) + rng.normal(scale=0.3, size=(n, k)))
    Y = ranks_from_scores(scores)
    Y[rng.random(Y.shape) < missing] = NAN
    return X, Y


def same_tree(trees, node, twin, X, rows, shares):
    """Whether a node and what is below it cuts and predicts as the twin does."""
    if len(twin) == 2:
        place = trees.value_row[node]
        assert trees.feature[node] == -1
        assert trees.values[place].tolist() == twin[0]
        upper = np.array(twin[1])[np.triu_indices(len(twin[0]), 1)]
        np.testing.assert_allclose(shares[place], upper, atol=1e-12)
        return
    feature, left, *below = twin
    assert trees.feature[node] == feature
    goes_left = X[rows, feature] <= trees.threshold[node]
    assert goes_left.tolist() == left
    for side, child in enumerate(below):
        here = rows[goes_left == (side == 0)]
        same_tree(trees, trees.left[node] + side, child, X, here, shares)


@BY_CRITERION
@settings(max_examples=12, deadline=None)
@given(
    rankings(ties=True, max_labels=4, max_rows=14),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(["few", "many"]),
    st.integers(1, 3),
    st.integers(0, 10**6),
)
def test_a_tree_is_that_of_the_plain_twin(criterion, Y, missing, kind, min_leaf, seed):
    rng = np.random.default_rng(seed)
    Y = np.where(rng.random(Y.shape) < missing, NAN, Y)
    Y[0] = np.arange(1, Y.shape[1] + 1)
    Y = Y[(~np.isnan(Y)).sum(axis=1) > 1]
    X = rng.integers(3, size=(len(Y), 2)) * 1.0 if kind == "few" else features(len(Y), seed)
    weights = rng.integers(1, 4, len(Y))
    model = PLRTree(criterion=criterion, min_samples_leaf=min_leaf, max_depth=3).fit(X, Y, weights)
    twin = naive.plr_tree(X.tolist(), Y.tolist(), weights.tolist(), criterion, min_leaf, 3)
    same_tree(model._trees, 0, twin, X, np.arange(len(X)), model.shares_)


@BY_CRITERION
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_fractional_weights_that_are_proportional_to_whole_ones_give_the_same_tree(
    criterion, missing
):
    X, Y = problem(60, missing=missing)
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    whole = PLRTree(criterion=criterion).fit(X, Y, weights)
    parts = PLRTree(criterion=criterion).fit(X, Y, weights / 4)
    np.testing.assert_array_equal(whole._trees.threshold, parts._trees.threshold)
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))


@BY_CRITERION
def test_permuting_rows_changes_nothing(criterion):
    X, Y = problem()
    X = np.round(X, 1)
    rows = np.random.default_rng(2).permutation(len(X))
    one = PLRTree(criterion=criterion).fit(X, Y)
    other = PLRTree(criterion=criterion).fit(X[rows], Y[rows])
    np.testing.assert_array_equal(one._trees.threshold, other._trees.threshold)
    np.testing.assert_array_equal(one.shares_, other.shares_)


@pytest.mark.parametrize("seed", range(4))
def test_renaming_labels_renames_shares(seed):
    X, Y = problem(seed=seed, k=5)
    labels = np.random.default_rng(seed).permutation(5)
    for model in (PLRTree(max_depth=4), PLRForest(5, random_state=0), InstancePLR(5)):
        before = model.fit(X, Y).predict_pairwise(X)
        after = model.fit(X, Y[:, labels]).predict_pairwise(X)
        if not isinstance(
            model, PLRForest
        ):  # equal pivots of a leaf go to the lower label, and vote
            np.testing.assert_allclose(after, before[:, labels][:, :, labels], atol=1e-12)
        np.testing.assert_allclose(after + after.transpose(0, 2, 1), 1)


@pytest.mark.parametrize("model", [PLRTree(), PLRForest(20, random_state=0), InstancePLR(1)])
def test_what_was_tied_is_predicted_tied(model):
    X = np.arange(20.0)[:, None]
    Y = np.where(X < 10, [[1, 2, 2, 3]], [[3, 1, 1, 2]])
    expected = [[1, 2, 2, 4], [4, 1, 1, 3]]
    np.testing.assert_array_equal(model.fit(X, Y).predict(X)[[0, -1]], expected)
    # nothing speaks for an order of the two that are tied
    assert model._predict_before(X)[0, 1, 2] == model._predict_before(X)[0, 2, 1] == 0


def test_labels_that_no_ranking_of_a_leaf_compares_are_tied_behind_the_others():
    X = [[0.0], [0.0], [1.0], [1.0]]
    Y = [[2, 1, NAN, NAN], [2, 1, NAN, NAN], [1, 2, NAN, NAN], [1, 2, NAN, NAN]]
    expected = [[2, 1, 3, 3], [1, 2, 3, 3]]
    np.testing.assert_array_equal(PLRTree().fit(X, Y).predict([[0.0], [1.0]]), expected)
    np.testing.assert_array_equal(InstancePLR(2).fit(X, Y).predict([[0.0], [1.0]]), expected)


def test_the_seed_decides_between_equal_cuts_alone():
    X, Y = problem(200)
    twice = np.column_stack([X, X])
    first, drawn, again = (
        PLRTree(max_depth=3, random_state=seed).fit(twice, Y) for seed in (None, 0, 0)
    )
    assert (first._trees.feature < 3).all()
    assert (drawn._trees.feature >= 3).any()
    np.testing.assert_array_equal(drawn._trees.feature, again._trees.feature)
    # nodes are large, so that no cuts are equal but those of a feature and its copy
    np.testing.assert_array_equal(drawn._trees.threshold, first._trees.threshold)
    np.testing.assert_array_equal(drawn.predict(twice), first.predict(twice))


def test_entropies_are_whole_numbers_whose_sums_are_exact():
    X, Y = problem(50, k=6)
    data = partial_data(X, Y)
    for total in (50, 10**6, 10**9):
        rules = growing_rules(data, "entropy", 1, None, 3, False, np.array([float(total)]))
        assert np.log2(rules.scale) % 1 == 0
        assert rules.scale * 15 * total * np.log2(total) < 2**53


@pytest.mark.parametrize("make", [PLRForest, PLRBagging])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_bucket_orders_of_the_trees_vote(make, missing):
    X, Y = problem(missing=missing)
    model = make(7, random_state=0).fit(X, Y)
    trees = model._trees
    by_tree = trees.values[trees.value_row[trees.leaves(X)]]
    shares = np.mean(
        [0.5 * (r[:, :, None] < r[:, None]) + 0.5 * (r[:, :, None] <= r[:, None]) for r in by_tree],
        axis=0,
    )
    np.testing.assert_allclose(model.predict_pairwise(X), shares, atol=1e-12)
    before = np.mean([r[:, :, None] < r[:, None] for r in by_tree], axis=0)
    off_diagonal = ~np.eye(Y.shape[1], dtype=bool)
    found = model._predict_before(X)
    np.testing.assert_allclose(found[:, off_diagonal], before[:, off_diagonal], atol=1e-12)
    buckets = bucket_order_batch(shares, method="several pivots twice")
    np.testing.assert_array_equal(model.predict(X), buckets)


def test_neither_the_number_of_threads_nor_the_run_changes_a_forest():
    X, Y = problem()
    one, two = (PLRForest(8, n_jobs=n, random_state=3).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(one._trees.threshold, two._trees.threshold)
    np.testing.assert_array_equal(one._trees.values, two._trees.values)
    bagged = PLRBagging(8, random_state=3).fit(X, Y)
    assert len(np.unique(bagged._trees.threshold[bagged._trees.roots])) > 1


def test_forests_of_few_features_cut_by_others_than_the_best():
    X, Y = problem(200)
    free = PLRForest(20, max_features=1, max_depth=1, random_state=0).fit(X, Y)
    bound = PLRBagging(20, max_depth=1, random_state=0).fit(X, Y)
    assert len(np.unique(free._trees.feature[free._trees.roots])) == 3
    assert len(np.unique(bound._trees.feature[bound._trees.roots])) < 3


@given(Y=rankings(missing=True, ties=True), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_neighbours_are_asked_for_their_consensus(Y, seed):
    X = features(len(Y), seed)
    compared = [i for i, row in enumerate(Y) if (~np.isnan(row)).sum() > 1]
    kept, count = X[compared], min(3, len(compared))
    model = InstancePLR(count).fit(X, Y)
    spread = np.where(kept.std(axis=0) > 0, kept.std(axis=0), 1)
    new = features(3, seed + 100)
    found = model.predict(new), model.predict_pairwise(new), model._predict_before(new)
    for x, ranks, shares, before in zip(new, *found, strict=True):
        near = naive.nearest_rows(kept / spread, x / spread, count)
        asked = [Y[compared[r]].tolist() for r in near]
        assert ranks.tolist() == naive.plr_consensus(asked, [1] * count)
        np.testing.assert_allclose(shares, naive.plr_shares(asked, [1] * count), atol=1e-12)
        np.testing.assert_allclose(before, naive.strict_shares(asked), atol=1e-12)


def test_the_number_of_neighbours_has_the_highest_tau_x_on_rows_left_out():
    X, Y = problem(30)
    scaled, taus = (X - X.mean(axis=0)) / X.std(axis=0), {}
    for count in InstancePLR.candidates:
        predicted = [
            naive.plr_consensus(
                Y[naive.nearest_rows(scaled, scaled[r], count, without=r)].tolist(), [1] * count
            )
            for r in range(len(Y))
        ]
        taus[count] = tau_x(Y, np.array(predicted))
    assert InstancePLR().fit(X, Y).n_neighbors_ == max(taus, key=lambda count: taus[count])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PLRTree(criterion="gini"), "criterion"),
        (PLRTree(min_samples_leaf=0), "min_samples_leaf"),
        (PLRForest(0), "n_estimators"),
        (PLRForest(max_features=1.5), "max_features"),
        (InstancePLR(99), "n_neighbors"),
    ],
)
def test_a_parameter_that_is_wrong_is_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*problem(20))


@pytest.mark.data
@pytest.mark.parametrize(("name", "least"), [("iris", 0.93), ("wine", 0.84), ("glass", 0.77)])
def test_ten_folds_give_what_scikit_lr_reaches(name, least, data_folder, monkeypatch):
    from sklearn.model_selection import KFold

    from rankwise.datasets import load

    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))
    data = load(f"partial/{name}")
    X, Y = data.features, data.ranks
    found = np.empty(Y.shape)
    for train, test in KFold(10, shuffle=True, random_state=0).split(X):
        found[test] = PLRTree().fit(X[train], Y[train]).predict(X[test])
    assert tau_x(Y, found) > least
