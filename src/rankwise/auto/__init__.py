"""The right ranker by default: learners are tried on rows left out, and the best are mixed."""

from rankwise.auto._candidates import FLOOR
from rankwise.auto._leaderboard import Leaderboard, Standing
from rankwise.auto._ranker import AutoRanker

__all__ = ["FLOOR", "AutoRanker", "Leaderboard", "Standing"]
