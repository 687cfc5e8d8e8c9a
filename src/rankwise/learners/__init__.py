"""Learners by name: one list, which every command, comparison and table uses."""

from rankwise.learners._gaps import fill_gaps, gap_means, needs_filling
from rankwise.learners._learner import Learner, Takes, fit_ranker
from rankwise.learners._registry import find_learner, known_learners, split_learners

__all__ = [
    "Learner",
    "Takes",
    "fill_gaps",
    "find_learner",
    "fit_ranker",
    "gap_means",
    "known_learners",
    "needs_filling",
    "split_learners",
]
