"""Feature distributions have the moments they promise."""

import numpy as np
import pytest

from rankwise.oracles import (
    BooleanFeatures,
    CorrelatedBooleanFeatures,
    GaussianFeatures,
    GivenFeatures,
    Oracle,
    UniformFeatures,
)
from rankwise.oracles import _features as features

N = 40_000


def _draw(distribution, n_samples=N):
    return distribution.sample(n_samples, np.random.default_rng(0))


@pytest.mark.parametrize("p", [0.5, 0.3, [0.0, 0.1, 0.5, 0.9, 1.0]])
def test_boolean_features_are_independent_with_the_given_chances(p):
    X = _draw(BooleanFeatures(5, p))
    assert X.dtype == bool
    expected = np.broadcast_to(p, 5)
    assert (np.abs(X.mean(axis=0) - expected) <= 5 * np.sqrt(expected * (1 - expected) / N)).all()
    covariance = np.cov(X.T.astype(float)) - np.diag(X.var(axis=0))
    assert np.abs(covariance).max() < 0.25 * 5 / np.sqrt(N)


@pytest.mark.parametrize("p", [0.5, [0.1, 0.5, 0.9, 0.2]])
@pytest.mark.parametrize("correlation", [0.0, 0.6, 1.0])
def test_correlated_boolean_features_keep_their_chances(p, correlation):
    X = _draw(CorrelatedBooleanFeatures(4, correlation, p, n_groups=2))
    expected = np.broadcast_to(p, 4)
    assert (np.abs(X.mean(axis=0) - expected) <= 5 * np.sqrt(expected * (1 - expected) / N)).all()


def test_correlation_holds_inside_a_group_and_not_across_groups():
    X = _draw(CorrelatedBooleanFeatures(4, 0.5, n_groups=2)).astype(float)
    observed = np.corrcoef(X.T)
    # Two fair signs of Gaussians with correlation rho correlate by 2/pi asin(rho).
    inside = 2 / np.pi * np.arcsin(0.5)
    assert observed[0, 1] == pytest.approx(inside, abs=0.03)
    assert observed[2, 3] == pytest.approx(inside, abs=0.03)
    assert np.abs(observed[:2, 2:]).max() < 0.03


def test_gaussian_features_have_the_given_mean_and_covariance():
    covariance = np.array([[2.0, 0.6], [0.6, 0.5]])
    X = _draw(GaussianFeatures(2, mean=[1.0, -2.0], covariance=covariance))
    np.testing.assert_allclose(X.mean(axis=0), [1, -2], atol=0.05)
    np.testing.assert_allclose(np.cov(X.T), covariance, atol=0.06)


def test_a_singular_covariance_is_taken():
    X = _draw(GaussianFeatures(2, covariance=np.ones((2, 2))), 100)
    np.testing.assert_allclose(X[:, 0], X[:, 1])


def test_uniform_features_fill_their_interval():
    X = _draw(UniformFeatures(2, -1.0, 3.0))
    assert X.min() >= -1
    assert X.max() <= 3
    np.testing.assert_allclose(X.mean(axis=0), 1.0, atol=0.03)


def test_given_rows_are_drawn_with_replacement_and_whole():
    table = np.arange(12.0).reshape(4, 3)
    X = _draw(GivenFeatures(table), 4000)
    assert set(map(tuple, X)) == set(map(tuple, table))
    oracle = Oracle(lambda X: X, features=table)
    assert set(map(tuple, oracle.sample(100, random_state=0)[0])) <= set(map(tuple, table))


@pytest.mark.parametrize(
    "distribution", [BooleanFeatures(7), BooleanFeatures(7, 0.3), CorrelatedBooleanFeatures(7, 0.5)]
)
def test_blocks_of_rows_do_not_change_what_is_promised(distribution, monkeypatch):
    monkeypatch.setattr(features, "_BLOCK_CELLS", 20)
    X = _draw(distribution, 3001)
    assert X.shape == (3001, 7)
    assert (np.abs(X.mean(axis=0) - np.broadcast_to(distribution.p, 7)) < 0.05).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BooleanFeatures(3, 1.2), "p is 1.2; use a probability from 0 to 1"),
        (lambda: BooleanFeatures(3, [0.5, -0.1, 0.2]), "p, feature 1 is -0.1"),
        (lambda: BooleanFeatures(3, [0.5, 0.5]), r"p has shape \(2,\); expected \(3,\)"),
        (lambda: BooleanFeatures(3, "half"), "p is 'half'"),
        (lambda: BooleanFeatures(0), "n_features is 0"),
        (lambda: CorrelatedBooleanFeatures(3, -0.2), "correlation is -0.2"),
        (lambda: CorrelatedBooleanFeatures(3, 0.2, n_groups=4), "n_groups is 4"),
        (lambda: GaussianFeatures(2, mean=[1.0]), "mean must be"),
        (lambda: GaussianFeatures(2, covariance=np.eye(3)), "covariance has shape"),
        (lambda: GaussianFeatures(2, covariance=[[1, 2], [2, 1]]), "negative eigenvalue"),
        (lambda: GaussianFeatures(2, covariance=[[1, 0], [2, 1]]), "symmetric"),
        (lambda: UniformFeatures(2, 1.0, 1.0), "low must be smaller"),
        (lambda: GivenFeatures(np.empty((0, 3))), r"X has shape \(0, 3\); .* both above 0"),
        (lambda: Oracle(lambda X: X, features=BooleanFeatures), "give an instance"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
