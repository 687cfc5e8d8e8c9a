"""The data that `bench_trees.py` learns from, each with new rows to judge by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.datasets import load
from rankwise.oracles import TruncatedGaussian, make_family
from rankwise.rankings import ranks_from_scores

# Enough new rows that 0.003 of tau is more than chance.
N_NEW_ROWS = 10_000


class Problem(NamedTuple):
    """Rows to learn from, and new rows with their rankings."""

    X: np.ndarray
    Y: np.ndarray
    test: tuple[np.ndarray, np.ndarray]


def linear(kind: str, n: int, d: int, k: int, *, noise: float = 0.3) -> Problem:
    """Noisy rankings by linear scores of ten "yes/no" or "continuous" features; new rows are clean."""
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(min(10, d), k))
    # so that no labels are tied where all features are 0
    starts = 0.01 * rng.normal(size=k)

    def draw(rows: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
        if kind == "yes/no":
            X = rng.integers(0, 2, size=(rows, d), dtype=np.uint8)
        else:
            X = rng.random((rows, d), dtype=np.float32)
        scores = X[:, :10] @ slopes + starts
        if noise:
            scores += noise * rng.normal(size=scores.shape)
        return X, ranks_from_scores(scores)

    return Problem(*draw(n, noise), draw(N_NEW_ROWS, 0.0))


def table(n: int, k: int) -> Problem:
    """Five numbers and two texts of 100 words each, a column for each word as `TableRanker` makes them."""
    rng = np.random.default_rng(0)
    slopes, effects = rng.normal(size=(5, k)), rng.normal(size=(2, 100, k))

    def draw(rows: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
        numbers, words = rng.normal(size=(rows, 5)), rng.integers(100, size=(rows, 2))
        columns = (words[:, :, None] == np.arange(100)).reshape(rows, -1)
        scores = numbers @ slopes + effects[0, words[:, 0]] + effects[1, words[:, 1]]
        X = np.hstack([numbers, columns]).astype(np.float32)
        return X, ranks_from_scores(scores + noise * rng.normal(size=scores.shape))

    return Problem(*draw(n, 1.0), draw(N_NEW_ROWS, 0.0))


def family(name: str, n: int) -> Problem:
    """One of the paper's families, SFN or LFN, with noise; new rows have their clean rankings."""
    noise = TruncatedGaussian(0.05)
    X, Y, Y_clean = make_family(name, noise, n_samples=n + N_NEW_ROWS, random_state=0)
    return Problem(X[:n], Y[:n], (X[n:], Y_clean[n:]))


def file(name: str) -> Problem:
    """One of the published benchmarks; a tenth of the rows is held out."""
    X, Y = (np.asarray(part) for part in load(name))
    new = np.random.default_rng(0).permutation(len(X)) < len(X) // 10
    return Problem(X[~new], Y[~new], (X[new], Y[new]))


def with_gaps(values: np.ndarray, share: float) -> np.ndarray:
    """A copy in which a share of the cells is missing."""
    holes = np.random.default_rng(1).random(values.shape) < share
    dtype = np.result_type(values, np.float32)
    return np.where(holes, dtype.type(np.nan), values.astype(dtype))
