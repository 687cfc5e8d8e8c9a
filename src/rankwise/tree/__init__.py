"""Trees for label ranking: Level-Splits, Breiman's criterion, and any regressor per label."""

from rankwise.tree._base import MANY_ROWS, BaseTreeRanker
from rankwise.tree._depths import positions_at_depths
from rankwise.tree._labelwise import LabelwiseRanker
from rankwise.tree._ranker import Split, TreeRanker
from rankwise.tree._warnings import warn_of_uncompared

__all__ = [
    "MANY_ROWS",
    "BaseTreeRanker",
    "LabelwiseRanker",
    "Split",
    "TreeRanker",
    "positions_at_depths",
    "warn_of_uncompared",
]
