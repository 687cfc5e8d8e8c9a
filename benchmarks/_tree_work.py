"""How much work a fitted forest was, counted from its trees: rows that its nodes hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._jit import jit

# Share of the rows that a bootstrap finds.
DISTINCT = 1 - np.exp(-1)


def rows_of_nodes(trees: Any, X: np.ndarray) -> np.ndarray:
    """How many of the rows reach each node."""
    rows = np.zeros(len(trees.feature), dtype=np.int64)
    for leaves in trees.leaves(X):
        rows += np.bincount(leaves, minlength=len(rows))
    _add_up(rows, trees.feature, trees.left)
    return rows


@jit
def _add_up(rows, feature, left):
    """Give each node that is cut the rows of its two children, which stand behind it."""
    for node in range(len(feature) - 1, -1, -1):
        if feature[node] >= 0:
            rows[node] = rows[left[node]] + rows[left[node] + 1]


def rows_counted(trees: Any, X: np.ndarray) -> int:
    """How many rows histograms must count, where a child is its parent minus its sibling.

    All rows at the root of a tree; then, of two children of which one at least is cut, the smaller.
    """
    rows = rows_of_nodes(trees, X)
    is_cut = trees.feature >= 0
    left = trees.left[is_cut]
    goes_on = is_cut[left] | is_cut[left + 1]
    smaller = np.minimum(rows[left], rows[left + 1])
    return int(rows[trees.roots].sum() + smaller[goes_on].sum())
