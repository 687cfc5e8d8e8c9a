"""Cross-validation of one learner: train on given ranks, validate on others, both readings of tau."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankwise.experiments._protocol import derive_seed
from rankwise.metrics import kendall_tau


def split_rows(
    n_samples: int, n_folds: int, repetition: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Divide rows at random into folds; the same for every learner.

    Examples
    --------
    >>> train, test = split_rows(6, 3, repetition=0, seed=0)[0]
    >>> len(train), len(test)
    (4, 2)
    """
    # Imported here: planning and reading results need no scikit-learn.
    from sklearn.model_selection import KFold

    folds = KFold(n_folds, shuffle=True, random_state=derive_seed(seed, repetition, 0))
    return list(folds.split(np.empty(n_samples)))


def validate(
    predict: Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray],
    X: np.ndarray,
    Y_train: np.ndarray,
    Y_test: np.ndarray,
    *,
    n_folds: int,
    folds: Sequence[int],
    repetition: int,
    seed: int,
) -> dict[str, Any]:
    """Run some folds of one repetition and return tau of each, on positions and on orders.

    Parameters
    ----------
    predict : callable
        ``predict(X_train, Y_train, X_test, seed)`` gives ranks.
    X : array of shape (n_samples, n_features)
    Y_train, Y_test : arrays of shape (n_samples, n_labels)
        Ranks to learn from, and to validate on: the paper learns from noisy rankings and validates
        on noiseless ones.
    n_folds, folds, repetition, seed
        Into how many folds rows are divided, which of these are used, and what decides them.
    """
    splits = split_rows(len(X), n_folds, repetition, seed)
    result: dict[str, list[float]] = {"tau": [], "tau_orders": []}
    started = time.perf_counter()
    for fold in folds:
        train, test = splits[fold]
        ranks = predict(X[train], Y_train[train], X[test], derive_seed(seed, repetition, 1 + fold))
        result["tau"].append(float(kendall_tau(Y_test[test], ranks)))
        result["tau_orders"].append(float(kendall_tau(Y_test[test], ranks, on="orders")))
    return {**result, "seconds": time.perf_counter() - started}
