"""What trees mean: pairs, gains, importances, symmetry, and agreement with scikit-learn's trees."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from engine.problems import random_ranks
from rankwise.forest import ForestRanker
from rankwise.oracles import Oracle, SparseLinear
from rankwise.rankings import ranks_from_scores
from rankwise.tree import LabelwiseRanker, TreeRanker
from tree.test_input import problem

RANKERS = pytest.mark.parametrize(
    "model",
    [
        TreeRanker(min_samples_leaf=2),
        TreeRanker("level", max_splits=4),
        TreeRanker(decomposition="pairwise"),
        ForestRanker(n_estimators=4, random_state=0),
        ForestRanker(n_estimators=4, honest=True, decomposition="joint", random_state=0),
        LabelwiseRanker(DecisionTreeRegressor(random_state=0)),
    ],
    ids=lambda m: type(m).__name__,
)


@RANKERS
@pytest.mark.parametrize("kind", ["boolean", "continuous"])
def test_chances_of_a_pair_and_its_reverse_add_up_to_one(model, kind):
    X, Y = problem(kind=kind)
    chances = model.fit(X, Y).predict_pairwise(X)
    np.testing.assert_allclose(chances + chances.transpose(0, 2, 1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(np.diagonal(chances, axis1=1, axis2=2), 0.5)
    assert chances.min() >= 0
    assert chances.max() <= 1


@RANKERS
def test_permuting_labels_permutes_predictions(model):
    X, Y = problem(n=80, kind="continuous")
    order = np.array([2, 0, 3, 1])
    expected = model.fit(X, Y).predict_positions(X)[:, order]
    found = model.fit(X, Y[:, order]).predict_positions(X)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("criterion", ["breiman", "level"])
def test_permuting_rows_changes_nothing(criterion):
    X, Y = problem(n=80)
    order = np.random.default_rng(0).permutation(len(X))
    expected = TreeRanker(criterion).fit(X, Y).predict_positions(X)
    found = TreeRanker(criterion).fit(X[order], Y[order]).predict_positions(X)
    np.testing.assert_array_equal(found, expected)


@RANKERS
def test_cloned_and_pickled_models_predict_the_same(model):
    X, Y = problem()
    expected = model.fit(X, Y).predict_positions(X)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict_positions(X), expected)
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict_positions(X), expected)
    assert clone(model).get_params().keys() == model.get_params().keys()


def test_models_work_in_pipelines_searches_and_cross_validation():
    X, Y = problem(n=90, kind="continuous")
    pipeline = make_pipeline(StandardScaler(), TreeRanker(random_state=0))
    scores = cross_val_score(pipeline, X, Y, cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert scores.mean() > 0.2
    search = GridSearchCV(
        ForestRanker(n_estimators=3, random_state=0),
        {"max_depth": [0, 4]},
        cv=3,
        error_score="raise",
    ).fit(X, Y)
    assert search.best_params_ == {"max_depth": 4}


@RANKERS
def test_names_in_are_names_out(model):
    X, Y = problem()
    labels = ["tea", "coffee", "water", "milk"]
    rows = pd.Index([f"day {i}" for i in range(len(X))])
    X = pd.DataFrame(X, columns=list("abcd"), index=rows)
    model = clone(model).fit(X, pd.DataFrame(Y, columns=labels, index=rows))
    predicted = model.predict(X)
    assert list(predicted.columns) == labels
    assert list(predicted.index) == list(rows)
    assert list(model.feature_names_in_) == list("abcd")
    assert isinstance(model.set_output(transform="default").predict(X), np.ndarray)


@pytest.mark.parametrize("decomposition", ["labelwise", "joint"])
@pytest.mark.parametrize("criterion", ["breiman", "level"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gains_of_a_full_tree_add_up_to_the_variance(criterion, decomposition, weighted):
    X, Y = problem(n=71, kind="continuous")
    weights = np.random.default_rng(0).random(71) if weighted else None
    model = TreeRanker(criterion, decomposition=decomposition).fit(X, Y, sample_weight=weights)
    positions = Y / Y.shape[1]
    mean = np.average(positions, axis=0, weights=weights)
    variance = np.average((positions - mean) ** 2, axis=0, weights=weights)
    gains = [sum(split.gain for split in splits) for splits in model.splits_]
    expected = variance if decomposition == "labelwise" else [variance.sum()]
    np.testing.assert_allclose(gains, expected, rtol=1e-6)


def test_importances_are_shares_of_the_gains_per_label():
    X, Y = problem(n=100)
    model = TreeRanker().fit(X, Y)
    np.testing.assert_allclose(model.label_importances_.sum(axis=1), 1.0)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    for own, splits in zip(model.label_importances_, model.splits_, strict=True):
        by_feature = np.bincount(
            [s.feature for s in splits], weights=[s.gain for s in splits], minlength=4
        )
        np.testing.assert_allclose(own, by_feature / by_feature.sum(), rtol=1e-9)


def test_only_a_label_that_moves_has_importances():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    Y = np.where(X[:, [0]] == 1, [1, 2, 3], [2, 1, 3])
    model = TreeRanker(decomposition="joint").fit(X, Y)
    np.testing.assert_array_equal(model.label_importances_, [[1, 0], [1, 0], [0, 0]])


@pytest.mark.parametrize("max_depth", [1, 2, 3, None])
def test_training_error_is_that_of_scikit_learns_trees(max_depth):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    Y = random_ranks(rng, 150, 60)  # so many positions that ties in gain are rare
    peer = LabelwiseRanker(DecisionTreeRegressor(max_depth=max_depth, random_state=0)).fit(X, Y)
    own = TreeRanker(max_depth=max_depth).fit(X, Y)
    errors = [((m.predict_positions(X) - Y) ** 2).mean(axis=0) for m in (own, peer)]
    np.testing.assert_allclose(*errors, atol=1e-9)


def test_an_honest_tree_does_not_learn_noise_by_heart():
    X, Y = problem(n=60, seed=3)
    Y = random_ranks(np.random.default_rng(1), 60, 3)
    full = TreeRanker(random_state=0).fit(X, Y)
    honest = TreeRanker(honest=True, random_state=0).fit(X, Y)
    assert full.score(X, Y) > honest.score(X, Y) + 0.05


def test_level_splits_takes_only_relevant_directions_first_when_scores_are_additive():
    for seed in range(3):
        scores = SparseLinear(100, 5, 10, random_state=seed)
        X, Y = Oracle(scores).sample(9000, random_state=seed)
        relevant = set(np.unique(np.concatenate(scores.supports)))
        model = TreeRanker("level", max_splits=5, ties="never").fit(X, Y)
        for splits in model.splits_:
            chosen = [split.feature for split in splits]
            assert len(set(chosen)) == 5
            assert set(chosen) <= relevant


def test_a_comparison_unseen_in_a_leaf_comes_from_the_nearest_cell_around_it():
    nan = np.nan
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
    Y = np.array([[1, 2, nan], [2, 1, nan], [2, nan, 1], [1, nan, 2], [1, 2, 3]])
    model = TreeRanker(decomposition="pairwise").fit(X, Y)
    shares = model.predict_pairwise(X)
    assert shares[1, 1, 2] == 1.0  # row 4 alone compared them
    assert shares[2, 0, 2] == 0.0
    assert shares[3, 0, 2] == 1.0


def test_cuts_are_listed_when_asked_for_and_are_those_of_the_last_fit():
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 4)), rng.random((60, 3)).argsort(axis=1).argsort(axis=1) + 1
    model = TreeRanker(max_depth=3).fit(X, Y)
    assert "splits_" not in vars(model)
    assert pickle.loads(pickle.dumps(model)).splits_ == model.splits_
    assert model.splits_ is model.splits_
    again = model.splits_
    model.fit(X[:30], Y[:30])
    assert model.splits_ == TreeRanker(max_depth=3).fit(X[:30], Y[:30]).splits_ != again
    assert not hasattr(TreeRanker(), "splits_")


@pytest.mark.parametrize("decomposition", ["labelwise", "pairwise"])
def test_uneven_weights_leave_the_importances_of_honest_trees_finite(decomposition):
    """Where all rows that choose are on one side of a cut, rounding must not make it a gain."""
    rng = np.random.default_rng(0)
    X = rng.random((120, 5))
    Y = ranks_from_scores(X[:, :4] + 0.3 * rng.normal(size=(120, 4)))
    model = TreeRanker(honest=True, decomposition=decomposition, random_state=0)
    for seed in range(5):
        weights = 10.0 ** np.random.default_rng(seed).uniform(-6, 3, 120)
        model.fit(X, Y, sample_weight=weights)
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert np.isfinite(model.label_importances_).all()
