"""The right ranker by default: learners are tried on rows left out, and the best are mixed."""

from rankwise.auto._candidates import FLOOR
from rankwise.auto._leaderboard import MIXTURE, Leaderboard, Standing, interval
from rankwise.auto._ranker import AutoRanker, LeftOut

__all__ = ["FLOOR", "MIXTURE", "AutoRanker", "Leaderboard", "LeftOut", "Standing", "interval"]
