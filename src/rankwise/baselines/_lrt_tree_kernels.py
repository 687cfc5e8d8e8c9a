"""A label-ranking tree in one call, from coded data to the models of its leaves.

Entering compiled code with some forty arrays costs as much as growing a small tree: what a tree needs
beside its data is made here.
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.baselines._lrt_kernels import grow_mallows, new_buffers, new_nodes
from rankwise.baselines._lrt_runs_kernels import Rows
from rankwise.baselines._mallows_kernels import fit_groups, spread_of_distances
from rankwise.engine.kernels import filtered

# Scores of labels that differ by less than this share of all weight are equal.
TIE = 1e-12


@jit
def grow_tree(data, counts, weights, table, min_leaf, max_depth):
    """Grow a tree on the rows of positive count, and fit a model to each leaf.

    Returns of every node the feature, threshold and left child; of every leaf the central
    positions and theta; and the depth of the deepest.
    """
    lists = filtered(data.order, counts)
    n_rows = lists.shape[1]
    nodes = new_nodes(n_rows)
    k, n_lanes = data.observed.shape[1], data.kinds.lines.shape[1]
    buffers = new_buffers(k, n_lanes, n_rows, counts.shape[0], TIE * weights.sum(), table)
    n = grow_mallows(
        data.columns, data.codes, lists, Rows(data.kind, weights, counts), data.kinds, min_leaf,
        max_depth, buffers, nodes,
    )  # fmt: skip
    centers, thetas = fit_leaves(data.observed, weights, lists[0], nodes, n)
    depth = 0
    for i in range(n):
        depth = max(depth, nodes.depth[i])
    return (
        nodes.feature[:n].copy(), nodes.threshold[:n].copy(), nodes.left[:n].copy(),
        centers, thetas, depth,
    )  # fmt: skip


@jit(inner=True)
def fit_leaves(observed, weights, rows, nodes, n_nodes):
    """Fit a model to the rows of each leaf; returns central positions and thetas."""
    # a binary tree has one leaf more than inner nodes
    n, k = (n_nodes + 1) // 2, observed.shape[1]
    starts, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    leaf = 0
    for i in range(n_nodes):
        if nodes.feature[i] < 0:
            starts[leaf], ends[leaf] = nodes.segment[i, 0], nodes.segment[i, 1]
            leaf += 1
    centers, distances, thetas = np.empty((n, k), np.int64), np.empty(n), np.empty(n)
    fit_groups(
        observed, rows.astype(np.int64), weights[rows], starts, ends, centers, distances,
        np.empty(k), np.empty((4, k), np.int64),
    )  # fmt: skip
    spread_of_distances(distances, k, thetas)
    return centers, thetas
