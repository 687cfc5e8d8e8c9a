import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus import naive
from consensus.strategies import random_rankings, rankings
from rankwise.consensus import borda, bucket_order, bucket_order_batch, copeland, pairwise_matrix
from rankwise.consensus._bucket_program import solve_buckets
from rankwise.rankings import RankingWarning, ranks_from_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
PIVOTS = ("pivot", "decided pivot", "several pivots", "several pivots twice")
seeds = st.integers(0, 2**32 - 1)


def shares_of(Y):
    return naive.shares(naive.support_with_ties(Y))


def standard(ranks):
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


@given(rankings(max_labels=5))
def test_no_bucket_order_is_nearer_than_the_exact_one(Y):
    P, found = shares_of(Y), bucket_order(Y, method="exact")
    least = min(naive.bucket_distance(P, ranks) for ranks in naive.all_bucket_orders(len(P)))
    assert naive.bucket_distance(P, found) == pytest.approx(least, abs=1e-9)
    assert found.tolist() == standard(found)


@pytest.mark.parametrize("method", list(PIVOTS))
@pytest.mark.parametrize("within", [0.0, 0.1, 0.25, 0.5])
@given(seed=seeds, k=st.integers(2, 9))
def test_pivots_are_those_of_the_plain_twin(method, within, seed, k):
    rng = np.random.default_rng(seed)
    W = rng.integers(0, 9, size=(k, k)).astype(float)
    twin = naive.pivot_order(
        naive.shares(W.tolist()),
        list(range(k)),
        within,
        method != "pivot",
        method.startswith("several pivots"),
        method == "several pivots twice",
    )
    ranks = np.empty(k, dtype=int)
    for place, bucket in enumerate(twin):
        ranks[bucket] = place
    assert bucket_order_batch(W[None], method=method, tie_within=within)[0].tolist() == standard(
        ranks
    )


@pytest.mark.parametrize("method", ["exact", *PIVOTS])
@given(seed=seeds, k=st.integers(2, 8))
def test_rows_that_all_say_the_same_are_the_answer(method, seed, k):
    one = random_rankings(np.random.default_rng(seed), 1, k, ties=True)
    assert bucket_order(np.repeat(one, 3, axis=0), method=method).tolist() == standard(one[0])


def test_what_is_tied_counts_half():
    P = pairwise_matrix([[1, 1, 2], [1, 2, 2]], ties_count=True)
    np.testing.assert_allclose(P, [[0.5, 0.75, 1], [0.25, 0.5, 0.75], [0, 0.25, 0.5]])
    assert np.isnan(pairwise_matrix([[1, 1], [2, 2]])[0, 1])


def test_a_threshold_ties_what_is_close_by_borda_and_by_copeland():
    Y = [[1, 2, 2], [1, 2, 2], [1, 2, 3]]
    for rule in (borda, copeland):
        assert rule(Y, ties_count=True).tolist() == [1, 2, 3]
        assert rule(Y, ties_count=True, tie_within=0.2).tolist() == [1, 2, 2]


def test_a_frame_gives_a_series_and_many_labels_take_pivots():
    Y = pd.DataFrame([[1, 2, 2]], columns=["tea", "coffee", "water"])
    assert bucket_order(Y).to_dict() == {"tea": 1, "coffee": 2, "water": 2}
    many = 1 + np.arange(40)[None] // 2
    assert bucket_order(many).tolist() == standard(many[0])
    assert bucket_order(many, method="exact").tolist() == standard(many[0])


@given(seed=seeds, k=st.integers(2, 7))
def test_the_integer_program_comes_as_near_as_all_subsets(seed, k):
    W = np.random.default_rng(seed).integers(0, 9, size=(k, k)).astype(float)
    P = naive.shares(W.tolist())
    found = solve_buckets(np.array(P), np.inf)
    exact = bucket_order_batch(W[None], method="exact")[0]
    assert naive.bucket_distance(P, found) == pytest.approx(naive.bucket_distance(P, exact))
    assert found.tolist() == standard(found)


def test_of_more_than_twelve_labels_no_pivots_come_nearer_than_the_exact_answer():
    rng = np.random.default_rng(0)
    for k in (13, 18):
        scores = np.arange(k) // 2 + rng.normal(scale=2.0, size=(9, k))
        Y = ranks_from_scores(np.round(scores), higher_is_better=False)
        P = shares_of(Y.tolist())
        exact = naive.bucket_distance(P, bucket_order(Y, method="exact"))
        for method in PIVOTS:
            assert exact <= naive.bucket_distance(P, bucket_order(Y, method=method)) + 1e-6


def test_when_time_is_over_pivots_answer_and_a_warning_says_so():
    Y = np.random.default_rng(0).integers(1, 14, size=(5, 13))
    with pytest.warns(RankingWarning, match="did not end within 1e-09 s.*raise time_limit"):
        hasty = bucket_order(Y, method="exact", time_limit=1e-9)
    assert hasty.tolist() == bucket_order(Y, method="several pivots twice").tolist()


def test_labels_that_nobody_compares_are_tied_last_at_a_second_look():
    nan = np.nan
    Y = [[1, 2, nan, 3, nan]] * 3
    assert bucket_order(Y, method="several pivots twice").tolist() == [1, 2, 4, 3, 4]


@pytest.mark.parametrize("within", [-0.1, 0.6, np.nan])
def test_a_threshold_that_is_no_share_is_refused(within):
    with pytest.raises(ValueError, match="tie_within"):
        bucket_order([[1, 2]], tie_within=within)
