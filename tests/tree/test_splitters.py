"""Cuts at random, bins, and where honest trees stop, as a user sees them."""

import numpy as np
import pytest

import rankwise as rw
from rankwise.tree._base import MANY_ROWS

DECOMPOSITIONS = ("labelwise", "joint", "pairwise", "joint_pairwise")


def problem(n, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rw.ranks_from_scores(X @ rng.normal(size=(d, k)) + 0.3 * rng.normal(size=(n, k)))


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_a_tree_cut_at_random_still_learns_its_rows_by_heart(decomposition):
    X, Y = problem(150)
    model = rw.TreeRanker(splitter="random", decomposition=decomposition, random_state=0)
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), Y)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_cuts_at_random_differ_by_seed_and_help_a_forest_to_rank(decomposition):
    X, Y = problem(400)
    options = {"splitter": "random", "bootstrap": False, "decomposition": decomposition}
    one, same, other = (
        rw.ForestRanker(20, **options, random_state=s).fit(X[:300], Y[:300]) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.predict_pairwise(X), same.predict_pairwise(X))
    assert (one.predict_pairwise(X) != other.predict_pairwise(X)).any()
    assert one.score(X[300:], Y[300:]) > 0.7


def test_gaps_are_cut_at_random_too():
    X, Y = problem(300)
    gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    model = rw.ForestRanker(20, splitter="random", bootstrap=False, random_state=0).fit(gaps, Y)
    assert model.score(gaps, Y) > 0.9
    only_gaps = np.full_like(X, np.nan)
    assert np.isfinite(model.predict_positions(only_gaps)).all()


def test_random_cuts_are_refused_for_levels():
    with pytest.raises(ValueError, match=r"splitter='random'.*criterion='breiman'"):
        rw.TreeRanker("level", splitter="random").fit(*problem(20))


@pytest.mark.parametrize("value", [1, 256, 2.5, "many", True])
def test_bins_are_a_number_that_a_byte_holds(value):
    with pytest.raises((ValueError, TypeError), match="max_bins"):
        rw.TreeRanker(max_bins=value).fit(*problem(20))


def test_few_rows_are_cut_exactly_and_many_by_bins():
    X, Y = problem(MANY_ROWS - 1)
    few = [rw.TreeRanker(max_depth=3, max_bins=b).fit(X, Y).splits_ for b in (4, None)]
    assert few[0] == few[1]
    X, Y = problem(MANY_ROWS)
    exact, coarse = (rw.TreeRanker(max_depth=3, max_bins=b).fit(X, Y) for b in (None, 4))
    thresholds = {(s.feature, s.threshold) for tree in coarse.splits_ for s in tree}
    assert len(thresholds) <= 3 * X.shape[1]
    assert len({(s.feature, s.threshold) for tree in exact.splits_ for s in tree}) > 20


def test_bins_rank_as_well_as_exact_cuts():
    X, Y = problem(MANY_ROWS + 2000)
    exact, binned = (
        rw.ForestRanker(10, max_bins=b, random_state=0).fit(X[:-2000], Y[:-2000])
        for b in (None, 255)
    )
    gap = exact.score(X[-2000:], Y[-2000:]) - binned.score(X[-2000:], Y[-2000:])
    assert abs(gap) < 0.01


@pytest.mark.slow  # kernels are compiled for codes of four bytes, which smaller data never has
def test_more_values_than_two_bytes_hold_are_cut_exactly():
    n = 66_000
    X = np.arange(n, dtype=float)[:, None]
    Y = np.where(X < 12_345, [[1.0, 2.0]], [[2.0, 1.0]])
    for decomposition in ("labelwise", "joint"):
        model = rw.TreeRanker(max_bins=None, decomposition=decomposition).fit(X, Y)
        assert {s.threshold for tree in model.splits_ for s in tree} == {12_344.5}


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_the_order_of_rows_changes_nothing(decomposition):
    rng = np.random.default_rng(2)
    X, Y = problem(200)
    X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.random(200)
    order = rng.permutation(200)
    one = rw.TreeRanker(decomposition=decomposition).fit(X, Y, weights)
    other = rw.TreeRanker(decomposition=decomposition).fit(X[order], Y[order], weights[order])
    np.testing.assert_array_equal(one.predict_pairwise(X), other.predict_pairwise(X))


def test_an_honest_tree_is_grown_until_one_row_fills_a_cell_unless_it_stops_when_pure():
    X, Y = problem(400)
    full, stopped = (
        rw.TreeRanker(honest=True, stop_when_pure=stop, random_state=0).fit(X, Y)
        for stop in (False, True)
    )
    assert [len(tree) for tree in full.splits_] == [199] * 4
    assert all(len(tree) < 199 for tree in stopped.splits_)


@pytest.mark.parametrize("boolean", [False, True])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_pairs_that_one_half_never_saw_do_not_spoil_the_others(splitter, boolean):
    # of the pairs of labels one is compared by a single row, which is in one half alone
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    Y = np.where(X[:, :1] > 0, [[1.0, 2.0, np.nan]], [[2.0, 1.0, np.nan]])
    X = np.sign(X) if boolean else X
    Y[0] = [1, np.nan, 2]
    Y[1] = [np.nan, 1, 2]
    for seed in range(6):
        options = {"honest": True, "decomposition": "pairwise", "splitter": splitter}
        model = rw.TreeRanker(**options, random_state=seed).fit(X, Y)
        shares = model.predict_pairwise(X)
        assert ((shares >= 0) & (shares <= 1)).all()
        right = (shares[2:, 0, 1] > 0.5) == (X[2:, 0] > 0)
        assert right.mean() > 0.7
