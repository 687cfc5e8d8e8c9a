"""What competes for the cut of a node with many targets: a slot for each feature, two where it has gaps.

A slot has the positions where its feature may be cut. The weight left of a position is nan where no cut
may be made, so that nothing there compares as better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import LANES
from rankwise._intrinsics import popcount
from rankwise._jit import jit
from rankwise._lanes import places_above
from rankwise.engine.kernels.target_lanes import COUNT, HELD, WEIGHT
from rankwise.engine.kernels.words import SAME, floor_of


class Slots(NamedTuple):
    """Slots that are searched together."""

    feature: np.ndarray
    side: np.ndarray  # 1 where gaps go left
    size: np.ndarray  # positions
    gains: np.ndarray  # (n_slots, positions), up to a whole block of them
    weights: np.ndarray  # the weight left of each; nan behind the last


def new_slots(n_slots: int, n_positions: int) -> Slots:
    """Memory for so many."""
    numbers = (np.empty(n_slots, np.int64) for _ in range(3))
    width = -(-n_positions // LANES) * LANES
    return Slots(*numbers, *(np.empty((n_slots, width)) for _ in range(2)))


@jit(allocates=False, inner=True, forceinline=True)
def limits_of(at, rules, honest):
    """Least and most rows, least and most held rows that may be left of a cut of the node."""
    least = np.int64(rules.stop_when_pure) if honest else np.int64(rules.min_leaf)
    least_held = np.int64(rules.min_leaf) if honest else np.int64(0)
    return least, at.last[COUNT] - least, least_held, at.last[HELD] - least_held


@jit(allocates=False, inner=True, forceinline=True)
def any_cut(limits):
    """Whether one row on each side is enough, and none is held."""
    return limits[0] <= 1 and limits[2] == 0 and limits[3] == 0


@jit(allocates=False, inner=True, forceinline=True)
def leaves_enough(count, held, limits):
    """Whether both sides of a position have rows enough, of which so many are left of it."""
    least, most, least_held, most_held = limits
    return (least <= count) & (count <= most) & (least_held <= held) & (held <= most_held)


@jit(allocates=False, inner=True, forceinline=True)
def end_block(weights, size):
    """Write behind the last position that no cut may be made, up to a whole block of them."""
    for i in range(size, -(-size // LANES) * LANES):
        weights[i] = np.nan


@jit(allocates=False, inner=True, forceinline=True)
def pick(gains, weights, size, floor, at):
    """The best of the positions that beats `floor`: its gain, times n for shared weights; its place + 1.

    Gains are compared as fractions over the product of the weights on both sides, where these are shared.
    """
    n, shared, own = np.float64(at.last[WEIGHT]), 2.0 - at.group, at.group - 1.0
    best, cut = floor, np.int64(0)
    for b in range((size + LANES - 1) // LANES):
        bits = places_above(gains, weights, b, n, shared, own, best)
        while bits != 0:
            lowest = bits & -bits
            i = b * LANES + np.int64(popcount(np.uint64(lowest - 1)))
            product = shared * (weights[i] * (n - weights[i])) + own
            if product > 0.0:
                best, cut = gains[i] / product * SAME, i + 1
            elif best < 0.0:
                # an honest tree may cut where all rows that choose are on one side: that gains nothing,
                # whatever rounding leaves
                best, cut = 0.0, i + 1
            bits = places_above(gains, weights, b, n, shared, own, best) & (-2 * lowest)
    return best, cut


@jit(allocates=False, inner=True, forceinline=True)
def better_slot(slot, best, found, cut, shuffle, at, slots):
    """The better one of this slot and the best so far (-1: none): its gain, itself, its position + 1."""
    j, floor, best_feature = slots.feature[slot], best, slots.feature[found] if found >= 0 else -1
    if slots.side[slot] == 0 or j != best_feature:
        floor = floor_of(best, best_feature, j, shuffle)
    gain, place = pick(slots.gains[slot], slots.weights[slot], slots.size[slot], floor, at)
    return (gain, slot, place) if place > 0 else (best, found, cut)
