"""Pairs weighed by what a mistake costs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from rankwise import ranks_from_scores
from rankwise.learners import find_learner
from rankwise.pairwise import PairwiseRanker


def problem(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    seconds = np.exp(X @ rng.normal(size=(2, 3)) + rng.normal(size=(n, 3)))
    return X, ranks_from_scores(seconds, higher_is_better=False), seconds


def test_each_classifier_is_fitted_with_the_differences_of_its_pair():
    X, Y, seconds = problem()
    model = PairwiseRanker(LogisticRegression()).fit(X, Y, values=seconds)
    for (i, j), fitted in model.estimators_.items():
        apart = np.abs(seconds[:, i] - seconds[:, j])
        weights = apart / apart.mean()
        plain = LogisticRegression().fit(X, Y[:, i] < Y[:, j], sample_weight=weights)
        np.testing.assert_allclose(fitted.coef_, plain.coef_)


def test_weights_of_rows_and_values_multiply_and_rows_of_no_weight_are_left_out():
    X, Y, seconds = problem()
    weights = np.where(np.arange(len(X)) % 3 == 0, 0.0, 2.0)
    kept = weights > 0
    given = PairwiseRanker(LogisticRegression()).fit(X, Y, weights, values=seconds)
    fewer = PairwiseRanker(LogisticRegression())
    fewer.fit(X[kept], Y[kept], weights[kept], values=seconds[kept])
    np.testing.assert_allclose(given.predict_pairwise(X), fewer.predict_pairwise(X))


def test_equal_differences_weigh_nothing():
    X, Y, _ = problem()
    values = np.where(Y == 1, 0.0, 1.0)[:, :2]
    two = ranks_from_scores(values, higher_is_better=False)
    one, other = (
        PairwiseRanker(LogisticRegression()).fit(X, two, **known)
        for known in ({}, {"values": values})
    )
    np.testing.assert_allclose(one.predict_pairwise(X), other.predict_pairwise(X))


def test_values_are_checked_and_not_kept():
    X, Y, seconds = problem()
    model = PairwiseRanker(LogisticRegression())
    with pytest.raises(ValueError, match=r"values has shape \(60, 2\) and y \(60, 3\)"):
        model.fit(X, Y, values=seconds[:, :2])
    with pytest.raises(ValueError, match="other columns than y"):
        model.fit(
            X,
            pd.DataFrame(Y, columns=list("abc")),
            values=pd.DataFrame(seconds, columns=list("bac")),
        )
    with pytest.raises(TypeError, match="takes sample_weight"):
        PairwiseRanker(KNeighborsClassifier()).fit(X, Y, values=seconds)
    assert "_values" not in vars(model.fit(X, Y, values=seconds))


def test_the_learner_by_cost_is_given_the_values():
    assert find_learner("CostForest").by_cost
    assert not find_learner("PairwiseForest").by_cost
