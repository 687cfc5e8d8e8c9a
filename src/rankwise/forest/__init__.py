"""Forests for label ranking."""

from rankwise.forest._ranker import ForestRanker

__all__ = ["ForestRanker"]
