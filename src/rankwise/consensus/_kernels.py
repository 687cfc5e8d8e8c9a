"""Jitted loops that count comparisons and score labels by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise._jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Two supports are tied where they differ by less than this share of their sum: rounding in sums
# of weights must neither make nor break a majority.
TIE = 1e-12

# Plain sums over so few rows lose next to nothing, and their inner loop is SIMD.
BLOCK_ROWS = 256


@jit
def count_support(ranks: Floats, weights: Floats, of_ties: float, support: Floats) -> None:
    """``support[i, j]`` += weight of the rows that put i strictly before j; NaN compares false.

    A row that ties them adds a share `of_ties` of its weight.

    Blocks of rows are summed plainly, then added with Kahan's compensation, so the result hardly
    depends on the order of the rows.
    """
    n, k = ranks.shape
    block = np.zeros((k, k))
    lost = np.zeros((k, k))
    for start in range(0, n, BLOCK_ROWS):
        block[:] = 0.0
        for r in range(start, min(start + BLOCK_ROWS, n)):
            w = weights[r]
            for i in range(k):
                rank = ranks[r, i]
                for j in range(k):
                    tied = w * of_ties if rank == ranks[r, j] else 0.0
                    block[i, j] += w if rank < ranks[r, j] else tied
        for i in range(k):
            for j in range(k):
                term = block[i, j] - lost[i, j]
                total = support[i, j] + term
                lost[i, j] = (total - support[i, j]) - term
                support[i, j] = total


@jit
def borda_scores(support: Floats, scores: Floats) -> None:
    """Mean share of support against the labels compared with; 0.5 where there is none."""
    n, k, _ = support.shape
    for r in range(n):
        for i in range(k):
            total = 0.0
            n_compared = 0
            for j in range(k):
                both = support[r, i, j] + support[r, j, i]
                # NaN (never compared) fails this test as well.
                if j != i and both > 0.0:
                    total += support[r, i, j] / both
                    n_compared += 1
            scores[r, i] = total / n_compared if n_compared else 0.5


@jit
def copeland_ranks(support: Floats, within: float, ranks: Integers) -> None:
    """1 + number of labels with a majority over i; the middle where i is never compared.

    A share within 1/2 ± `within` is no majority.
    """
    least = max(TIE, 2.0 * within)
    n, k, _ = support.shape
    for r in range(n):
        for i in range(k):
            n_lost = 0
            is_compared = False
            for j in range(k):
                both = support[r, i, j] + support[r, j, i]
                if j != i and both > 0.0:
                    is_compared = True
                    if support[r, j, i] - support[r, i, j] > least * both:
                        n_lost += 1
            ranks[r, i] = 1 + (n_lost if is_compared else (k - 1) // 2)
