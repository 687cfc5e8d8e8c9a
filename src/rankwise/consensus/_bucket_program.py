"""Bucket orders of many labels by integer programming, with HiGHS.

A variable per ordered pair says whether i comes no later than j; both are 1 where the two are tied. A
bucket order is such an assignment in which one of each two is 1, and which has no gap: where i comes no
later than j and j no later than m, i comes no later than m. These constraints are too many to write down
(about k**3), so only those are added that a solution violates, first to the linear relaxation, whose
optimum is often integral already.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array, vstack

# The solver's tolerances are absolute (1e-7 to 1e-6): costs are scaled so that these are harmless.
SCALE = 1e3
VIOLATION = 1e-4


def solve_buckets(shares: NDArray[np.float64], deadline: float) -> NDArray[np.int64] | None:
    """Return the ranks of a bucket order of least distance from the shares; None where time ran out.

    Of equal distances the solver chooses.
    """
    program = _Program(shares)
    integral = False
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        result = program.solve(left, integral=integral)
        if result.status != 0:
            return None
        before = program.matrix(result.x)
        found = program.violated(before)
        if len(found):
            program.add(found)
        elif np.abs(before - np.rint(before)).max() < VIOLATION:
            # whoever comes later than some label does not come "no later" than it
            ranks: NDArray[np.int64] = 1 + (np.rint(before) == 0).sum(axis=1)
            return ranks
        else:
            integral = True


class _Program:
    """The linear program with the constraints met so far."""

    def __init__(self, shares: NDArray[np.float64]) -> None:
        self.k = k = shares.shape[0]
        self.heads, self.tails = np.nonzero(~np.eye(k, dtype=bool))
        self.variable = np.zeros((k, k), dtype=np.int32)
        self.variable[self.heads, self.tails] = np.arange(self.heads.size)
        # What x_ij adds to the distance, so that i before j, j before i and a tie cost what they should.
        self.price = (2.0 * np.abs(shares - 0.5) - 2.0 * shares)[self.heads, self.tails]
        i, j = np.triu_indices(k, 1)
        pairs = np.stack([self.variable[i, j], self.variable[j, i]], axis=1)
        self.constraints = [(self._rows(pairs, np.ones(2)), 1.0, np.inf)]

    def solve(self, seconds: float, *, integral: bool) -> OptimizeResult:
        options: dict[str, Any] = {"mip_rel_gap": 0.0}
        if np.isfinite(seconds):
            options["time_limit"] = seconds
        low = np.concatenate([np.full(rows.shape[0], a) for rows, a, _ in self.constraints])
        high = np.concatenate([np.full(rows.shape[0], b) for rows, _, b in self.constraints])
        matrix = vstack([rows for rows, _, _ in self.constraints], format="csr")
        return milp(
            SCALE * self.price,
            integrality=np.full(self.price.size, int(integral)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, low, high),
            options=options,
        )

    def matrix(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a solution as a matrix; a label comes no later than itself."""
        before = np.eye(self.k)
        before[self.heads, self.tails] = x
        return before

    def violated(self, before: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return triples i, j, m with a gap between them, the widest first."""
        found, width = [np.empty((0, 3), dtype=np.int64)], [np.empty(0)]
        for i in range(self.k):
            gap = before[i, :, None] + before - before[i] - 1.0
            gap[i], gap[:, i] = 0.0, 0.0
            np.fill_diagonal(gap, 0.0)
            j, m = np.nonzero(gap > VIOLATION)
            found.append(np.column_stack([np.full(j.size, i), j, m]))
            width.append(gap[j, m])
        widest = np.argsort(-np.concatenate(width), kind="stable")[: self.k**2]
        return np.concatenate(found)[widest]

    def add(self, triples: NDArray[np.int64]) -> None:
        """Add x_ij + x_jm - x_im <= 1 for triples i, j, m."""
        i, j, m = triples.T
        columns = np.stack([self.variable[i, j], self.variable[j, m], self.variable[i, m]], axis=1)
        self.constraints.append((self._rows(columns, np.array([1.0, 1.0, -1.0])), -np.inf, 1.0))

    def _rows(self, columns: NDArray[np.int32], signs: NDArray[np.float64]) -> csr_array:
        n, size = columns.shape
        starts = np.arange(0, n * size + 1, size, dtype=np.int32)
        data = np.tile(signs, n)
        return csr_array((data, columns.ravel(), starts), shape=(n, self.price.size))
