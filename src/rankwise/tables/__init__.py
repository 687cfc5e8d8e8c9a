"""Tables as people have them, with texts, categories and gaps; and pipelines that end in a ranker."""

from rankwise.tables._pipelines import predict_pairwise, predict_positions
from rankwise.tables._ranker import TableRanker

__all__ = ["TableRanker", "predict_pairwise", "predict_positions"]
