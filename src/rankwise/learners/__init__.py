"""Learners by name: one list, which every command, comparison and table uses."""

from rankwise.learners._learner import Learner, Takes, fit_ranker
from rankwise.learners._registry import find_learner, known_learners, split_learners

__all__ = [
    "Learner",
    "Takes",
    "find_learner",
    "fit_ranker",
    "known_learners",
    "split_learners",
]
