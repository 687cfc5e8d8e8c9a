"""Validation: cross-validate a ranker, compare many over data sets, and test what differs."""

from rankwise.validation._compare import compare
from rankwise.validation._comparison import Comparison, Failure
from rankwise.validation._costs import Costs, shares_closed, without_costly_ties
from rankwise.validation._cross_validation import (
    METRICS,
    SHARES,
    CrossValidation,
    cross_validate,
    draw_folds,
    quiet,
)
from rankwise.validation._plans import FoldPlan, plan_folds
from rankwise.validation._statistics import (
    Friedman,
    PairTest,
    average_ranks,
    friedman,
    holm,
    mean_sd,
    nemenyi,
    summarize,
    wilcoxon_pairs,
)
from rankwise.validation._tables import Estimate, ResultTable

__all__ = [
    "METRICS",
    "SHARES",
    "Comparison",
    "Costs",
    "CrossValidation",
    "Estimate",
    "Failure",
    "FoldPlan",
    "Friedman",
    "PairTest",
    "ResultTable",
    "average_ranks",
    "compare",
    "cross_validate",
    "draw_folds",
    "friedman",
    "holm",
    "mean_sd",
    "nemenyi",
    "plan_folds",
    "quiet",
    "shares_closed",
    "summarize",
    "wilcoxon_pairs",
    "without_costly_ties",
]
