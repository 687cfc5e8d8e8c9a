"""The paper's guarantees as functions: how many rows one needs, and what a given number buys.

Bounds have the shape of the paper's theorems, with everything that those hide in an explicit
`constant`: they compare situations, and are no promise about one.
"""

from rankwise.theory._forests import ForestSize, forest_guarantee, forest_sample_size
from rankwise.theory._inequalities import talagrand_bound, tsybakov_constant
from rankwise.theory._numbers import Guarantee, HugeSampleSize
from rankwise.theory._pairs import (
    pair_excess_risk,
    pairwise_guarantee,
    pairwise_risk_bound,
    pairwise_sample_size,
)
from rankwise.theory._trees import (
    spearman_guarantee,
    tree_depth,
    tree_guarantee,
    tree_sample_size,
)
from rankwise.theory._vc import vc_dimension

__all__ = [
    "ForestSize",
    "Guarantee",
    "HugeSampleSize",
    "forest_guarantee",
    "forest_sample_size",
    "pair_excess_risk",
    "pairwise_guarantee",
    "pairwise_risk_bound",
    "pairwise_sample_size",
    "spearman_guarantee",
    "talagrand_bound",
    "tree_depth",
    "tree_guarantee",
    "tree_sample_size",
    "tsybakov_constant",
    "vc_dimension",
]
