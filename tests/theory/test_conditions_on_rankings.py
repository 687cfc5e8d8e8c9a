"""Estimators on rankings: transitivity, Tsybakov noise, tolerances and noise levels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise import theory
from rankwise.oracles import (
    BooleanFeatures,
    Mallows,
    Oracle,
    Partition,
    SparseLinear,
    Survival,
    TopK,
    TruncatedGaussian,
    UniformFeatures,
    UniformNoise,
)
from rankwise.theory._margins import _scale, _Tail
from rankwise.theory._transitivity import _circle
from theory import naive
from theory.seeds import SEEDS, SOME_SEEDS, nearly_all


def dice(rng, shape):
    """Three dice of equal mean, each of which beats the next five times out of nine."""
    faces = np.array([[2, 4, 9], [1, 6, 8], [3, 5, 7]]) - 5.0
    return np.stack([face[rng.integers(0, 3, shape[0])] for face in faces], axis=1) / 100


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_circle_is_found_where_the_plain_twin_finds_one(seed, k):
    upper = np.triu(np.random.default_rng(seed).integers(-1, 2, (k, k)), 1)
    beats = (upper - upper.T) > 0
    found = _circle(beats)
    assert (found is None) == (naive.first_circle(beats) is None)
    if found is not None:
        i, j, u = found
        assert beats[i, j]
        assert beats[j, u]
        assert beats[u, i]


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_intransitive_dice_break_transitivity(seed):
    oracle = Oracle(lambda X: np.zeros((len(X), 3)), features=BooleanFeatures(5), noise=dice)
    X, Y = oracle.sample(8000, random_state=seed)
    found = theory.transitivity(X, Y, random_state=seed)
    assert found.verdict == "fails"
    assert found.estimate == 1
    # Which label comes first in the circle is open, its direction is not.
    circle = found.details["circles"][0]
    assert any(
        f"label {i} before label {(i + 1) % 3} before label {(i + 2) % 3}" in circle
        for i in range(3)
    )


@SEEDS
def test_noise_on_scores_and_mallows_obey_transitivity(seeds):
    verdicts = []
    for seed in seeds:
        oracle = Oracle(SparseLinear(8, 4, 2, random_state=seed), noise=Mallows(1.0))
        found = theory.transitivity(*oracle.sample(8000, random_state=seed), random_state=seed)
        verdicts.append(found.verdict)
    assert "fails" not in verdicts
    assert verdicts.count("holds") >= nearly_all(seeds)


@pytest.mark.parametrize(
    ("power", "a"),
    [
        (1.0, 1 / 2),
        pytest.param(2.0, 1 / 3, marks=pytest.mark.slow),
        pytest.param(0.5, 2 / 3, marks=pytest.mark.slow),
    ],
)
@SEEDS
def test_tsybakovs_exponent_is_recovered(power, a, seeds):
    def scores(X):
        # The gap is below v for a share v^(1/power) of the rows: a / (1 - a) = 1 / power.
        u = 2 * X[:, 0] - 1
        gap = 0.3 * np.sign(u) * np.abs(u) ** power
        return np.column_stack([0.5 + gap / 2, 0.5 - gap / 2])

    oracle = Oracle(scores, features=UniformFeatures(3), noise=UniformNoise())
    covered, estimates = 0, []
    for seed in seeds:
        X, Y = oracle.sample(20_000, random_state=seed)
        found = theory.tsybakov(X, Y, random_state=seed)
        covered += found.low <= a <= found.high
        estimates.append(found.estimate)
        assert found.details["B"] > 0
    assert covered >= nearly_all(seeds)
    assert np.mean(estimates) == pytest.approx(a, abs=0.1)


@SEEDS
def test_a_coin_toss_breaks_tsybakovs_condition(seeds):
    oracle = Oracle(
        lambda X: np.full((len(X), 2), 0.5), features=BooleanFeatures(5), noise=UniformNoise()
    )
    verdicts = []
    for seed in seeds:
        X, Y = oracle.sample(8000, random_state=seed)
        verdicts.append(theory.tsybakov(X, Y, random_state=seed).verdict)
    assert verdicts.count("fails") >= nearly_all(seeds)
    assert "holds" not in verdicts


@pytest.mark.parametrize(("n", "high"), [(40, 1.0), (100, 0.859)])
def test_tsybakovs_interval_is_wide_where_rows_cannot_tell(n, high):
    Y = np.where(np.random.default_rng(0).random((n, 1)) < 0.5, [1, 2], [2, 1])
    found = theory.tsybakov(np.ones((n, 1)), Y)
    assert found.verdict == "cannot tell"
    # 20 comparisons see no margin below 1/4; 50 see those from 3 sqrt(0.25/50) = 0.2121 on, and
    # if all were there, a = 1 / (1 + ln(0.25/0.2121)) = 0.859
    assert (found.low, found.high) == (0, pytest.approx(high, abs=1e-3))


@pytest.mark.filterwarnings("error")
def test_the_factor_of_tsybakovs_bound_is_never_lost_to_overflow():
    def tail(margin):
        return _Tail(np.array([margin]), np.array([1.0]), 0.01)

    # all rows have margin 0.2: 1 <= B (0.2/2)^(a/(1-a)), so that B = 10 at a = 1/2
    assert _scale(tail(0.2), 0.5) == pytest.approx(10)
    # margins just below 1/4 fit a power of 2500: B = 8^2500 is no float
    assert _scale(tail(0.2499), 2500 / 2501) == np.inf


def test_labels_that_are_never_compared_have_no_margin():
    Y = np.tile([[1.0, np.nan], [np.nan, 1.0]], (50, 1))
    X = np.random.default_rng(0).random((100, 2))
    assert theory.tsybakov(X, Y).verdict == "cannot tell"
    assert theory.partial_tolerance(X, Y).verdict == "cannot tell"


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_a_survival_function_that_vanishes_in_a_region_is_named_by_its_features(seed):
    def survival(X):
        return np.where(X[:, [3]] > 0.5, [[0.9, 0.9, 0.0]], [[0.9, 0.9, 0.8]])

    oracle = Oracle(SparseLinear(8, 3, 2, random_state=seed), mechanism=Survival(survival))
    X, Y = oracle.sample(4000, random_state=seed)
    found = theory.deletion_tolerance(X, Y, random_state=seed)
    assert found.verdict == "fails"
    assert found.details["region"] == "where x3 = 1"
    assert "label 2" in found.details["pair"]
    assert found.details["worst overall"] > 0.3


@SEEDS
def test_deletion_tolerance_of_independent_coins_is_their_product(seeds):
    covered = 0
    for seed in seeds:
        oracle = Oracle(SparseLinear(8, 3, 2, random_state=seed), mechanism=Survival(0.7))
        X, Y = oracle.sample(4000, random_state=seed)
        found = theory.deletion_tolerance(X, Y, random_state=seed)
        covered += found.low <= 0.49 <= found.high
        assert found.verdict == "holds"
    assert covered >= nearly_all(seeds)


def test_regions_of_continuous_features_are_told_with_their_limits():
    X = np.random.default_rng(0).random((4000, 3))
    Y = np.tile([1.0, 2.0, 3.0], (4000, 1))
    Y[X[:, 1] > 0.75, 0] = np.nan
    frame = pd.DataFrame(X, columns=["rain", "heat", "soil"])
    found = theory.deletion_tolerance(frame, pd.DataFrame(Y, columns=["tea", "coffee", "water"]))
    assert found.verdict == "fails"
    region, limit = found.details["region"].rsplit(" ", 1)
    assert region == "where heat >"
    assert float(limit) == pytest.approx(0.75, abs=0.01)
    assert "'tea'" in found.text


@SEEDS
def test_partial_tolerance_counts_pairs_that_are_told_apart(seeds):
    covered = 0
    for seed in seeds:
        # Two neighbouring positions of three stay apart with chance 1/2, the outer two with 3/4.
        oracle = Oracle(
            lambda X: np.tile([3.0, 2.0, 1.0], (len(X), 1)), features=BooleanFeatures(3)
        )
        oracle = Oracle(oracle.scores, features=oracle.features, mechanism=Partition(0.5))
        X, Y = oracle.sample(4000, random_state=seed)
        found = theory.partial_tolerance(X, Y, random_state=seed)
        covered += found.low <= 0.5 <= found.high
        assert found.verdict == "holds"
    assert covered >= nearly_all(seeds)
    oracle = Oracle(oracle.scores, features=oracle.features, mechanism=TopK(1))
    found = theory.partial_tolerance(*oracle.sample(2000, random_state=0))
    assert found.verdict == "fails"
    assert found.details["pair"] == ["label 1", "label 2"]


@SEEDS
def test_noise_levels_cover_the_oracles_own(seeds):
    oracle = Oracle(SparseLinear(10, 4, 3), noise=TruncatedGaussian(0.1))
    true_alpha = oracle.expected_inconsistency()
    true_beta = oracle.expected_tau_gap()
    covered = 0
    for seed in seeds:
        _, Y, clean = oracle.sample(1000, random_state=seed, return_clean=True)
        alpha, beta = theory.noise_level(clean, Y, random_state=seed)
        covered += alpha.low <= true_alpha <= alpha.high
        covered += beta.low <= true_beta <= beta.high
        assert beta.verdict == "holds"
    assert covered >= 2 * nearly_all(seeds)
