"""Exact Kemeny orders: split the problem where majorities do not cycle, solve each part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.consensus._kemeny_kernels import majority_order, subset_order

# Dynamic programming takes 2**k * k steps: about ten milliseconds here, and twice that per label.
SUBSET_LIMIT = 16


@dataclass(frozen=True)
class Solution:
    """An order, a lower bound on the cost of any order, whether the order attains it, and how."""

    order: NDArray[np.int64]
    bound: float
    proven: bool
    method: str


def solve_exact(costs: NDArray[np.float64], deadline: float) -> Solution:
    """Find an order of least cost, where ``costs[i, j]`` is paid for putting i before j.

    One of each ``costs[i, j]``, ``costs[j, i]`` is 0. Strict majorities between strongly connected
    components of their graph all point one way, so orders that respect them pay within components
    only, and no order pays less than the sum of the components' least costs: each component may be
    solved alone. (This refines the extended Condorcet criterion, which keeps tied labels together.)
    """
    k = costs.shape[0]
    order = np.empty(k, dtype=np.int64)
    if majority_order(costs, order):
        return Solution(order, 0.0, True, "majority")
    # Few problems come this far, and the graph and optimisation parts of scipy load slowly.
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(costs > 0, directed=True, connection="strong")
    # What has to come later: across components by majority, within one by its solution.
    later = np.where(component[:, None] != component, costs, 0.0)
    parts = []
    for c in np.flatnonzero(np.bincount(component) > 1):
        labels = np.flatnonzero(component == c)
        part = solve_component(np.ascontiguousarray(costs[np.ix_(labels, labels)]), deadline)
        in_order = labels[part.order]
        later[np.ix_(in_order, in_order)] = np.tri(labels.size, k=-1)
        parts.append(part)
    majority_order(later, order)
    return Solution(
        order,
        sum(part.bound for part in parts),
        all(part.proven for part in parts),
        "milp" if any(part.method == "milp" for part in parts) else "dp",
    )


def solve_component(costs: NDArray[np.float64], deadline: float) -> Solution:
    """Solve labels whose majorities form one knot."""
    k = costs.shape[0]
    if k > SUBSET_LIMIT:
        from rankwise.consensus._integer_program import solve_linear_ordering

        order, bound, proven = solve_linear_ordering(costs, deadline)
        return Solution(order, bound, proven, "milp")
    order, least = np.empty(k, dtype=np.int64), np.empty(1 << k)
    subset_order(costs, least, order)
    return Solution(order, float(least[-1]), True, "dp")
