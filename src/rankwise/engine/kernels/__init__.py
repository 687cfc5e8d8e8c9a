"""Jitted loops over rows, nodes and features; here those that kernels of other packages call."""

from rankwise.engine.kernels.midpoints import half_way
from rankwise.engine.kernels.partition import filtered, partition_lists

__all__ = ["filtered", "half_way", "partition_lists"]
