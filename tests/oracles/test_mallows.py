"""Mallows noise follows its exact distribution, and its closed forms are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics import naive as naive_metrics
from oracles import naive
from rankwise.metrics import kendall_distance
from rankwise.oracles import Mallows, Oracle
from rankwise.oracles._kernels import repeated_insertion
from rankwise.rankings import ranks_from_scores

THETAS = [0.0, 1e-9, 5e-4, 2e-3, 0.3, 1.0, 4.4, 60.0, 800.0]


@given(st.integers(1, 8), st.floats(0, 6), st.integers(0, 2**32 - 1))
def test_the_kernel_inserts_as_its_plain_twin(n_labels, theta, seed):
    rng = np.random.default_rng(seed)
    centre = np.array([rng.permutation(n_labels) for _ in range(5)])
    uniforms = rng.random(centre.shape)
    drawn = np.empty(centre.shape)
    repeated_insertion(centre, uniforms, theta, drawn)
    for row in range(len(centre)):
        assert drawn[row].tolist() == naive.insert_repeatedly(centre[row], uniforms[row], theta)


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("on", ["ranks", "orders"])
def test_frequencies_match_the_exact_distribution_of_four_labels(theta, on):
    scores = np.array([0.2, 0.9, 0.4, 0.7])
    drawn = Mallows(theta, on=on).rank(np.tile(scores, (200_000, 1)), np.random.default_rng(1))
    if on == "orders":
        drawn = np.argsort(drawn, axis=1) + 1
        centre = np.argsort(-scores) + 1
    else:
        centre = ranks_from_scores([scores])[0]
    rankings, probabilities = naive.mallows_distribution(centre, theta)
    codes = drawn @ 10.0 ** np.arange(4)
    counts = [(codes == np.dot(r, 10.0 ** np.arange(4))).sum() for r in rankings]
    assert sum(counts) == len(drawn)
    assert stats.chisquare(counts, probabilities * len(drawn)).pvalue > 1e-3


@pytest.mark.parametrize("theta", [0.0, 0.05, 0.5, 2.0])
def test_mean_distance_matches_theory_at_fifty_labels(theta):
    scores = np.random.default_rng(3).random((20_000, 50))
    drawn = Mallows(theta).rank(scores, np.random.default_rng(4))
    distances = kendall_distance(ranks_from_scores(scores), drawn, average=False)
    error = distances.std() / np.sqrt(len(distances))
    assert abs(distances.mean() - Mallows(theta).expected_distance(50)) < 4 * error


@pytest.mark.parametrize("theta", THETAS)
def test_closed_forms_match_enumeration(theta):
    centre = np.array([3.0, 1.0, 4.0, 2.0, 5.0])
    rankings, probabilities = naive.mallows_distribution(centre, theta)
    distances = [naive_metrics.kendall_distance(centre, r) for r in rankings]
    noise = Mallows(theta)
    weights = np.exp(-theta * np.array(distances))
    assert noise.log_partition(5) == pytest.approx(np.log(weights.sum()), abs=1e-12)
    assert noise.expected_distance(5) == pytest.approx(probabilities @ distances, abs=1e-11)
    tau = [naive_metrics.kendall_tau(centre, r) for r in rankings]
    assert noise.expected_tau(5) == pytest.approx(probabilities @ tau, abs=1e-11)
    alpha = 1 - probabilities[rankings.index(tuple(centre.astype(int)))]
    assert noise.expected_inconsistency(5) == pytest.approx(alpha, abs=1e-12)
    expected = naive.pairwise_of(rankings, probabilities)
    np.testing.assert_allclose(noise.pairwise(-centre[None])[0], expected, atol=1e-11)


@given(st.floats(1e-6, 50), st.integers(2, 300))
def test_closed_forms_stay_inside_their_limits(theta, n_labels):
    noise = Mallows(theta)
    most = n_labels * (n_labels - 1) / 4
    assert 0 <= noise.expected_distance(n_labels) <= most * (1 + 1e-12)
    before = noise.pairwise(-np.arange(n_labels, dtype=float)[None])[0, 0]
    assert (np.diff(before) > -1e-9).all()
    assert before[0] == 0.5
    assert before[-1] <= 1 + 1e-9


def test_p_ij_on_orders_is_simulated_and_matches_enumeration():
    scores = np.array([[0.2, 0.9, 0.4, 0.7]])
    centre = np.argsort(-scores[0]) + 1
    sequences, probabilities = naive.mallows_distribution(centre, 0.8)
    rankings = [tuple(np.argsort(sequence) + 1) for sequence in sequences]
    oracle = Oracle(lambda X: X, noise=Mallows(0.8, on="orders"))
    p, error = oracle.pairwise(scores, n_draws=4000, return_error=True)
    expected = naive.pairwise_of(rankings, probabilities)
    assert (np.abs(p[0] - expected) <= 5 * error[0] + 1e-12).all()
    assert error.max() <= 0.5 / np.sqrt(4000)


def test_tied_scores_are_refused_by_row_and_labels():
    with pytest.raises(ValueError, match=r"row 1: labels 0 and 2 both have score 0\.5"):
        Mallows(1.0).rank(np.array([[0.1, 0.2, 0.3], [0.5, 0.2, 0.5]]), np.random.default_rng(0))


@pytest.mark.parametrize("theta", [-0.1, np.nan, np.inf])
def test_a_spread_below_zero_or_not_finite_is_refused(theta):
    with pytest.raises(ValueError, match=r"theta is .*; use a finite number of 0 or more"):
        Mallows(theta)


def test_an_unknown_reading_of_the_distance_is_refused():
    with pytest.raises(ValueError, match="on is 'labels'; use 'ranks' or 'orders'"):
        Mallows(1.0, on="labels")
