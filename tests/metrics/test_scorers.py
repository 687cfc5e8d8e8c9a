"""The metrics in scikit-learn's model selection."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeRegressor

from rankwise import metrics
from rankwise.metrics import scorer, scorer_names


class FilledTree(RegressorMixin, BaseEstimator):
    """A tree fitted to positions, missing ones filled with the label's mean."""

    def __init__(self, max_depth=None):
        self.max_depth = max_depth

    def fit(self, X, Y):
        filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
        self.tree_ = DecisionTreeRegressor(max_depth=self.max_depth, random_state=0).fit(X, filled)
        return self

    def predict(self, X):
        return self.tree_.predict(X)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    Y = (-X).argsort(axis=1).argsort(axis=1) + 1.0
    Y[rng.random(Y.shape) < 0.15] = np.nan
    return X, Y


@pytest.mark.parametrize("name", scorer_names())
def test_cross_validation_gives_the_metric_with_greater_as_better(problem, name):
    X, Y = problem
    folds = KFold(3)
    scores = cross_val_score(FilledTree(), X, Y, scoring=scorer(name), cv=folds)
    metric = getattr(metrics, name)
    sign = -1 if name.endswith("_distance") else 1
    by_hand = [
        sign * metric(Y[test], FilledTree().fit(X[train], Y[train]).predict(X[test]))
        for train, test in folds.split(X)
    ]
    assert scores.tolist() == by_hand


@pytest.mark.parametrize("name", scorer_names())
def test_grid_search_prefers_the_better_model_by_every_scorer(problem, name):
    X, Y = problem
    search = GridSearchCV(FilledTree(), {"max_depth": [1, 8]}, scoring=scorer(name), cv=3)
    assert search.fit(X, Y).best_params_ == {"max_depth": 8}


def test_all_scorers_can_be_used_at_once(problem):
    scoring = {name: scorer(name) for name in scorer_names()}
    result = cross_validate(FilledTree(), *problem, scoring=scoring, cv=3)
    assert all(np.isfinite(result[f"test_{name}"]).all() for name in scoring)


def test_predictions_of_a_regressor_need_not_be_ranks():
    X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[1.0, 2, 3], [2, 1, 3], [3, 1, 2]])
    model = LinearRegression().fit(X, Y)
    assert (model.predict([[-5.0]]) < 1).any()
    assert scorer("kendall_tau")(model, [[-5.0]], [[1, 2, 3]]) == 1.0


def test_a_scorer_takes_the_options_of_its_metric(problem):
    X, Y = problem
    model = FilledTree(max_depth=1).fit(X, Y)
    for k in (1, 2):
        ours = scorer("top_k_accuracy", k=k)(model, X, Y)
        assert ours == metrics.top_k_accuracy(Y, model.predict(X), k=k)


def test_a_scorer_takes_sample_weight(problem):
    X, Y = problem
    model = FilledTree(max_depth=1).fit(X, Y)
    weight = np.arange(1, len(X) + 1)
    ours = scorer("kendall_distance")(model, X, Y, sample_weight=weight)
    assert ours == -metrics.kendall_distance(Y, model.predict(X), sample_weight=weight)


def test_scorers_survive_pickling(problem):
    X, Y = problem
    model = FilledTree(max_depth=1).fit(X, Y)
    copy = pickle.loads(pickle.dumps(scorer("top_k_accuracy", k=2)))
    assert copy(model, X, Y) == scorer("top_k_accuracy", k=2)(model, X, Y)


def test_scorer_names_are_sorted_metrics():
    assert scorer_names() == sorted(scorer_names())
    assert set(scorer_names()) <= set(metrics.__all__)


def test_an_unknown_scorer_is_told_the_nearest_name():
    with pytest.raises(ValueError, match="no scorer 'kendal_tau'; did you mean 'kendall_tau'"):
        scorer("kendal_tau")
    with pytest.raises(ValueError, match=r"no scorer 'auc'; choose from \['compatible_match'"):
        scorer("auc")
    with pytest.raises(ValueError, match=r"no scorer \['exact_match'\]"):
        scorer(["exact_match"])


def test_an_unknown_option_is_told_the_known_ones():
    with pytest.raises(TypeError, match=r"'top_k_accuracy' has no option 'top'.*\['k'\]"):
        scorer("top_k_accuracy", top=2)
    with pytest.raises(TypeError, match=r"'exact_match' has no option 'average'.*no options"):
        scorer("exact_match", average=False)
