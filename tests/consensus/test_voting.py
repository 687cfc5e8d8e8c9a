import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus import naive
from consensus.strategies import random_rankings, rankings
from rankwise.consensus import borda, borda_batch, copeland, copeland_batch
from rankwise.rankings import RankingWarning, check_rankings

quiet = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


def ranks_of(scores):
    return [1 + sum(other - score > 1e-9 for other in scores) for score in scores]


@quiet
@given(rankings())
def test_borda_and_copeland_equal_their_plain_twins(Y):
    W = naive.support(Y)
    assert borda(Y).tolist() == ranks_of(naive.borda_scores(W))
    assert copeland(Y).tolist() == naive.copeland_positions(W)


@quiet
@given(rankings(), st.randoms(use_true_random=False))
def test_relabelling_permutes_the_ranks_and_the_order_of_rows_does_not_matter(Y, random):
    labels = random.sample(range(Y.shape[1]), Y.shape[1])
    rows = random.sample(range(Y.shape[0]), Y.shape[0])
    weights = np.array([random.choice([0.1, 0.2, 0.3, 0.7]) for _ in rows])
    for rule in (borda, copeland):
        ranks = rule(Y, sample_weight=weights)
        assert np.array_equal(rule(Y[:, labels], sample_weight=weights), ranks[labels])
        assert np.array_equal(rule(Y[rows], sample_weight=weights[rows]), ranks)


@quiet
@given(rankings(), st.randoms(use_true_random=False))
def test_a_whole_weight_is_a_row_repeated(Y, random):
    weights = [random.randint(1, 4) for _ in Y]
    for rule in (borda, copeland):
        repeated = rule(np.repeat(Y, weights, axis=0))
        assert np.array_equal(rule(Y, sample_weight=weights), repeated)
        assert np.array_equal(rule(Y, sample_weight=np.array(weights) / 10), repeated)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 12))
def test_borda_of_complete_rankings_is_the_order_of_mean_positions(seed, k, n):
    Y = random_rankings(np.random.default_rng(seed), n, k)
    sums = Y.sum(axis=0)
    assert borda(Y).tolist() == [1 + int((sums < s).sum()) for s in sums]


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_one_ranking_is_its_own_consensus(seed, k):
    Y = random_rankings(np.random.default_rng(seed), 1, k)
    assert np.array_equal(borda(Y), Y[0])
    assert np.array_equal(copeland(Y), Y[0])


def test_three_labels_in_a_cycle_all_stand_second_by_copeland_and_first_by_borda():
    Y = [[1, 2, 3], [3, 1, 2], [2, 3, 1]]
    assert copeland(Y).tolist() == [2, 2, 2]
    assert borda(Y).tolist() == [1, 1, 1]


def test_weights_that_tie_on_paper_tie_in_spite_of_rounding():
    Y = [[1, 2], [1, 2], [2, 1]]
    assert copeland(Y, sample_weight=[0.1, 0.2, 0.3]).tolist() == [1, 1]
    assert borda(Y, sample_weight=[0.1, 0.2, 0.3]).tolist() == [1, 1]


def test_a_majority_of_one_in_many_rows_counts():
    Y = np.ones((100_001, 2))
    Y[:50_001, 1] = 2
    Y[50_001:, 0] = 2
    assert borda(Y).tolist() == copeland(Y).tolist() == [1, 2]


@pytest.mark.parametrize("rule", [borda, copeland])
def test_a_label_that_is_never_compared_is_named_and_stands_in_the_middle(rule):
    Y = pd.DataFrame([[np.nan, 1, 2], [np.nan, 1, 2]], columns=["tea", "coffee", "water"])
    with pytest.warns(RankingWarning, match="label 'tea': never compared"):
        ranks = rule(Y)
    assert ranks["coffee"] == 1
    assert ranks["tea"] == 2


@pytest.mark.parametrize("rule", [borda, copeland])
def test_rows_that_tie_everything_leave_all_labels_equal(rule):
    with pytest.warns(RankingWarning, match="labels 0, 1, 2: never compared"):
        ranks = rule([[1, 1, 1], [2, 2, 2]])
    assert len(set(ranks)) == 1


@pytest.mark.parametrize("rule", [borda, copeland])
def test_a_frame_gives_a_series_with_the_label_names(rule):
    Y = pd.DataFrame([[2, 1, 3]], columns=["tea", "coffee", "water"])
    ranks = rule(Y)
    assert ranks.to_dict() == {"tea": 2, "coffee": 1, "water": 3}
    assert check_rankings([ranks]).shape == (1, 3)


@quiet
@pytest.mark.parametrize(("one", "batch"), [(borda, borda_batch), (copeland, copeland_batch)])
def test_a_batch_gives_what_its_problems_give_one_by_one(one, batch):
    rng = np.random.default_rng(0)
    data = [random_rankings(rng, 6, 5, missing=0.4, ties=bool(r % 2)) for r in range(50)]
    W = np.array([naive.support(Y) for Y in data])
    expected = np.array([one(Y) for Y in data])
    assert np.array_equal(batch(W), expected)
    with np.errstate(invalid="ignore"):
        shares = W / (W + W.transpose(0, 2, 1))
    assert np.array_equal(batch(shares), expected)
