import math
import time

import numpy as np
import pytest

from consensus import naive
from consensus.strategies import cyclic_support, random_rankings
from rankwise.consensus import kemeny, kemeny_batch
from rankwise.consensus._exact import solve_component, solve_exact
from rankwise.consensus._integer_program import _Search, solve_linear_ordering
from rankwise.consensus._kemeny_kernels import packing_bound, pair_costs
from rankwise.rankings import RankingWarning


def costs_of(W):
    costs = np.empty(W.shape)
    pair_costs(W, costs)
    return costs


def cost(costs, order):
    return naive.disagreement(costs.T, order)


def several_knots(rng, sizes):
    """Knots of cycles, one after the other, under shuffled labels; between them clear or tied."""
    k = sum(sizes)
    W = np.triu(rng.integers(0, 3, size=(k, k)), 1).astype(float)
    start = 0
    for size in sizes:
        W[start : start + size, start : start + size] = cyclic_support(rng, size)
        start += size
    shuffled = rng.permutation(k)
    return W[np.ix_(shuffled, shuffled)]


@pytest.mark.parametrize("k", range(8, 13))
@pytest.mark.parametrize("weighted", [False, True])
def test_integer_and_dynamic_programming_agree_on_cyclic_data(k, weighted):
    rng = np.random.default_rng(k)
    for _ in range(3):
        W = cyclic_support(rng, k) * (rng.random((k, k)) if weighted else 1)
        costs = costs_of(W)
        order, bound, proven = solve_linear_ordering(costs, math.inf)
        by_subsets = solve_component(costs, math.inf)
        assert proven
        assert cost(costs, order) == pytest.approx(by_subsets.bound)
        assert bound == pytest.approx(by_subsets.bound)
        assert cost(costs, by_subsets.order) == pytest.approx(by_subsets.bound)


@pytest.mark.parametrize("seed", [34, 49, 137])
def test_a_tournament_that_no_linear_relaxation_settles_is_proven_by_branching(seed, monkeypatch):
    # Among random tournaments of 13 labels these are rare; each was searched for.
    win = np.triu(np.random.default_rng(seed).integers(0, 2, size=(13, 13)), 1).astype(float)
    costs = costs_of(win + np.tril(1 - win.T, -1))
    branched, solve = [], _Search.solve

    def spy(search, *, integral):
        branched.append(integral)
        return solve(search, integral=integral)

    monkeypatch.setattr(_Search, "solve", spy)
    order, bound, proven = solve_linear_ordering(costs, math.inf)
    assert branched[-1]
    assert proven
    assert cost(costs, order) == bound == solve_component(costs, math.inf).bound


@pytest.mark.parametrize("seed", range(10))
def test_solving_knots_alone_loses_nothing(seed):
    rng = np.random.default_rng(seed)
    costs = costs_of(several_knots(rng, [1, 4, 2, 5]))
    apart, whole = solve_exact(costs, math.inf), solve_component(costs, math.inf)
    assert sorted(apart.order) == list(range(12))
    assert cost(costs, apart.order) == apart.bound == whole.bound


@pytest.mark.parametrize("seed", range(3))
def test_many_small_knots_need_no_integer_program(seed):
    costs = costs_of(several_knots(np.random.default_rng(seed), [6, 1, 7, 5, 8, 3, 1]))
    found = solve_exact(costs, math.inf)
    assert found.method == "dp"
    assert cost(costs, found.order) == found.bound


def test_every_relaxation_bounds_the_optimum_from_below():
    rng = np.random.default_rng(0)
    for _ in range(20):
        costs = costs_of(cyclic_support(rng, 7))
        least = solve_component(costs, math.inf).bound
        assert 0 < packing_bound(costs) <= least


def test_twenty_five_cyclic_labels_are_solved_and_proven():
    Y = random_rankings(np.random.default_rng(0), 5, 25)
    result = kemeny(Y, return_result=True, time_limit=None)
    assert result.method == "milp"
    assert result.proven
    assert result.distance == naive.disagreement(naive.support(Y), np.argsort(result.ranks))
    assert result.distance <= kemeny(Y, method="local", return_result=True).distance


def test_the_answer_for_many_labels_is_the_same_every_time():
    Y = random_rankings(np.random.default_rng(4), 4, 22)
    first = kemeny(Y)
    assert all(np.array_equal(kemeny(Y), first) for _ in range(3))


def test_out_of_time_gives_a_warning_a_permutation_and_a_bound_that_holds():
    # Here the plain local search beats what the integer program starts from.
    Y = random_rankings(np.random.default_rng(3), 5, 30)
    with pytest.warns(RankingWarning, match=r"not proven optimal within 1e-09 s.*raise time_limit"):
        hasty = kemeny(Y, time_limit=1e-9, return_result=True)
    optimum = kemeny(Y, time_limit=None, return_result=True)
    assert sorted(hasty.ranks) == list(range(1, 31))
    assert not hasty.proven
    assert hasty.distance == naive.disagreement(naive.support(Y), np.argsort(hasty.ranks))
    assert hasty.lower_bound <= optimum.distance <= hasty.distance
    assert hasty.distance <= kemeny(Y, method="local", return_result=True).distance


def test_a_batch_out_of_time_counts_the_open_problems():
    rng = np.random.default_rng(2)
    data = [random_rankings(rng, 1, 30), *(random_rankings(rng, 5, 30) for _ in range(2))]
    W = [naive.support(Y) for Y in data]
    with pytest.warns(RankingWarning, match=r"2 of 3 problems \(first: problem 1\)"):
        ranks = kemeny_batch(W, time_limit=1e-9)
    assert np.array_equal(np.sort(ranks, axis=1), np.tile(np.arange(1, 31), (3, 1)))
    assert np.array_equal(ranks[0], data[0][0])


def test_the_deadline_ends_a_search_that_cannot_be_won():
    rng = np.random.default_rng(0)
    costs = costs_of(rng.integers(0, 2, size=(70, 70)).astype(float))
    order, bound, proven = solve_linear_ordering(costs, time.monotonic() + 0.5)
    assert sorted(order) == list(range(70))
    assert not proven
    assert packing_bound(costs) <= bound < cost(costs, order)


def test_huge_and_tiny_weights_are_solved_alike():
    Y = random_rankings(np.random.default_rng(5), 5, 20)
    expected = kemeny(Y, return_result=True)
    for factor in (1e-310, 1e-150, 1e150):
        result = kemeny(Y, sample_weight=np.full(5, factor), return_result=True)
        assert result.proven
        assert result.distance / factor == pytest.approx(expected.distance)
