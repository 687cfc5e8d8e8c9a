"""Kemeny's rule: the ranking that disagrees least with the observed comparisons."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_choice, check_flag, check_seconds, deadline_in
from rankwise.consensus._exact import SUBSET_LIMIT, Solution, solve_exact
from rankwise.consensus._kemeny_kernels import (
    exact_orders,
    insertion_orders,
    is_compared,
    order_cost,
    packing_bound,
    pair_costs,
)
from rankwise.consensus._support import check_support, like_labels, support_of_rankings
from rankwise.consensus._voting import borda_ranks
from rankwise.rankings import RankingWarning


@check_arguments
@dataclass(frozen=True)
class KemenyResult:
    """What `kemeny` found, and how sure it is.

    Attributes
    ----------
    ranks : ndarray of shape (n_labels,) or Series
        Position of each label, a permutation of 1..n_labels.
    distance : float
        Weighted number of observed strict comparisons that `ranks` contradicts.
    lower_bound : float
        No ranking has a smaller distance than this.
    proven : bool
        Whether `ranks` is known to be optimal (integer programs: up to the solver's precision, two
        millionths of the largest margin between two labels).
    method : {"majority", "dp", "milp", "local"}
        No majority had to be broken; dynamic programming; integer programming; local search.
    """

    ranks: Any
    distance: float
    lower_bound: float
    proven: bool
    method: str


@check_arguments
def kemeny(
    Y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    method: str = "auto",
    time_limit: float | None = 60.0,
    return_result: bool = False,
) -> Any:
    """Return the ranking with the fewest disagreements with the observed strict comparisons.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each row.
    method : {"auto", "exact", "local"}
        "exact" (and "auto") proves its answer: groups of labels whose majorities cycle are solved
        by dynamic programming up to 16 labels, by integer programming beyond. "local" improves
        Borda's ranking by moving single labels: fast, good, without proof.
    time_limit : float or None
        Seconds for integer programming. When they are over, the best ranking so far is returned,
        and a `RankingWarning` says how far from optimal it may be.
    return_result : bool
        Whether to return a `KemenyResult` in place of the ranks.

    Returns
    -------
    ndarray of shape (n_labels,), int64
        A permutation of 1..n_labels; a Series where `Y` is a DataFrame. Among optimal rankings of
        up to 16 labels, and wherever no majority has to be broken, it is the one that puts labels
        of smaller index first. A label that is never compared stands in the middle, with a
        `RankingWarning`.

    Examples
    --------
    Tea beats coffee, coffee beats water, water beats tea; the weakest majority gives way:

    >>> Y = [[1, 2, 3], [1, 2, 3], [3, 1, 2], [2, 3, 1], [2, 3, 1]]
    >>> kemeny(Y)
    array([1, 2, 3])
    >>> kemeny(Y, return_result=True).distance
    6.0
    """
    _check_options(method, time_limit)
    support = support_of_rankings(Y, sample_weight)
    result = _solve(support, method, deadline_in(time_limit))
    if not result.proven and method != "local":
        warnings.warn(
            f"kemeny: not proven optimal{_within(time_limit)}: the distance is "
            f"{result.distance:g}, the optimum at least {result.lower_bound:g} "
            f"(at most {_gap(result):.2g} % less); raise time_limit to close the gap",
            RankingWarning,
            stacklevel=2,
        )
    result = replace(result, ranks=like_labels(result.ranks, Y))
    return result if check_flag("return_result", return_result) else result.ranks


@check_arguments
def kemeny_batch(
    W: ArrayLike, *, method: str = "auto", time_limit: float | None = 60.0
) -> NDArray[np.int64]:
    """Apply `kemeny` to many problems at once.

    Parameters
    ----------
    W : array-like of shape (n_problems, n_labels, n_labels)
        Supports, as in `borda_batch`.
    method : {"auto", "exact", "local"}
        As for `kemeny`.
    time_limit : float or None
        Seconds for all problems together; it can only matter beyond 16 labels.

    Returns
    -------
    ndarray of shape (n_problems, n_labels), int64
        Ranks, as `kemeny` gives them.

    Examples
    --------
    >>> kemeny_batch([[[0, 2, 3], [1, 0, 2], [0, 1, 0]]])
    array([[1, 2, 3]])
    """
    _check_options(method, time_limit)
    support = check_support(W)
    if method == "local":
        return _ranks(_local_orders(support))
    if support.shape[1] <= SUBSET_LIMIT:
        orders = np.empty(support.shape[:2], dtype=np.int64)
        exact_orders(support, orders)
        return _ranks(orders)
    deadline = deadline_in(time_limit)
    results = [_solve(problem, method, deadline) for problem in support]
    open_problems = [r for r, result in enumerate(results) if not result.proven]
    if open_problems:
        widest = max(_gap(results[r]) for r in open_problems)
        warnings.warn(
            f"kemeny_batch: {len(open_problems)} of {len(results)} problems (first: problem "
            f"{open_problems[0]}) not proven optimal{_within(time_limit)}; the optimum is at "
            f"most {widest:.2g} % less; raise time_limit, or ask for method='local'",
            RankingWarning,
            stacklevel=2,
        )
    return np.array([result.ranks for result in results], dtype=np.int64).reshape(support.shape[:2])


def _check_options(method: str, time_limit: float | None) -> None:
    check_choice("method", method, ("auto", "exact", "local"))
    check_seconds("time_limit", time_limit, allow_zero=False)


def _within(time_limit: float | None) -> str:
    return "" if time_limit is None else f" within {time_limit:g} s"


def _gap(result: KemenyResult) -> float:
    return 100 * (result.distance - result.lower_bound) / result.distance


def _solve(support: NDArray[np.float64], method: str, deadline: float) -> KemenyResult:
    """Solve one problem of any size."""
    costs = np.empty(support.shape)
    pair_costs(support, costs)
    if method == "local":
        order = _local_orders(support[None])[0]
        bound = packing_bound(costs)
        found = Solution(order, bound, order_cost(costs, order) <= bound, "local")
    elif support.shape[0] <= SUBSET_LIMIT:
        orders = np.empty((1, support.shape[0]), dtype=np.int64)
        exact_orders(support[None], orders)
        bound = order_cost(costs, orders[0])
        found = Solution(orders[0], bound, True, "dp" if bound else "majority")
    else:
        found = _solve_compared(support, costs, deadline)
    if not found.proven and found.method == "milp":
        # Out of time: the faster search may have done better.
        other = _local_orders(support[None])[0]
        if order_cost(costs, other) < order_cost(costs, found.order):
            found = replace(found, order=other)
    # Both orders of a pair pay the smaller support; costs are what comes on top.
    unavoidable = float(np.triu(np.nan_to_num(np.minimum(support, support.T)), 1).sum())
    distance = unavoidable + order_cost(costs, found.order)
    bound = distance if found.proven else min(unavoidable + found.bound, distance)
    ranks = _ranks(found.order[None])[0]
    return KemenyResult(ranks, distance, bound, found.proven, found.method)


def _solve_compared(
    support: NDArray[np.float64], costs: NDArray[np.float64], deadline: float
) -> Solution:
    """Solve the labels that have comparisons; put the others in the middle, by index."""
    compared = np.array([is_compared(support, i) for i in range(support.shape[0])])
    labels = np.flatnonzero(compared)
    found = solve_exact(np.ascontiguousarray(costs[np.ix_(labels, labels)]), deadline)
    order = labels[found.order]
    half = labels.size // 2
    order = np.concatenate([order[:half], np.flatnonzero(~compared), order[half:]])
    return Solution(order, found.bound, found.proven, found.method)


def _local_orders(support: NDArray[np.float64]) -> NDArray[np.int64]:
    orders = np.argsort(borda_ranks(support), axis=1, kind="stable")
    insertion_orders(support, orders)
    return orders


def _ranks(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(orders.shape, dtype=np.int64)
    np.put_along_axis(ranks, orders, np.arange(1, orders.shape[1] + 1)[None, :], axis=1)
    return ranks
