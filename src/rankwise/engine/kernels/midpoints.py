"""Thresholds of cuts: half-way between the two values of a feature that a cut separates."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.engine._features import MISSING


@jit(allocates=False, inner=True, forceinline=True)
def half_way(low, high):
    """A number t with low <= t < high, half-way where the floats allow it."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@jit(allocates=False, inner=True)
def between_codes(values, offset, low, high):
    """The threshold between two codes of a feature, infinite where the higher one is MISSING."""
    if high == MISSING:
        return np.inf
    return half_way(values[offset + np.uint64(low)], values[offset + np.uint64(high)])


@jit(allocates=False)
def write_thresholds(feature, sides, offsets, values, threshold, missing_left):
    """Write the threshold of each cut, between the codes on its sides, and where gaps go; 0 in a leaf."""
    for node in range(feature.shape[0]):
        threshold[node], missing_left[node] = 0.0, 0
        if feature[node] >= 0:
            offset = offsets[feature[node]]
            threshold[node] = between_codes(values, offset, sides[node, 0], sides[node, 1])
            missing_left[node] = sides[node, 2]
