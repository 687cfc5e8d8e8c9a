"""Which nodes of a tree a new row passes, down to some depths."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit


@jit(allocates=False)
def add_at_depths(X, feature, threshold, left, missing_left, means, depths, first, totals):
    """Add the means of the nodes where each row stands when the tree is cut at each depth.

    `depths` ascend; `totals` is (n_depths, n_rows, n_targets), of which those from `first` on are the
    tree's. One walk down serves all depths.
    """
    for r in range(X.shape[0]):
        node, depth = np.int64(0), np.int64(0)
        for d in range(depths.shape[0]):
            while depth < depths[d] and feature[node] >= 0:
                x = X[r, feature[node]]
                if np.isnan(x):
                    goes_left = missing_left[node] != 0
                else:
                    goes_left = x <= threshold[node]
                node = np.int64(left[node]) + (0 if goes_left else 1)
                depth += 1
            for o in range(means.shape[1]):
                totals[d, r, first + o] += means[node, o]
