"""Jitted loops of the Plackett-Luce model: strengths of labels from the rankings of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise._jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Strengths stay within this factor of 1, so that no number of labels that all rows agree on overflows.
FARTHEST = 1e100


@jit
def add_choices(row: Integers, v: Floats, left: Floats, faced: Floats) -> None:
    """Add to `faced`, for each label of a row, 1 / (sum of strengths) of the choices it stood in."""
    length = row.size
    while length > 0 and row[length - 1] < 0:
        length -= 1
    # from the end: taking strong labels from a sum would leave nothing exact of weak ones
    rest = 0.0
    for p in range(length - 1, -1, -1):
        rest += v[row[p]]
        left[p] = rest
    total = 0.0
    for p in range(length):
        # the last label stood in the same choices as the one before it
        if p < length - 1:
            total += 1.0 / left[p]
        faced[row[p]] += total


@jit
def fit_strengths(
    orders: Integers,
    rows: Integers,
    starts: Integers,
    prior: float,
    max_rounds: int,
    tolerance: float,
    strengths: Floats,
) -> None:
    """Write the strengths (n_groups, k) of each group's rows of `orders`; -1 ends a row.

    Group g has the rows of `orders` that stand in `rows` from starts[g] to starts[g + 1].

    Hunter's MM algorithm (2004): a label's strength is the number of choices that it won over the sum,
    over the choices that it stood in, of 1 / (sum of strengths that stood in it). The last label of a
    row is no choice. `prior` adds so many wins and losses to each pair of labels. The geometric mean of
    strengths is 1.
    """
    k = orders.shape[1]
    wins = np.empty(k)
    faced = np.empty(k)
    left = np.empty(k)
    for g in range(starts.size - 1):
        v = strengths[g]
        v[:] = 1.0
        wins[:] = prior * (k - 1)
        for a in range(starts[g], starts[g + 1]):
            row = orders[rows[a]]
            for p in range(k - 1):
                if row[p + 1] < 0:
                    break
                wins[row[p]] += 1.0
        for _ in range(max_rounds):
            for i in range(k):
                faced[i] = 0.0
                for j in range(k):
                    if j != i:
                        faced[i] += 2.0 * prior / (v[i] + v[j])
            for a in range(starts[g], starts[g + 1]):
                add_choices(orders[rows[a]], v, left, faced)
            change = 0.0
            for i in range(k):
                new = min(max(wins[i] / faced[i], 1.0 / FARTHEST), FARTHEST)
                change = max(change, abs(new - v[i]) / v[i])
                v[i] = new
            if change < tolerance:
                break
        v /= np.exp(np.log(v).mean())
