"""Trees for label ranking: Level-Splits, Breiman's criterion, and any regressor per label."""

from rankwise.tree._labelwise import LabelwiseRanker
from rankwise.tree._ranker import Split, TreeRanker

__all__ = ["LabelwiseRanker", "Split", "TreeRanker"]
