"""What mechanisms hide and tie: marginals, dependence, positions, partitions, top-k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from oracles import naive
from rankwise.oracles import (
    MissingByRank,
    Oracle,
    Partition,
    RandomSubset,
    Survival,
    TopK,
    UniformFeatures,
)
from rankwise.oracles._positions import positions
from rankwise.rankings import ranks_from_scores

N = 40_000


def _ranks(n_samples=N, n_labels=4, seed=0):
    return ranks_from_scores(np.random.default_rng(seed).random((n_samples, n_labels)))


def _observe(mechanism, ranks, X=None, seed=1):
    X = np.zeros((len(ranks), 0)) if X is None else X
    return mechanism.observe(X, ranks, np.random.default_rng(seed))


def _close(frequency, probability, n_samples=N):
    p = np.asarray(probability)
    return (np.abs(frequency - p) <= 5 * np.sqrt(p * (1 - p) / n_samples)).all()


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_positions_match_the_plain_twin(seed, n_labels):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 5, (6, n_labels)).astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    expected = np.array([naive.positions(row) for row in ranks])
    np.testing.assert_array_equal(positions(ranks), expected)


@pytest.mark.parametrize("dependence", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("q", [0.7, [0.0, 0.2, 0.9, 1.0]])
def test_each_label_survives_with_its_chance_whatever_the_dependence(q, dependence):
    Y = _observe(Survival(q, dependence=dependence), _ranks())
    assert _close(np.isfinite(Y).mean(axis=0), np.broadcast_to(q, 4))


def test_dependence_makes_labels_survive_together():
    together = []
    for dependence in (0.0, 0.5, 1.0):
        alive = np.isfinite(_observe(Survival(0.5, dependence=dependence), _ranks()))
        together.append((alive[:, 0] & alive[:, 1]).mean())
    # Two coins from Gaussians with correlation rho fall alike by 1/4 + asin(rho) / (2 pi).
    assert _close(np.array(together), [0.25, 0.25 + np.arcsin(0.5) / (2 * np.pi), 0.5])


def test_survival_may_depend_on_the_features():
    X = np.random.default_rng(2).integers(0, 2, (N, 1)).astype(bool)
    q = np.array([[0.9, 0.5, 0.5, 0.1], [0.2, 1.0, 0.0, 0.5]])
    Y = _observe(Survival(lambda X: q[X[:, 0].astype(int)]), _ranks(), X)
    for value in (0, 1):
        rows = X[:, 0] == value
        assert _close(np.isfinite(Y[rows]).mean(axis=0), q[value], rows.sum())


@pytest.mark.parametrize(
    "mechanism",
    [Survival(0.5), RandomSubset(2), MissingByRank([1, 0.5, 0.5, 0.2])],
    ids=repr,
)
def test_survivors_keep_their_order_and_are_ranked_anew(mechanism):
    ranks = _ranks(2000)
    Y = _observe(mechanism, ranks)
    for clean, seen in zip(ranks, Y, strict=True):
        alive = np.isfinite(seen)
        assert seen[alive].tolist() == (np.argsort(np.argsort(clean[alive])) + 1).tolist()


@pytest.mark.parametrize(
    ("plain", "keeping"),
    [
        (Survival(0.5), Survival(0.5, keep_positions=True)),
        (RandomSubset(2), RandomSubset(2, keep_positions=True)),
        (MissingByRank([1, 0.5, 0.5, 0.2]), MissingByRank([1, 0.5, 0.5, 0.2], keep_positions=True)),
    ],
    ids=repr,
)
def test_kept_positions_are_the_true_ones_of_the_same_survivors(plain, keeping):
    ranks = _ranks(2000)
    kept, renewed = _observe(keeping, ranks), _observe(plain, ranks)
    alive = np.isfinite(kept)
    np.testing.assert_array_equal(alive, np.isfinite(renewed))
    np.testing.assert_array_equal(kept[alive], ranks[alive])
    assert (kept != renewed)[alive].any()


def test_random_subsets_are_equally_likely():
    alive = np.isfinite(_observe(RandomSubset(2), _ranks()))
    assert (alive.sum(axis=1) == 2).all()
    counts = np.unique(alive @ [1, 2, 4, 8], return_counts=True)[1]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


def test_missing_by_rank_follows_the_position_not_the_label():
    q = [1.0, 0.6, 0.3, 0.0]
    ranks = _ranks()
    alive = np.isfinite(_observe(MissingByRank(q), ranks))
    seen = np.array([alive[ranks == place].mean() for place in (1, 2, 3, 4)])
    assert _close(seen, q)


def test_the_first_label_alone_is_what_the_top_label_oracle_shows():
    ranks = _ranks(200)
    Y = _observe(MissingByRank([1, 0, 0, 0]), ranks)
    np.testing.assert_array_equal(np.isfinite(Y), ranks == 1)


def test_missing_by_rank_may_depend_on_the_features():
    X = np.repeat([[0.0], [1.0]], 100, axis=0)
    Y = _observe(MissingByRank(lambda X: np.outer(X[:, 0], [1, 1, 1, 0])), _ranks(200), X)
    assert np.isnan(Y[:100]).all()
    assert (np.isnan(Y[100:]).sum(axis=1) == 1).all()


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(0, 1000))
def test_partial_ranks_match_the_plain_twin(sizes, seed):
    sizes = tuple(sizes) if sum(sizes) > 1 else (1, 1)
    ranks = _ranks(5, sum(sizes), seed)
    expected = [naive.partial_rank(row, sizes) for row in ranks]
    np.testing.assert_array_equal(_observe(Partition({sizes: 1.0}), ranks), expected)


def test_partitions_are_drawn_with_their_probabilities():
    p = {(2, 1, 1): 0.5, (4,): 0.2, (1, 3): 0.3}
    levels = _observe(Partition(p), _ranks()).max(axis=1)
    assert _close(np.array([(levels == top).mean() for top in (3, 1, 2)]), [0.5, 0.2, 0.3])


def test_cuts_come_with_their_chances():
    ranks = _ranks()
    Y = _observe(Partition([0.2, 0.5, 1.0]), ranks)
    by_place = np.take_along_axis(Y, np.argsort(ranks, axis=1), axis=1)
    assert _close(np.diff(by_place, axis=1).mean(axis=0), [0.2, 0.5, 1.0])


def test_all_cuts_keep_the_ranking_and_no_cut_ties_all():
    ranks = _ranks(50)
    np.testing.assert_array_equal(_observe(Partition(1.0), ranks), ranks)
    assert (_observe(Partition(0.0), ranks) == 1).all()


def test_partitions_may_depend_on_the_features():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    ranks = _ranks(100)
    Y = _observe(Partition(lambda X: np.repeat(X, 3, axis=1)), ranks, X)
    assert (Y[:50] == 1).all()
    np.testing.assert_array_equal(Y[50:], ranks[50:])


def test_top_k_ties_or_hides_the_rest():
    ranks = np.array([[4.0, 2, 3, 1], [1, 2, 3, 4]])
    assert _observe(TopK(2), ranks).tolist() == [[3, 2, 3, 1], [1, 2, 3, 3]]
    hidden = _observe(TopK(2, rest="missing"), ranks)
    np.testing.assert_array_equal(hidden, [[np.nan, 2, np.nan, 1], [1, 2, np.nan, np.nan]])
    np.testing.assert_array_equal(_observe(TopK(4), ranks), ranks)


def test_ties_and_gaps_pass_through_top_k_and_partition():
    ranks = np.array([[1.0, 1, 2, np.nan]])
    np.testing.assert_array_equal(_observe(TopK(1), ranks), [[1, 1, 2, np.nan]])
    np.testing.assert_array_equal(_observe(TopK(2), ranks), [[1, 1, 3, np.nan]])
    np.testing.assert_array_equal(_observe(Partition(0.0), ranks), [[1, 1, 1, np.nan]])
    np.testing.assert_array_equal(_observe(Partition([1, 0, 0]), ranks), [[1, 1, 2, np.nan]])


def test_several_mechanisms_act_in_turn():
    oracle = Oracle(
        lambda X: X, features=UniformFeatures(4), mechanism=[Survival([1, 1, 1, 0]), TopK(1)]
    )
    X, Y = oracle.sample(300, random_state=0)
    assert np.isnan(Y[:, 3]).all()
    assert (np.sort(Y[:, :3], axis=1) == [1, 2, 2]).all()
    assert (X[:, :3].argmax(axis=1) == Y[:, :3].argmin(axis=1)).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Survival(1.5), "q is 1.5; use a probability from 0 to 1"),
        (lambda: Survival([0.5, -1]), "q, label 1 is -1"),
        (lambda: Survival([0.5, np.nan]), "q, label 1 is nan"),
        (lambda: Survival([[0.5, 0.5]]), r"q has shape \(1, 2\)"),
        (lambda: Survival(0.5, dependence=1.1), "dependence is 1.1"),
        (lambda: Survival("often"), "q is 'often'"),
        (lambda: RandomSubset(0), "size is 0"),
        (lambda: MissingByRank(0.5), "one probability per position"),
        (lambda: MissingByRank([0.5, 2]), "q, position 1 is 2"),
        (lambda: Partition(-0.1), "p is -0.1"),
        (lambda: Partition({}), "empty mapping"),
        (lambda: Partition({(1, 2): 0.5, (1, 1): 0.5}), "must sum to n_labels"),
        (lambda: Partition({(1, 2): 0.5}), "sum to 0.5; they must sum to 1"),
        (lambda: Partition({(1, 0, 2): 1.0}), "an interval's size is 0"),
        (lambda: Partition({3: 1.0}), "must be a tuple"),
        (lambda: TopK(0), "k is 0"),
        (lambda: TopK(1, rest="gone"), "rest is 'gone'"),
        (lambda: Oracle(lambda X: X, mechanism=0.7), "mechanism is 0.7; use an object"),
        (lambda: Oracle(lambda X: X, mechanism=Survival), "use an object"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (Survival([0.5, 0.5]), r"q has shape \(2,\); expected \(4,\), one per label"),
        (Survival(lambda X: np.full(len(X), 0.5)), r"q\(X\) has shape \(3,\); expected \(3, 4\)"),
        (Survival(lambda X: np.full((len(X), 4), 1.5)), "q at row 0, label 0 is 1.5"),
        (RandomSubset(5), "size is 5; there are only 4 labels"),
        (MissingByRank([1, 0]), r"q has shape \(2,\); expected \(4,\), one per position"),
        (Partition([0.5]), r"p has shape \(1,\); expected \(3,\), one per cut"),
        (Partition({(1, 2): 1.0}), "cover 3 positions but there are 4 labels"),
        (TopK(5), "k is 5; there are only 4 labels"),
    ],
)
def test_a_mechanism_that_does_not_fit_the_labels_is_refused(mechanism, message):
    oracle = Oracle(lambda X: X, mechanism=mechanism)
    with pytest.raises(ValueError, match=message):
        oracle.observe(np.arange(12.0).reshape(3, 4), random_state=0)


class _Broken:
    def observe(self, X, ranks, rng):
        return ranks[:, :1]


def test_a_foreign_mechanism_must_keep_the_shape():
    with pytest.raises(ValueError, match=r"observe gave shape \(1, 1\); expected \(1, 2\)"):
        Oracle(lambda X: X, mechanism=_Broken()).observe([[0.1, 0.2]])
