"""Tuned trees and forests: for each label the best of a grid, by an inner cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rankwise.learners import find_learner


@dataclass
class TunedRanker:
    """Trees or forests, tuned on the rows that they are fitted to.

    As in the paper, the regressor of each label is tuned for itself, by the mean squared error of
    its positions. All labels of a candidate are fitted at once, and trees of all depths are cut from
    one fit, which is the same work shared.

    Parameters
    ----------
    forest : bool
        Forests, not single trees.
    grid_features, grid_depths : sequences
        The grid: values of ``max_features`` and ``max_depth``.
    inner_folds : int
        Folds of the inner cross-validation; consecutive rows, not shuffled, as scikit-learn's grid
        search has it.
    trees : int
        Trees of a forest.
    random_state : int
        Decides the learners.

    Examples
    --------
    >>> from rankwise.oracles import make_family
    >>> X, Y, _ = make_family("SFN", n_samples=120)
    >>> model = TunedRanker(False, grid_features=["sqrt"], grid_depths=[2, 4], inner_folds=2)
    >>> model.fit(X[:100], Y[:100]).predict(X[100:]).shape
    (20, 5)
    """

    forest: bool
    grid_features: Sequence[str | None]
    grid_depths: Sequence[int | None]
    inner_folds: int
    trees: int = 50
    random_state: int = 0

    def fit(self, X: np.ndarray, Y: np.ndarray) -> Self:
        """Choose values for each label; the chosen are fitted again to all rows when predicting."""
        errors = self.inner_errors(X, Y)
        self.chosen_features_, self.chosen_depths_ = np.unravel_index(
            errors.reshape(-1, Y.shape[1]).argmin(axis=0), errors.shape[:2]
        )
        self._rows = X, Y
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Rank new rows."""
        from rankwise.ranker import ranks_by_position  # brings scikit-learn

        positions = np.empty((len(X), len(self.chosen_depths_)))
        for f in np.unique(self.chosen_features_):
            labels = np.flatnonzero(self.chosen_features_ == f)
            by_depth = self._positions(self.grid_features[f], *self._rows, X)
            positions[:, labels] = by_depth[self.chosen_depths_[labels], :, labels].T
        return ranks_by_position(positions)

    def inner_errors(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Return the error of each candidate on each label, (n_features, n_depths, n_labels).

        It is the mean over inner folds of the unexplained share of variance, 1 - R².
        """
        from sklearn.model_selection import KFold  # planning and reading results need none of it

        errors = np.zeros((len(self.grid_features), len(self.grid_depths), Y.shape[1]))
        numbers = drawn_numbers(self.grid_features, X.shape[1])
        for train, test in KFold(self.inner_folds).split(X):
            spread = np.maximum(Y[test].var(axis=0), 1e-12)
            for f, max_features in enumerate(self.grid_features):
                same = numbers.index(numbers[f])
                if same < f:
                    # One seed, as many features drawn: the same trees.
                    errors[f] = errors[same]
                    continue
                predicted = self._positions(max_features, X[train], Y[train], X[test])
                errors[f] += ((predicted - Y[test]) ** 2).mean(axis=1) / spread
        return errors / self.inner_folds

    def candidate(self, max_features: str | None, max_depth: int | None = None) -> Any:
        """Return an unfitted candidate."""
        learner = find_learner("RF" if self.forest else "Tree")
        trees = {"n_estimators": self.trees} if self.forest else {}
        return learner.estimator(
            self.random_state, max_features=max_features, max_depth=max_depth, **trees
        )

    def _positions(
        self, max_features: str | None, X: np.ndarray, Y: np.ndarray, X_new: np.ndarray
    ) -> np.ndarray:
        """Positions by candidates of all depths, (n_depths, n_new, n_labels): one fit, cut."""
        from rankwise.tree import positions_at_depths

        return positions_at_depths(self.candidate(max_features), X, Y, X_new, self.grid_depths)


def drawn_numbers(features: Sequence[str | None], n_features: int) -> list[int]:
    """Return how many features compete for a cut, for each value of ``max_features``.

    Examples
    --------
    >>> drawn_numbers([None, "sqrt", "log2"], 24)
    [24, 4, 4]
    """
    from rankwise.engine import n_features_drawn  # brings numba

    return [n_features_drawn(value, n_features) for value in features]
