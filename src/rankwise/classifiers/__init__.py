"""What rankers made of classifiers share: the classifier that a user gives, its seeds, weights and rows."""

from rankwise.classifiers._classifier import (
    check_classifier,
    check_probabilities,
    default_classifier,
    draw_seed,
    label_probabilities,
    raise_naming,
    require_probabilities,
    seeded_copies,
    spawn_seeds,
    weight_keywords,
)
from rankwise.classifiers._filling_logistic import FillingLogistic
from rankwise.classifiers._logistic import fit_logistics, is_plain_logistic
from rankwise.classifiers._ranker import ClassifierRanker
from rankwise.classifiers._shared_steps import after_shared_steps
from rankwise.classifiers._squares import WithSquares
from rankwise.classifiers._threads import one_thread, one_thread_if_small
from rankwise.ranker import take_rows

__all__ = [
    "ClassifierRanker",
    "FillingLogistic",
    "WithSquares",
    "after_shared_steps",
    "check_classifier",
    "check_probabilities",
    "default_classifier",
    "draw_seed",
    "fit_logistics",
    "is_plain_logistic",
    "label_probabilities",
    "one_thread",
    "one_thread_if_small",
    "raise_naming",
    "require_probabilities",
    "seeded_copies",
    "spawn_seeds",
    "take_rows",
    "weight_keywords",
]
