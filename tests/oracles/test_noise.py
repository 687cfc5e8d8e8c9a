"""Score noises and Plackett-Luce: what they draw, and the p_ij they claim."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from oracles import naive
from rankwise.oracles import CallableNoise, Oracle, PlackettLuce, TruncatedGaussian, UniformNoise
from rankwise.oracles._simulate import draw_ranks

NOISES = [TruncatedGaussian(0.02), TruncatedGaussian(0.4), UniformNoise(), PlackettLuce(0.07)]


def _empirical_pairwise(noise, scores, n_draws, seed=0):
    ranks = draw_ranks(noise, np.tile(scores, (n_draws, 1)), np.random.default_rng(seed))
    return (ranks[:, :, None] < ranks[:, None, :]).mean(axis=0)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_p_ij_is_the_frequency_of_draws(noise):
    scores = np.array([0.5, 0.52, 0.3, 0.7])
    p = noise.pairwise(scores[None])[0]
    seen = _empirical_pairwise(noise, scores, 200_000)
    off = ~np.eye(4, dtype=bool)
    error = np.sqrt(p * (1 - p) / 200_000)
    assert (np.abs(p - seen)[off] <= 5 * error[off] + 1e-9).all()


@pytest.mark.parametrize("scale", [0.001, 0.02, 0.1, 0.3, 5.0, 1e4, 1e9])
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.03, 0.2, 0.4, 0.49, 0.6])
def test_truncated_gaussian_p_ij_matches_numerical_integration(scale, gap):
    if scale > 1e6:
        exact = 1 - (0.5 - min(gap, 0.5)) ** 2 * 2
    else:
        one = stats.truncnorm(-0.25 / scale, 0.25 / scale, scale=scale)
        exact, _ = integrate.quad(
            lambda v: one.pdf(v) * one.cdf(v + gap),
            -0.25,
            0.25,
            points=sorted({0.0, max(-0.25, -gap), max(-0.25, 0.25 - gap)}),
            limit=500,
            epsabs=1e-12,
        )
    p = TruncatedGaussian(scale).pairwise(np.array([[0.3 + gap, 0.3]]))[0]
    assert p[0, 1] == pytest.approx(exact, abs=1e-9)
    assert p[1, 0] == 1 - p[0, 1]


@pytest.mark.parametrize("scale", [0.0, 1e-320, 0.001, 0.1, 1.0, 1e4, 1e300])
def test_truncated_gaussian_draws_its_distribution_within_the_bound(scale):
    xi = TruncatedGaussian(scale).draw((20_000, 1), np.random.default_rng(0))[:, 0]
    assert np.isfinite(xi).all()
    assert np.abs(xi).max() <= 0.25
    if scale == 0:
        assert not xi.any()
    elif 0.001 <= scale <= 1e4:
        exact = stats.truncnorm(-0.25 / scale, 0.25 / scale, scale=scale)
        assert stats.kstest(xi, exact.cdf).pvalue > 1e-3
    elif scale > 1e4:
        assert stats.kstest(xi, stats.uniform(-0.25, 0.5).cdf).pvalue > 1e-3


@pytest.mark.filterwarnings("error")
def test_a_tiny_gaussian_is_no_noise_and_no_overflow():
    scores = np.array([[0.9, 0.1, 0.5]])
    assert TruncatedGaussian(1e-320).pairwise(scores)[0, 0].tolist() == [0.5, 1.0, 1.0]
    assert TruncatedGaussian(1e-320).rank(scores, np.random.default_rng(0)).tolist() == [[1, 3, 2]]


def test_the_ends_of_the_quantile_function_are_the_bounds():
    assert TruncatedGaussian(0.05).quantile(np.array([0.0, 0.5, 1.0])).tolist() == [-0.25, 0, 0.25]
    assert TruncatedGaussian(0.05).quantile(1.0) == 0.25


@given(st.lists(st.floats(0.25, 0.75), min_size=2, max_size=6), st.sampled_from(NOISES))
def test_p_ij_and_p_ji_add_up_and_follow_the_scores(scores, noise):
    scores = np.array([scores])
    p = noise.pairwise(scores)[0]
    np.testing.assert_array_equal(p + p.T, 1.0)
    gaps = scores[0][:, None] - scores[0][None, :]
    assert (p[gaps > 1e-9] > 0.5).all()
    assert ((p >= 0) & (p <= 1)).all()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5), st.floats(0.05, 2))
def test_plackett_luce_matches_sequential_picks(scores, scale):
    rankings, probabilities = naive.plackett_luce_distribution(scores, scale)
    noise = PlackettLuce(scale)
    expected = naive.pairwise_of(rankings, probabilities)
    np.testing.assert_allclose(noise.pairwise(np.array([scores]))[0], expected, atol=1e-9)
    order = sorted(range(len(scores)), key=lambda label: -scores[label])
    clean = tuple(order.index(label) + 1 for label in range(len(scores)))
    chance = noise.match_probability(np.array([scores]))[0]
    assert chance == pytest.approx(probabilities[rankings.index(clean)], rel=1e-9)


def test_plackett_luce_frequencies_match_the_exact_distribution():
    scores = np.array([0.1, 0.5, 0.3, 0.35])
    rankings, probabilities = naive.plackett_luce_distribution(scores, 0.2)
    drawn = PlackettLuce(0.2).rank(np.tile(scores, (100_000, 1)), np.random.default_rng(0))
    codes = drawn @ 10.0 ** np.arange(4)
    counts = [(codes == np.dot(r, 10.0 ** np.arange(4))).sum() for r in rankings]
    assert stats.chisquare(counts, probabilities * len(drawn)).pvalue > 1e-3


def test_a_tiny_plackett_luce_scale_is_no_noise_and_no_overflow():
    scores = np.array([[0.9, 0.1, 0.5]])
    noise = PlackettLuce(1e-310)
    assert noise.match_probability(scores).tolist() == [1.0]
    assert noise.pairwise(scores)[0, 0].tolist() == [0.5, 1.0, 1.0]
    assert noise.rank(scores, np.random.default_rng(0)).tolist() == [[1, 3, 2]]


def test_p_ij_of_a_function_is_simulated_within_its_stated_error():
    X = np.array([[0.5, 0.52, 0.3], [0.7, 0.4, 0.6]])
    function = Oracle(lambda X: X, noise=lambda rng, shape: rng.uniform(-0.25, 0.25, shape))
    p, error = function.pairwise(X, n_draws=50_000, return_error=True)
    exact = Oracle(lambda X: X, noise=UniformNoise()).pairwise(X)
    assert (np.abs(p - exact) <= 5 * error).all()
    assert 0 < error.max() <= 0.5 / np.sqrt(50_000) * 1.001
    np.testing.assert_allclose(p + p.transpose(0, 2, 1), 1.0)


def test_simulated_p_ij_counts_a_tie_as_half():
    coin = Oracle(lambda X: X, noise=lambda rng, shape: rng.choice([-0.5, 0.5], shape))
    p = coin.pairwise([[0.0, 1.0]], n_draws=40_000)
    assert p[0, 0, 1] == pytest.approx(1 / 8, abs=0.01)


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        (lambda rng, shape: rng.normal(0.1, 0.05, shape), "label . has mean 0.1.*zero-mean"),
        (lambda rng, shape: np.full(shape, 0.01), "has mean 0.01"),
        (lambda rng, shape: rng.normal(0, 0.05, shape[0]), r"has shape .*; expected"),
        (lambda rng, shape: np.full(shape, np.nan), "row 0, label 0 is nan"),
        (lambda rng: rng.normal(), r"draw\(rng, shape\) failed"),
        (lambda rng, shape: None, r"has shape \(\); expected"),
    ],
)
def test_a_bad_noise_function_gets_a_clear_error(noise, message):
    oracle = Oracle(lambda X: X, noise=noise)
    with pytest.raises((ValueError, TypeError), match=message):
        oracle.observe([[0.1, 0.2, 0.3]], random_state=0)


@pytest.mark.parametrize(
    "noise",
    [
        lambda rng, shape: rng.standard_cauchy(shape),
        lambda rng, shape: rng.standard_t(1.5, shape) * 1e-3,
        lambda rng, shape: np.zeros(shape),
        lambda rng, shape: rng.exponential(1.0, shape) - 1,
    ],
)
def test_heavy_tailed_skew_and_null_noise_is_taken(noise):
    ranks = Oracle(lambda X: X, noise=noise).observe([[0.1, 0.2, 0.3]] * 50, random_state=0)
    assert ranks.shape == (50, 3)


@pytest.mark.parametrize("bad", [0.3, "gaussian", TruncatedGaussian, [0.1]])
def test_what_is_no_noise_is_refused(bad):
    with pytest.raises(TypeError, match="noise is"):
        Oracle(lambda X: X, noise=bad)


class _Foreign:
    def __init__(self, ranks):
        self._ranks = ranks

    def rank(self, scores, rng):
        return self._ranks


def test_a_foreign_noise_object_is_used_and_its_output_checked():
    X = [[0.1, 0.2, 0.3]]
    assert Oracle(lambda X: X, noise=_Foreign([[1, 2, 3]])).observe(X).tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match="expected"):
        Oracle(lambda X: X, noise=_Foreign([[1, 2]])).observe(X)
    with pytest.raises(ValueError, match="row 0"):
        Oracle(lambda X: X, noise=_Foreign([[0, 1, 2]])).observe(X)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TruncatedGaussian(-1), "scale is -1; use a finite number of 0 or more"),
        (lambda: TruncatedGaussian(np.nan), "scale is nan"),
        (lambda: TruncatedGaussian(0.1, bound=0), "bound is 0"),
        (lambda: TruncatedGaussian("a"), "scale is 'a'; use a finite number of 0 or more"),
        (lambda: UniformNoise(-0.25), "bound is -0.25"),
        (lambda: PlackettLuce(0), "scale is 0; use a positive number"),
    ],
)
def test_bad_parameters_of_a_noise_are_named(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_biased_noise_is_taken_where_it_is_said_to_be():
    def lift(rng, shape):
        return rng.uniform([-0.05, 0.15], [0.05, 0.25], shape)

    def scores(X):
        return np.tile([0.6, 0.5], (len(X), 1))

    with pytest.raises(ValueError, match="CallableNoise\\(draw, zero_mean=False\\)"):
        Oracle(scores, features=np.zeros((1, 1)), noise=lift).sample(3)
    oracle = Oracle(scores, features=np.zeros((1, 1)), noise=CallableNoise(lift, zero_mean=False))
    X, Y = oracle.sample(50, random_state=0)
    # the observed rankings, and their median, are not those of the scores
    assert (Y == [2, 1]).all()
    np.testing.assert_array_equal(oracle.median(X), Y)
    assert (oracle.truth(X) == [1, 2]).all()
