"""Shares of the votes beside the trees of a forest on rankings with ties."""

from math import comb

import numpy as np
import pytest

import rankwise as rw
from forest import naive
from rankwise.forest._kernel_rows import KernelRows
from rankwise.forest._near_rows import NearRows
from rankwise.forest._voters import best_shares, noise_of_few, votes_left_out


def smooth(n=150, d=6, k=4, seed=0):
    """Features that act together; utilities are rounded, so that labels are tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rw.ranks_from_scores(np.round(X @ rng.normal(size=(d, k)) / 2))


@pytest.fixture(scope="module")
def fitted():
    X, Y = smooth()
    model = rw.ForestRanker(20, random_state=0).fit(X, Y)
    assert {type(voter) for voter in model._voters} == {NearRows, KernelRows}
    return model, X


@pytest.mark.parametrize("seed", range(8))
def test_shares_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1.0, 1.0], (40, 6))
    votes = [a * truth + rng.normal(size=truth.shape) / 2 for a in rng.random(1 + seed % 4)]
    weights, noise = rng.random(40), 0.1 * rng.random(40)
    found = best_shares(votes, truth, weights, noise)
    expected = naive.shares(votes, truth, weights, noise)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    assert found.sum() == pytest.approx(1)


def test_whoever_knows_more_has_the_larger_share_and_who_says_the_contrary_has_none():
    truth = np.where(np.arange(12).reshape(4, 3) % 2, 1.0, -1.0)
    votes = [0.5 * truth, 0.9 * truth, -truth]
    some, most, none = best_shares(votes, truth, np.ones(4), np.zeros(4))
    assert most > some >= none == 0


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_the_noise_of_few_trees_is_their_variance_on_the_mean(p):
    n = 6
    said = np.arange(n + 1)
    chances = np.array([comb(n, c) * p**c * (1 - p) ** (n - c) for c in said])
    means = (2 * said / n - 1)[:, None]
    noise = noise_of_few(means, np.full(n + 1, n), 10**9)
    assert chances @ noise == pytest.approx(4 * p * (1 - p) / n)


def test_a_row_is_asked_of_what_was_learned_without_it_and_its_part():
    X, Y = smooth(60)
    rows, importances = np.arange(0, 60, 5), np.full(6, 1 / 6)
    other = Y.copy()
    other[rows] = np.roll(Y[rows], 1, axis=1)

    def said(Y):
        near = NearRows.of(X, Y, None, 1.0, importances)
        kernel = KernelRows(**near.__getstate__(), width=1.0, ridge=0.1)
        return votes_left_out([near, kernel], rows, importances)

    for one, same in zip(said(Y), said(other), strict=True):
        np.testing.assert_array_equal(one, same)


def test_a_kernel_is_asked_about_rows_left_out_also_where_it_votes_alone():
    X, Y = smooth(30)
    near = NearRows.of(X, Y, None, 1.0, np.full(6, 1 / 6))
    kernel = KernelRows(**near.__getstate__(), width=1.0, ridge=0.1)
    _, beside = votes_left_out([near, kernel], np.arange(30), np.full(6, 1 / 6))
    [alone] = votes_left_out([kernel], np.arange(30), np.full(6, 1 / 6))
    np.testing.assert_array_equal(alone, beside)


def test_rows_of_weight_0_and_fewer_rows_than_parts_leave_finite_votes():
    X, Y = smooth(4)
    for weights in (np.ones(4), np.array([0.0, 2.0, 0.0, 0.0])):
        near = NearRows.of(X, Y, weights, 1.0, np.full(6, 1 / 6))
        kernel = KernelRows(**near.__getstate__(), width=1.0, ridge=0.1)
        for votes in votes_left_out([near, kernel], np.arange(4), np.full(6, 1 / 6)):
            assert np.abs(votes).max() <= 1 + 1e-9


def test_predicted_shares_are_those_of_trees_and_voters_by_their_shares(fitted):
    model, X = fitted
    by_trees = np.average(
        [part.predict_pairwise(X) for part in model._parts],
        axis=0,
        weights=[part.n_estimators for part in model._parts],
    )
    expected = (1 - sum(voter.share for voter in model._voters)) * by_trees
    for voter in model._voters:
        expected += voter.share * model._shares_of(voter.votes(X))
    np.testing.assert_allclose(model.predict_pairwise(X), expected, atol=1e-12)


def test_a_file_with_more_votes_than_there_are_is_refused(tmp_path):
    model = rw.ForestRanker(20, random_state=0).fit(*smooth())
    model._near = [voter.with_share(0.9) for voter in model._voters]
    rw.save_model(model, tmp_path / "votes.rankwise")
    with pytest.raises(ValueError, match="more votes than there are"):
        rw.load_model(tmp_path / "votes.rankwise")
