"""Scikit-learn's forests of 50 trees for each pair of labels: the peers of `incomplete.py`.

All features at each cut, as in regression, and positions by the sum of shares: pair by pair this is a
forest that learns "is the one before the other", 1 or 0, and predicts expected positions.
"""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from rankwise.pairwise import PairwiseRanker


def random_forest_per_pair() -> PairwiseRanker:
    """Best cuts, bootstrap samples."""
    return _per_pair(RandomForestClassifier)


def extra_trees_per_pair() -> PairwiseRanker:
    """Extremely randomised trees: cuts drawn at random, all rows."""
    return _per_pair(ExtraTreesClassifier)


def _per_pair(kind: Any) -> PairwiseRanker:
    return PairwiseRanker(kind(50, max_features=None), aggregation="borda")
