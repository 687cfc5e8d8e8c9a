"""What trees are grown from and predict with: coded features, targets, growing, flat trees.

`kernels` holds the jitted loops.
"""

from rankwise.engine._compact import CompactTrees, joined_trees
from rankwise.engine._features import (
    NARROWEST,
    VALUES_OF_A_BIN,
    BooleanFeatures,
    CodedFeatures,
    Features,
    PlainFeatures,
    boolean_features,
    boolean_thresholds,
    code_features,
    codes_of,
    ends_of_codes,
    packed_features,
    plain_features,
)
from rankwise.engine._growing import Grown, GrownSample, TreeGrower
from rankwise.engine._limits import (
    UNLIMITED,
    check_forest_size,
    check_tree_limits,
    growing_rules,
    limit,
)
from rankwise.engine._sampling import (
    Bags,
    DrawnBag,
    n_features_drawn,
    n_rows_drawn,
    seed_entropy,
    whole_weights,
)
from rankwise.engine._targets import (
    PAIRWISE,
    Targets,
    doubled_targets,
    pairwise_targets,
    position_targets,
    tied_targets,
)
from rankwise.engine._trees import CHUNK, LONG_CHUNK, Trees, check_trees_of, flat_trees, flatten
from rankwise.engine.kernels.descent import add_at_depths
from rankwise.engine.kernels.leaves import add_votes

__all__ = [
    "CHUNK",
    "LONG_CHUNK",
    "NARROWEST",
    "PAIRWISE",
    "UNLIMITED",
    "VALUES_OF_A_BIN",
    "Bags",
    "BooleanFeatures",
    "CodedFeatures",
    "CompactTrees",
    "DrawnBag",
    "Features",
    "Grown",
    "GrownSample",
    "PlainFeatures",
    "Targets",
    "TreeGrower",
    "Trees",
    "add_at_depths",
    "add_votes",
    "boolean_features",
    "boolean_thresholds",
    "check_forest_size",
    "check_tree_limits",
    "check_trees_of",
    "code_features",
    "codes_of",
    "doubled_targets",
    "ends_of_codes",
    "flat_trees",
    "flatten",
    "growing_rules",
    "joined_trees",
    "limit",
    "n_features_drawn",
    "n_rows_drawn",
    "packed_features",
    "pairwise_targets",
    "plain_features",
    "position_targets",
    "seed_entropy",
    "tied_targets",
    "whole_weights",
]
