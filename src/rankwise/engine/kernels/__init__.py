"""Jitted loops over rows, nodes and features; here those that kernels of other packages call."""

from rankwise.engine.kernels.partition import filtered, partition_lists
from rankwise.engine.kernels.thresholds import half_way

__all__ = ["filtered", "half_way", "partition_lists"]
