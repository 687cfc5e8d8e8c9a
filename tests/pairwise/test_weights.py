"""Weights of rows: a row of weight 2 is two rows, one of weight 0 is none."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from pairwise.strategies import problems
from rankwise.pairwise import PairwiseRanker, PositionRanker

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

RNG = np.random.default_rng(11)
X = RNG.normal(size=(40, 2))
Y = RNG.permuted(np.tile([1.0, 2, 3], (40, 1)), axis=1)
WEIGHTS = RNG.integers(0, 4, size=40)
REPEATED = np.repeat(np.arange(40), WEIGHTS)
EXACT = LogisticRegression(tol=1e-10)


@given(problems(max_labels=4), st.randoms(use_true_random=False))
def test_weights_are_repeated_rows(problem, random):
    X, Y = problem
    weights = np.array([1] + [random.randint(0, 3) for _ in X[1:]])
    repeated = np.repeat(np.arange(len(X)), weights)
    weighted = PairwiseRanker(EXACT).fit(X, Y, sample_weight=weights)
    plain = PairwiseRanker(EXACT).fit(X[repeated], Y[repeated])
    np.testing.assert_array_equal(weighted.pair_counts_, plain.pair_counts_)
    np.testing.assert_allclose(
        weighted.predict_pairwise(X), plain.predict_pairwise(X), rtol=0, atol=1e-4
    )


def test_weights_reach_every_step_of_the_default_pipeline():
    weighted = PairwiseRanker().fit(X, Y, sample_weight=WEIGHTS)
    plain = PairwiseRanker().fit(X[REPEATED], Y[REPEATED])
    for pair, model in weighted.estimators_.items():
        twin = plain.estimators_[pair]
        np.testing.assert_allclose(model[0].mean_, twin[0].mean_)
        np.testing.assert_allclose(model[1].coef_, twin[1].coef_, atol=1e-3)


def test_steps_that_know_no_weights_do_without():
    pipeline = make_pipeline(MinMaxScaler(), make_pipeline(EXACT))
    weighted = PairwiseRanker(pipeline).fit(X, Y, sample_weight=WEIGHTS)
    plain = PairwiseRanker(pipeline).fit(X[REPEATED], Y[REPEATED])
    np.testing.assert_allclose(
        weighted.predict_pairwise(X), plain.predict_pairwise(X), rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("method", ["observed", "coarse"])
def test_weights_are_repeated_rows_for_positions(method):
    gaps = Y.copy()
    gaps[::3, 1] = np.nan
    options = {"method": method, "tol": 0, "max_iter": 3}
    weighted = PositionRanker(EXACT, **options).fit(X, gaps, sample_weight=WEIGHTS)
    plain = PositionRanker(EXACT, **options).fit(X[REPEATED], gaps[REPEATED])
    np.testing.assert_array_equal(weighted.position_counts_, plain.position_counts_)
    np.testing.assert_allclose(
        weighted.predict_positions(X), plain.predict_positions(X), rtol=0, atol=1e-3
    )


def test_classifiers_without_weights_are_named():
    for model in (KNeighborsClassifier(), make_pipeline(MinMaxScaler(), KNeighborsClassifier())):
        for ranker in (PairwiseRanker(model), PositionRanker(model)):
            with pytest.raises(TypeError, match=r"sample_weight, and KNeighborsClassifier's does"):
                ranker.fit(X, Y, sample_weight=WEIGHTS)
            ranker.fit(X, Y)
    with pytest.raises(ValueError, match="'self-training' takes no sample_weight"):
        PositionRanker(method="self-training").fit(X, Y, sample_weight=WEIGHTS)


def test_bad_weights_are_named_by_row():
    with pytest.raises(ValueError, match="row 2: sample_weight is -1"):
        PairwiseRanker().fit(X[:3], Y[:3], sample_weight=[1, 1, -1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one_row = [1, *[0] * 39]
        assert PairwiseRanker().fit(X, Y, sample_weight=one_row).pair_counts_.sum() == 3
