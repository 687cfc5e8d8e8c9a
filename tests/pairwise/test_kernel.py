"""KernelRanker: against scikit-learn's kernel ridge, leaving rows out one by one, and by meaning."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from rankwise.metrics import kendall_tau
from rankwise.pairwise import KernelRanker
from rankwise.pairwise._kernel import choose_kernel, pair_signs, positions_by_signs
from rankwise.rankings import ranks_from_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")


def draw(n=60, k=4, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    bumps = np.sin(2 * X @ np.random.default_rng(7).normal(size=(3, k)))
    return X, ranks_from_scores(bumps + noise * rng.normal(size=(n, k)))


def plain_signs(ranks):
    """1, -1, 0 or None for each pair, one comparison at a time."""
    k = len(ranks)
    return [
        np.nan
        if np.isnan(ranks[i]) or np.isnan(ranks[j])
        else float(ranks[i] < ranks[j]) - float(ranks[i] > ranks[j])
        for i in range(k)
        for j in range(i + 1, k)
    ]


def plain_positions(signs, k):
    """1 + half of what every pair takes away from a label."""
    positions = [1 + (k - 1) / 2] * k
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), sign in zip(pairs, signs, strict=True):
        positions[i] -= sign / 2
        positions[j] += sign / 2
    return positions


@pytest.mark.parametrize("k", [2, 3, 5])
def test_pairs_and_positions_are_the_twins(k):
    rng = np.random.default_rng(k)
    ranks = np.where(rng.random((30, k)) < 0.2, np.nan, rng.integers(1, k + 1, (30, k)))
    np.testing.assert_array_equal(pair_signs(ranks), [plain_signs(row) for row in ranks])
    signs = rng.normal(size=(30, k * (k - 1) // 2))
    expected = [plain_positions(row, k) for row in signs]
    np.testing.assert_allclose(positions_by_signs(signs, k), expected)


def test_complete_rankings_are_kernel_ridge_regression_of_positions():
    X, Y = draw()
    model = KernelRanker(0.3, 1.0).fit(X, Y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = KernelRidge(alpha=0.3, kernel="rbf", gamma=1 / 3).fit(scaled, Y - Y.mean(axis=0))
    expected = np.clip(peer.predict(scaled) + Y.mean(axis=0), 1, 4)
    np.testing.assert_allclose(model.predict_positions(X), expected, atol=1e-6)


def test_the_choice_is_that_with_the_highest_tau_on_rows_left_out():
    X, Y = draw(40)
    grid = ((0.01, 1.0, 100.0), (0.05, 1.0, 20.0))
    choice = choose_kernel(X, Y, np.ones(40), *grid)
    alone = {
        (r, w): choose_kernel(X, Y, np.ones(40), (r,), (w,)).score for r in grid[0] for w in grid[1]
    }
    assert choice.score == max(alone.values()) == alone[choice.ridge, choice.width]


def test_few_landmarks_come_near_to_all():
    X, Y = draw(300)
    new, truth = draw(500, seed=1, noise=0)
    whole, part = (KernelRanker(n_landmarks=m).fit(X, Y) for m in (1000, 150))
    assert part.score(new, truth) > whole.score(new, truth) - 0.03


def test_unknown_pairs_are_filled_by_the_others():
    X, Y = draw(300)
    new, truth = draw(500, seed=1, noise=0)
    rng = np.random.default_rng(0)
    incomplete = np.where(rng.random(Y.shape) < 0.4, np.nan, Y)
    # the last label is hardly ever ranked: without filling it would be drawn to the middle
    incomplete[rng.random(300) < 0.8, 3] = np.nan
    found = KernelRanker().fit(X, incomplete).predict(new)
    assert kendall_tau(truth, found) > KernelRanker().fit(X, Y).score(new, truth) - 0.15


def test_a_weight_counts_as_so_many_rows_and_rows_may_stand_in_any_order():
    X, Y = draw(40)
    weights = np.random.default_rng(0).integers(0, 4, 40)
    model = KernelRanker(0.5, 1.0)
    once = model.fit(X, Y, sample_weight=weights).predict_positions(X)
    order = np.random.default_rng(1).permutation(weights.sum())
    repeated = np.repeat(X, weights, axis=0)[order], np.repeat(Y, weights, axis=0)[order]
    np.testing.assert_allclose(model.fit(*repeated).predict_positions(X), once, atol=1e-6)


def test_gaps_get_the_mean_and_constant_features_do_no_harm():
    X, Y = draw(60)
    X = np.c_[X, np.full(60, 5.0)]
    gaps = X.copy()
    gaps[3, 0] = np.nan
    filled = X.copy()
    filled[3, 0] = np.delete(X[:, 0], 3).mean()
    with_gaps = KernelRanker(0.5, 1.0).fit(gaps, Y)
    assert np.isfinite(with_gaps.predict_positions(gaps)).all()
    same = with_gaps.predict_positions(gaps[[3]]), with_gaps.predict_positions(filled[[3]])
    np.testing.assert_allclose(*same)


@pytest.mark.parametrize("name", ["ridge", "width"])
@pytest.mark.parametrize("value", [0, -1.0, np.inf, "best", True])
def test_parameters_that_are_none_are_refused(name, value):
    X, Y = draw(10)
    with pytest.raises(ValueError, match=f"{name} is .*give a number above 0, or 'loo'"):
        KernelRanker(**{name: value}).fit(X, Y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("row", [[1e149, 1e149, 1e149], [1e149, -1e149, 1e149]])
def test_rows_farther_away_than_floats_reach_get_the_consensus_without_a_warning(row):
    X, Y = draw(12)
    model = KernelRanker().fit(X * 1e-10, Y)
    assert sorted(model.predict([row])[0]) == [1, 2, 3, 4]
