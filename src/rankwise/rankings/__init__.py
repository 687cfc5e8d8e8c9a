"""What a ranking is: one gate that checks rankings, and conversions from every form users bring."""

from rankwise.rankings._check import RankingWarning, check_rankings
from rankwise.rankings._tables import label_names

__all__ = ["RankingWarning", "check_rankings", "label_names"]
