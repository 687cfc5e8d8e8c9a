"""Tuned trees and forests: for each label the best of a grid, by an inner cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.experiments._paper_learners import make_candidate


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
    its positions. All labels of a candidate are fitted at once, and trees of all depths are cut from
    one fit, which is the same work shared.

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

    errors = inner_errors(
        name, X, Y, features, depths, inner_folds=inner_folds, trees=trees, seed=seed
    )
    chosen_features, chosen_depth = np.unravel_index(
        errors.reshape(-1, Y.shape[1]).argmin(axis=0), errors.shape[:2]
    )
    positions = np.empty((len(X_new), Y.shape[1]))
    for f in np.unique(chosen_features):
        labels = np.flatnonzero(chosen_features == f)
        by_depth = _positions(name, features[f], depths, X, Y, X_new, trees, seed)
        positions[:, labels] = by_depth[chosen_depth[labels], :, labels].T
    return ranks_by_position(positions)


def inner_errors(
    name: str,
    X: np.ndarray,
    Y: np.ndarray,
    features: Sequence[str | None],
    depths: Sequence[int | None],
    *,
    inner_folds: int,
    trees: int,
    seed: int,
) -> np.ndarray:
    """Return the error of each candidate on each label, (n_features, n_depths, n_labels).

    It is the mean over inner folds of the unexplained share of variance, 1 - R².
    """
    from sklearn.model_selection import KFold  # planning and reading results need none of it

    errors = np.zeros((len(features), len(depths), Y.shape[1]))
    numbers = drawn_numbers(features, X.shape[1])
    for train, test in KFold(inner_folds).split(X):
        spread = np.maximum(Y[test].var(axis=0), 1e-12)
        for f, max_features in enumerate(features):
            same = numbers.index(numbers[f])
            if same < f:
                # One seed, as many features drawn: the same trees.
                errors[f] = errors[same]
                continue
            predicted = _positions(
                name, max_features, depths, X[train], Y[train], X[test], trees, seed
            )
            errors[f] += ((predicted - Y[test]) ** 2).mean(axis=1) / spread
    return errors / inner_folds


def drawn_numbers(features: Sequence[str | None], n_features: int) -> list[int]:
    """Return how many features compete for a cut, for each value of ``max_features``.

    Examples
    --------
    >>> drawn_numbers([None, "sqrt", "log2"], 24)
    [24, 4, 4]
    """
    from rankwise.engine import n_features_drawn  # brings numba

    return [n_features_drawn(value, n_features) for value in features]


def _positions(
    name: str,
    max_features: str | None,
    depths: Sequence[int | None],
    X: np.ndarray,
    Y: np.ndarray,
    X_new: np.ndarray,
    trees: int,
    seed: int,
) -> np.ndarray:
    """Positions by candidates of all depths, (n_depths, n_new, n_labels): one fit, cut."""
    from rankwise.tree import positions_at_depths

    model = make_candidate(name, max_features=max_features, max_depth=None, trees=trees, seed=seed)
    return positions_at_depths(model, X, Y, X_new, depths)
