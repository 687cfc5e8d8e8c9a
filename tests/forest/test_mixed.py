"""Forests that mix trees per pair and trees on all pairs."""

import numpy as np
import pytest

import rankwise as rw
from rankwise.ranker import ranks_by_pairwise


def incomplete(n=80, d=4, k=4, seed=0, boolean=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, d)).astype(float) if boolean else rng.normal(size=(n, d))
    Y = rw.ranks_from_scores(X @ rng.normal(size=(d, k)) + 0.1 * rng.normal(size=(n, k)))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    Y[(~np.isnan(Y)).sum(axis=1) < 2] = np.arange(1.0, k + 1)
    return X, Y


def kinds(model):
    return [
        (p.decomposition_, p.splitter, p.n_estimators, p.min_samples_leaf) for p in model._parts
    ]


def test_few_rows_have_cuts_at_random_alone_and_many_a_quarter_of_best_cuts():
    model = rw.ForestRanker(12, decomposition="mixed", random_state=0)
    assert kinds(model.fit(*incomplete(80))) == [
        ("pairwise", "random", 6, 1),
        ("joint_pairwise", "random", 6, 3),
    ]
    assert kinds(model.fit(*incomplete(300))) == [
        ("pairwise", "random", 6, 1),
        ("joint_pairwise", "random", 3, 3),
        ("joint_pairwise", "best", 3, 1),
    ]
    assert model.decomposition_ == "mixed"


def test_complete_rankings_single_samples_and_levels_are_not_mixed():
    X, Y = incomplete()
    complete = rw.ranks_from_scores(-np.nan_to_num(Y, nan=9.0))
    never = rw.ForestRanker(4, ties="never", random_state=0)
    assert never.fit(X, complete).decomposition_ == "labelwise"
    assert (
        rw.ForestRanker(4, random_state=0).fit(X, complete).decomposition_ == "mixed"
    )  # it has ties
    for options in ({"n_estimators": 1}, {"n_estimators": 4, "criterion": "level"}):
        model = rw.ForestRanker(**options, random_state=0).fit(X, Y)
        assert model.decomposition_ == "joint_pairwise"
        with pytest.raises(ValueError, match="decomposition='mixed' grows trees of two kinds"):
            rw.ForestRanker(**options, decomposition="mixed").fit(X, Y)
    with pytest.raises(ValueError, match="use ForestRanker"):
        rw.TreeRanker(decomposition="mixed").fit(X, Y)


def test_shares_are_the_mean_over_all_rankings_and_ranks_follow_from_them():
    X, Y = incomplete(320)
    model = rw.ForestRanker(10, decomposition="mixed", random_state=0).fit(X, Y)
    shares = [part.predict_pairwise(X) for part in model._parts]
    sizes = [part.n_estimators for part in model._parts]
    assert sizes == [5, 3, 2]
    np.testing.assert_allclose(
        model.predict_pairwise(X), np.average(shares, axis=0, weights=sizes), atol=1e-12
    )
    expected = ranks_by_pairwise(model.predict_pairwise(X), "copeland")
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_allclose(
        model.predict_positions(X),
        1 + model.predict_pairwise(X).sum(axis=1) - 0.5,
        atol=1e-9,
    )
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_rows_left_out_are_scored_and_the_same_seed_gives_the_same_forest():
    X, Y = incomplete(200)
    one, two = (
        rw.ForestRanker(20, oob_score=True, random_state=3, n_jobs=jobs).fit(X, Y)
        for jobs in (1, 2)
    )
    assert one.oob_score_ == two.oob_score_
    assert 0.5 < one.oob_score_ <= 1
    np.testing.assert_array_equal(one.predict_pairwise(X), two.predict_pairwise(X))


def test_yes_no_features_get_other_rows_for_each_tree():
    X, Y = incomplete(200, d=8, boolean=True)
    model = rw.ForestRanker(20, random_state=0).fit(X, Y)
    shares = model._parts[0].predict_pairwise(X)
    assert len(np.unique(shares)) > 3, "all trees of a pair are equal"


def test_a_mixed_forest_comes_back_from_its_file(tmp_path):
    X, Y = incomplete()
    model = rw.ForestRanker(6, random_state=0).fit(X, Y)
    rw.save_model(model, tmp_path / "mixed.rankwise")
    loaded = rw.load_model(tmp_path / "mixed.rankwise")
    np.testing.assert_array_equal(loaded.predict_pairwise(X), model.predict_pairwise(X))


def test_nothing_of_an_earlier_fit_to_complete_rankings_is_kept():
    X, Y = incomplete()
    model = rw.ForestRanker(4, random_state=0)
    model.fit(X, np.tile([1.0, 2.0, 3.0, 4.0], (len(X), 1))).fit(X, Y)
    assert vars(model).keys() == vars(rw.ForestRanker(4, random_state=0).fit(X, Y)).keys()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: vars(m).pop("_parts"), "which forests it is made of"),
        (lambda m: setattr(m, "_parts", "both"), "which forests it is made of"),
        (lambda m: setattr(m, "decomposition_", "joint"), "made of other forests"),
        (lambda m: setattr(m._parts[0], "decomposition_", "joint"), "do not make joint"),
        (lambda m: setattr(m._parts[0], "n_labels_", 3), "labels"),
        (lambda m: vars(m._parts[-1]).pop("_trees"), "no trees"),
    ],
)
def test_a_file_with_other_parts_is_refused(tmp_path, change, message):
    model = rw.ForestRanker(6, random_state=0).fit(*incomplete())
    change(model)
    rw.save_model(model, tmp_path / "mixed.rankwise")
    with pytest.raises(ValueError, match=message):
        rw.load_model(tmp_path / "mixed.rankwise")


@pytest.mark.parametrize(
    ("asked", "on_samples"),
    [({}, [(2, 0.5), (2, "sqrt"), (1, 1.0)]), ({"max_features": 2}, [(5, 2)])],
)
def test_on_tied_rankings_half_of_the_trees_leave_rows_out_and_many_or_few_features_compete(
    asked, on_samples
):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 4)), rng.integers(1, 4, (40, 3)).astype(float)
    model = rw.ForestRanker(9, random_state=0, **asked).fit(X, Y)
    kinds = [(p.n_estimators, p.splitter, p.bootstrap, p.max_features) for p in model._parts]
    every = asked.get("max_features", 1.0)
    assert kinds == [
        (4, "random", False, every), *((n, "best", True, compete) for n, compete in on_samples)
    ]  # fmt: skip
    assert {p.decomposition_ for p in model._parts} == {"joint_pairwise"}
