"""Numbers beside each other, LANES to a block: loops of so many are vector instructions."""

from __future__ import annotations

from rankwise._jit import jit

LANES = 8


@jit(allocates=False, inner=True, forceinline=True)
def set_lanes(target, source):
    """Copy blocks of lanes."""
    for b in range(target.shape[0]):
        for i in range(LANES):
            target[b, i] = source[b, i]


@jit(allocates=False, inner=True, forceinline=True)
def clear_lanes(target):
    """Set blocks of lanes to 0."""
    for b in range(target.shape[0]):
        for i in range(LANES):
            target[b, i] = 0


@jit(allocates=False, inner=True, forceinline=True)
def add_lanes(target, source):
    """Add blocks of lanes."""
    for b in range(target.shape[0]):
        for i in range(LANES):
            target[b, i] += source[b, i]


@jit(allocates=False, inner=True, forceinline=True)
def subtract_lanes(target, a, b):
    """Write a difference of blocks of lanes."""
    for k in range(target.shape[0]):
        for i in range(LANES):
            target[k, i] = a[k, i] - b[k, i]
