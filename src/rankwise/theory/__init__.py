"""The paper's guarantees as functions: how many rows are needed, and do the conditions hold.

Bounds have the shape of the paper's theorems, with everything that those hide in an explicit
`constant`: they compare situations, and are no promise about one. Conditions are estimated from
data, each with an interval and a verdict: holds, fails, or cannot tell (too few rows).
"""

from rankwise.theory._condition import Condition, Report
from rankwise.theory._density import feature_dependence, marginal_density
from rankwise.theory._diagnose import diagnose
from rankwise.theory._forests import ForestSize, forest_guarantee, forest_sample_size
from rankwise.theory._gap import strong_sparsity
from rankwise.theory._inequalities import talagrand_bound, tsybakov_constant
from rankwise.theory._margins import tsybakov
from rankwise.theory._noise import noise_level
from rankwise.theory._numbers import Guarantee, HugeSampleSize
from rankwise.theory._pair_claims import (
    pair_comparisons,
    pairwise_error_bound,
    pairwise_risk_gap,
)
from rankwise.theory._pairs import (
    pair_excess_risk,
    pairwise_guarantee,
    pairwise_risk_bound,
    pairwise_sample_size,
)
from rankwise.theory._relevant_density import relevant_density
from rankwise.theory._returns import diminishing_returns, submodularity
from rankwise.theory._sparsity import sparsity
from rankwise.theory._suggestions import Suggestion, suggest_samples, suggest_splits
from rankwise.theory._tolerance import deletion_tolerance, partial_tolerance
from rankwise.theory._transitivity import transitivity
from rankwise.theory._trees import (
    spearman_guarantee,
    tree_depth,
    tree_guarantee,
    tree_sample_size,
)
from rankwise.theory._vc import class_sample_size, vc_dimension

__all__ = [
    "Condition",
    "ForestSize",
    "Guarantee",
    "HugeSampleSize",
    "Report",
    "Suggestion",
    "class_sample_size",
    "deletion_tolerance",
    "diagnose",
    "diminishing_returns",
    "feature_dependence",
    "forest_guarantee",
    "forest_sample_size",
    "marginal_density",
    "noise_level",
    "pair_comparisons",
    "pair_excess_risk",
    "pairwise_error_bound",
    "pairwise_guarantee",
    "pairwise_risk_bound",
    "pairwise_risk_gap",
    "pairwise_sample_size",
    "partial_tolerance",
    "relevant_density",
    "sparsity",
    "spearman_guarantee",
    "strong_sparsity",
    "submodularity",
    "suggest_samples",
    "suggest_splits",
    "talagrand_bound",
    "transitivity",
    "tree_depth",
    "tree_guarantee",
    "tree_sample_size",
    "tsybakov",
    "tsybakov_constant",
    "vc_dimension",
]
