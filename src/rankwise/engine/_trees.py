"""Many trees as one set of flat arrays, which predicts fast and pickles small."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankwise.engine._growing import Tree
from rankwise.engine._sound_trees import check_tree_meaning, check_trees
from rankwise.engine.kernels.descent import TILE, TOP, Packed, leaves_any, leaves_boolean
from rankwise.engine.kernels.leaves import add_values, place

# Rows sent down the trees together where there are many.
CHUNK = 4096


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees, one after the other."""

    feature: np.ndarray  # (n_nodes,) int32, -1 in a leaf
    threshold: np.ndarray  # (n_nodes,) a value goes left if it is at most this
    missing_left: np.ndarray  # (n_nodes,) uint8
    left: np.ndarray  # (n_nodes,) int32, the left child; the right one follows it
    roots: np.ndarray  # (n_trees,) int64
    depths: np.ndarray  # (n_trees,) int64
    value_row: np.ndarray  # (n_nodes,) int32, where the values of a leaf are, -1 in an inner node
    values: np.ndarray  # (n_leaves, n_outputs)
    boolean_thresholds: np.ndarray | None  # (n_features,) where all features are Boolean

    def _check_state(self) -> None:
        check_trees(self)

    @cached_property
    def packed(self) -> Packed:
        """What the Boolean kernel reads; in a leaf one feature more, and itself as left child."""
        is_leaf = self.feature < 0
        n_features = 0 if self.boolean_thresholds is None else len(self.boolean_thresholds)
        feature = np.where(is_leaf, n_features, self.feature)
        left = np.where(is_leaf, np.arange(len(is_leaf)), self.left)
        levels, ends = [], self.roots[:, None]
        for _ in range(TOP):
            levels.append(feature[ends])
            children = np.stack([left[ends], left[ends] + ~is_leaf[ends]], axis=2)
            ends = children.reshape(len(ends), -1)
        return Packed(
            nodes=(left.astype(np.uint64) << np.uint64(32)) | (feature * TILE).astype(np.uint64),
            features=np.stack([_heap(levels[:3], 0), *(_heap(levels[3:], i) for i in range(8))], 1),
            ends=ends.astype(np.uint64),
        )

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf of every row in every tree, as node numbers (n_trees, n_samples)."""
        result = np.empty((len(self.roots), len(X)), dtype=np.int32)
        if self.boolean_thresholds is not None and not _has_nan(X):
            high, low = np.empty(TILE, np.uint8), np.empty(TILE, np.uint8)
            leaves_boolean(
                _tiles(_above(X, self.boolean_thresholds)), self.packed, self.depths, high, low,
                np.empty(TILE, np.uint64), result,
            )  # fmt: skip
        else:
            leaves_any(
                np.ascontiguousarray(X, dtype=np.float64), self.feature, self.threshold, self.left,
                self.missing_left, self.roots, result,
            )  # fmt: skip
        return result

    def sums(self, leaves: np.ndarray, n_targets: int) -> np.ndarray:
        """Sums of the values of each row's leaves, (n_samples, n_targets), of leaves (n_trees, n_samples).

        Where leaves hold one value each, tree t is about target t % n_targets.
        """
        one, n = self.values.shape[1] == 1, leaves.shape[1]
        total = np.zeros((n_targets, n) if one else (n, n_targets))
        add_values(leaves, self.value_row, self.values, total)
        return np.ascontiguousarray(total.T) if one else total


def check_trees_of(model: Any, decomposition: str) -> None:
    """Refuse an estimator that came out of a file without trees of its features and labels."""
    trees = vars(model).get("_trees")
    if not isinstance(trees, Trees):
        raise ValueError("it has no trees")
    check_tree_meaning(trees, model.n_features_in_, model.n_labels_, decomposition)


def _heap(levels: list[np.ndarray], i: int) -> np.ndarray:
    """Of some levels of every tree, what stands below their i-th node, level by level."""
    widths = [1 << depth for depth in range(len(levels))]
    return np.concatenate(
        [level[:, i * w : (i + 1) * w] for level, w in zip(levels, widths, strict=True)], axis=1
    )


def _above(X: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Which values are above the threshold of their feature."""
    if X.dtype != bool:
        return np.greater(X, thresholds)
    # True is 1 and False is 0: this way no number is converted
    above = X & (thresholds < 1)
    return above | (thresholds < 0) if (thresholds < 0).any() else above


def _tiles(cells: np.ndarray) -> np.ndarray:
    """Cells of rows as tiles of TILE rows, feature by feature, with a feature of 0 behind the others."""
    n, d = cells.shape
    tiles = np.zeros((-(-n // TILE), d + 1, TILE), dtype=np.uint8)
    whole = n // TILE
    tiles[:whole, :d] = cells[: whole * TILE].reshape(whole, TILE, d).transpose(0, 2, 1)
    if n % TILE:
        tiles[whole, :d, : n % TILE] = cells[whole * TILE :].T
    return tiles


def flatten(trees: list[Tree], boolean_thresholds: np.ndarray | None, dtype: type) -> Trees:
    """Put trees one after the other, emptying the list of them; values keep the given dtype."""
    sizes = np.array([len(t.feature) for t in trees])
    n_nodes = int(sizes.sum())
    roots = (np.cumsum(sizes) - sizes).astype(np.int64)
    feature, left, value_row = (np.empty(n_nodes, dtype=np.int32) for _ in range(3))
    missing_left = np.empty(n_nodes, dtype=np.uint8)
    values: np.ndarray = np.empty(
        ((n_nodes + len(trees)) // 2, trees[0].means.shape[1]), dtype=dtype
    )
    depths = np.array([t.depth for t in trees], dtype=np.int64)
    threshold = np.zeros(n_nodes)
    thresholds = np.empty(0) if boolean_thresholds is None else boolean_thresholds
    # a binary tree has one leaf more than inner nodes
    first_leaves = (roots + np.arange(len(trees))) // 2
    for root, leaf in zip(roots[::-1], first_leaves[::-1], strict=True):
        # a tree is let go once it is copied, the last one first: then its memory can be given back
        t = trees.pop()
        means = t.means if len(t.means) < len(t.feature) else t.means[t.feature < 0]
        # a missing value that was never seen goes to the larger child
        place(
            t.feature, t.left, t.weight, means, root, leaf, thresholds, feature, left, missing_left,
            threshold, value_row, values,
        )  # fmt: skip
        if t.threshold is not None and t.missing_left is not None:
            threshold[root : root + len(t.feature)] = t.threshold
            missing_left[root : root + len(t.feature)] = t.missing_left
    return Trees(
        feature=feature,
        threshold=threshold,
        missing_left=missing_left,
        left=left,
        roots=roots,
        depths=depths,
        value_row=value_row,
        values=values,
        boolean_thresholds=boolean_thresholds,
    )


def _has_nan(X: np.ndarray) -> bool:
    # the sum is NaN if a number is, and costs a fraction of looking at each
    with np.errstate(over="ignore", invalid="ignore"):
        return X.dtype.kind == "f" and bool(np.isnan(X.sum())) and bool(np.isnan(X).any())
