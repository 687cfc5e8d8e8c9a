"""Which learners are worth a try, by what the data is like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise._naming import shown
from rankwise.learners import Learner, find_learner, needs_filling
from rankwise.ranker import BaseRanker, has_tie

# Written as any user can write them after --learner, the cheap ones first. The list was chosen on
# generated problems (docs/choosing.md says how), not on benchmarks.
FLOOR = "Consensus"
_LINES = tuple(f"Pairwise(C={c})" for c in (0.01, 0.1, 1.0, 100.0))
_CURVES = tuple(f"PairwiseSquares(C={c})" for c in (1.0, 100.0))
_COMPLETE = (
    "ExtraTrees(decomposition='joint')",
    "LRRF",
    "Forest",
    "Forest(max_features=0.33)",
    "Forest(min_samples_leaf=5)",
    "Forest(min_samples_leaf=25)",
    "ExtraTrees",
    "ExtraTrees(min_samples_leaf=5)",
    *_LINES,
    *_CURVES,
    "Kernel",
    "KNNKemeny(scale=True)",
    "ExtraTrees(decomposition='pairwise')",
)
_INCOMPLETE = (
    "Forest",
    "Forest(max_features=0.33)",
    "Forest(min_samples_leaf=5)",
    "Forest(min_samples_leaf=25)",
    "Forest(decomposition='joint_pairwise')",
    *_LINES,
    *_CURVES,
    "Kernel",
    "KNNKemeny(scale=True)",
    "LWD",
    "ExtraTrees",
    "ExtraTrees(decomposition='pairwise')",
    "Forest(decomposition='pairwise')",
)
_TIED = (
    "Forest",
    "Forest(min_samples_leaf=5)",
    "InstancePLR",
    "PLRForest",
    *_LINES[1:],
    *_CURVES,
    "Kernel",
    "ExtraTrees(decomposition='pairwise')",
)
# Where values are known, what a choice costs decides. The first is the one that others must beat.
USUAL_BY_COST = "Forest"
_BY_COST = (
    USUAL_BY_COST,
    *(f"Cost{line}" for line in _LINES[1:]),
    "Kernel",
    "KNNKemeny(scale=True)",
)
# Where there are so many rows, the features may say so little that larger leaves pay.
_MANY_ROWS, _LARGE_LEAVES = 2000, "Forest(min_samples_leaf=100)"
# Trees for each pair of so many labels take longer than all the rest together.
_MANY_LABELS = 12


@dataclass(frozen=True)
class Candidate:
    """A learner that is tried.

    Parameters
    ----------
    learner : Learner
        How its estimator is made.
    fill : bool
        Whether gaps in features are filled for it.
    """

    learner: Learner
    fill: bool

    @property
    def name(self) -> str:
        """As it stands in the leaderboard."""
        return self.learner.name

    def make(self, seed: int, ties: str | float) -> Any:
        """Return a fresh estimator; `ties` is as it learns them, where it can."""
        known = self.learner.estimator().get_params()
        return self.learner.estimator(seed, **({"ties": ties} if "ties" in known else {}))


def find_candidates(
    given: Any,
    X: np.ndarray,
    ranks: np.ndarray,
    weights: np.ndarray | None,
    tied: bool,
    by_cost: bool = False,
) -> list[Candidate]:
    """Return the learners to try on this data, the consensus first.

    Parameters
    ----------
    given : "auto" or sequence of str or estimators
        Which.
    X, ranks, weights : ndarray
        What they are to learn.
    tied : bool
        Whether ties are to be learned.
    by_cost : bool
        Whether values are known, and what a choice costs is to decide.
    """
    texts = _suited(ranks, tied, by_cost) if isinstance(given, str) else given
    # one that is named twice is tried once
    found = [*{c.name: c for c in (_candidate(each, X) for each in (FLOOR, *texts))}.values()]
    if not isinstance(given, str):
        return found
    incomplete = bool(np.isnan(ranks).any())
    has_ties = tied or (by_cost and bool(has_tie(ranks)))
    return [c for c in found if _can_learn(c, incomplete, has_ties, weights is not None)]


def check_candidates(given: Any) -> None:
    """Raise an error that says what candidates may be, unless these are."""
    if isinstance(given, str) and given == "auto":
        return
    several = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    if isinstance(given, str) or not several or not list(given):
        raise ValueError(
            f"candidates is {shown(given)}; use 'auto', or a list of learners: names such as "
            "'RF(max_depth=5)', or estimators"
        )
    for each in given:
        if isinstance(each, str):
            find_learner(each)
        elif not isinstance(each, BaseRanker):
            raise TypeError(
                f"candidates holds a {type(each).__name__}; give names of learners, or rankers of "
                "this package"
            )


def _suited(ranks: np.ndarray, tied: bool, by_cost: bool) -> Sequence[str]:
    n, k = ranks.shape
    incomplete = bool(np.isnan(ranks).any())
    by_rank = _INCOMPLETE if incomplete else _TIED if tied else _COMPLETE
    texts = [*(_BY_COST if by_cost else by_rank)]
    if n >= _MANY_ROWS:
        texts.append(_LARGE_LEAVES)
    if k > _MANY_LABELS:
        texts = [text for text in texts if "'pairwise'" not in text]
    return texts


def _candidate(each: Any, X: np.ndarray) -> Candidate:
    if isinstance(each, str):
        learner = find_learner(each)
    else:
        name = " ".join(str(each).split())
        learner = Learner(name, "your own", partial(clone, each), is_foreign=True)
    return Candidate(learner, needs_filling(learner, X))


def _can_learn(candidate: Candidate, incomplete: bool, tied: bool, weighted: bool) -> bool:
    takes = candidate.learner.takes
    return (
        (takes.missing_labels or not incomplete)
        and (takes.ties or not tied)
        and (takes.weights or not weighted)
    )
