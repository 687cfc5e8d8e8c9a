"""The best linear function among those that touch as many rows as there are free weights."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._descent import best_step
from rankwise.hypotheses._hypothesis import count_mistakes

Array = NDArray[np.float64]

# Sets of rows to touch, and sets times rows, at most: a tenth of a second.
MOST_SETS = 40_000
MOST_CELLS = 1_000_000
# Moves rows that lie in one line apart, so that every set has a function that touches it.
JITTER = 1e-10


def best_touching(
    F: Array, signs: Array, found: Array, rng: np.random.Generator, *, kept_above: int | None = None
) -> Array:
    """Return weights with no more mistakes than `found`; on few rows most often the fewest.

    A best function can be turned until it touches p - 1 rows, which then may go to either side, as
    long as no other row lies there too. If there are not too many such sets, all are tried.
    """
    n, p = F.shape
    n_sets = math.comb(n, p - 1)
    mistakes = count_mistakes(F @ found, signs)
    if mistakes == 0 or not 0 < n_sets <= min(MOST_SETS, MOST_CELLS // n):
        return found
    flat = chain.from_iterable(combinations(range(n), p - 1))
    sets = np.fromiter(flat, dtype=np.int64, count=n_sets * (p - 1)).reshape(n_sets, p - 1)
    touching, apart = _solve(F, signs, sets, rng)
    wrong = (touching @ F.T > 0) != (signs > 0)
    others = np.ones((n_sets, n), dtype=bool)
    np.put_along_axis(others, sets, False, axis=1)
    tries = []
    for side, missed in ((1.0, wrong & others), (-1.0, ~wrong & others)):
        counts = missed.sum(axis=1).astype(np.float64)
        if kept_above is not None:
            counts[side * touching[:, kept_above] < 0] = np.inf
        best = int(np.argmin(counts))
        tries.append((counts[best], side * touching[best], apart[best]))
    _, u, v = min(tries, key=lambda entry: float(entry[0]))
    low = -np.inf if kept_above is None else -u[kept_above] / abs(v[kept_above] or 1.0)
    moved = u + best_step(F @ u, F @ v, signs, low, -low) * v
    return moved if count_mistakes(F @ moved, signs) < mistakes else found


def _solve(
    F: Array, signs: Array, sets: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return per set weights u that are 0 on its rows, and v that put these on their sides."""
    n_sets, p = len(sets), F.shape[1]
    scale = rng.standard_normal(p)
    equations = np.empty((n_sets, p, p))
    equations[:, :-1] = F[sets]
    equations[:, -1] = scale
    equations += JITTER * rng.standard_normal(equations.shape)
    right = np.zeros((n_sets, p, 2))
    right[:, -1, 0] = 1.0
    right[:, :-1, 1] = signs[sets]
    solved = np.linalg.solve(equations, right).astype(np.float64, copy=False)
    solved /= np.abs(solved).max(axis=1, keepdims=True)
    return solved[:, :, 0], solved[:, :, 1]
