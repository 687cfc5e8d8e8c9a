"""What trees are grown from and predict with: coded features, targets, growing, flat trees.

`kernels` holds the jitted loops.
"""

from rankwise.engine._features import MISSING, BooleanFeatures, CodedFeatures, code_features
from rankwise.engine._growing import UNLIMITED, Room, Sample, Tree, grow_breiman, grow_level
from rankwise.engine._sampling import n_features_drawn, n_rows_drawn, seed_entropy, whole_weights
from rankwise.engine._targets import Targets, pairwise_targets, position_targets, statistics
from rankwise.engine._trees import Trees, check_trees_of, flatten
from rankwise.engine.kernels.nodes import Rules

__all__ = [
    "MISSING",
    "UNLIMITED",
    "BooleanFeatures",
    "CodedFeatures",
    "Room",
    "Rules",
    "Sample",
    "Targets",
    "Tree",
    "Trees",
    "check_trees_of",
    "code_features",
    "flatten",
    "grow_breiman",
    "grow_level",
    "n_features_drawn",
    "n_rows_drawn",
    "pairwise_targets",
    "position_targets",
    "seed_entropy",
    "statistics",
    "whole_weights",
]
