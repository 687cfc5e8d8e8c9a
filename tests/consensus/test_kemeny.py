import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from consensus import naive
from consensus.strategies import cyclic_support, random_rankings, rankings
from rankwise.consensus import borda, kemeny, kemeny_batch
from rankwise.rankings import RankingWarning

quiet = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


def order_of(ranks):
    return np.argsort(ranks).tolist()


def distance(Y, ranks, weights=None):
    return naive.disagreement(naive.support(Y, weights), order_of(ranks))


def is_permutation(ranks):
    return sorted(ranks) == list(range(1, len(ranks) + 1))


@quiet
@given(rankings(), st.integers(0, 2**32 - 1))
def test_the_distance_is_the_least_of_all_permutations(Y, seed):
    for weights in (None, np.random.default_rng(seed).random(len(Y))):
        W = naive.support(Y, weights)
        result = kemeny(Y, sample_weight=weights, return_result=True)
        assert is_permutation(result.ranks)
        assert result.proven
        least = naive.disagreement(W, naive.kemeny_order(W))
        assert result.distance == pytest.approx(least)
        assert result.lower_bound == result.distance
        assert distance(Y, result.ranks, weights) == pytest.approx(least)


@given(rankings())
def test_among_optimal_rankings_it_is_the_first_by_label_index(Y):
    W = np.array(naive.support(Y))
    assume(np.all((W + W.T).sum(axis=1) > 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)
        assert order_of(kemeny(Y)) == naive.kemeny_order(W)


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_over_seven_labels_agrees(seed):
    W = cyclic_support(np.random.default_rng(seed), 7)
    assert order_of(kemeny_batch(W[None])[0]) == naive.kemeny_order(W.tolist())


@quiet
@pytest.mark.parametrize("k", [3, 9, 16, 20])
def test_no_random_ranking_is_better(k):
    rng = np.random.default_rng(k)
    Y = random_rankings(rng, 7, k, missing=0.2)
    W = naive.support(Y)
    best = kemeny(Y, return_result=True).distance
    assert all(naive.disagreement(W, rng.permutation(k)) >= best for _ in range(1000))


@quiet
@given(rankings(), st.randoms(use_true_random=False))
def test_relabelling_and_row_order_and_repetition_keep_the_distance(Y, random):
    labels = random.sample(range(Y.shape[1]), Y.shape[1])
    weights = np.array([random.randint(1, 3) for _ in Y])
    rows = random.sample(range(Y.shape[0]), Y.shape[0])
    result = kemeny(Y, sample_weight=weights, return_result=True)
    repeated = np.repeat(Y, weights, axis=0)
    assert np.array_equal(kemeny(repeated), result.ranks)
    assert np.array_equal(kemeny(Y[rows], sample_weight=weights[rows]), result.ranks)
    assert kemeny(repeated[:, labels], return_result=True).distance == result.distance
    tenths = kemeny(Y, sample_weight=weights / 10, return_result=True)
    assert tenths.distance == pytest.approx(result.distance / 10)
    assert np.array_equal(tenths.ranks, result.ranks)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_one_ranking_is_its_own_consensus(seed, k):
    Y = random_rankings(np.random.default_rng(seed), 1, k)
    for method in ("exact", "local"):
        result = kemeny(Y, method=method, return_result=True)
        assert np.array_equal(result.ranks, Y[0])
        assert result.distance == 0
        assert result.proven


def test_a_majority_without_cycles_is_followed_at_sixty_labels():
    rng = np.random.default_rng(0)
    centre = rng.permutation(60) + 1.0
    Y = np.argsort(np.argsort(centre + rng.normal(0, 3, size=(400, 60)), axis=1), axis=1) + 1.0
    Y[:150] = centre
    result = kemeny(Y, return_result=True)
    assert result.proven
    assert np.array_equal(result.ranks, centre)


def test_two_labels_follow_the_majority_and_a_tie_goes_to_the_smaller_index():
    assert kemeny([[2, 1], [2, 1], [1, 2]]).tolist() == [2, 1]
    assert kemeny([[2, 1], [1, 2]]).tolist() == [1, 2]
    result = kemeny([[2, 1], [1, 2]], return_result=True)
    assert (result.distance, result.method) == (1.0, "majority")


def test_ties_and_gaps_in_the_data_are_no_disagreement():
    Y = [[1, 1, 2], [np.nan, 2, 1], [1, 2, np.nan]]
    result = kemeny(Y, return_result=True)
    assert result.distance == 1
    assert result.ranks.tolist() == [1, 2, 3]


@pytest.mark.parametrize("k", [5, 25])
def test_labels_never_compared_are_named_and_stand_in_the_middle(k):
    Y = random_rankings(np.random.default_rng(1), 1, k)
    Y[0, 0] = np.nan
    with pytest.warns(RankingWarning, match="label 0: never compared"):
        ranks = kemeny(Y)
    assert ranks[0] == (k + 1) // 2
    assert order_of(ranks[1:]) == order_of(Y[0, 1:])


@quiet
@pytest.mark.parametrize("k", [3, 25])
def test_rows_that_tie_everything_give_the_labels_by_index(k):
    assert kemeny(np.ones((4, k))).tolist() == list(range(1, k + 1))


@quiet
@given(rankings(max_labels=7))
def test_local_search_is_valid_no_worse_than_borda_and_its_bound_holds(Y):
    best = kemeny(Y, return_result=True).distance
    result = kemeny(Y, method="local", return_result=True)
    assert is_permutation(result.ranks)
    assert result.distance == distance(Y, result.ranks)
    start = np.argsort(np.argsort(borda(Y), kind="stable")) + 1
    assert result.lower_bound <= best <= result.distance <= distance(Y, start)
    assert not result.proven or result.distance == best


def test_local_search_leaves_no_label_that_gains_by_moving():
    rng = np.random.default_rng(3)
    W = np.array([cyclic_support(rng, 12) for _ in range(5)])
    for problem, ranks in zip(W, kemeny_batch(W, method="local"), strict=True):
        order = order_of(ranks)
        cost = naive.disagreement(problem, order)
        for label in range(12):
            rest = [other for other in order if other != label]
            moved = [[*rest[:p], label, *rest[p:]] for p in range(12)]
            assert min(naive.disagreement(problem, m) for m in moved) >= cost


def test_a_frame_gives_a_series_with_the_label_names():
    Y = pd.DataFrame([[2, 1, 3]], columns=["tea", "coffee", "water"])
    assert kemeny(Y).to_dict() == {"tea": 2, "coffee": 1, "water": 3}
    assert kemeny(Y, return_result=True).ranks["coffee"] == 1


def test_the_result_cannot_be_changed():
    result = kemeny([[1, 2]], return_result=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.distance = 0


@quiet
@pytest.mark.parametrize("k", [2, 5, 8, 18])
@pytest.mark.parametrize("method", ["exact", "local"])
def test_a_batch_gives_what_its_problems_give_one_by_one(k, method):
    rng = np.random.default_rng(k)
    data = [
        random_rankings(rng, 5, k, missing=0.5, ties=bool(r % 2))
        for r in range(20 if k < 10 else 4)
    ]
    W = np.array([naive.support(Y) for Y in data])
    expected = np.array([kemeny(Y, method=method) for Y in data])
    assert np.array_equal(kemeny_batch(W, method=method), expected)
    W[W + W.transpose(0, 2, 1) == 0] = np.nan
    assert np.array_equal(kemeny_batch(W, method=method), expected)
