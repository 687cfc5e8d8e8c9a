"""Jitted loops over rows, nodes and features; here those that kernels of other packages call."""

from rankwise.engine.kernels.depths import add_at_depths
from rankwise.engine.kernels.leaves import add_values, add_votes
from rankwise.engine.kernels.sorted_growing import filtered, partition_lists

__all__ = ["add_at_depths", "add_values", "add_votes", "filtered", "partition_lists"]
