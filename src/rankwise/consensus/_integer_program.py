"""Kemeny orders of many labels by integer programming: the linear ordering problem, with HiGHS.

A variable per pair says whether i comes before j; an order is an assignment without cycles of
three. Such constraints are too many to write down (about k**3 / 3), so only those are added that a
solution violates, first to the linear relaxation, whose optimum is often integral already.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from rankwise.consensus._kemeny_kernels import insertion_order, order_cost, packing_bound

# The solver's tolerances are absolute (1e-7 to 1e-6): costs are scaled so that these are harmless.
SCALE = 1e3
VIOLATION = 1e-4
# What the solver's bounds may be wrong by, as a share of the largest cost.
PRECISION = 1e-6


@dataclass
class _Search:
    """The best order and the best bound so far, and the constraints met on the way."""

    costs: NDArray[np.float64]
    deadline: float
    order: NDArray[np.int64]
    cost: float = np.inf
    bound: float = 0.0
    cycles: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))

    def __post_init__(self) -> None:
        k = self.costs.shape[0]
        self.first, self.second = np.triu_indices(k, 1)
        self.variable = np.zeros((k, k), dtype=np.int32)  # what HiGHS counts with
        self.variable[self.first, self.second] = np.arange(self.first.size)
        self.variable[self.second, self.first] = np.arange(self.first.size)
        self.largest = float(self.costs.max())
        self.step = _common_step(self.costs)

    def offer(self, order: NDArray[np.int64]) -> None:
        """Improve `order` by insertion and keep it if it is the best so far."""
        order = np.ascontiguousarray(order, dtype=np.int64).copy()
        insertion_order(self.costs, order)
        cost = order_cost(self.costs, order)
        if cost < self.cost:
            self.order, self.cost = order, cost

    def raise_bound(self, bound: float) -> None:
        """Note the solver's bound, less its precision; whole costs reach up to the next step."""
        bound -= PRECISION * self.largest
        if self.step:
            bound = np.ceil(bound / self.step) * self.step
        self.bound = max(self.bound, min(bound, self.cost))

    @property
    def proven(self) -> bool:
        return bool(self.cost - self.bound <= 2 * PRECISION * self.largest)

    def solve(self, *, integral: bool) -> Any:
        """Solve the relaxation with the constraints so far, in the time that is left."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return None
        price = self.costs[self.first, self.second] - self.costs[self.second, self.first]
        options: dict[str, Any] = {"mip_rel_gap": 0.0}
        if np.isfinite(left):
            options["time_limit"] = left
        return milp(
            price / self.largest * SCALE,
            integrality=np.full(price.size, int(integral)),
            bounds=Bounds(0, 1),
            constraints=self._constraints(),
            options=options,
        )

    def _constraints(self) -> LinearConstraint:
        # A cycle a > b > c > a is excluded by x_ab + x_bc + x_ca <= 2, where x_ba = 1 - x_ab.
        heads, tails = self.cycles, np.roll(self.cycles, -1, axis=1)
        signs = np.where(heads < tails, 1.0, -1.0)
        start = np.arange(0, 3 * len(heads) + 1, 3, dtype=np.int32)
        matrix = csr_array(
            (signs.ravel(), self.variable[heads, tails].ravel(), start),
            shape=(len(heads), self.first.size),
        )
        return LinearConstraint(matrix, -np.inf, 2.0 - (signs < 0).sum(axis=1))

    def before(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the solution as a matrix: how much i comes before j."""
        matrix = np.zeros(self.costs.shape)
        matrix[self.first, self.second] = x
        matrix[self.second, self.first] = 1.0 - x
        return matrix

    def objective(self, scaled: float) -> float:
        """Undo the scaling of an objective value, and add the constant left out of it."""
        return scaled / SCALE * self.largest + float(self.costs[self.second, self.first].sum())


def solve_linear_ordering(
    costs: NDArray[np.float64], deadline: float
) -> tuple[NDArray[np.int64], float, bool]:
    """Return an order of least cost, a lower bound on its cost, and whether the two meet."""
    k = costs.shape[0]
    search = _Search(costs, deadline, np.arange(k))
    search.offer(np.argsort(costs.sum(axis=1) - costs.sum(axis=0), kind="stable"))
    search.raise_bound(packing_bound(costs))
    # Without constraints, every pair goes to its majority, and ties are free.
    before = 0.5 + 0.5 * np.sign(costs.T - costs)
    integral = False
    while not search.proven:
        found = _violated_cycles(before, limit=k * k // 4, deadline=deadline)
        if len(found):
            search.cycles = np.concatenate([search.cycles, found])
        elif integral or time.monotonic() > deadline:
            break
        else:
            integral = True
        result = search.solve(integral=integral)
        if result is None:
            break
        if integral and result.mip_dual_bound is not None:
            search.raise_bound(search.objective(result.mip_dual_bound))
        elif result.status == 0:
            search.raise_bound(search.objective(result.fun))
        if result.x is None:
            break
        before = search.before(result.x)
        search.offer(np.argsort(-before.sum(axis=1), kind="stable"))
        if result.status != 0:
            break
    return search.order, search.cost if search.proven else search.bound, search.proven


def _violated_cycles(
    before: NDArray[np.float64], *, limit: int, deadline: float
) -> NDArray[np.int64]:
    """Return the cycles of three that a solution contains, the most violated first."""
    k = before.shape[0]
    cycles, excess = [np.empty((0, 3), dtype=np.int64)], [np.empty(0)]
    for a in range(k - 2):
        if time.monotonic() > deadline:
            break
        # a is the smallest of its cycle, so that each is found once; (k, k) memory at a time.
        rest = before[a + 1 :, a + 1 :] + before[a, a + 1 :, None] + before[a + 1 :, a]
        np.fill_diagonal(rest, 0.0)
        b, c = np.nonzero(rest > 2.0 + VIOLATION)
        cycles.append(np.column_stack([np.full(b.size, a), b + a + 1, c + a + 1]))
        excess.append(rest[b, c])
    worst = np.argsort(-np.concatenate(excess), kind="stable")[:limit]
    return np.concatenate(cycles)[worst]


def _common_step(costs: NDArray[np.float64]) -> float:
    """Return the greatest number that divides all costs where they are whole, else 0."""
    if costs.max() >= 2**53 or (costs != np.rint(costs)).any():
        return 0.0
    return float(np.gcd.reduce(costs.astype(np.int64), axis=None))
