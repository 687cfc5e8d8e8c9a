"""The paper's families and noise grids, and what it says about them."""

import numpy as np
import pytest

from rankwise.metrics import inconsistency, kendall_tau, tau_gap
from rankwise.oracles import (
    Mallows,
    TruncatedGaussian,
    family_grid,
    family_oracle,
    make_family,
    match_gaussian,
)


@pytest.fixture(scope="module")
def matched():
    """Every sixth Mallows level beside the Gaussian level of the same alpha."""
    pairs = zip(family_grid("mallows"), family_grid("gaussian-matched"), strict=True)
    return list(pairs)[::6]


@pytest.mark.parametrize(("name", "n_features"), [("SFN", 100), ("LFN", 1000)])
def test_a_family_has_the_papers_sizes(name, n_features):
    X, Y, clean = make_family(name, n_samples=50)
    assert X.shape == (50, n_features)
    assert X.dtype == bool
    assert Y.shape == clean.shape == (50, 5)
    np.testing.assert_array_equal(Y, clean)
    assert [len(s) for s in family_oracle(name).scores.supports] == [10] * 5


def test_the_default_family_has_ten_thousand_rows_and_no_ties():
    _, _, clean = make_family("SFN")
    assert clean.shape == (10_000, 5)
    assert (np.sort(clean, axis=1) == [1, 2, 3, 4, 5]).all()


def test_the_same_random_state_gives_the_same_scores_and_features_whatever_the_noise():
    X, Y, clean = make_family("SFN", n_samples=300, random_state=5)
    for noise in (TruncatedGaussian(0.1), Mallows(1.0)):
        X_noisy, Y_noisy, clean_noisy = make_family("SFN", noise, n_samples=300, random_state=5)
        np.testing.assert_array_equal(X_noisy, X)
        np.testing.assert_array_equal(clean_noisy, clean)
        assert (Y_noisy != Y).any()
    np.testing.assert_array_equal(family_oracle("SFN", random_state=5).truth(X), clean)
    assert (make_family("SFN", n_samples=300, random_state=6)[0] != X).any()


def test_the_mallows_grid_is_the_papers():
    thetas = [level.theta for level in family_grid("mallows")]
    np.testing.assert_allclose(thetas, np.arange(20) * 0.2 + 0.6)


def test_the_gaussian_grid_spreads_alpha_evenly():
    levels = family_grid("gaussian")
    assert len(levels) == 50
    scales = [level.scale for level in levels]
    assert scales == sorted(scales)
    alphas = []
    for level in levels[::16]:
        alphas.append(family_oracle("SFN", level).expected_inconsistency(random_state=9))
    flat = family_oracle("SFN", TruncatedGaussian(1e6)).expected_inconsistency(random_state=9)
    np.testing.assert_allclose(alphas, flat * np.arange(1, 51, 16) / 51, atol=0.015)


def test_matched_levels_share_alpha(matched):
    for mallows, gaussian in matched:
        alpha = family_oracle("SFN", gaussian).expected_inconsistency(random_state=9)
        assert alpha == pytest.approx(mallows.expected_inconsistency(5), abs=0.012)


def test_on_label_sequences_mallows_sets_have_the_higher_beta_at_equal_alpha(matched):
    # The paper's statement holds where distance and tau both compare label sequences, as its
    # programs take tau.
    for mallows, gaussian in matched:
        _, Y_gaussian, clean = make_family("SFN", gaussian)
        _, Y_mallows, _ = make_family("SFN", Mallows(mallows.theta, on="orders"))
        alpha = inconsistency(clean, Y_mallows) - inconsistency(clean, Y_gaussian)
        assert abs(alpha) < 0.02
        on_sequences = [kendall_tau(clean, Y, on="orders") for Y in (Y_mallows, Y_gaussian)]
        assert on_sequences[0] > on_sequences[1] + 0.01
        assert tau_gap(clean, Y_mallows) < tau_gap(clean, Y_gaussian)


def test_on_positions_gaussian_sets_have_the_higher_beta_at_equal_alpha(matched):
    # By its own definitions the paper's statement turns round where noise is strong; where it is
    # weak nearly every change is one swap of neighbours, and the two betas meet.
    for mallows, gaussian in matched:
        beta = family_oracle("SFN", gaussian).expected_tau_gap(random_state=9)
        alpha = mallows.expected_inconsistency(5)
        if alpha > 0.4:
            assert beta > mallows.expected_tau(5) + 0.003
        else:
            assert beta == pytest.approx(mallows.expected_tau(5), abs=0.005)


def test_matching_hits_the_wanted_alpha_on_its_own_scores():
    scores = np.random.default_rng(0).uniform(0.25, 0.75, (20_000, 4))
    alphas = [0.05, 0.4, 0.7]
    for alpha, level in zip(alphas, match_gaussian(scores, alphas), strict=True):
        ranks = level.rank(scores, np.random.default_rng(1))
        clean = TruncatedGaussian(0.0).rank(scores, np.random.default_rng(1))
        assert inconsistency(clean, ranks) == pytest.approx(alpha, abs=0.015)


def test_alpha_zero_is_no_noise():
    (level,) = match_gaussian([[0.7, 0.3]] * 10, [0.0])
    assert level.scale == 0


@pytest.mark.parametrize("alpha", [-0.1, 0.9, np.nan])
def test_an_alpha_out_of_reach_is_refused(alpha):
    with pytest.raises(ValueError, match=r"alpha is .*reaches 0\.000 to"):
        match_gaussian(np.random.default_rng(0).uniform(0.25, 0.75, (1000, 3)), [alpha])


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no family 'XFN'; use 'SFN' or 'LFN'"):
        make_family("XFN")
    with pytest.raises(ValueError, match="no grid 'cauchy'; use one of gaussian"):
        family_grid("cauchy")
    with pytest.raises(ValueError, match="no family 'XFN'"):
        family_grid("gaussian", "XFN")


def test_noise_is_matched_to_rows_not_to_none():
    with pytest.raises(ValueError, match="scores has no rows; give the scores of a sample"):
        match_gaussian(np.empty((0, 3)), [0.1])
