"""The oracle as a whole: truth, median, alpha and beta, reproducibility."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rankwise.metrics import inconsistency, tau_gap
from rankwise.oracles import (
    BooleanFeatures,
    Mallows,
    Oracle,
    PlackettLuce,
    SparseLinear,
    Survival,
    TopK,
    TruncatedGaussian,
    UniformNoise,
)
from rankwise.rankings import RankingWarning, check_rankings

M = SparseLinear(30, 4, 5, random_state=0)
NOISES = [
    None,
    TruncatedGaussian(0.0),
    TruncatedGaussian(0.03),
    UniformNoise(0.1),
    UniformNoise(),
    Mallows(0.7),
    PlackettLuce(0.05),
]


def _laplace(rng, shape):
    return rng.laplace(0, 0.05, shape)


def _seeds():
    return [3, np.random.SeedSequence(3), np.random.default_rng(3), np.random.RandomState(3)]


@pytest.mark.parametrize("index", range(4))
def test_the_same_random_state_gives_the_same_sample(index):
    oracle = Oracle(M, noise=TruncatedGaussian(0.05), mechanism=Survival(0.7))
    first = oracle.sample(200, random_state=_seeds()[index], return_clean=True)
    again = oracle.sample(200, random_state=_seeds()[index], return_clean=True)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (oracle.sample(200, random_state=4)[0] != first[0]).any()


def test_a_seed_sequence_is_not_used_up_and_a_generator_is():
    oracle = Oracle(M)
    sequence, generator = np.random.SeedSequence(1), np.random.default_rng(1)
    same = [oracle.sample(50, random_state=sequence)[0] for _ in range(2)]
    np.testing.assert_array_equal(*same)
    first, second = (oracle.sample(50, random_state=generator)[0] for _ in range(2))
    assert (first != second).any()


def test_no_random_state_gives_a_new_sample_each_time():
    first, second = (Oracle(M).sample(50)[0] for _ in range(2))
    assert (first != second).any()


@pytest.mark.parametrize("bad", [-1, "seed", 1.5, True])
def test_a_bad_random_state_is_refused(bad):
    with pytest.raises((ValueError, TypeError), match="random_state is"):
        Oracle(M).sample(5, random_state=bad)


def test_x_does_not_depend_on_noise_nor_survivors_on_either():
    plain = Oracle(M, mechanism=Survival(0.5)).sample(300, random_state=1)
    noisy = Oracle(M, noise=Mallows(1.0), mechanism=Survival(0.5)).sample(300, random_state=1)
    np.testing.assert_array_equal(plain[0], noisy[0])
    np.testing.assert_array_equal(np.isnan(plain[1]), np.isnan(noisy[1]))


def test_a_longer_sample_begins_with_the_shorter_one():
    oracle = Oracle(M, noise=TruncatedGaussian(0.05))
    short, long = (oracle.sample(n, random_state=1) for n in (40, 100))
    np.testing.assert_array_equal(short[0], long[0][:40])
    np.testing.assert_array_equal(short[1], long[1][:40])


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_samples_are_complete_rankings_that_a_user_may_write_to(noise):
    X, Y = Oracle(M, noise=noise).sample(500, random_state=0)
    assert X.shape == (500, 30)
    assert (np.sort(check_rankings(Y), axis=1) == [1, 2, 3, 4]).all()
    Y[0, 0] = 9


def test_without_noise_the_observed_ranking_is_the_truth():
    oracle = Oracle(M)
    X, Y, clean = oracle.sample(300, random_state=0, return_clean=True)
    np.testing.assert_array_equal(Y, clean)
    np.testing.assert_array_equal(Y, oracle.truth(X))
    np.testing.assert_array_equal(np.argsort(-M(X), axis=1), np.argsort(Y, axis=1))


def test_given_rows_are_observed_in_any_container():
    oracle = Oracle(M, noise=TruncatedGaussian(0.05), mechanism=TopK(2))
    X = BooleanFeatures(30).sample(20, np.random.default_rng(0))
    expected = oracle.observe(X, random_state=5)
    np.testing.assert_array_equal(oracle.observe(pd.DataFrame(X), random_state=5), expected)
    np.testing.assert_array_equal(oracle.observe(X.tolist(), random_state=5), expected)


@pytest.mark.parametrize("noise", [n for n in NOISES if n is not None], ids=repr)
def test_the_median_is_the_truth_where_noise_treats_labels_alike(noise):
    oracle = Oracle(M, noise=noise)
    X, _ = oracle.sample(500, random_state=0)
    np.testing.assert_array_equal(oracle.median(X), oracle.truth(X))


def test_the_median_of_a_symmetric_function_is_the_truth_where_it_is_sure():
    oracle = Oracle(M, noise=_laplace)
    X, _ = oracle.sample(200, random_state=0)
    p, error = oracle.pairwise(X, return_error=True)
    off = ~np.eye(4, dtype=bool)
    sure = (np.abs(p - 0.5) > 4 * error)[:, off].all(axis=1)
    assert sure.sum() > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)
        median = oracle.median(X, on_violation="warn")
    np.testing.assert_array_equal(median[sure], oracle.truth(X)[sure])


def test_the_median_minimises_the_mean_kendall_distance_under_skew_noise():
    # Label 0 is mostly a little worse than its score and seldom much better.
    def skew(rng, shape):
        xi = np.zeros(shape)
        xi[:, 0] = np.where(rng.random(shape[0]) < 0.2, 0.4, -0.1)
        return xi

    oracle = Oracle(lambda X: X, noise=skew)
    X = [[0.55, 0.5, 0.1]]
    assert oracle.truth(X).tolist() == [[1, 2, 3]]
    assert oracle.median(X).tolist() == [[2, 1, 3]]


def _dice(rng, shape):
    """Rock, paper, scissors: each die has mean zero and beats the next by 5 : 4."""
    dice = np.array([[2, 4, 9], [1, 6, 8], [3, 5, 7]], dtype=float) - 5
    return dice[np.arange(3), rng.integers(0, 3, shape)]


def test_a_cycle_of_majorities_is_named():
    oracle = Oracle(lambda X: X, noise=_dice)
    X = np.zeros((2, 3))
    with pytest.raises(ValueError, match="row 0: label 0 beats 1, 1 beats 2 and 2 beats 0"):
        oracle.median(X)
    with pytest.warns(RankingWarning, match="2 of 2 rows"):
        ranks = oracle.median(X, on_violation="warn")
    assert (ranks == 2).all()
    assert (oracle.median(X, on_violation="ignore") == 2).all()


def test_a_tie_of_majorities_is_named():
    oracle = Oracle(lambda X: X, noise=UniformNoise())
    with pytest.raises(ValueError, match="row 1: labels 0 and 2 beat each other with probability"):
        oracle.median([[0.1, 0.2, 0.3], [0.4, 0.5, 0.4]])


def test_a_majority_that_simulation_leaves_open_is_told():
    oracle = Oracle(lambda X: X, noise=_laplace)
    with pytest.warns(RankingWarning, match="first: row 1, labels 0 and 1"):
        oracle.median([[0.1, 0.9], [0.5, 0.5001]], on_violation="warn", n_draws=1000)


def test_an_unknown_answer_to_violations_is_refused():
    with pytest.raises(ValueError, match="on_violation is 'skip'"):
        Oracle(lambda X: X).median([[0.1, 0.2]], on_violation="skip")


@pytest.mark.parametrize(
    "noise", [*NOISES, _laplace], ids=lambda noise: getattr(noise, "__name__", repr(noise))
)
def test_alpha_and_beta_of_a_sample_match_their_expectations(noise):
    oracle = Oracle(M, noise=noise)
    _, Y, clean = oracle.sample(50_000, random_state=11, return_clean=True)
    for metric, expect in (
        (inconsistency, oracle.expected_inconsistency),
        (tau_gap, oracle.expected_tau_gap),
    ):
        observed = metric(clean, Y, average=False)
        expected, error = expect(return_error=True)
        spread = observed.std() / np.sqrt(len(observed))
        assert abs(observed.mean() - expected) <= 4 * np.hypot(spread, error) + 1e-12


def test_expectations_over_given_rows_are_exact_for_closed_forms():
    X = [[0.9, 0.5, 0.1], [0.3, 0.2, 0.6]]
    oracle = Oracle(lambda X: X, noise=Mallows(0.9))
    alpha, alpha_error = oracle.expected_inconsistency(X, return_error=True)
    beta, beta_error = oracle.expected_tau_gap(X, return_error=True)
    assert alpha == pytest.approx(Mallows(0.9).expected_inconsistency(3))
    assert beta == pytest.approx(Mallows(0.9).expected_tau(3))
    assert alpha_error == beta_error == 0


def test_expectations_over_few_given_rows_spend_the_whole_budget():
    oracle = Oracle(lambda X: X, noise=UniformNoise())
    alpha, error = oracle.expected_inconsistency([[0.75, 0.5]], n_samples=40_000, return_error=True)
    assert error == pytest.approx(np.sqrt(0.125 * 0.875 / 40_000), rel=0.05)
    assert abs(alpha - 0.125) < 5 * error


def test_tied_truth_counts_its_ordered_pairs_only():
    oracle = Oracle(lambda X: X, noise=PlackettLuce(0.3))
    X = [[0.5, 0.5, 0.1]]
    alpha, error = oracle.expected_inconsistency(X, return_error=True)
    before = oracle.pairwise(X)[0, 0, 2]
    assert oracle.expected_tau_gap(X) == pytest.approx(2 * before - 1)
    assert error > 0
    assert alpha > 1 - before
    with pytest.raises(ValueError, match="all equal"):
        oracle.expected_tau_gap([[0.5, 0.5, 0.5]])


def test_an_oracle_without_features_says_what_to_give():
    with pytest.raises(ValueError, match="give features=, for example BooleanFeatures"):
        Oracle(lambda X: X).sample(5)


@pytest.mark.parametrize("n_samples", [0, -1, 2.5, "10"])
def test_a_bad_number_of_samples_is_refused(n_samples):
    with pytest.raises((ValueError, TypeError), match="n_samples is"):
        Oracle(M).sample(n_samples)


def test_scores_must_be_callable():
    with pytest.raises(TypeError, match="use SparseLinear or a function"):
        Oracle(np.ones((3, 3)))


def test_the_oracle_shows_its_parts():
    text = repr(Oracle(M, noise=Mallows(1.0), mechanism=Survival(0.5)))
    assert "SparseLinear(n_features=30" in text
    assert "Mallows(theta=1.0" in text
    assert "Survival(q=0.5" in text
