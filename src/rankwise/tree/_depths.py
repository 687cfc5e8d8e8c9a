"""Trees of several depths for the price of one: the fully grown tree, cut."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from sklearn.base import clone

from rankwise._parallel import in_threads
from rankwise.engine import PAIRWISE, TreeGrower, add_at_depths, limit
from rankwise.tree._base import BaseTreeRanker


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
        Of Breiman's criterion, without limits of depth or cuts. It is left as it is. Its trees are on
        positions also where `y` has ties, as with ``ties="never"``.
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
    limits = np.array([limit(d) for d in depths], dtype=np.int64)
    if limits.min(initial=0) < 0:
        raise ValueError(f"a depth is {limits.min()}; depths start at 0")
    rows = np.ascontiguousarray(X_new, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1:] != np.shape(X)[1:]:
        raise ValueError(f"X_new has the shape {rows.shape}; give rows of the features of X")
    distinct, place = np.unique(limits, return_inverse=True)
    model = clone(model).set_params(ties="never")
    model._check_parameters()
    X, ranks, _ = model._check_fit(X, y, None)
    if model._choose_decomposition(ranks) in PAIRWISE:
        raise ValueError(
            "trees that are cut predict positions of complete rankings; fit a model for each "
            "depth where labels are missing or trees compare pairs"
        )
    grower, seeds = model._prepare(X, ranks, None)
    read = partial(_read, grower, X_new=rows, limits=distinct)
    parts = in_threads(model._jobs(), read, seeds)
    # one after the other, as a forest adds its trees: then rounding is the same
    total: np.ndarray = sum(parts[1:], start=parts[0])
    return (total / len(parts))[place]


def _read(
    grower: TreeGrower,
    seed: np.random.SeedSequence,
    X_new: np.ndarray,
    limits: np.ndarray,
) -> np.ndarray:
    """Positions (n_limits, n_new, n_labels) read off the trees of one sample, which are let go."""
    total = np.zeros((len(limits), len(X_new), grower.targets.n_labels))
    for t, tree in enumerate(grower.grow(seed, keep_inner=True).trees):
        add_at_depths(
            X_new, tree.feature, tree.thresholds(grower.features), tree.left, tree.missing_left,
            tree.means, limits, t, total,
        )  # fmt: skip
    return total
