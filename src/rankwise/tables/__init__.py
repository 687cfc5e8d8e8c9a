"""Tables as people have them, with texts, categories and gaps: a ranker that learns their encoding."""

from rankwise.tables._ranker import TableRanker

__all__ = ["TableRanker"]
