"""What trees and forests take and refuse: odd but legal data, bad data, every container."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.tree import DecisionTreeRegressor

from engine.problems import random_ranks
from rankwise.forest import ForestRanker
from rankwise.oracles import Oracle, SparseLinear, Survival
from rankwise.rankings import RankingWarning
from rankwise.tree import LabelwiseRanker, TreeRanker

MODELS = [
    TreeRanker(),
    TreeRanker("level"),
    TreeRanker(decomposition="joint"),
    TreeRanker(decomposition="pairwise"),
    ForestRanker(n_estimators=3, random_state=0),
    ForestRanker(n_estimators=3, criterion="level", decomposition="pairwise", random_state=0),
]


def name_of(model):
    return f"{type(model).__name__}-{model.criterion}-{model.decomposition}"


RANKERS = pytest.mark.parametrize("model", MODELS, ids=name_of)


def problem(n=60, d=4, k=4, seed=0, kind="boolean"):
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, d)) if kind == "boolean" else rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, k)) + 0.3 * rng.normal(size=(n, k))
    return X.astype(np.float64), np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0


def assert_predicts_permutations(model, X, k):
    for row in np.asarray(model.predict(X)):
        assert sorted(row) == list(range(1, k + 1))
    positions = model.predict_positions(X)
    assert positions.min() >= 1 - 1e-6
    assert positions.max() <= k + 1e-6


@RANKERS
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (1, 5), (2, 2), (30, 2), (25, 30)])
def test_few_rows_and_any_number_of_labels_are_ranked(model, kind, n, k):
    X, Y = problem(n=n, k=k, kind=kind)
    assert_predicts_permutations(model.fit(X, Y), X, k)


# The last has 15,000 trees.
@pytest.mark.parametrize(
    "model", [*MODELS[:-1], pytest.param(MODELS[-1], marks=pytest.mark.slow)], ids=name_of
)
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_a_hundred_labels_are_ranked(model, kind):
    X, Y = problem(n=25, k=100, kind=kind)
    assert_predicts_permutations(model.fit(X, Y), X, 100)


@RANKERS
def test_a_single_row_is_predicted_as_it_is(model):
    X, Y = problem(n=1)
    np.testing.assert_array_equal(model.fit(X, Y).predict(X + 3), Y)


@RANKERS
def test_constant_features_predict_the_mean_ranking(model):
    X, Y = problem(n=9, k=3)
    Y[:] = [1, 2, 3]
    Y[0] = [3, 2, 1]
    np.testing.assert_array_equal(model.fit(0 * X, Y).predict(X[:2]), [[1, 2, 3], [1, 2, 3]])
    assert not model.feature_importances_.any()


@RANKERS
def test_rows_that_all_agree_need_no_cut(model):
    X, _ = problem()
    Y = np.tile([2.0, 1.0, 3.0], (len(X), 1))
    model.fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    assert len(model._trees.roots) == len(model._trees.feature)


def test_equal_rows_with_different_rankings_share_their_mean_position():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    Y = np.array([[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    for decomposition in ("labelwise", "joint"):
        positions = TreeRanker(decomposition=decomposition).fit(X, Y).predict_positions(X)
        np.testing.assert_allclose(positions[0], [4 / 3, 2, 8 / 3])
        np.testing.assert_allclose(positions[3], [3, 2, 1])


def test_tied_labels_share_their_mean_position():
    X, Y = np.array([[0.0], [1.0]]), np.array([[1, 1, 2], [1, 2, 2]])
    positions = TreeRanker(decomposition="labelwise").fit(X, Y).predict_positions(X)
    np.testing.assert_allclose(positions, [[1.5, 1.5, 3.0], [1.0, 2.5, 2.5]])


@RANKERS
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_row_and_feature(model, value):
    X, Y = problem()
    bad = X.copy()
    bad[7, 2] = value
    with pytest.raises(ValueError, match="row 7, feature 2"):
        model.fit(bad, Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="row 7, feature 'c'"):
        model.fit(pd.DataFrame(bad, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match="row 7, feature 2"):
        model.fit(X, Y).predict(bad)


@RANKERS
def test_other_columns_than_at_fit_are_refused(model):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        model.fit(X, Y).predict(X[:, :3])
    model.fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=list("abce")))


@RANKERS
def test_rankings_of_other_rows_are_refused(model):
    X, Y = problem()
    with pytest.raises(ValueError, match="60 and 59 rows"):
        model.fit(X, Y[1:])


@pytest.mark.parametrize("model", [TreeRanker, ForestRanker])
@pytest.mark.parametrize("decomposition", ["labelwise", "joint"])
def test_positions_of_incomplete_rankings_are_refused_with_the_way_out(model, decomposition):
    X, Y = problem()
    Y = pd.DataFrame(Y, columns=["tea", "coffee", "water", "milk"])
    Y.iloc[5, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"row 5: label 'coffee' is missing.*use 'auto', 'pairwise'"
    ):
        model(decomposition=decomposition).fit(X, Y)
    expected = {TreeRanker: "joint_pairwise", ForestRanker: "mixed"}[model]
    assert model(decomposition="auto").fit(X, Y).decomposition_ == expected


def test_regressors_of_true_positions_learn_from_the_rows_that_show_their_label():
    oracle = Oracle(SparseLinear(8, 4, 3), mechanism=Survival(0.6, keep_positions=True))
    X, Y = oracle.sample(600, random_state=0)
    model = LabelwiseRanker(DecisionTreeRegressor(random_state=0), true_positions=True).fit(X, Y)
    for j in range(4):
        seen = ~np.isnan(Y[:, j])
        alone = DecisionTreeRegressor(random_state=0).fit(X[seen], Y[seen, j])
        np.testing.assert_array_equal(model.predict_positions(X)[:, j], alone.predict(X))
    X_new, _ = oracle.sample(500, random_state=1)
    truth = oracle.truth(X_new)
    # positions among the labels that happen to be seen say less
    compressed = rankdata(Y, method="ordinal", axis=1, nan_policy="omit").astype(float)
    order_only = LabelwiseRanker(DecisionTreeRegressor(random_state=0), true_positions=True)
    assert model.score(X_new, truth) > 0.9
    assert model.score(X_new, truth) > order_only.fit(X, compressed).score(X_new, truth) + 0.02


def test_true_positions_equal_the_plain_ones_where_nothing_is_missing():
    X, Y = problem()
    plain, star = (
        LabelwiseRanker(DecisionTreeRegressor(random_state=0), true_positions=true).fit(X, Y)
        for true in (False, True)
    )
    np.testing.assert_array_equal(plain.predict(X), star.predict(X))


def test_what_cannot_be_a_true_position_is_refused():
    X = np.zeros((3, 1))
    star = LabelwiseRanker(DecisionTreeRegressor(), true_positions=True)
    nan = np.nan
    with pytest.raises(ValueError, match=r"row 0: label 0 has position 3; true positions"):
        star.fit(X, [[3, nan], [1, 2], [2, 1]])
    with pytest.raises(ValueError, match="label 1 is seen in no row; leave its column out"):
        star.fit(X, [[1, nan], [2, nan], [1, nan]])
    with pytest.raises(ValueError, match="tie"):
        star.fit(X, [[1, 1], [1, 2], [2, 1]])


def test_any_regressor_refuses_incomplete_rankings():
    X, Y = problem()
    Y[5, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 5.*label 1"):
        LabelwiseRanker().fit(X, Y)


@pytest.mark.parametrize("model", [TreeRanker(), ForestRanker(n_estimators=3)])
def test_pairs_that_never_meet_are_named_and_predicted_at_a_half(model):
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    nan = np.nan
    Y = pd.DataFrame(
        [[1, 2, nan], [2, 1, nan], [nan, 1, 2], [nan, 2, 1]], columns=["tea", "coffee", "water"]
    )
    with pytest.warns(RankingWarning, match="tea and water") as caught:
        model.fit(X, Y)
    assert len([w for w in caught if w.category is RankingWarning]) == 1
    shares = model.predict_pairwise(X)
    np.testing.assert_array_equal(shares[:, 0, 2], 0.5)
    np.testing.assert_array_equal(shares[:, 2, 0], 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "gini"}, "criterion is 'gini'; use 'breiman' or 'level'"),
        (
            {"decomposition": "rowwise"},
            "decomposition is 'rowwise'; use 'auto', 'labelwise', 'joint', 'pairwise', "
            "'joint_pairwise' or 'mixed'",
        ),
        ({"aggregation": "kemeny"}, "aggregation is 'kemeny'; use 'copeland' or 'borda'"),
        ({"max_depth": -1}, "max_depth is -1; use a whole number of 0 or more"),
        ({"max_depth": 2.5}, "max_depth"),
        ({"max_splits": -2}, "max_splits"),
        ({"min_samples_leaf": 0}, "min_samples_leaf is 0; use a whole number of 1 or more"),
        ({"min_samples_leaf": None}, "min_samples_leaf"),
        ({"min_samples_leaf": True}, "min_samples_leaf"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": 5}, "whole number from 1 to 4"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_features": "all"}, "max_features"),
        ({"max_features": True}, "max_features"),
        ({"random_state": "zero"}, "random_state"),
        ({"random_state": -1}, "random_state must be None, a whole number from 0 up"),
        (
            {"criterion": np.array(["level", "breiman"])},
            r"criterion is array.*; use 'breiman' or 'level'",
        ),
        ({"max_features": np.array([1, 2])}, "max_features must be"),
        ({"honest": "yes"}, "honest is 'yes'; use True or False"),
    ],
)
@pytest.mark.parametrize("model", [TreeRanker, ForestRanker])
def test_bad_parameters_are_named_with_what_is_allowed(model, options, message):
    X, Y = problem()
    with pytest.raises((TypeError, ValueError), match=message):
        model(**options).fit(X, Y)


@pytest.mark.parametrize("kind", ["boolean", "continuous"])
@pytest.mark.parametrize("name", ["max_depth", "max_splits", "min_samples_leaf"])
def test_huge_limits_are_limits_beyond_the_data(name, kind):
    X, Y = problem(kind=kind)
    beyond = TreeRanker(**{name: 1000}).fit(X, Y).predict_positions(X)
    np.testing.assert_array_equal(
        TreeRanker(**{name: 2**70}).fit(X, Y).predict_positions(X), beyond
    )


@pytest.mark.parametrize("estimator", ["forest", 3, TreeRanker])
def test_a_labelwise_ranker_refuses_what_is_no_regressor(estimator):
    X, Y = problem()
    with pytest.raises(TypeError, match="estimator must be a regressor"):
        LabelwiseRanker(estimator).fit(X, Y)


def test_whole_numbers_that_are_one_float_are_one_value():
    X = np.array([[2**60], [2**60 + 1]] * 2)
    model = TreeRanker().fit(X, [[1, 2], [2, 1]] * 2)
    np.testing.assert_array_equal(model.predict_positions(X), np.full((4, 2), 1.5))


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps == np.finfo(float).eps, reason="no wider float here"
)
def test_numbers_wider_than_64_bits_are_rounded_to_them():
    eps = np.finfo(float).eps
    X = np.array([[1 + np.longdouble(eps) / 4], [1 + np.longdouble(eps)]] * 3)
    Y = [[1, 2], [2, 1]] * 3
    np.testing.assert_array_equal(TreeRanker().fit(X, Y).predict(X), Y)
    with pytest.raises(ValueError, match="infinity"):
        TreeRanker().fit(X * np.longdouble("1e400"), Y)


@pytest.mark.parametrize("aggregation", ["copeland", "borda"])
def test_pairs_of_many_labels_are_ranked_some_rows_at_a_time(aggregation, monkeypatch):
    X, Y = problem(n=50, k=6)
    Y[::5, 0] = np.nan
    model = ForestRanker(5, aggregation=aggregation, random_state=0).fit(X, Y)
    whole = [f(X) for f in (model.predict, model.predict_positions, model.predict_pairwise)]
    monkeypatch.setattr("rankwise.tree._base.MOST_NUMBERS", 6 * 6 * 7)
    parts = [f(X) for f in (model.predict, model.predict_positions, model.predict_pairwise)]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_honest_learners_take_the_fewest_rows(n):
    X, Y = problem(n=n)
    for model in (
        TreeRanker(honest=True),
        ForestRanker(n_estimators=20, honest=True, random_state=0),
    ):
        assert_predicts_permutations(model.fit(X, Y), X, 4)
    np.testing.assert_array_equal(TreeRanker(honest=True).fit(X[:1], Y[:1]).predict(X[:1]), Y[:1])


def test_fewer_rows_than_a_leaf_needs_make_one_leaf():
    X, Y = problem(n=5)
    for criterion in ("breiman", "level"):
        model = TreeRanker(criterion, min_samples_leaf=10).fit(X, Y)
        np.testing.assert_allclose(model.predict_positions(X), np.tile(Y.mean(axis=0), (5, 1)))


def variants(X, tmp_path):
    read_only = X.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "X.npy", X)
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    return {
        "fortran": np.asfortranarray(X),
        "strided": wide[:, ::2],
        "read-only": read_only,
        "memmap": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "list": X.tolist(),
        "frame": pd.DataFrame(X).to_numpy(),
    }


@RANKERS
@pytest.mark.parametrize("kind", ["boolean", "continuous", "gaps"])
def test_layout_and_container_change_nothing(model, kind, tmp_path):
    X, Y = problem(kind="boolean" if kind == "boolean" else "continuous")
    if kind == "gaps":
        X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    expected = model.fit(X, Y).predict_positions(X)
    for name, same in variants(X, tmp_path).items():
        found = model.fit(same, Y).predict_positions(same)
        np.testing.assert_array_equal(found, expected, err_msg=name)
    for name, same in variants(Y, tmp_path).items():
        np.testing.assert_array_equal(
            model.fit(X, same).predict_positions(X), expected, err_msg=f"Y {name}"
        )


@RANKERS
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float16, np.float32])
def test_dtype_changes_nothing_where_it_holds_the_values(model, dtype):
    X, Y = problem()
    expected = model.fit(X, Y).predict_positions(X)
    np.testing.assert_array_equal(
        model.fit(X.astype(dtype), Y).predict_positions(X.astype(dtype)), expected
    )


@RANKERS
def test_float32_rows_fall_where_they_fell_at_fit(model):
    X, Y = problem(n=200, kind="continuous")
    X = np.round(X, 1).astype(np.float32)
    np.testing.assert_array_equal(
        model.fit(X, Y).predict(X), model.fit(X.astype(np.float64), Y).predict(X)
    )


@pytest.mark.parametrize("criterion", ["breiman", "level"])
@pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise", "joint_pairwise"])
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_whole_weights_are_repeated_rows(criterion, decomposition, kind):
    X, Y = problem(n=40, kind=kind)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    model = TreeRanker(criterion, decomposition=decomposition, min_samples_leaf=2)
    repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    expected, splits = repeated.predict_positions(X), repeated.splits_
    model.fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(model.predict_positions(X), expected, rtol=1e-12)
    for own, other in zip(model.splits_, splits, strict=True):
        np.testing.assert_allclose(sorted(own), sorted(other), rtol=1e-9)


@pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise", "joint_pairwise"])
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_the_scale_of_weights_does_not_matter(decomposition):
    X, Y = problem(kind="continuous")
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan if "pairwise" in decomposition else 1
    weights = np.random.default_rng(1).random(len(X))
    model = TreeRanker(decomposition=decomposition)
    expected = model.fit(X, Y, sample_weight=weights).predict_positions(X)
    for scale in (1e-300, 4.0, 1e300):
        found = model.fit(X, Y, sample_weight=scale * weights).predict_positions(X)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_weights_whose_sum_is_no_float_are_taken_without_a_word():
    X, Y = problem()
    expected = TreeRanker().fit(X, Y).predict_positions(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TreeRanker().fit(X, Y, sample_weight=np.full(len(X), 1.7e308))
    np.testing.assert_allclose(model.predict_positions(X), expected)


def test_huge_whole_weights_need_no_more_memory_than_small_ones():
    X, Y = problem()
    for bootstrap in (True, False):
        model = ForestRanker(n_estimators=2, bootstrap=bootstrap, max_samples=0.5, random_state=0)
        assert_predicts_permutations(model.fit(X, Y, sample_weight=10**7 + np.arange(60)), X, 4)


@RANKERS
def test_gaps_in_features_are_taken(model):
    X, Y = problem(n=80, kind="continuous")
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    assert_predicts_permutations(model.fit(X, Y), X, 4)


def test_gaps_in_features_are_taken_as_far_as_the_regressor_takes_them():
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    X, Y = problem(kind="continuous")
    X[3, 1] = np.nan
    LabelwiseRanker(DecisionTreeRegressor()).fit(X, Y).predict(X)
    with pytest.raises(ValueError, match=r"NaN \(missing\) in row 3, feature 1; fill it in"):
        LabelwiseRanker(LinearRegression()).fit(X, Y)


def test_missing_values_go_where_the_gain_is_larger():
    # rows that miss the feature rank as those of its high values do
    X = np.array([[0.0], [0.0], [1.0], [2.0], [np.nan], [np.nan]])
    Y = np.array([[1, 2], [1, 2], [2, 1], [2, 1], [2, 1], [2, 1]])
    for low in (False, True):
        ranks = 3 - Y if low else Y
        for criterion in ("breiman", "level"):
            X_ = np.where(np.isnan(X), X, -X) if low else X
            model = TreeRanker(criterion, max_splits=1).fit(X_, ranks)
            np.testing.assert_array_equal(model.predict(X_), ranks)


@pytest.mark.parametrize("criterion", ["breiman", "level"])
@pytest.mark.parametrize("decomposition", ["labelwise", "pairwise"])
@pytest.mark.parametrize("values", [(0.0, 1.0), (0.0, 1.0, 2.0)])
def test_a_gap_never_seen_goes_to_the_larger_child(values, criterion, decomposition):
    for larger in (0, 1):
        side = [0, 0, 0, 1, 1] if larger == 0 else [0, 0, 1, 1, 1]
        X = np.array([[values[-1] if s else values[0]] for s in side])
        if len(values) == 3:
            X[0 if larger == 0 else -1] = 1.0
        Y = np.array([[1, 2] if s == 0 else [2, 1] for s in side])
        model = TreeRanker(criterion, decomposition=decomposition, max_depth=1).fit(X, Y)
        expected = [1, 2] if larger == 0 else [2, 1]
        np.testing.assert_array_equal(model.predict([[np.nan]]), [expected])


def test_incomplete_and_tied_rankings_are_learned_without_a_word():
    X, _ = problem(n=100)
    Y = random_ranks(np.random.default_rng(0), 100, 4, ties=True, missing=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for criterion in ("breiman", "level"):
            model = TreeRanker(criterion, ties="never").fit(X, Y)
            assert_predicts_permutations(model, X, 4)
            assert (TreeRanker(criterion).fit(X, Y).predict(X) >= 1).all()
