"""Candidates are tried on rows left out: few rows first, and what falls behind is tried no further."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel
from numpy.typing import NDArray

from rankwise._parallel import sent_once
from rankwise._progress import Progress
from rankwise.auto._candidates import FLOOR, Candidate
from rankwise.auto._leaderboard import interval
from rankwise.auto._mixture import LIBRARY, Value
from rankwise.ranker import MEASURES, finite_answers, ranks_by_position, ranks_with_ties
from rankwise.validation import Costs, cross_validate, draw_folds, quiet

Floats = NDArray[np.float64]

# Rows of the first tries, where there are more than twice as many; and with a limit of time.
FEW_ROWS, FEW_IN_HASTE = (750,), (300, 3000)
# On fewer rows learners spend their time in Python, where threads are in each other's way.
THREAD_ROWS = 1000
# So many letters of a name leave room for a bar in 80 columns.
NAME_ROOM = 20
# So many folds up to so many rows; beyond, one part of the rows is left out once.
FOLDS = ((100, 10), (3000, 5), (10_000, 3))
LEFT_OUT = 5000
# Rows that are asked for what is predicted of them; k² numbers of each are kept.
MOST_ASKED, MOST_NUMBERS = 5000, 1 << 23
# What a mixture ties while it is sought; the threshold is fitted when it is found.
USUAL_TIES = 0.45
# Who is so far behind the leader on few rows is not tried on all.
HOPELESS = 0.1
# When tries on few rows must be over, and those on more: shares of the time that there is. At the end
# some is left to choose.
EARLY_SHARES, LAST_SHARE = (0.3, 0.6), 0.95
# Who was so near to the best on few rows can stand for it on all, where the best takes too long.
AS_GOOD = 0.02
NO_TIME = "no time was left"
# Where rows grow m times, the time of a fit is taken to grow so many times.
GROWTH = 1.15


class OutOfTimeError(Exception):
    """There is no time to try a candidate to the end."""


@dataclass(frozen=True)
class Problem:
    """What is to be learned, and how answers are measured."""

    X: np.ndarray
    ranks: Floats
    weights: Floats | None
    groups: NDArray[Any] | None
    measure: str
    tied: bool
    costs: Costs | None = None

    def take(self, rows: NDArray[np.int64]) -> Problem:
        """Return some of the rows."""
        parts: dict[str, Any] = {
            name: None if (part := getattr(self, name)) is None else part[rows]
            for name in ("X", "ranks", "weights", "groups")
        }
        if self.costs is not None:
            parts["costs"] = replace(self.costs, values=self.costs.values[rows])
        return replace(self, **parts)

    def answer(self, predicted: Floats) -> np.ndarray:
        """Ranks from what is kept of predictions: positions, and what speaks for their order if tied."""
        n, k = len(predicted), self.ranks.shape[1]
        strict = ranks_by_position(predicted[:, :k])
        if not self.tied:
            return strict
        return ranks_with_ties(strict, predicted[:, k:].reshape(n, k, k), USUAL_TIES)

    def value(self, asked: NDArray[np.int64]) -> Value:
        """How good predictions of these rows are."""
        if self.costs is not None:
            closed = self.costs.gap_closed(asked)
            return lambda rows, predicted: closed(rows, self.answer(predicted))
        function, truth = MEASURES[self.measure], self.ranks[asked]

        def value(rows: NDArray[np.int64], predicted: Floats) -> Floats:
            found: Floats = function(truth[rows], self.answer(predicted), average=False)
            return found

        return value

    def numbers(self, trial: Trial) -> Floats:
        """What of a trial is held against the truth by `closeness`."""
        if self.costs is not None:
            return trial.predicted
        before, after = np.triu_indices(self.ranks.shape[1], 1)
        return trial.shares[:, before, after]

    def closeness(self, asked: NDArray[np.int64]) -> Value:
        """How near the shares of pairs are to what these rows say: few pairs tell less by tau than by that.

        It is the mean square, below 0. Where costs decide, it is what they are.
        """
        if self.costs is not None:
            return self.value(asked)
        truth = self.ranks[asked]
        first, second = (truth[:, side] for side in np.triu_indices(self.ranks.shape[1], 1))
        outcomes = (1 + np.sign(second - first)) / 2

        def closeness(rows: NDArray[np.int64], shares: Floats) -> Floats:
            squares = (shares - outcomes[rows]) ** 2
            known = ~np.isnan(squares)
            with np.errstate(invalid="ignore"):
                return -np.where(known, squares, 0.0).sum(axis=1) / known.sum(axis=1)

        return closeness


@dataclass(frozen=True)
class Trial:
    """What became of a candidate on rows left out."""

    candidate: Candidate
    seed: int
    rows: int
    predicted: Floats = field(repr=False)  # (asked rows, numbers), as `Problem.answer` takes them
    shares: Floats = field(repr=False)
    values: Floats = field(repr=False)
    score: tuple[float, float, float]  # its mean, and a 95 % interval
    seconds: float
    fit_seconds: float

    def seconds_on(self, rows: int) -> float:
        """Return how long a fit to so many rows will take, roughly."""
        return self.fit_seconds * max(1.0, rows / self.rows) ** GROWTH


@dataclass
class Stage:
    """Candidates on the same rows and folds."""

    problem: Problem
    rows: NDArray[np.int64]
    folds: list[tuple[np.ndarray, np.ndarray]]
    asked: NDArray[np.int64]
    trials: list[Trial] = field(default_factory=list)

    @property
    def truth(self) -> Floats:
        """True ranks of the rows that are asked."""
        ranks: Floats = self.problem.ranks[self.asked]
        return ranks

    @property
    def share(self) -> Floats:
        """What each of them counts: its weight times the pairs that it compares; one choice by cost."""
        known = (~np.isnan(self.truth)).sum(axis=1)
        pairs = known * (known - 1) / 2 if self.problem.costs is None else np.ones(len(known))
        weights = self.problem.weights
        return pairs if weights is None else pairs * weights[self.asked]

    @property
    def fold_of_asked(self) -> NDArray[np.int64]:
        """Which fold left each asked row out."""
        fold = np.zeros(len(self.problem.ranks), dtype=np.int64)
        for number, (_, test) in enumerate(self.folds):
            fold[test] = number
        return fold[self.asked]

    def score(self, values: Floats) -> tuple[float, float, float]:
        """Return the mean of what the asked rows reach, and a 95 % interval."""
        return interval(values, self.share, -1.0 if self.problem.costs is None else -np.inf)

    def best(self) -> Trial:
        """Return the candidate that did best."""
        return max(self.trials, key=lambda trial: trial.score[0])

    def try_out(self, candidate: Candidate, seed: int, stop: float = math.inf) -> Trial:
        """Fit a candidate to each fold and keep what it predicts of the rows asked.

        Raises `OutOfTimeError` as soon as it seems that this and a fit to all rows will not end by `stop`.
        """
        problem, start = self.problem, time.monotonic()
        value = problem.value(self.asked)
        ties = USUAL_TIES if problem.tied else "never"

        def make(fold: int) -> Any:
            now = time.monotonic()
            per_fold = (now - start) / max(1, fold)
            if now + per_fold * (len(self.folds) - fold + 1) > stop:
                raise OutOfTimeError
            return candidate.make(seed, ties)

        found = cross_validate(
            make,
            problem.X,
            problem.ranks,
            cv=self.folds,
            sample_weight=problem.weights if candidate.learner.takes.weights else None,
            keep={"predicted": partial(_predicted, problem.tied)},
            ranked=False,
            fill=candidate.fill,
            costs=problem.costs,
            by_cost=candidate.learner.by_cost,
        )
        k = problem.ranks.shape[1]
        numbers = found.kept["predicted"][self.asked]
        predicted, shares = numbers[:, : -k * k].copy(), numbers[:, -k * k :].reshape(-1, k, k)
        values = value(np.arange(len(self.asked)), predicted)
        seconds = time.monotonic() - start
        return Trial(
            candidate,
            seed,
            len(problem.ranks),
            predicted,
            shares.astype(np.float32),
            values,
            self.score(values),
            seconds,
            max(found.fit_seconds),
        )


@dataclass
class Search:
    """Tries candidates on more and more rows, within a limit of time."""

    problem: Problem
    candidates: Sequence[Candidate]
    seeds: dict[str, int]
    rng: np.random.Generator
    n_jobs: int
    start: float
    deadline: float
    shown: bool | None

    # those that were tried no further, with the reason
    dropped: dict[str, tuple[Trial | None, str]] = field(default_factory=dict)

    def run(self) -> Stage:
        """Return the last stage that is worth to choose from."""
        alive, last = list(self.candidates), None
        *early, whole = self._sizes()
        with Progress("trying learners", shown=self.shown) as progress:
            for size, share in zip(early, EARLY_SHARES, strict=False):
                stage = self._stage(size)
                self._try_all(stage, alive, last, share, progress)
                if last is not None and not self._goes_on(stage, last):
                    return last
                last, alive = stage, self._survivors(stage)
            stage = self._stage(whole)
            self._try_all(stage, alive, last, LAST_SHARE, progress)
        return stage if last is None or self._goes_on(stage, last) else last

    def _sizes(self) -> list[int]:
        n = len(self.problem.ranks)
        few = FEW_ROWS if math.isinf(self.deadline) else FEW_IN_HASTE
        return [*(size for size in few if 2 * size < n), n]

    def _stage(self, size: int) -> Stage:
        n = len(self.problem.ranks)
        rows = np.arange(n) if size == n else np.sort(self.rng.permutation(n)[:size])
        groups = self.problem.groups
        if groups is not None and len(np.unique(groups[rows])) < 2:
            rows = np.arange(n)  # one group may hold nearly all rows
        problem = self.problem.take(rows)
        seed = int(self.rng.integers(1 << 31))
        folds = folds_of(len(rows), problem.groups, seed)
        tested = np.sort(np.concatenate([test for _, test in folds]))
        most = min(MOST_ASKED, max(100, MOST_NUMBERS // problem.ranks.shape[1] ** 2))
        spaced = np.linspace(0, len(tested) - 1, min(len(tested), most)).round().astype(np.int64)
        asked = tested[np.unique(spaced)]
        kept = [(train, np.intersect1d(test, asked)) for train, test in folds]
        return Stage(problem, rows, [(train, test) for train, test in kept if len(test)], asked)

    def _try_all(
        self,
        stage: Stage,
        alive: list[Candidate],
        last: Stage | None,
        share: float,
        progress: Progress,
    ) -> None:
        expected = {} if last is None else {t.candidate.name: t for t in last.trials}
        ordered = _by_kind(alive) if last is None else _by_score(alive, expected)

        # what comes back is added to the stage, and need not be sent
        attempt = sent_once(partial(_attempt, replace(stage, trials=[])))

        def tasks() -> Iterator[Any]:
            for candidate in ordered:
                before = expected.get(candidate.name)
                stop = math.inf if candidate.name == FLOOR else self._stop(stage, share)
                if time.monotonic() + _seconds_of(stage, last, before) > stop:
                    self.dropped[candidate.name] = (before, NO_TIME)
                    continue
                # other machines have clocks of their own
                seconds = stop - time.monotonic()
                yield attempt(candidate, self.seeds[candidate.name], seconds)

        with quiet():
            tried = Parallel(
                n_jobs=jobs_for(len(stage.rows), self.n_jobs),
                prefer="threads",
                pre_dispatch="n_jobs",
                batch_size=1,
                return_as="generator_unordered",
            )(tasks())
            for n_tried, (candidate, found) in enumerate(tried, 1):
                if isinstance(found, Trial):
                    stage.trials.append(found)
                    leader = stage.best()
                    progress.step(
                        f"tried {n_tried} of {len(ordered)} on {len(stage.rows):,} rows: "
                        f"{_short(leader.candidate.name)} leads with {leader.score[0]:.3f}"
                    )
                else:
                    self.dropped[candidate.name] = (expected.get(candidate.name), found)
        place = {candidate.name: i for i, candidate in enumerate(self.candidates)}
        stage.trials.sort(key=lambda trial: place[trial.candidate.name])

    def _stop(self, stage: Stage, share: float) -> float:
        """When trials must be over, so that the best of them can be fitted to all rows."""
        n = len(self.problem.ranks)
        # something must be tried beside the floor
        share = share if len(stage.trials) > 1 else LAST_SHARE
        stop = self.start + share * (self.deadline - self.start)
        if len(stage.rows) < n:
            return stop
        best = sorted(stage.trials, key=lambda trial: -trial.score[0])[:LIBRARY]
        return stop - sum(trial.seconds_on(n) for trial in best) / self.n_jobs

    def _goes_on(self, stage: Stage, last: Stage) -> bool:
        """Whether those were tried on more rows that did best on few, or others that are as good."""
        least = last.best().score[0] - AS_GOOD
        good = {trial.candidate.name for trial in last.trials if trial.score[0] >= least}
        return bool(good & {trial.candidate.name for trial in stage.trials})

    def _survivors(self, stage: Stage) -> list[Candidate]:
        """Those that may be part of a mixture: the best of this stage, and the floor."""
        best = sorted(stage.trials, key=lambda trial: -trial.score[0])[:LIBRARY]
        least = best[0].score[0] - HOPELESS
        kept = {FLOOR, *(trial.candidate.name for trial in best if trial.score[0] >= least)}
        self._drop(
            stage,
            [t.candidate.name for t in stage.trials if t.candidate.name not in kept],
            "fell behind",
        )
        return [candidate for candidate in self.candidates if candidate.name in kept]

    def _drop(self, stage: Stage, names: Sequence[str], why: str) -> None:
        trials = {trial.candidate.name: trial for trial in stage.trials}
        self.dropped |= {name: (trials[name], why) for name in names if name in trials}


def _short(name: str) -> str:
    """A name as a line beside a bar has room for it."""
    return name if len(name) <= NAME_ROOM else f"{name[: NAME_ROOM - 1]}…"


def jobs_for(n: int, n_jobs: int) -> int:
    """How many threads help with so many rows."""
    return n_jobs if n >= THREAD_ROWS else 1


def folds_of(n: int, groups: NDArray[Any] | None, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds for so many rows: ten of few, one of very many.

    Examples
    --------
    >>> [len(folds_of(n, None, 0)) for n in (8, 90, 1000, 5000, 50000)]
    [8, 10, 5, 3, 1]
    """
    n_units = n if groups is None else len(np.unique(groups))
    for most, folds in FOLDS:
        if n <= most:
            return draw_folds(n, min(folds, n_units), seed=seed, groups=groups)
    return draw_folds(n, min(max(2, n // LEFT_OUT), n_units), seed=seed, groups=groups)[:1]


def _by_kind(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first of each kind before the second of any, so that short time tries different things."""
    seen: Counter[str] = Counter()
    turns = []
    for candidate in candidates:
        kind = candidate.name.partition("(")[0]
        turns.append(seen[kind])
        seen[kind] += 1
    return [candidates[i] for i in np.argsort(turns, kind="stable")]


def _by_score(candidates: Sequence[Candidate], before: dict[str, Trial]) -> list[Candidate]:
    """The floor, then those that did best before."""
    return sorted(candidates, key=lambda c: (c.name != FLOOR, -before[c.name].score[0]))


def _seconds_of(stage: Stage, last: Stage | None, before: Trial | None) -> float:
    """How long a candidate, and its fit to all rows, will take by what it took on fewer.

    Of one that is new it is known after a fold, which may take as long as the longest so far.
    """
    if last is None or before is None:
        return max((trial.seconds for trial in stage.trials), default=0.0) / len(stage.folds)
    n = len(stage.rows)
    growth = (n / before.rows) ** GROWTH * len(stage.folds) / len(last.folds)
    return before.seconds * growth + before.seconds_on(n)


def _attempt(
    stage: Stage, candidate: Candidate, seed: int, seconds: float
) -> tuple[Candidate, Trial | str]:
    """Try a candidate within some seconds; what it cannot learn is no reason to stop the others."""
    try:
        return candidate, stage.try_out(candidate, seed, time.monotonic() + seconds)
    except OutOfTimeError:
        return candidate, NO_TIME
    except (ValueError, TypeError, np.linalg.LinAlgError) as error:
        if candidate.name == FLOOR or candidate.learner.is_foreign:
            raise
        return candidate, " ".join(str(error).split())


def _predicted(tied: bool, model: Any, X: np.ndarray) -> Floats:
    """What a mixture is a mean of, and behind it the shares of all pairs, in one row of numbers."""
    rows = model._check_predict(X)
    positions, shares = map(finite_answers, model._positions_and_shares(rows))
    parts = [positions, *([model._predict_before(rows)] if tied else []), shares]
    return np.hstack([part.reshape(len(part), -1) for part in parts], dtype=np.float64)
