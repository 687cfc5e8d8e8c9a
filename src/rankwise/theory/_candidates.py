"""Which few features to look at closely: on the greedy path, and the strongest pair and triple."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._observations import Observations, halves
from rankwise.theory._sparsity import greedy_path
from rankwise.theory._subsets import products

# All pairs are scanned by matrix products of one-hot columns; these keep them to seconds.
_MAX_COLUMNS = 2500
_MAX_ROWS = 4000
_ROWS_PER_CELL = 16
# Sets of three features that are tried; up to 13 features that is all of them.
_MAX_TRIPLES = 300
_TRIPLE_ROWS = 2000
# Standard errors beyond which the strongest of so many sets is no chance.
_SURE = 5.0


def candidates(
    data: Observations,
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    most: int,
    rng: np.random.Generator,
) -> list[int]:
    """Return up to `most` features that matter alone, in turn, in pairs or by three.

    Examples
    --------
    >>> from rankwise.theory._observations import observe
    >>> X = np.random.default_rng(0).random((400, 4)) < 0.5
    >>> y = (X[:, 1] ^ X[:, 3]) * 1.0
    >>> sorted(candidates(observe(X), y, np.arange(400), 2, np.random.default_rng(0)))
    [1, 3]
    """
    if len(rows) < 2 * _ROWS_PER_CELL:
        return []
    informative = np.flatnonzero(data.n_bins > 1)
    grow, test = halves(len(rows), rng)
    path = greedy_path(data, y, rows[grow], rows[test]).features
    pair, pair_excess, alone = _strongest_pair(data, y, rows, informative)
    triple, triple_excess = _strongest_triple(data, y, rows, informative, rng.spawn(1)[0])
    together = [*triple, *pair] if triple_excess > pair_excess else [*pair, *triple]
    by_strength = [int(i) for i in informative[np.argsort(-alone[informative], kind="stable")]]
    chosen: list[int] = []
    cells = 1
    # These come after the first two of the path: neither may crowd out the other.
    for i in [*path[:2], *together, *path[2:], *by_strength]:
        if i in chosen or len(chosen) == most:
            continue
        if cells * data.n_bins[i] * _ROWS_PER_CELL <= len(rows):
            chosen.append(i)
            cells *= int(data.n_bins[i])
    return chosen


def _strongest_pair(
    data: Observations,
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    informative: NDArray[np.int64],
) -> tuple[list[int], float, NDArray[np.float64]]:
    """Find the pair with the largest V({i, j}) - V({i}) - V({j}), that, and V of each feature."""
    rows = rows[:_MAX_ROWS]
    target = (y[rows] - y[rows].mean()).astype(np.float32)
    alone = np.full(len(data.n_bins), -np.inf)
    for i in informative:
        alone[i] = _one_feature(data.codes[i][rows], int(data.n_bins[i]), target)
    order = informative[np.argsort(-alone[informative], kind="stable")]
    kept = np.sort(order[np.cumsum(data.n_bins[order]) <= _MAX_COLUMNS])
    if len(kept) < 2:
        return [int(i) for i in kept], 0.0, alone
    hot, starts = data.one_hot(kept, rows)
    count = hot.T @ hot
    total = hot.T @ (hot * target[:, None])
    square = hot.T @ (hot * target[:, None] ** 2)
    per_cell = products(count, total, square)
    v = np.add.reduceat(np.add.reduceat(per_cell, starts, axis=0), starts, axis=1) / len(rows)
    excess = v - alone[kept][:, None] - alone[kept][None, :]
    np.fill_diagonal(excess, -np.inf)
    best = np.unravel_index(int(excess.argmax()), excess.shape)
    return [int(kept[i]) for i in best], float(excess[best]), alone


def _strongest_triple(
    data: Observations,
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    informative: NDArray[np.int64],
    rng: np.random.Generator,
) -> tuple[list[int], float]:
    """Find three features, cut in two each, that show together what no two of them do, and V of it.

    Of more than 13 features, random sets are tried.
    """
    rows = rows[:_TRIPLE_ROWS]
    if math.comb(len(informative), 3) <= _MAX_TRIPLES:
        triples = np.array(list(itertools.combinations(informative, 3)), dtype=np.int64)
    else:
        drawn = [rng.choice(informative, 3, replace=False) for _ in range(_MAX_TRIPLES)]
        triples = np.array(drawn, dtype=np.int64)
    if not len(triples):
        return [], 0.0
    used, at = np.unique(triples, return_inverse=True)
    upper = data.codes[np.ix_(used, rows)] >= (data.n_bins[used, None] / 2)
    signs = upper.astype(np.float32) - upper.mean(axis=1, dtype=np.float32, keepdims=True)
    first, second, third = at.reshape(triples.shape).T
    product = signs[first] * signs[second] * signs[third]
    target = (y[rows] - y[rows].mean()).astype(np.float32)
    size = np.maximum((product**2).mean(axis=1), 1e-9)
    excess = (product @ target / len(rows)) ** 2 / size
    best = int(excess.argmax())
    if excess[best] <= _SURE**2 * target.var() / len(rows):
        return [], 0.0
    return [int(i) for i in triples[best]], float(excess[best])


def _one_feature(codes: NDArray[np.uint8], n_bins: int, target: NDArray[np.float32]) -> float:
    count = np.bincount(codes, minlength=n_bins)
    total = np.bincount(codes, weights=target, minlength=n_bins)
    square = np.bincount(codes, weights=target**2, minlength=n_bins)
    return float(products(count, total, square).sum() / len(codes))
