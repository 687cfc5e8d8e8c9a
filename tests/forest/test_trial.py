"""Where labels are missing, a few trees of each kind are tried on rows left out, and kinds get shares."""

from itertools import product

import numpy as np
import pytest

from forest import naive
from rankwise import ForestRanker
from rankwise.forest._trial import (
    LEAST_SHARE,
    LEAST_TREES,
    MOST_ROWS,
    N_PARTS,
    Squares,
    numbers_of_trees,
    parts_left_out,
)
from rankwise.models import load_model, save_model
from rankwise.ranker import pairwise_by_position
from rankwise.rankings import ranks_from_scores

N = 400


def smooth(seed, n=N, k=15, d=12, missing=0.4):
    """Features that add up: a tree per pair is better than one on all pairs."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    weights = np.random.default_rng(0).normal(size=(d, k))
    Y = ranks_from_scores(X @ weights + 0.1 * rng.normal(size=(n, k)))
    Y[rng.random(Y.shape) < missing] = np.nan
    return X, Y


def noise(n=N, k=5):
    """Rankings that have nothing to do with the features."""
    rng = np.random.default_rng(0)
    Y = ranks_from_scores(rng.normal(size=(n, k)))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    return rng.normal(size=(n, 4)), Y


def kinds(forest):
    """What each part of a forest is about, its smallest leaf, and how many trees it has."""
    return [(p.decomposition_, p.min_samples_leaf, p.n_estimators) for p in forest._parts]


def fitted(X, Y, *weights, **settings):
    return ForestRanker(**{"n_estimators": 20, "random_state": 0} | settings).fit(X, Y, *weights)


@pytest.mark.parametrize("seed", range(4))
def test_products_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    said = rng.choice([0.0, 0.5, 0.75, 1.0], (3, 2 + seed % 3, 12, 4, 4))
    said = (said + 1.0 - said.swapaxes(3, 4)) / 2
    ranks = rng.choice([1.0, 2.0, 3.0, np.nan], (12, 4))
    ranks[:, 0] = 1.0
    weights = rng.random(12)
    squares = Squares(3)
    for rows in (slice(0, 5), slice(5, 12)):
        squares.add([list(kind[:, rows]) for kind in said], ranks[rows], weights[rows])
    square, line = naive.squares(said, ranks, weights)
    np.testing.assert_allclose(squares.square / squares.weight, square, atol=1e-12)
    np.testing.assert_allclose(squares.line / squares.weight, line, atol=1e-12)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_the_square_of_two_trees_is_on_the_mean_that_of_many(p):
    expected = 0.0
    for said in product([-1.0, 1.0], repeat=2):
        squares = Squares(1)
        trees = [0.5 + s * np.array([[[0.0, 0.5], [-0.5, 0.0]]]) for s in said]
        squares.add([trees], np.array([[1.0, 2.0]]), np.ones(1))
        chance = np.prod([p if s > 0 else 1 - p for s in said])
        expected += chance * squares.square[0, 0] / squares.weight
    assert expected == pytest.approx((2 * p - 1) ** 2)


def test_who_knows_more_has_the_larger_share_and_without_rows_nobody_has_one():
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(1.0, 5.0), (300, 1)), axis=1)
    truth = pairwise_by_position(ranks)
    said = [
        [np.where(rng.random((300, 1, 1)) < wrong, 1 - truth, truth) for _ in range(3)]
        for wrong in (0.4, 0.2, 0.9)
    ]
    squares = Squares(3)
    assert squares.shares() is None
    squares.add(said, ranks, np.zeros(300))
    squares.add(said, np.full_like(ranks, np.nan), np.ones(300))
    assert squares.shares() is None
    squares.add(said, ranks, np.ones(300))
    little, most, none = squares.shares()
    assert most > little
    assert none == 0
    assert most + little == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_trees", [2, 3, 10, 37, 100])
def test_all_trees_are_given_by_shares_and_few_to_nobody(seed, n_trees):
    shares = np.random.default_rng(seed).dirichlet(np.full(5, 0.5 + seed))
    numbers = numbers_of_trees(shares, n_trees)
    assert numbers.sum() == n_trees
    assert numbers[np.argmax(shares)] == numbers.max()
    kept = numbers > 0
    assert numbers[kept].min() >= min(LEAST_TREES, n_trees)
    wanted = n_trees * shares[kept] / shares[kept].sum()
    assert np.abs(numbers[kept] - wanted).max() < 1
    # who has none would have had too few
    assert (shares[~kept] < max(LEAST_SHARE, LEAST_TREES / n_trees)).all()


@pytest.mark.parametrize(
    ("n_trees", "expected"), [(2, 1), (9, 1), (10, 1), (24, 2), (100, N_PARTS)]
)
def test_no_row_is_left_out_twice_and_few_trees_are_tried_on_few_parts(n_trees, expected):
    parts = list(parts_left_out(np.arange(5, 88), n_trees, np.random.default_rng(0)))
    assert len(parts) == expected
    for rows, left_out in parts:
        assert sorted([*rows, *left_out]) == list(range(5, 88))
    asked = [row for _, left_out in parts for row in left_out]
    assert len({*asked}) == len(asked)


def test_a_trial_has_few_rows_and_leaves_a_quarter_out():
    [(rows, left_out)] = parts_left_out(np.arange(10 * MOST_ROWS), 10, np.random.default_rng(0))
    assert len(rows) + len(left_out) == MOST_ROWS
    assert len(left_out) == MOST_ROWS // 4
    assert not {*rows} & {*left_out}


def test_trees_per_pair_alone_where_they_are_better(tmp_path):
    X, Y = smooth(0, n=2000, k=10)
    forest = fitted(X, Y, n_estimators=40)
    assert {kind for kind, *_ in kinds(forest)} == {"pairwise"}
    assert sum(n for *_, n in kinds(forest)) == 40
    # a forest of a few trees is tried as well
    assert {kind for kind, *_ in kinds(fitted(X, Y, n_estimators=4))} == {"pairwise"}
    X_new, Y_new = smooth(1, n=500, k=10, missing=0.0)
    fixed = fitted(X, Y, n_estimators=40, decomposition="mixed")
    assert forest.score(X_new, Y_new) > fixed.score(X_new, Y_new)
    save_model(forest, tmp_path / "forest.rankwise")
    again = load_model(tmp_path / "forest.rankwise")
    np.testing.assert_array_equal(again.predict(X_new), forest.predict(X_new))
    two = fitted(X, Y, n_estimators=40, n_jobs=2)
    np.testing.assert_array_equal(two.predict(X_new), forest.predict(X_new))


def test_large_leaves_have_most_of_the_trees_where_features_tell_nothing():
    by_leaf = {}
    for _, leaf, n in kinds(fitted(*noise(), n_estimators=100)):
        by_leaf[leaf] = by_leaf.get(leaf, 0) + n
    assert by_leaf[10] > 50


def test_rows_without_weight_and_the_scale_of_weights_change_no_share():
    X, Y = smooth(2, n=120, k=4)
    weights = np.tile([1.0, 2.0], 60)
    expected = kinds(fitted(X, Y, weights))
    more = np.concatenate([X, X[::-1]]), np.concatenate([Y, Y]), np.append(weights, np.zeros(120))
    assert kinds(fitted(*more)) == expected
    weights = np.random.default_rng(0).random(120)
    assert kinds(fitted(X, Y, 1e300 * weights)) == kinds(fitted(X, Y, weights))


def test_products_do_not_depend_on_the_names_of_labels_or_the_order_of_rows():
    rng = np.random.default_rng(3)
    said, ranks, weights = rng.random((3, 2, 12, 4, 4)), noise(12, 4)[1], rng.random(12)
    rows, labels = rng.permutation(12), rng.permutation(4)
    one, other = Squares(3), Squares(3)
    one.add(said, ranks, weights)
    renamed = said[:, :, rows][..., labels, :][..., labels]
    other.add(renamed, ranks[rows][:, labels], weights[rows])
    np.testing.assert_allclose(other.square, one.square, atol=1e-12)
    np.testing.assert_allclose(other.line, one.line, atol=1e-12)


def test_rows_are_scored_that_few_trees_of_each_kind_left_out():
    X, Y = smooth(5, n=60, k=4)
    for seed in range(4):
        forest = fitted(X, Y, n_estimators=10, oob_score=True, random_state=seed)
        assert 0.3 < forest.oob_score_ < 1


@pytest.mark.parametrize("tied", [False, True])
def test_shares_by_tree_are_on_the_mean_those_of_the_forest(tied):
    X, Y = smooth(4, n=60, k=4)
    Y = np.ceil(Y / 2) if tied else Y
    forest = fitted(X, Y)
    assert forest._with_ties == tied
    for part in forest._parts:
        mean = np.mean(list(part._shares_by_ranking(X)), axis=0)
        np.testing.assert_allclose(mean, part.predict_pairwise(X), atol=1e-12)


@pytest.mark.parametrize("more", [{"max_samples": 390}, {"bootstrap": False, "max_samples": 399}])
def test_a_trial_draws_the_same_share_of_its_rows(more):
    X, Y = smooth(0, k=4)
    assert fitted(X, Y, **more).predict(X).shape == Y.shape


def test_without_rows_to_leave_out_kinds_are_as_without_a_trial():
    X, Y = smooth(0, k=4)
    for row in range(3):
        weights = np.zeros(N)
        weights[row] = 1.0
        assert kinds(fitted(X, Y, weights)) == kinds(fitted(X, Y, weights, decomposition="mixed"))


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("n_told", [1, 2, 3, 4, 9, 40])
def test_of_many_rows_a_few_that_rank_two_labels_are_enough(n_told):
    X, Y = smooth(3)
    Y[n_told:, 1:] = np.nan
    Y[:n_told] = np.random.default_rng(n_told).permuted(
        np.tile(np.arange(15.0) + 1, (n_told, 1)), axis=1
    )
    forest = fitted(X, Y, n_estimators=12)
    assert forest.decomposition_ == "mixed"
    assert sum(n for *_, n in kinds(forest)) == 12
    assert np.isin(forest.predict(X[:5]), np.arange(1, 16)).all()
