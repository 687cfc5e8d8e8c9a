"""From features and rankings to a label-ranking tree with a Mallows model in each leaf."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankwise._cells import for_kernels
from rankwise.baselines._lrt_coding_kernels import TrainingData, code
from rankwise.baselines._lrt_tree_kernels import grow_tree
from rankwise.baselines._mallows_kernels import expected_distances
from rankwise.engine import Grown, Trees

# Rows that agree would have an infinite theta; at this one, 4 draws in 100,000 differ for two labels.
LARGEST_THETA = 10.0

# Cells of the table of thetas. Above a share of contradictions of 1e-4 it is right to 1e-3, and far
# better for most.
CELLS = 4096


def training_data(X: np.ndarray, ranks: np.ndarray) -> TrainingData:
    """Code features by the places of their values, and rankings by their comparisons."""
    columns = for_kernels(X.T, np.float64)
    by_value = np.argsort(columns, axis=1)
    return TrainingData(columns, *code(columns, by_value, for_kernels(ranks, np.float64)))


def grow_lrt(
    data: TrainingData, counts: np.ndarray, weights: np.ndarray, min_leaf: int, max_depth: int
) -> tuple[Grown, np.ndarray, np.ndarray]:
    """Grow a tree on the rows of positive count; a count is how many rows a row stands for.

    Returns the tree, whose leaves hold positions, and of each leaf the central positions and theta.
    """
    counts, table = counts.astype(np.int32, copy=False), theta_table(data.observed.shape[1])
    feature, threshold, left, centers, thetas, depth = grow_tree(
        data, counts, weights, table, min_leaf, max_depth
    )
    tree = Grown(
        sizes=np.array([len(feature)]),
        depths=np.array([depth]),
        feature=feature,
        left=left,
        means=centers.astype(np.float64),
        missing_left=np.zeros(len(feature), dtype=np.uint8),
        threshold=threshold,
    )
    return tree, centers, thetas


def alone(tree: Grown) -> Trees:
    """What `flatten` makes of one tree, in less time than growing a small one takes."""
    assert tree.threshold is not None
    is_leaf = tree.feature < 0
    return Trees(
        feature=tree.feature,
        own_threshold=tree.threshold,
        missing_left=tree.missing_left,
        left=tree.left,
        roots=np.zeros(1, dtype=np.int64),
        depths=tree.depths,
        value_row=np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
        values=tree.means,
        boolean_thresholds=None,
    )


@lru_cache(maxsize=32)
def theta_table(k: int) -> np.ndarray:
    """Theta at shares of contradictions (i / CELLS) ** 2 / 2, i = 0 to CELLS; the last one twice.

    Rankings at random contradict any centre in half of all comparisons, and have a theta of 0.
    """
    thetas = np.linspace(0.0, LARGEST_THETA, CELLS + 1)
    distances = np.empty(CELLS + 1)
    expected_distances(thetas, k, distances)
    shares = distances / (k * (k - 1) / 2)
    # the root is far from linear in theta where both are flat or steep; np.interp wants it rising
    at = np.arange(CELLS + 1) / CELLS
    table = np.interp(at, np.sqrt(2 * shares[::-1]), thetas[::-1])
    return np.append(table, table[-1])
