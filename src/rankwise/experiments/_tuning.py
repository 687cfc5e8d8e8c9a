"""Tuned trees and forests: for each label the best of a grid, by an inner cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from rankwise.experiments._paper_learners import make_candidate

Candidate = tuple[str | None, int | None]


def predict_tuned(
    name: str,
    X: np.ndarray,
    Y: np.ndarray,
    X_new: np.ndarray,
    *,
    features: Sequence[str | None],
    depths: Sequence[int | None],
    inner_folds: int,
    trees: int,
    seed: int,
) -> np.ndarray:
    """Tune on the rows given, fit again on all of them, and rank new rows.

    As in the paper, the regressor of each label is tuned for itself, by the mean squared error of
    its positions. All labels of a candidate are fitted at once, which is the same work shared.

    Parameters
    ----------
    name : {"RFT", "DTT"}
        Forests or trees.
    X, Y : arrays
        Training rows and complete ranks.
    X_new : array
        Rows to rank.
    features, depths : sequences
        The grid: values of ``max_features`` and ``max_depth``.
    inner_folds : int
        Folds of the inner cross-validation; consecutive rows, not shuffled, as scikit-learn's grid
        search has it.
    trees : int
        Trees of a forest.
    seed : int
        Decides the learners.

    Examples
    --------
    >>> from rankwise.oracles import make_family
    >>> X, Y, _ = make_family("SFN", n_samples=120)
    >>> predict_tuned("DTT", X[:100], Y[:100], X[100:], features=["sqrt"], depths=[2, 4],
    ...               inner_folds=2, trees=5, seed=0).shape
    (20, 5)
    """
    from rankwise.ranker import ranks_by_position  # brings scikit-learn

    candidates = list(product(features, depths))
    errors = inner_errors(name, X, Y, candidates, inner_folds=inner_folds, trees=trees, seed=seed)
    chosen = errors.argmin(axis=0)
    positions = np.empty((len(X_new), Y.shape[1]))
    for c in np.unique(chosen):
        labels = chosen == c
        positions[:, labels] = _positions(name, candidates[c], X, Y, X_new, trees, seed)[:, labels]
    return ranks_by_position(positions)


def inner_errors(
    name: str,
    X: np.ndarray,
    Y: np.ndarray,
    candidates: Sequence[Candidate],
    *,
    inner_folds: int,
    trees: int,
    seed: int,
) -> np.ndarray:
    """Return the error of each candidate on each label, (n_candidates, n_labels).

    It is the mean over inner folds of the unexplained share of variance, 1 - R².
    """
    from sklearn.model_selection import KFold  # planning and reading results need none of it

    errors = np.zeros((len(candidates), Y.shape[1]))
    for train, test in KFold(inner_folds).split(X):
        spread = np.maximum(Y[test].var(axis=0), 1e-12)
        for c, candidate in enumerate(candidates):
            predicted = _positions(name, candidate, X[train], Y[train], X[test], trees, seed)
            errors[c] += ((predicted - Y[test]) ** 2).mean(axis=0) / spread
    return errors / inner_folds


def _positions(
    name: str,
    candidate: Candidate,
    X: np.ndarray,
    Y: np.ndarray,
    X_new: np.ndarray,
    trees: int,
    seed: int,
) -> np.ndarray:
    max_features, max_depth = candidate
    model = make_candidate(
        name, max_features=max_features, max_depth=max_depth, trees=trees, seed=seed
    )
    return np.asarray(model.fit(X, Y).predict_positions(X_new))
