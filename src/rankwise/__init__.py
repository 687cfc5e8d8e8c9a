"""rankwise learns to rank a fixed set of labels from features.

Names are loaded when they are first used, so that ``import rankwise`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from rankwise.audits import Audit, audit
    from rankwise.explanations import Explanation, explain
    from rankwise.forest import ForestRanker
    from rankwise.models import ModelFileError, load, save
    from rankwise.pairwise import PairwiseRanker, PositionRanker
    from rankwise.rankings import (
        RankingWarning,
        check_rankings,
        format_rankings,
        long_from_ranks,
        orders_from_ranks,
        pairs_from_ranks,
        parse_rankings,
        ranks_from_long,
        ranks_from_orders,
        ranks_from_pairs,
        ranks_from_scores,
        ranks_from_top_k,
    )
    from rankwise.tree import LabelwiseRanker, TreeRanker

# public name -> the room it lives in
_ROOM_OF = {
    "Audit": "audits",
    "Explanation": "explanations",
    "ForestRanker": "forest",
    "LabelwiseRanker": "tree",
    "ModelFileError": "models",
    "PairwiseRanker": "pairwise",
    "PositionRanker": "pairwise",
    "RankingWarning": "rankings",
    "TreeRanker": "tree",
    "audit": "audits",
    "check_rankings": "rankings",
    "explain": "explanations",
    "format_rankings": "rankings",
    "load": "models",
    "long_from_ranks": "rankings",
    "orders_from_ranks": "rankings",
    "pairs_from_ranks": "rankings",
    "parse_rankings": "rankings",
    "ranks_from_long": "rankings",
    "ranks_from_orders": "rankings",
    "ranks_from_pairs": "rankings",
    "ranks_from_scores": "rankings",
    "ranks_from_top_k": "rankings",
    "save": "models",
}
_ROOMS = (
    "audits",
    "baselines",
    "consensus",
    "datasets",
    "explanations",
    "forest",
    "hypotheses",
    "learners",
    "metrics",
    "models",
    "oracles",
    "pairwise",
    "paper",
    "plots",
    "rankings",
    "theory",
    "tree",
    "validation",
)

__all__ = [
    "Audit",
    "Explanation",
    "ForestRanker",
    "LabelwiseRanker",
    "ModelFileError",
    "PairwiseRanker",
    "PositionRanker",
    "RankingWarning",
    "TreeRanker",
    "audit",
    "check_rankings",
    "explain",
    "format_rankings",
    "load",
    "long_from_ranks",
    "orders_from_ranks",
    "pairs_from_ranks",
    "parse_rankings",
    "ranks_from_long",
    "ranks_from_orders",
    "ranks_from_pairs",
    "ranks_from_scores",
    "ranks_from_top_k",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        return getattr(import_module(f"rankwise.{_ROOM_OF[name]}"), name)
    if name in _ROOMS:
        return import_module(f"rankwise.{name}")
    raise AttributeError(f"module 'rankwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
