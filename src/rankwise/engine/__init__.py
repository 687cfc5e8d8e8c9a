"""What trees are grown from and predict with: coded features, targets, growing, flat trees.

`kernels` holds the jitted loops.
"""

from rankwise.engine._features import MISSING, BooleanFeatures, CodedFeatures, code_features
from rankwise.engine._growing import GrownSample, Tree, TreeGrower
from rankwise.engine._limits import UNLIMITED, check_tree_limits, growing_rules, limit
from rankwise.engine._sampling import n_features_drawn, n_rows_drawn, seed_entropy, whole_weights
from rankwise.engine._targets import Targets, pairwise_targets, position_targets
from rankwise.engine._trees import CHUNK, LONG_CHUNK, Trees, check_trees_of, flatten
from rankwise.engine.kernels.descent import add_at_depths
from rankwise.engine.kernels.leaves import add_votes

__all__ = [
    "CHUNK",
    "LONG_CHUNK",
    "MISSING",
    "UNLIMITED",
    "BooleanFeatures",
    "CodedFeatures",
    "GrownSample",
    "Targets",
    "Tree",
    "TreeGrower",
    "Trees",
    "add_at_depths",
    "add_votes",
    "check_tree_limits",
    "check_trees_of",
    "code_features",
    "flatten",
    "growing_rules",
    "limit",
    "n_features_drawn",
    "n_rows_drawn",
    "pairwise_targets",
    "position_targets",
    "seed_entropy",
    "whole_weights",
]
