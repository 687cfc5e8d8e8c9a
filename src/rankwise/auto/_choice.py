"""Which of the learners that were tried are taken, with which weights, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rankwise.auto._candidates import FLOOR, USUAL_BY_COST
from rankwise.auto._leaderboard import MIXTURE, Leaderboard, Standing, three_digits
from rankwise.auto._mixture import mixture_weights, weighted_mean
from rankwise.auto._search import Stage, Trial
from rankwise.ranker import is_more

Floats = NDArray[np.float64]

# So many parts of the rows are left out in turn to tell what a mixture is worth.
PARTS = 3
# By so many standard errors a learner must beat the mixture to be taken alone: the best of many on rows
# left out is flattered.
ALONE_ERRORS = 3


@dataclass(frozen=True)
class Choice:
    """Weights of the trials of a stage, and what they are worth on rows left out."""

    weights: Floats
    score: tuple[float, float, float]  # the mean, and a 95 % interval

    @classmethod
    def of(cls, stage: Stage, rng: np.random.Generator) -> Self:
        """Weigh the candidates."""
        trials, share = stage.trials, stage.share
        worth = _worth(stage, rng)
        weights = _weights_on(np.arange(len(share)), stage, rng)
        alone = _better_alone(stage, worth)
        if alone is not None:
            weights, worth = np.eye(len(trials))[alone], trials[alone].values
        return cls(weights, stage.score(worth))

    def members(self, stage: Stage) -> list[tuple[Trial, float]]:
        """Return those that take part, with their weights."""
        return [(t, float(w)) for t, w in zip(stage.trials, self.weights, strict=True) if w > 0]

    def leaderboard(
        self, stage: Stage, dropped: Mapping[str, tuple[Trial | None, str]]
    ) -> Leaderboard:
        """Write down how all stand, those included that were tried no further."""
        measure = stage.problem.measure
        tried = [
            Standing(
                trial.candidate.name,
                *trial.score,
                trial.seconds,
                float(weight),
                len(stage.rows),
            )
            for trial, weight in zip(stage.trials, self.weights, strict=True)
        ]
        known = {standing.learner for standing in tried}
        given_up = [
            Standing(name, *trial.score, trial.seconds, 0.0, trial.rows, why)
            if trial is not None
            else Standing(name, np.nan, np.nan, np.nan, 0.0, 0.0, 0, why)
            for name, (trial, why) in dropped.items()
            if name not in known
        ]
        total = sum(standing.seconds for standing in (*tried, *given_up))
        mixture = Standing(MIXTURE, *self.score, total, 1.0, len(stage.rows))
        first = [mixture] if (self.weights > 0).sum() > 1 else []
        tried.sort(key=lambda standing: -standing.tau)
        given_up.sort(key=lambda standing: -np.nan_to_num(standing.tau, nan=-2.0))
        return Leaderboard((*first, *tried, *given_up), measure)

    def reason(self, stage: Stage, measure: str) -> str:
        """Return why, in a sentence."""
        by_name = {trial.candidate.name: trial.score[0] for trial in stage.trials}
        floor, best = by_name[FLOOR], max(by_name, key=lambda name: by_name[name])
        chosen = [trial.candidate.name for trial, _ in self.members(stage)]
        reached = f"{measure} {three_digits(self.score[0])} on rows left out"
        if len(chosen) > 1:
            what = (
                f"A mixture of {len(chosen)} learners reaches {reached}; the best alone, {best}, "
                f"{three_digits(by_name[best])}"
            )
        elif chosen == [best]:
            what = f"{best} alone is better than a mixture: {reached}"
        else:
            what = f"{chosen[0]} is kept, since nothing is clearly better: {reached}"
        if best == FLOOR:
            return f"{what}. The features say nothing that one ranking for all does not"
        return f"{what}; one consensus for all rows, {three_digits(floor)}"


def _worth(stage: Stage, rng: np.random.Generator) -> Floats:
    """What a mixture is worth, by weights that were chosen without the rows it is measured on."""
    predictions = np.stack([trial.predicted for trial in stage.trials])
    value, n = stage.problem.value(stage.asked), len(stage.asked)
    worth = np.full(n, np.nan)
    part = stage.fold_of_asked if len(stage.folds) > 1 else np.arange(n)
    for left_out in range(PARTS):
        out = part % PARTS == left_out
        rows, others = np.flatnonzero(out), np.flatnonzero(~out)
        if len(rows) and len(others):
            weights = _weights_on(others, stage, rng)
            worth[rows] = value(rows, np.tensordot(weights, predictions[:, rows], 1))
    return worth


def _weights_on(rows: NDArray[np.int64], stage: Stage, rng: np.random.Generator) -> Floats:
    """Weigh the candidates by some of the rows that were asked."""
    closeness, share = stage.problem.closeness(stage.asked), stage.share[rows]
    numbers = np.stack([stage.problem.numbers(trial)[rows] for trial in stage.trials])

    def of_those(some: NDArray[np.int64], predicted: Floats) -> Floats:
        return closeness(rows[some], predicted)

    alone = np.array([weighted_mean(trial.values[rows], share) for trial in stage.trials])
    return mixture_weights(alone, numbers, of_those, share, rng)


def _better_alone(stage: Stage, worth: Floats) -> int | None:
    """Return which learner is to be taken alone; None for the mixture.

    It is the best, where that beats the mixture by three standard errors, and the floor where the mixture
    does not beat it. What choices cost hangs on a few rows: there the usual learner is kept unless the
    mixture beats it by a standard error.
    """
    trials, share = stage.trials, stage.share
    names = [trial.candidate.name for trial in trials]
    by_cost = stage.problem.costs is not None and USUAL_BY_COST in names
    usual = names.index(USUAL_BY_COST if by_cost else FLOOR)
    if not _gains(worth - trials[usual].values, share, errors=1 if by_cost else 0):
        return usual
    if by_cost:
        return None
    best = int(np.argmax([trial.score[0] for trial in trials]))
    return (
        best
        if _gains(trials[best].values - worth, share, errors=ALONE_ERRORS, unknown=True)
        else None
    )


def _gains(differences: Floats, share: Floats, errors: int, unknown: bool = False) -> bool:
    """Whether rows gain by so many standard errors on the mean; `unknown` where no row can tell."""
    known = ~np.isnan(differences) & (share > 0)
    if not known.any():
        return unknown
    return is_more(differences[known], share[known] / share[known].sum(), errors)
