"""Jitted loops over rows, nodes and features; here those that kernels of other packages call.

The best cut of a node is found in `boolean_cuts` (small nodes: `small_growing`) for Boolean
features, else in `one_target` (which adds up `words`) or `many_targets` (which adds up
`target_lanes`), from histograms or `sorted_lists`; at random in `random_cuts`; that of a level in
`level_cuts`. `coding` makes codes of values. `midpoints` places it between two values,
`partition` parts the rows, `leaves` finishes a tree, `descent` sends new rows down.
"""

from rankwise.engine.kernels.midpoints import half_way
from rankwise.engine.kernels.nodes import draw_feature, order_features
from rankwise.engine.kernels.partition import filtered, partition_lists

__all__ = ["draw_feature", "filtered", "half_way", "order_features", "partition_lists"]
