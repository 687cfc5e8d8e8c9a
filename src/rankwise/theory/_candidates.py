"""Which few features to look at closely: those on the greedy path, and the strongest pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._observations import Observations, halves
from rankwise.theory._sparsity import greedy_path

# All pairs are scanned by matrix products of one-hot columns; these keep them to seconds.
_MAX_COLUMNS = 2500
_MAX_ROWS = 4000
_ROWS_PER_CELL = 16


def candidates(
    data: Observations,
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    most: int,
    rng: np.random.Generator,
) -> list[int]:
    """Return up to `most` features that matter alone, in turn or in pairs, the strongest first.

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
    pair, alone = _strongest_pair(data, y, rows, informative)
    by_strength = [int(i) for i in informative[np.argsort(-alone[informative], kind="stable")]]
    chosen: list[int] = []
    cells = 1
    # The pair comes after the first two of the path: neither may crowd out the other.
    for i in [*path[:2], *pair, *path[2:], *by_strength]:
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
) -> tuple[list[int], NDArray[np.float64]]:
    """Find the pair with the largest V({i, j}) - V({i}) - V({j}), and V of each feature."""
    rows = rows[:_MAX_ROWS]
    target = (y[rows] - y[rows].mean()).astype(np.float32)
    alone = np.full(len(data.n_bins), -np.inf)
    for i in informative:
        alone[i] = _one_feature(data.codes[i][rows], int(data.n_bins[i]), target)
    order = informative[np.argsort(-alone[informative], kind="stable")]
    kept = np.sort(order[np.cumsum(data.n_bins[order]) <= _MAX_COLUMNS])
    if len(kept) < 2:
        return [int(i) for i in kept], alone
    starts = np.concatenate([[0], np.cumsum(data.n_bins[kept])[:-1]])
    hot = np.zeros((len(rows), int(data.n_bins[kept].sum())), dtype=np.float32)
    for start, i in zip(starts, kept, strict=True):
        hot[np.arange(len(rows)), start + data.codes[i][rows]] = 1
    count = hot.T @ hot
    total = hot.T @ (hot * target[:, None])
    square = hot.T @ (hot * target[:, None] ** 2)
    per_cell = np.where(count > 1, (total**2 - square) / np.maximum(count - 1, 1), 0)
    v = np.add.reduceat(np.add.reduceat(per_cell, starts, axis=0), starts, axis=1) / len(rows)
    excess = v - alone[kept][:, None] - alone[kept][None, :]
    np.fill_diagonal(excess, -np.inf)
    best = np.unravel_index(int(excess.argmax()), excess.shape)
    return [int(kept[i]) for i in best], alone


def _one_feature(codes: NDArray[np.uint8], n_bins: int, target: NDArray[np.float32]) -> float:
    count = np.bincount(codes, minlength=n_bins)
    total = np.bincount(codes, weights=target, minlength=n_bins)
    square = np.bincount(codes, weights=target**2, minlength=n_bins)
    v = np.where(count > 1, (total**2 - square) / np.maximum(count - 1, 1), 0)
    return float(v.sum() / len(codes))
