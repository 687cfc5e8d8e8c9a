"""PairwiseRanker against a plain double loop, and by properties."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from pairwise import naive
from pairwise.strategies import problems
from rankwise.pairwise import PairwiseRanker
from rankwise.pairwise._transitive import fill_uncompared
from rankwise.ranker import ranks_by_pairwise

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fitted(X, Y, **options):
    return PairwiseRanker(LogisticRegression(), ties="never", **options).fit(X, Y)


@given(problems())
def test_shares_and_ranks_are_those_of_a_double_loop(problem):
    X, Y = problem
    model = fitted(X, Y)
    for row, shares, ranks in zip(X, model.predict_pairwise(X), model.predict(X), strict=True):
        twin = naive.transitive_shares(naive.pairwise_shares(LogisticRegression, X, Y, row))
        unknown = np.array([[p is None for p in line] for line in twin])
        expected = np.where(unknown, 0.5, np.array(twin, dtype=float))
        np.testing.assert_allclose(shares, expected, atol=1e-9)
        if not unknown.any():
            assert ranks.tolist() == naive.copeland_by_shares(shares)


@given(problems(), st.sampled_from(["copeland", "borda", "kemeny"]))
def test_every_rule_gives_permutations_and_mirrored_shares(problem, aggregation):
    X, Y = problem
    model = fitted(X, Y, aggregation=aggregation)
    k = Y.shape[1]
    assert (np.sort(model.predict(X), axis=1) == np.arange(1, k + 1)).all()
    shares = model.predict_pairwise(X)
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1)
    assert (shares[:, range(k), range(k)] == 0.5).all()
    positions = model.predict_positions(X)
    assert positions.min() >= 1
    assert positions.max() <= k
    np.testing.assert_allclose(positions.sum(axis=1), k * (k + 1) / 2)


@given(problems(), st.randoms())
def test_relabelling_the_labels_relabels_the_shares(problem, random):
    X, Y = problem
    order = list(range(Y.shape[1]))
    random.shuffle(order)
    shares = fitted(X, Y).predict_pairwise(X)
    relabelled = fitted(X, Y[:, order]).predict_pairwise(X)
    np.testing.assert_allclose(relabelled, shares[:, order][:, :, order], atol=1e-3)


@given(problems())
def test_reversing_every_ranking_mirrors_the_shares(problem):
    X, Y = problem
    shares = fitted(X, Y).predict_pairwise(X)
    backwards = fitted(X, Y.shape[1] + 1 - Y).predict_pairwise(X)
    np.testing.assert_allclose(backwards, 1 - shares, atol=1e-3)


@given(problems())
def test_only_the_order_within_a_row_matters(problem):
    X, Y = problem
    np.testing.assert_array_equal(
        fitted(X, Y).predict_pairwise(X), fitted(X, 3 * Y + 7).predict_pairwise(X)
    )


def test_ties_by_probability_agree_with_the_rule_all_rankers_share():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model = fitted(X, rng.permuted(np.tile(np.arange(1.0, 6), (60, 1)), axis=1))
    new = rng.normal(size=(500, 2))
    shares = model.predict_pairwise(new)
    np.testing.assert_array_equal(model.predict(new), ranks_by_pairwise(shares, "copeland"))


def test_chains_of_comparisons_are_followed_to_their_end():
    """Four labels compared with their neighbours alone, each surely before the next."""
    compared = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    shares = np.full((1, 4, 4), 0.5)
    for i in range(3):
        shares[0, i, i + 1], shares[0, i + 1, i] = 0.9, 0.1
    fill_uncompared(shares, compared)
    above = shares[0][np.triu_indices(4, 1)]
    assert (above >= 0.9 - 1e-12).all()
    assert shares[0, 0, 3] > shares[0, 0, 2] > shares[0, 0, 1]


def test_opposite_sure_decisions_cancel_out():
    compared = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    shares = np.array([[[0.5, 1.0, 0.5], [0.0, 0.5, 0.0], [0.5, 1.0, 0.5]]])
    fill_uncompared(shares, compared)
    assert shares[0, 0, 2] == pytest.approx(0.5)


def test_no_warning_on_pairs_seen_in_both_orders():
    X = np.arange(8.0)[:, None]
    Y = np.array([[1, 2, 3], [3, 2, 1]] * 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(X, Y)
    assert (model.pair_counts_ == 4 * (1 - np.eye(3))).all()
