"""Jitted loops over rows, nodes and features; here those that kernels of other packages call.

The best cut of a node is found in `boolean_splitting` (small nodes: `bitset_growing`) for Boolean
features, in `histogram_growing` (small nodes: `entry_growing`) for one integer target, and else in
`sorted_growing`; that of a level in `level_growing`. `thresholds` places it between two values,
`partition` parts the rows, `leaves` finishes a tree, `descent` sends new rows down.
"""

from rankwise.engine.kernels.partition import filtered, partition_lists
from rankwise.engine.kernels.thresholds import half_way

__all__ = ["filtered", "half_way", "partition_lists"]
