"""Certainty fitted to held-out rows: coherent, and nearer to the truth than the shares themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankwise.ranker import Certainty, fit_certainty


def draw(n, k, slope, seed, missing=0.0):
    """Shares of a learner that is too sure by a known slope, and rankings that follow the truth."""
    rng = np.random.default_rng(seed)
    utility = rng.normal(size=(n, k))
    # Gumbel noise: chance of i before j = sigmoid(u_i - u_j), exactly
    noisy = utility + rng.gumbel(size=(n, k))
    Y = np.argsort(np.argsort(-noisy, axis=1), axis=1) + 1.0
    Y[rng.random(Y.shape) < missing] = np.nan
    shares = 1 / (1 + np.exp(-(utility[:, :, None] - utility[:, None, :]) / slope))
    ranks = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1
    return shares, ranks, Y


@pytest.mark.parametrize("slope", [0.4, 1.0, 1.6])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_a_known_slope_is_found(slope, missing):
    found = fit_certainty(*draw(3000, 4, slope, seed=1, missing=missing))
    # shares are drawn in by 1 % at both ends, so that the slope comes out a little larger
    assert_allclose(found.slope, slope, rtol=0.2)


@pytest.mark.parametrize("k", [2, 4, 8])
def test_what_is_said_is_what_happens(k):
    certainty = fit_certainty(*draw(2000, k, 0.4, seed=2))
    shares, ranks, Y = draw(4000, k, 0.4, seed=3)
    pair, top = certainty.of_order(shares, ranks)
    order = np.argsort(ranks, axis=1)
    rows = np.arange(len(Y))
    before = Y[rows, order[:, 0]] < Y[rows, order[:, 1]]
    first = Y[rows, order[:, 0]] == 1
    assert abs(pair.mean() - before.mean()) < 0.03
    assert abs(top.mean() - first.mean()) < 0.05
    raw = shares[rows, order[:, 0], order[:, 1]]
    assert abs(raw.mean() - before.mean()) > abs(pair.mean() - before.mean())


@given(k=st.integers(2, 12), seed=st.integers(0, 10_000))
def test_by_luces_rule_a_power_of_1_is_exact_among_any_number_of_labels(k, seed):
    worth = np.sort(np.random.default_rng(seed).gamma(2.0, size=k) + 0.05)[::-1]
    shares = (worth[:, None] / (worth[:, None] + worth))[None]
    _, top = Certainty().of_order(shares, np.arange(1, k + 1)[None])
    assert_allclose(top, worth[0] / worth.sum())


def test_a_power_found_where_rows_observe_three_labels_holds_among_twelve():
    rng = np.random.default_rng(4)
    shares, ranks, Y = draw(1500, 12, 1.0, seed=4)
    hidden = rng.random(Y.shape).argsort(axis=1) >= 3
    certainty = fit_certainty(shares, ranks, np.where(hidden, np.nan, Y))
    shares, ranks, Y = draw(4000, 12, 1.0, seed=5)
    _, top = certainty.of_order(shares, ranks)
    first = Y[np.arange(len(Y)), ranks.argmin(axis=1)] == 1
    assert abs(top.mean() - first.mean()) < 0.05


@given(
    k=st.integers(2, 6),
    seed=st.integers(0, 10_000),
    slope=st.floats(0.02, 2),
    power=st.floats(0.02, 2),
)
def test_chances_are_coherent(k, seed, slope, power):
    shares, ranks, _ = draw(20, k, 0.7, seed)
    certainty = Certainty(slope, power, 100, 100)
    chances = certainty.pairwise(shares)
    assert_allclose(chances + chances.transpose(0, 2, 1), 1.0)
    assert_allclose(chances[:, range(k), range(k)], 0.5)
    assert ((chances >= 0.5) == (shares >= 0.5 - 1e-12)).all()
    pair, top = certainty.of_order(shares, ranks)
    assert (top <= pair + 1e-12).all()
    assert ((top >= 0) & (pair <= 1)).all()
    if k == 2:
        assert (top <= pair).all()


@pytest.mark.parametrize("n", [0, 3])
def test_too_few_pairs_leave_the_shares_as_they_are(n):
    shares, ranks, Y = draw(max(n, 1), 3, 0.5, seed=0)
    found = fit_certainty(shares[:n], ranks[:n], Y[:n])
    assert not found.is_fitted
    assert_allclose(found.pairwise(shares), shares)


@pytest.mark.parametrize("n", [24, 200])
def test_no_chance_is_above_what_the_number_of_comparisons_allows(n):
    ranks = np.tile([1, 2, 3], (n, 1))
    shares = np.where(ranks[:, :, None] < ranks[:, None, :], 1.0, 0.0)
    shares[:, range(3), range(3)] = 0.5
    pair, top = fit_certainty(shares, ranks, ranks.astype(float)).of_order(shares, ranks)
    assert_allclose(pair, (3 * n + 1) / (3 * n + 2), atol=1e-4)
    assert (pair <= (3 * n + 1) / (3 * n + 2)).all()
    assert (top <= pair).all()


def test_ties_and_missing_labels_teach_nothing():
    shares, ranks, Y = draw(200, 3, 0.5, seed=0)
    assert not fit_certainty(shares, ranks, np.ones_like(Y)).is_fitted
    assert not fit_certainty(shares, ranks, np.full_like(Y, np.nan)).is_fitted


def test_a_learner_that_is_always_wrong_or_always_right_gives_finite_numbers():
    ranks = np.tile([1, 2, 3], (50, 1))
    shares = np.where(ranks[:, :, None] < ranks[:, None, :], 1.0, 0.0)
    shares[:, range(3), range(3)] = 0.5
    for Y in (ranks.astype(float), 4.0 - ranks):
        found = fit_certainty(shares, ranks, Y)
        assert 0 < found.slope < 3
        assert 0 < found.power < 3
        pair, top = found.of_order(shares, ranks)
        assert np.isfinite(pair).all()
        assert np.isfinite(top).all()
    assert pair.mean() < 0.55
