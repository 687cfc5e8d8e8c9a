"""Trees for label ranking: Level-Splits, Breiman's criterion, and any regressor per label."""

from rankwise.tree._base import BaseTreeRanker
from rankwise.tree._depths import positions_at_depths
from rankwise.tree._labelwise import LabelwiseRanker
from rankwise.tree._ranker import Split, TreeRanker

__all__ = ["BaseTreeRanker", "LabelwiseRanker", "Split", "TreeRanker", "positions_at_depths"]
