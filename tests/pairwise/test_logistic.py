"""Logistic regressions of pairs are solved together, to what scikit-learn comes to one at a time."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankwise.classifiers import (
    FillingLogistic,
    WithSquares,
    _filling_logistic,
    _logistic,
    _newton,
    is_plain_logistic,
)
from rankwise.classifiers._newton import NotSolvedError, solve_logistic
from rankwise.learners import find_learner
from rankwise.pairwise import PairwiseRanker, _problems

PRECISE = {"solver": "newton-cholesky", "tol": 1e-10}


def table(n=80, k=4, missing=0.0, noise=0.5):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(n, 3))
    scores = X @ rng.normal(size=(3, k)) + noise * rng.normal(size=(n, k))
    ranks = 1.0 + scores.argsort(axis=1).argsort(axis=1)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    return X, ranks


def alone(monkeypatch, model, *data):
    """Fit every pair by scikit-learn."""
    with monkeypatch.context() as patch:
        patch.setattr(_problems, "is_plain_logistic", lambda estimator: False)
        return model.fit(*data)


def assert_same(model, other, X, atol=1e-6):
    assert model.estimators_.keys() == other.estimators_.keys()
    np.testing.assert_allclose(model.predict_pairwise(X), other.predict_pairwise(X), atol=atol)
    for pair, own in model.estimators_.items():
        theirs = other.estimators_[pair]
        assert vars(own[-1]).keys() == vars(theirs[-1]).keys()
        np.testing.assert_array_equal(own[-1].classes_, theirs[-1].classes_)
        assert own[-1].coef_.shape == theirs[-1].coef_.shape
        assert own[-1].intercept_.shape == theirs[-1].intercept_.shape
        assert own.n_features_in_ == theirs.n_features_in_


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
def test_solved_together_they_are_those_of_scikit_learn(monkeypatch, C, missing, weighted):
    X, ranks = table(missing=missing)
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float) if weighted else None
    steps = (SimpleImputer(), StandardScaler(), WithSquares(), StandardScaler())

    def make():
        return PairwiseRanker(make_pipeline(*steps, LogisticRegression(C=C, **PRECISE)))

    ours, theirs = make().fit(X, ranks, weights), alone(monkeypatch, make(), X, ranks, weights)
    assert_same(ours, theirs, X)


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_those_that_fill_gaps_are_solved_together_too(monkeypatch, squares, weighted):
    X, ranks = table(n=200)
    X[::7, 1] = np.nan
    weights = np.random.default_rng(1).integers(1, 3, len(X)).astype(float) if weighted else None
    steps = (SimpleImputer(), StandardScaler(), *((WithSquares(), StandardScaler()) * squares))
    pipeline = make_pipeline(*steps, LogisticRegression(C=0.5, **PRECISE))
    theirs = alone(monkeypatch, PairwiseRanker(pipeline), X, ranks, weights)
    ours = PairwiseRanker(FillingLogistic(0.5, squares=squares)).fit(X, ranks, weights)
    assert ours.estimators_.keys() == theirs.estimators_.keys()
    np.testing.assert_allclose(ours.predict_pairwise(X), theirs.predict_pairwise(X), atol=1e-6)
    own = alone(monkeypatch, PairwiseRanker(FillingLogistic(0.5, squares=squares)), X, ranks)
    for pair, model in ours.estimators_.items():
        assert vars(model).keys() == vars(own.estimators_[pair]).keys()


def test_of_those_that_fill_gaps_one_that_is_not_solved_is_left_to_scikit_learn(monkeypatch):
    X, ranks = table()
    whole = PairwiseRanker(FillingLogistic()).fit(X, ranks)

    def refuse(*_):
        raise NotSolvedError

    monkeypatch.setattr(_filling_logistic, "solve_logistic", refuse)
    found = PairwiseRanker(FillingLogistic()).fit(X, ranks)
    np.testing.assert_allclose(found.predict_pairwise(X), whole.predict_pairwise(X), atol=1e-2)


def test_values_count_for_each_pair_by_themselves(monkeypatch):
    X, ranks = table()
    values = np.random.default_rng(2).exponential(size=ranks.shape).round(2) - ranks
    estimator = make_pipeline(StandardScaler(), LogisticRegression(**PRECISE))
    ours = PairwiseRanker(estimator).fit(X, ranks, values=values)
    assert_same(ours, alone(monkeypatch, PairwiseRanker(estimator), X, ranks, None, values), X)


def test_pairs_with_ties_are_left_to_scikit_learn(monkeypatch):
    X, ranks = table()
    ranks[::3, 2] = ranks[::3, 0]
    estimator = make_pipeline(StandardScaler(), LogisticRegression(**PRECISE))
    ours = PairwiseRanker(estimator, ties=0.5).fit(X, ranks)
    assert_same(ours, alone(monkeypatch, PairwiseRanker(estimator, ties=0.5), X, ranks), X)
    assert {len(own.classes_) for own in ours.estimators_.values()} == {2, 3}


def test_what_can_be_separated_is_solved():
    X, ranks = table(noise=0.0)
    yes = ranks[:, [0]] < ranks[:, 1:]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    slopes, intercepts, steps = solve_logistic(scaled, yes, C=1e4)
    chance = 1 / (1 + np.exp(-(scaled @ slopes.T + intercepts)))
    slope = scaled.T @ (chance - yes) + slopes.T / 1e4
    assert abs(slope).max() < 1e-6
    assert abs((chance - yes).sum(axis=0)).max() < 1e-6
    assert (steps > 1).all()


def test_blocks_of_rows_and_questions_change_nothing(monkeypatch):
    X, ranks = table()
    yes = ranks[:, [0]] < ranks[:, 1:]
    whole = solve_logistic(X, yes, C=1.0)
    monkeypatch.setattr(_newton, "BLOCK_NUMBERS", 30)
    for one, other in zip(whole, solve_logistic(X, yes, C=1.0), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_pair_that_is_not_solved_is_left_to_scikit_learn(monkeypatch):
    X, ranks = table()
    whole = PairwiseRanker().fit(X, ranks)

    def refuse(*_):
        raise NotSolvedError

    monkeypatch.setattr(_logistic, "solve_logistic", refuse)
    np.testing.assert_allclose(
        PairwiseRanker().fit(X, ranks).predict_pairwise(X), whole.predict_pairwise(X), atol=1e-2
    )


@pytest.mark.parametrize(
    "options", [{"class_weight": "balanced"}, {"C": np.inf}, {"C": "a"}, {"fit_intercept": False},
                {"solver": "saga"}],
)  # fmt: skip
def test_other_regressions_are_left_to_scikit_learn(options):
    assert not is_plain_logistic(make_pipeline(StandardScaler(), LogisticRegression(**options)))


def test_parameters_that_scikit_learn_refuses_are_refused_by_the_name_of_the_pair():
    X, ranks = table()
    model = PairwiseRanker(make_pipeline(StandardScaler(), LogisticRegression(max_iter=-1)))
    with pytest.raises(ValueError, match=r"labels 0 and 1.*max_iter"):
        model.fit(X, ranks)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", ["Pairwise(C=100.0)", "PairwiseSquares", "RPC", "CostPairwise"])
@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
def test_of_the_known_learners_no_pair_is_left_to_be_fitted_alone(monkeypatch, name, missing):
    X, ranks = table(missing=missing)
    fit_alone, alone = _problems._fit_alone, []

    def noted(estimator, data, problems, *others):
        alone.extend(problems)
        return fit_alone(estimator, data, problems, *others)

    monkeypatch.setattr(_problems, "_fit_alone", noted)
    for weights in (None, np.arange(len(X), dtype=float)):
        find_learner(name).estimator(0, ties="never").fit(X, ranks, weights)
    assert alone == []
