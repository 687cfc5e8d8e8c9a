"""Ridge regression on a kernel, with rows left out in closed form."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from rankwise.ranker import ridge_left_out, solve_ridge


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    weights = rng.integers(1, 4, 12).astype(float)
    return X, rbf_kernel(X, gamma=0.5), rng.normal(size=(12, 2)), weights


def fitted(X, targets, weights, ridge):
    model = KernelRidge(alpha=ridge, kernel="rbf", gamma=0.5)
    return model.fit(X, targets, sample_weight=weights)


def predicted_without(X, targets, weights, ridge, row):
    others = (np.arange(len(X)) != row) & (weights > 0)
    return fitted(X[others], targets[others], weights[others], ridge).predict(X[[row]])[0]


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_rows_left_out_are_predicted_as_by_a_fit_without_them(ridge):
    X, kernel, targets, weights = problem(0)
    expected = [predicted_without(X, targets, weights, ridge, i) for i in range(len(X))]
    [by_values] = ridge_left_out(kernel, targets, weights, (ridge,))
    np.testing.assert_allclose(by_values, expected, atol=1e-8)


def test_coefficients_are_those_of_scikit_learn():
    X, kernel, targets, weights = problem(1)
    coefficients = solve_ridge(kernel, targets, weights, 0.1)
    expected = fitted(X, targets, weights, 0.1).predict(X)
    np.testing.assert_allclose(kernel @ coefficients, expected, atol=1e-8)


def test_a_row_of_weight_0_has_no_say():
    _, kernel, targets, weights = problem(2)
    weights[[3, 7]] = 0.0
    assert not solve_ridge(kernel, targets, weights, 0.1)[[3, 7]].any()
