"""Generated scenarios of several structures, with as many new rows as make what is lost there sure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankwise import ranks_from_scores

N_NEW = 1500
N_FEATURES = 20
# Structure, training rows, labels.
PLAN = (
    ("families", 300, 6), ("families", 120, 12), ("families", 700, 6), ("smooth", 300, 5),
    ("smooth", 120, 8), ("failures", 300, 6), ("failures", 500, 8), ("accuracies", 100, 12),
    ("accuracies", 300, 6), ("yields", 60, 4), ("yields", 200, 8), ("noisy", 400, 6),
)  # fmt: skip


class Scenario(NamedTuple):
    """What is known of some rows, and new ones."""

    name: str
    X: np.ndarray
    ranks: np.ndarray
    values: np.ndarray
    X_new: np.ndarray
    values_new: np.ndarray
    higher_is_better: bool


def scenarios(n_seeds: int) -> Iterator[Scenario]:
    """Yield the scenarios of the plan, each drawn so many times."""
    for seed in range(n_seeds):
        for i, (name, n, k) in enumerate(PLAN):
            rng = np.random.default_rng([seed, i])
            X, values, higher_is_better = globals()[f"_{name}"](rng, n + N_NEW, k)
            ranks = ranks_from_scores(values[:n], higher_is_better=higher_is_better)
            known = X[:n], ranks, values[:n], X[n:], values[n:], higher_is_better
            yield Scenario(f"{name}, {n} rows, {k} labels", *known)


def _penalised(log_seconds: np.ndarray, log_cutoff: float) -> np.ndarray:
    cutoff = np.exp(log_cutoff)
    return np.where(log_seconds > log_cutoff, 10 * cutoff, np.exp(log_seconds))


def _sparse(rng: np.random.Generator, k: int, share: float) -> np.ndarray:
    drawn: np.ndarray = rng.normal(size=(N_FEATURES, k)) * (rng.random((N_FEATURES, k)) < share)
    return drawn


def _families(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Run times of families of instances: heavy tails, timeouts, gaps in features."""
    family = rng.integers(0, 6, n)
    X = 1.5 * rng.normal(size=(6, N_FEATURES))[family] + rng.normal(size=(n, N_FEATURES))
    hard = 4 + 1.5 * rng.normal(size=(n, 1)) + 2.5 * rng.normal(size=(6, k))[family]
    log_seconds = hard + 0.8 * X @ _sparse(rng, k, 0.25) + 1.2 * rng.normal(size=(n, k))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, _penalised(log_seconds, 6.5), False


def _smooth(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Run times that grow with the distance from what a solver is made for."""
    X, made_for = rng.normal(size=(n, N_FEATURES)), rng.normal(size=(k, 3))
    distances = ((X[:, None, :3] - made_for) ** 2).sum(axis=2)
    return X, _penalised(3 + 0.7 * distances + 0.5 * rng.normal(size=(n, k)), 6.0), False


def _failures(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Solvers that are equally fast, and fail by two features each."""
    X, seconds = rng.normal(size=(n, N_FEATURES)), np.exp(2 + rng.normal(size=(n, k)))
    for j in range(k):
        one, other = rng.integers(0, N_FEATURES, 2)
        sign, threshold = rng.choice([-1, 1]), rng.uniform(-0.2, 1.0)
        fails = sign * X[:, one] + 0.5 * X[:, other] + 0.5 * rng.normal(size=n) > threshold
        seconds[fails, j] = 10_000.0
    return X, seconds, False


def _accuracies(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Accuracies of learners that differ by little."""
    X, level = rng.normal(size=(n, N_FEATURES)), rng.beta(2, 2, size=(n, 1))
    known = 0.05 * np.tanh(X @ _sparse(rng, 3, 0.3)) @ rng.normal(size=(3, k))
    noise = 0.03 * rng.normal(size=(1, k)) + 0.02 * rng.normal(size=(n, k))
    return X, np.clip(level + known + noise, 0, 1), True


def _yields(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Yields of reactions in percent."""
    X = rng.normal(size=(n, N_FEATURES))
    mean = 50 + 15 * X @ _sparse(rng, k, 0.2) + 10 * rng.normal(size=(1, k))
    return X, np.clip(mean + 6 * rng.normal(size=(n, k)), 0, 100), True


def _noisy(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Run times that the features say little of."""
    X = rng.normal(size=(n, N_FEATURES))
    known = 3 + 2 * rng.normal(size=(n, 1)) + 0.6 * X @ _sparse(rng, k, 0.15)
    return X, _penalised(known + 1.8 * rng.normal(size=(n, k)), 7.0), False
