"""From probabilities of labels at positions to shares of pairs, positions and ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Probabilities below this are this: what gave them has not seen everything.
LEAST = 1e-9
# Rounds of balancing, at most. The error falls by a constant factor in each: for most tables by
# half, but slowly where positions are sure of different labels, one more than the other.
ROUNDS = 10_000
BALANCED = 1e-7


def balance(probabilities: Array) -> Array:
    """Return (n, position, label) with every row and column of each matrix summing to 1.

    Each position holds one label and each label stands at one position; dividing rows and columns
    by their sums in turn (Sinkhorn) gives the nearest such table in relative entropy. Zeros stay.

    Examples
    --------
    >>> balance(np.array([[[0.9, 0.1], [0.9, 0.1]]])).round(3)
    array([[[0.5, 0.5],
            [0.5, 0.5]]])
    """
    table = probabilities.copy()
    is_open = np.arange(len(table))
    for _ in range(ROUNDS):
        part = table[is_open]
        part /= part.sum(axis=1, keepdims=True)
        rows = part.sum(axis=2, keepdims=True)
        table[is_open] = part / rows
        is_open = is_open[np.abs(rows - 1).max(axis=(1, 2)) >= BALANCED]
        if not len(is_open):
            break
    return table


def ranks_by_cost(costs: Array) -> NDArray[np.int64]:
    """Return the ranks (n, k) whose costs (n, position, label) add up to least.

    Examples
    --------
    >>> ranks_by_cost(np.array([[[0.0, 1.0], [2.0, 9.0]]]))
    array([[2, 1]])
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    ranks = np.empty(costs.shape[:2], dtype=np.int64)
    for r, cost in enumerate(costs):
        positions, labels = linear_sum_assignment(cost)
        ranks[r, labels] = positions + 1
    return ranks


def ranks_by_table(probabilities: Array) -> NDArray[np.int64]:
    """Return the ranks (n, k) whose probabilities (n, position, label) have the greatest product.

    Examples
    --------
    Coffee is likeliest to be first, but even more so to be second:

    >>> ranks_by_table(np.array([[[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]]))
    array([[1, 2, 3]])
    """
    return ranks_by_cost(-np.log(np.maximum(probabilities, LEAST)))


def positions_by_table(table: Array) -> Array:
    """Return the mean position (n, k) of each label under balanced probabilities.

    Examples
    --------
    >>> positions_by_table(np.array([[[0.75, 0.25], [0.25, 0.75]]]))
    array([[1.25, 1.75]])
    """
    return np.einsum("npl,p->nl", table, np.arange(1.0, table.shape[1] + 1))


def pairwise_by_table(table: Array) -> Array:
    """Return shares (n, k, k): how probable one label is before another, by balanced probabilities.

    As if positions were drawn independently, and anew where two labels meet at one.

    Examples
    --------
    >>> pairwise_by_table(np.array([[[0.75, 0.25], [0.25, 0.75]]]))
    array([[[0.5, 0.9],
            [0.1, 0.5]]])
    """
    # probability that a label stands behind position p
    behind = 1 - np.cumsum(table, axis=1)
    before = np.maximum(np.einsum("npi,npj->nij", table, behind), 0)
    total = before + before.transpose(0, 2, 1)
    shares = np.divide(before, total, out=np.full(before.shape, 0.5), where=total > LEAST)
    k = table.shape[2]
    shares[:, range(k), range(k)] = 0.5
    return shares
