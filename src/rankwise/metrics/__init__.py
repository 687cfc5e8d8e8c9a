"""How far two rankings are apart: metrics, the cost of a choice, and scikit-learn scorers.

Every metric takes truth and prediction as ranks and gives the mean over rows, or one value per row
with ``average=False``. Pairs of labels count that are observed and strictly ordered in the truth; a
row without such a pair is NaN and left out of the mean. For `tau_x` and `exact_match` a pair that the
truth ties counts too, and must be tied.
"""

from rankwise.metrics._noise import inconsistency, repeated_errors, tau_gap
from rankwise.metrics._pairs import compatible_match, kendall_distance, kendall_tau
from rankwise.metrics._positions import footrule_distance, spearman_distance, spearman_rho
from rankwise.metrics._regret import chosen_value, gap_closed, regret
from rankwise.metrics._scorers import scorer, scorer_names
from rankwise.metrics._ties import exact_match, tau_b, tau_x
from rankwise.metrics._top import reciprocal_rank, top_k_accuracy

__all__ = [
    "chosen_value",
    "compatible_match",
    "exact_match",
    "footrule_distance",
    "gap_closed",
    "inconsistency",
    "kendall_distance",
    "kendall_tau",
    "reciprocal_rank",
    "regret",
    "repeated_errors",
    "scorer",
    "scorer_names",
    "spearman_distance",
    "spearman_rho",
    "tau_b",
    "tau_gap",
    "tau_x",
    "top_k_accuracy",
]
