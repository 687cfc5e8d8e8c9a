"""The depth of every tree, in one pass over nodes that stand behind their parents."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit


@jit
def tree_depths(feature, left, roots, depths):
    """Write the depth of each tree; children must stand behind their parent, within its tree."""
    n = feature.shape[0]
    level = np.zeros(n, np.int64)
    for t in range(roots.shape[0]):
        end = roots[t + 1] if t + 1 < roots.shape[0] else n
        deepest = 0
        for node in range(roots[t], end):
            if level[node] > deepest:
                deepest = level[node]
            if feature[node] >= 0:
                level[left[node]] = level[node] + 1
                level[left[node] + 1] = level[node] + 1
        depths[t] = deepest
