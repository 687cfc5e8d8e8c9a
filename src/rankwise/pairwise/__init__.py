"""Rankings from decisions between two labels at a time, and from decisions about one position.

Pairs need the order within a row alone, so that incomplete and tied rankings teach as well as
complete ones.
"""

from rankwise.pairwise._kernel import KernelRanker
from rankwise.pairwise._positions import PositionRanker
from rankwise.pairwise._ranker import PairwiseRanker

__all__ = ["KernelRanker", "PairwiseRanker", "PositionRanker"]
