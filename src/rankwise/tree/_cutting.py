"""Trees of several depths for the price of one: the fully grown tree, cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.engine import UNLIMITED, BooleanFeatures, Tree
from rankwise.engine.kernels import add_at_depths
from rankwise.tree._base import BaseTreeRanker, Grown


def positions_at_depths(
    model: BaseTreeRanker,
    X: np.ndarray,
    y: np.ndarray,
    X_new: np.ndarray,
    depths: Sequence[int | None],
) -> np.ndarray:
    """Predict the positions of new rows by a model of each maximal depth, from one fit.

    A tree limited to a depth is the unlimited one cut there: whether and where a node is cut depends
    on its rows alone. Where features are drawn at random (`max_features`) a cut tree has other draws
    than a limited one of the same seed, for nodes take them in the order in which they grow; they
    are as independent, so both have the same distribution.

    Parameters
    ----------
    model : TreeRanker or ForestRanker
        Of Breiman's criterion, without limits of depth or cuts. It is left as it is.
    X, y : arrays
        Training rows and their complete ranks.
    X_new : array of shape (n_new, n_features)
        Rows to predict; NaN = missing.
    depths : sequence of int or None
        In any order; None: not cut.

    Returns
    -------
    ndarray of shape (n_depths, n_new, n_labels)

    Examples
    --------
    >>> from rankwise.tree import TreeRanker
    >>> X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [[1, 2], [1, 2], [1, 2], [2, 1]]
    >>> positions_at_depths(TreeRanker(), X, Y, [[1, 1]], depths=[0, None]).tolist()
    [[[1.25, 1.75]], [[2.0, 1.0]]]
    """
    for name, usual in (("criterion", "breiman"), ("max_splits", None), ("max_depth", None)):
        value = getattr(model, name)
        if value != usual:
            raise ValueError(f"{name} is {value!r}; trees to be cut grow with {name}={usual!r}")
    limits = np.array([UNLIMITED if d is None else d for d in depths], dtype=np.int64)
    if limits.min(initial=UNLIMITED) < 0:
        raise ValueError(f"a depth is {limits.min()}; depths start at 0")
    rows = np.ascontiguousarray(X_new, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1:] != np.shape(X)[1:]:
        raise ValueError(f"X_new has the shape {rows.shape}; give rows of the features of X")
    distinct, place = np.unique(limits, return_inverse=True)
    reader = type("Reader", (_Reader, type(model)), {})(**model.get_params())
    positions: np.ndarray = reader.read(X, y, rows, distinct)[place]
    return positions


class _Reader(BaseTreeRanker):
    """Before a ranker among the bases of a class: reads each tree as it is grown, and lets it go."""

    # The means of inner nodes come with them.
    _keeps_gains = True

    def read(
        self, X: np.ndarray, y: np.ndarray, X_new: np.ndarray, limits: np.ndarray
    ) -> np.ndarray:
        """Return mean positions (n_limits, n_new, n_labels); limits ascend."""
        self._X_new, self._limits = X_new, limits
        self.fit(X, y)
        return self._total / self._n_samples_drawn()

    def _choose_decomposition(self, ranks: np.ndarray) -> str:
        chosen = super()._choose_decomposition(ranks)
        if chosen == "pairwise":
            raise ValueError(
                "trees that are cut predict positions of complete rankings; fit a model for each "
                "depth where labels are missing or decomposition='pairwise'"
            )
        return chosen

    def _grow_one(self, features: Any, targets: Any, *more: Any) -> Grown:
        grown = super()._grow_one(features, targets, *more)
        thresholds = features.thresholds if isinstance(features, BooleanFeatures) else None
        total = np.zeros((len(self._limits), len(self._X_new), targets.n_labels))
        for t, tree in enumerate(grown.trees):
            targets.make_positions(tree.means)
            threshold, missing_left = _sides(tree, thresholds)
            add_at_depths(
                self._X_new, tree.feature, threshold, tree.left, missing_left, tree.means,
                self._limits, t, total,
            )  # fmt: skip
        # In the place of importances, which nobody asks for here.
        return Grown([], [], total)

    def _keep(self, grown: list[Grown], targets: Any, features: Any) -> None:
        # One after the other, as a forest adds its trees: then rounding is the same.
        self._total = np.zeros_like(grown[0].importances)
        for sample in grown:
            self._total += sample.importances


def _sides(tree: Tree, boolean_thresholds: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds of the nodes, and whether a missing value goes left."""
    if boolean_thresholds is None:
        assert tree.threshold is not None
        assert tree.missing_left is not None
        return tree.threshold, tree.missing_left
    # None was missing at fit: such a value goes to the larger child. (Leaves are not asked.)
    larger = tree.weight[tree.left] >= tree.weight[tree.left + 1]
    return boolean_thresholds[tree.feature], larger.astype(np.uint8)
