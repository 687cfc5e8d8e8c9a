"""Where labels are missing, a few trees of both kinds are tried on rows left out."""

import numpy as np
import pytest

from rankwise import ForestRanker
from rankwise.forest._trial import MOST_ROWS, better_alone, trial_rows
from rankwise.metrics import kendall_tau
from rankwise.models import load_model, save_model
from rankwise.rankings import ranks_from_scores

N, K = 400, 5


def smooth(seed, n=N, k=15, d=12, missing=0.4):
    """Features that add up: a tree per pair is better than one on all pairs."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    weights = np.random.default_rng(0).normal(size=(d, k))
    Y = ranks_from_scores(X @ weights + 0.1 * rng.normal(size=(n, k)))
    Y[rng.random(Y.shape) < missing] = np.nan
    return X, Y


def kinds(forest):
    """What each part of a forest is about, and how many trees it has."""
    return [(part.decomposition_, part.n_estimators) for part in forest._parts]


def predictor(truth, errors):
    """Predict the truth but for a share of wrong rows: by kind, and where both are asked their mean."""
    rng = np.random.default_rng(1)

    def predict(first, second):
        wrong = np.average(errors, weights=(first, second))
        flipped = rng.random(len(truth)) < wrong
        return np.where(flipped[:, None], 1 + K - truth, truth)

    return predict


@pytest.mark.parametrize("first", [0, 1])
def test_a_kind_that_is_clearly_better_is_alone(first):
    truth = np.tile(np.arange(1.0, K + 1), (N, 1))
    errors = [0.1, 0.9]
    assert better_alone(predictor(truth, errors[:: 1 - 2 * first]), truth, None, 100) == first


def test_both_stay_where_neither_is_clearly_better():
    truth = np.tile(np.arange(1.0, K + 1), (N, 1))
    assert better_alone(predictor(truth, [0.3, 0.33]), truth, None, 100) is None


def test_rows_that_say_nothing_decide_nothing():
    truth = np.full((N, K), np.nan)
    assert better_alone(lambda *_: np.ones((N, K)), truth, None, 100) is None


def test_rows_count_by_their_weight():
    """The first kind is right where weights are, the second elsewhere."""
    truth = np.tile(np.arange(1.0, K + 1), (N, 1))
    weights = np.repeat([1.0, 0.0], N // 2)

    def predict(first, second):
        right = np.zeros(N, dtype=bool)
        right[: N // 2] = first > 0 and (second == 0 or True)
        right[: N // 8] &= second == 0
        right[N // 2 :] = second > 0
        return np.where(right[:, None], truth, 1 + K - truth)

    assert better_alone(predict, truth, weights, 100) == 0
    assert better_alone(predict, truth, 1 - weights, 100) is None


def test_a_trial_has_few_rows_and_leaves_a_quarter_out():
    rows, left_out = trial_rows(np.arange(10 * MOST_ROWS), np.random.default_rng(0))
    assert len(rows) + len(left_out) == MOST_ROWS
    assert len(left_out) == MOST_ROWS // 4
    assert not {*rows} & {*left_out}


def test_trees_per_pair_alone_where_they_are_better(tmp_path):
    X, Y = smooth(0, n=2000, k=10)
    forest = ForestRanker(40, random_state=0).fit(X, Y)
    assert kinds(forest) == [("pairwise", 40)]
    mixed = ForestRanker(40, decomposition="mixed", random_state=0).fit(X, Y)
    assert sum(n for _, n in kinds(mixed)) == 40
    assert {kind for kind, _ in kinds(mixed)} == {"pairwise", "joint_pairwise"}
    X_new, Y_new = smooth(1, n=500, k=10, missing=0.0)
    taus = [kendall_tau(Y_new, m.predict(X_new)) for m in (forest, mixed)]
    assert taus[0] > taus[1]
    save_model(forest, tmp_path / "forest.rankwise")
    again = load_model(tmp_path / "forest.rankwise")
    np.testing.assert_array_equal(again.predict(X_new), forest.predict(X_new))
    two = ForestRanker(40, random_state=0, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(two.predict(X_new), forest.predict(X_new))


def test_few_rows_are_not_tried():
    X, Y = smooth(0, n=200)
    assert {kind for kind, _ in kinds(ForestRanker(20, random_state=0).fit(X, Y))} == {
        "pairwise",
        "joint_pairwise",
    }


@pytest.mark.parametrize("more", [{"max_samples": 390}, {"bootstrap": False, "max_samples": 399}])
def test_a_trial_draws_the_same_share_of_its_rows(more):
    X, Y = smooth(0, k=4)
    assert ForestRanker(4, random_state=0, **more).fit(X, Y).predict(X).shape == Y.shape


def test_a_trial_on_rows_without_weight_decides_nothing():
    X, Y = smooth(0, k=4)
    for row in range(3):
        weights = np.zeros(N)
        weights[row] = 1.0
        forest = ForestRanker(4, random_state=row).fit(X, Y, sample_weight=weights)
        assert len(forest._parts) > 1


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("n_told", [1, 2, 3, 4, 9, 40])
def test_of_many_rows_a_few_that_rank_two_labels_are_enough(n_told):
    X, Y = smooth(3)
    Y[n_told:, 1:] = np.nan
    Y[:n_told] = np.random.default_rng(n_told).permuted(
        np.tile(np.arange(15.0) + 1, (n_told, 1)), axis=1
    )
    forest = ForestRanker(12, random_state=0).fit(X, Y)
    assert forest.decomposition_ == "mixed"
    assert len(kinds(forest)) == 3
    assert np.isin(forest.predict(X[:5]), np.arange(1, 16)).all()
