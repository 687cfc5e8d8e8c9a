"""Thresholds of cuts: half-way between the two values of a feature that a cut separates."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit


@jit(allocates=False, inner=True, forceinline=True)
def half_way(low, high):
    """A number t with low <= t < high, half-way where the floats allow it."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@jit(allocates=False)
def write_thresholds(feature, sides, offsets, lowest, highest, threshold, missing_left):
    """Write the threshold of each cut, between the codes on its sides, and where gaps go; 0 in a leaf.

    ``lowest`` and ``highest`` are the ends of the values of each code. A gap is beyond them all.
    """
    for node in range(feature.shape[0]):
        threshold[node], missing_left[node] = 0.0, 0
        j = np.int64(feature[node])
        if j >= 0:
            below, above = (
                offsets[j] + np.uint64(sides[node, 0]),
                offsets[j] + np.uint64(sides[node, 1]),
            )
            at_gap = above + np.uint64(1) == offsets[j + 1]
            threshold[node] = np.inf if at_gap else half_way(highest[below], lowest[above])
            missing_left[node] = sides[node, 2]
