"""The Gaussian kernel against its definition."""

import numpy as np
from numpy.testing import assert_allclose

from rankwise.pairwise._kernel import gaussian_kernel

RNG = np.random.default_rng(0)


def test_it_is_the_exponential_of_squared_distances():
    rows, others = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 3))
    for gamma in (0.01, 1.0, 30.0):
        distances = ((rows[:, None] - others) ** 2).sum(axis=2)
        assert_allclose(
            gaussian_kernel(rows, others, gamma), np.exp(-gamma * distances), atol=1e-13
        )


def test_it_is_never_above_one():
    rows = 1e6 + RNG.normal(size=(50, 4))
    assert gaussian_kernel(rows, rows, 1.0).max() <= 1


def test_rows_that_are_far_apart_have_nothing_in_common():
    assert gaussian_kernel(np.array([[1e100]]), np.array([[0.0]]), 1.0) == 0
