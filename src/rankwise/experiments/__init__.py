"""Experiments: units of work that are computed once, in parallel, and survive interruption."""

from rankwise.experiments._claims import Verdict
from rankwise.experiments._compare import compare
from rankwise.experiments._comparison import Comparison, Failure
from rankwise.experiments._methods import Method, find_method, known_methods, split_methods
from rankwise.experiments._protocol import Protocol
from rankwise.experiments._published import Figure, published, published_figures
from rankwise.experiments._reproduce import Plan, Reproduction, plan, reproduce
from rankwise.experiments._reproduce_tables import PaperTable
from rankwise.experiments._runner import Outcome, Unit, run
from rankwise.experiments._statistics import (
    Friedman,
    PairTest,
    average_ranks,
    friedman,
    holm,
    mean_sd,
    nemenyi,
    wilcoxon_pairs,
)
from rankwise.experiments._store import Store, StoreWarning, write_whole
from rankwise.experiments._tables import Estimate, Table

__all__ = [
    "Comparison",
    "Estimate",
    "Failure",
    "Figure",
    "Friedman",
    "Method",
    "Outcome",
    "PairTest",
    "PaperTable",
    "Plan",
    "Protocol",
    "Reproduction",
    "Store",
    "StoreWarning",
    "Table",
    "Unit",
    "Verdict",
    "average_ranks",
    "compare",
    "find_method",
    "friedman",
    "holm",
    "known_methods",
    "mean_sd",
    "nemenyi",
    "plan",
    "published",
    "published_figures",
    "reproduce",
    "run",
    "split_methods",
    "wilcoxon_pairs",
    "write_whole",
]
