"""Why one label stands before another in one row: features, similar training rows, text and picture."""

from rankwise.explanations._columns import in_recipe
from rankwise.explanations._effects import column_effects
from rankwise.explanations._explain import explain
from rankwise.explanations._explanation import Contribution, Explanation, SimilarRow
from rankwise.explanations._paths import leaf_rows

__all__ = [
    "Contribution",
    "Explanation",
    "SimilarRow",
    "column_effects",
    "explain",
    "in_recipe",
    "leaf_rows",
]
