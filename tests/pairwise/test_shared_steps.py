"""Steps that pairs have in common are done once, and nothing else changes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

from rankwise.classifiers import FillingLogistic, WithSquares, after_shared_steps
from rankwise.pairwise import PairwiseRanker


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(
    "steps", [(StandardScaler(), WithSquares()), (PowerTransformer(),), ()], ids=len
)
def test_each_pair_is_decided_as_by_its_own_pipeline(steps, missing):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(60, 3))
    ranks = 1.0 + rng.random((60, 4)).argsort(axis=1).argsort(axis=1)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    check_pairs_alone(make_pipeline(*steps, LogisticRegression()), X, ranks)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("squares", [False, True])
def test_each_pair_is_decided_as_by_its_own_logistic_regression(squares, missing):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(60, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    ranks = 1.0 + rng.random((60, 4)).argsort(axis=1).argsort(axis=1)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    check_pairs_alone(FillingLogistic(squares=squares), X, ranks)


def check_pairs_alone(estimator, X, ranks):
    model = PairwiseRanker(estimator).fit(X, ranks)
    shares = model.predict_pairwise(X)
    for (i, j), own in model.estimators_.items():
        before = own.predict_proba(X)[:, list(own.classes_).index(1)]
        assert_array_equal(shares[:, i, j], before)
        assert_array_equal(shares[:, j, i], 1 - before)


def test_steps_are_shared_by_those_alone_that_learned_the_same():
    X, y = np.array([[1.0], [3.0], [8.0]]), [0, 1, 1]
    models = [
        make_pipeline(StandardScaler(), LogisticRegression()).fit(X[rows], np.take(y, rows))
        for rows in ([0, 1, 2], [0, 1], [2, 1, 0])
    ]
    (_, one), (_, other), (_, again) = after_shared_steps(models, X)
    assert again is one
    assert not np.allclose(one, other)


def test_logistic_regressions_look_once_at_rows_that_they_see_alike():
    X, y = np.array([[1.0], [np.nan], [8.0]]), [0, 1, 1]
    models = [FillingLogistic(C).fit(X, y) for C in (1.0, 10.0)]
    models += [FillingLogistic(squares=True).fit(X, y), FillingLogistic().fit(X[:2], y[:2])]
    found = after_shared_steps(models, X)
    rows = [seen for _, seen in found]
    assert rows[1] is rows[0]
    assert len({id(seen) for seen in rows}) == 3
    for model, (lines, seen) in zip(models, found, strict=True):
        assert_array_equal(lines.predict_proba(seen), model.predict_proba(X))
