"""Why one label stands before another in one row: features, similar training rows, text and picture."""

from rankwise.explanations._explain import explain
from rankwise.explanations._explanation import Contribution, Explanation, SimilarRow

__all__ = ["Contribution", "Explanation", "SimilarRow", "explain"]
