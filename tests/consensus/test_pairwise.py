import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus import naive
from consensus.strategies import random_rankings, rankings
from rankwise.consensus import pairwise_matrix
from rankwise.consensus._support import support_of_rankings

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


@given(rankings(), st.integers(0, 2**32 - 1))
def test_support_equals_the_plain_count(Y, seed):
    weights = np.random.default_rng(seed).integers(0, 5, size=len(Y)) + 0.5
    assert np.array_equal(support_of_rankings(Y, None), naive.support(Y))
    np.testing.assert_allclose(support_of_rankings(Y, weights), naive.support(Y, weights))


@given(rankings())
def test_shares_of_a_pair_add_up_to_one_and_are_missing_where_never_compared(Y):
    P, weights = pairwise_matrix(Y, return_weights=True)
    compared = weights > 0
    np.fill_diagonal(compared, True)
    assert np.array_equal(np.isnan(P), ~compared)
    assert np.all((P + P.T)[compared] == 1)
    assert np.all(np.diagonal(P) == 0.5)
    off_diagonal = compared & ~np.eye(len(P), dtype=bool)
    np.testing.assert_allclose(
        (P * weights)[off_diagonal], np.array(naive.support(Y))[off_diagonal]
    )


@given(rankings(), st.randoms(use_true_random=False))
def test_relabelling_permutes_the_matrix_and_the_order_of_rows_does_not_matter(Y, random):
    labels = random.sample(range(Y.shape[1]), Y.shape[1])
    rows = random.sample(range(Y.shape[0]), Y.shape[0])
    P = pairwise_matrix(Y)
    np.testing.assert_allclose(pairwise_matrix(Y[:, labels]), P[np.ix_(labels, labels)])
    assert np.array_equal(pairwise_matrix(Y[rows]), P, equal_nan=True)


def test_small_weights_are_not_lost_beside_a_large_one():
    weights = np.full(256 * 400, 1 / 256)
    weights[0] = 2.0**53
    Y = np.tile([[1.0, 2.0]], (len(weights), 1))
    assert support_of_rankings(Y, weights)[0, 1] == pytest.approx(2.0**53 + 400, rel=0, abs=4)


def test_a_row_of_weight_zero_is_left_out():
    P = pairwise_matrix([[1, 2], [2, 1]], sample_weight=[1, 0])
    assert P[0, 1] == 1


def test_a_frame_gives_a_frame_with_the_label_names():
    Y = pd.DataFrame([[1, 2, 3], [1, 3, 2]], columns=["tea", "coffee", "water"])
    P, weights = pairwise_matrix(Y, return_weights=True)
    assert P.loc["tea", "water"] == 1
    assert P.loc["coffee", "water"] == 0.5
    assert list(weights.columns) == list(P.index) == list(Y.columns)


def test_many_labels_need_no_memory_per_row_and_pair():
    Y = random_rankings(np.random.default_rng(0), 2, 1000)
    assert pairwise_matrix(Y).shape == (1000, 1000)


def test_read_only_and_column_major_arrays_are_taken():
    Y = np.asfortranarray(random_rankings(np.random.default_rng(0), 5, 4))
    expected = pairwise_matrix(Y.copy())
    Y.flags.writeable = False
    assert np.array_equal(pairwise_matrix(Y), expected)
