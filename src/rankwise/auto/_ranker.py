"""A ranker that tries others on rows left out, and is a mixture of the best."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from rankwise._messages import warn_caller
from rankwise._naming import rows_taken
from rankwise._parallel import in_threads
from rankwise._parameters import check_flag, check_integer, check_number
from rankwise.auto._candidates import FLOOR, Candidate, check_candidates, find_candidates
from rankwise.auto._choice import Choice
from rankwise.auto._costs import expected_by, higher_is_better, knows_values
from rankwise.auto._leaderboard import Leaderboard, Standing
from rankwise.auto._search import (
    USUAL_TIES,
    Problem,
    Search,
    Stage,
    jobs_for,
)
from rankwise.classifiers import one_thread
from rankwise.engine import seed_entropy
from rankwise.forest import ForestRanker
from rankwise.learners import fill_gaps, fit_ranker, gap_means
from rankwise.ranker import (
    BaseRanker,
    Certainty,
    ExpectsValues,
    HeldOut,
    comparing_rows,
    finite_answers,
    fit_certainty,
    ranks_by_position,
    take_rows,
)
from rankwise.rankings import RankingWarning
from rankwise.validation import Costs, quiet

Floats = NDArray[np.float64]

# So many rows are kept for `explain`, which looks at no more.
COMPARED = 50

# So many rows are predicted by one thread at a time, and no fewer than that are shared out to threads.
MIXED_ROWS, LEAST_ROWS = 8192, 2048


class LeftOut(NamedTuple):
    """What a mixture said of rows that its learners had not seen."""

    rows: NDArray[np.int64]  # which rows of X
    ranks: NDArray[np.int64]  # (n, k), without ties
    shares: Floats  # (n, k, k), as `predict_pairwise` of the learners, before they become chances
    floor: NDArray[np.int64]  # (n, k), by the consensus of the other rows
    counts: Floats  # (n,), what each row counts in the leaderboard


class AutoRanker(ExpectsValues):
    """Try many learners on rows left out, and rank by a mixture of the best.

    Forests of several kinds, logistic regressions of pairs, kernel ridge regression, neighbours and
    one consensus for all predict the same rows that they have not seen. Those that do best are mixed,
    half by greedy selection (Caruana et al. 2004) and half alike, or the best is taken alone where a
    mixture is clearly worse.
    So it is never far behind the best of them, and not below the consensus by more than chance.

    Complete, incomplete and tied rankings are taken, gaps in features, weights, and groups of rows
    that belong together. Where rows are many, all learners are tried on 750 of them first, and eight
    go on. The order of rows does not matter.

    The share of a pair is a chance: it was fitted to the rows left out, so that of all pairs with
    0.8 about 80 % are ordered so.

    Parameters
    ----------
    time_budget : float, optional
        Seconds that `fit` may take, roughly. Then fewer learners are tried, or on fewer rows, and the
        result depends on the machine. The first fit ever on a machine compiles for up to a minute
        beside that.
    candidates : "auto" or list of str or rankers
        Which learners are tried: names as ``rankwise learners`` lists them, with parameters such as
        ``"RF(max_depth=5)"``, or unfitted rankers of this package. The consensus is always one.
    refit : bool
        Whether the learners that were chosen are fitted to all rows. False: there is a leaderboard, and
        nothing to predict with.
    n_jobs : int, optional
        How many learners are tried at a time, in threads; -1: one per core. Without a limit of time
        results do not depend on it.
    random_state : int, Generator or RandomState, optional
        Decides the folds and what learners draw.
    ties : {"auto", "never"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; "auto" fits the threshold to the
        rows left out.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        What "auto" fits the threshold to, and learners are compared by where rankings have ties; others
        are compared by Kendall's tau.
    verbose : int
        1 shows who leads while it takes long, on a terminal.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        What was tried: tau on rows left out, its interval, time, and weight in the mixture.
    chosen_ : dict
        From the name of each learner that is part of the mixture to its weight.
    reason_ : str
        Why, in a sentence.
    score_ : float
        Tau of the mixture on rows left out, by weights that were chosen without them.
    members_ : list of rankers
        Those that were chosen, fitted to all rows, in the order of `chosen_`.
    certainty_ : Certainty
        What turns shares into chances.
    comparison_rows_ : ndarray of shape (n, n_features)
        Up to 50 of the training rows, which `rankwise.explain` compares a row with.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.datasets import load
    >>> X, Y = load("generated/iris")
    >>> learners = ["Forest(n_estimators=20)", "Pairwise", "KNNKemeny"]
    >>> model = rw.AutoRanker(candidates=learners, random_state=0).fit(X, Y)
    >>> sorted({standing.learner for standing in model.leaderboard_} - {"the mixture"})
    ['Consensus', 'Forest(n_estimators=20)', 'KNNKemeny', 'Pairwise']
    >>> model.predict(X[:2]).shape
    (2, 3)
    """

    _takes_missing_features = True
    _saved_parts = (Leaderboard, Standing)

    def __init__(
        self,
        time_budget: float | None = None,
        candidates: Any = "auto",
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        *,
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        verbose: int = 0,
    ) -> None:
        self.time_budget = time_budget
        self.candidates = candidates
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.ties = ties
        self.ties_for = ties_for
        self.verbose = verbose

    def fit(  # type: ignore[override]  # groups stand before values here, as they always did
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        values: ArrayLike | None = None,
    ) -> Self:
        """Learn from rows and their rankings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; NaN = missing.
        y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; then learners that take none are not tried.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are left out together, never divided.
        values : array-like of shape (n_samples, n_labels), optional
            What each label is worth (run times, yields), in the columns of y; NaN = not measured. Then
            learners are judged, and mixed, by what following them would have cost on rows left out:
            by the share of the gap closed between the label that is best on average and the best of
            each row.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self.fit_left_out(X, y, sample_weight, groups, values)
        return self

    def fit_left_out(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        values: ArrayLike | None = None,
    ) -> LeftOut:
        """Learn as `fit` does, and return what was predicted of the rows that were left out.

        It costs nothing: the mixture was chosen by these predictions. Each row was ranked by learners
        that had not seen it.

        Parameters
        ----------
        X, y, sample_weight, groups, values : array-like
            As in `fit`.

        Returns
        -------
        LeftOut
            Which rows of X, their ranks, and the shares that `certainty_` makes chances of.
        """
        self._groups = (
            None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        )
        try:
            super().fit(X, y, sample_weight, values)
            return self._left_out
        finally:
            # what rows left out were predicted is large, and a fitted model has no use for it
            for name in ("_groups", "_held", "_left_out", "_members"):
                self.__dict__.pop(name, None)

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        start = time.monotonic()
        X = np.asarray(X, dtype=np.float64)
        problem, order = self._problem(X, ranks, weights)
        rng = np.random.default_rng(np.random.SeedSequence(seed_entropy(self.random_state)))
        candidates = find_candidates(
            self.candidates,
            problem.X,
            problem.ranks,
            problem.weights,
            problem.tied,
            by_cost=problem.costs is not None,
        )
        seeds = {
            c.name: int(seed)
            for c, seed in zip(candidates, rng.integers(1 << 31, size=len(candidates)), strict=True)
        }
        limit = np.inf if self.time_budget is None else start + float(self.time_budget)
        shown = None if self.verbose else False
        jobs = int(effective_n_jobs(self.n_jobs))
        search = Search(problem, candidates, seeds, rng, jobs, start, limit, shown)
        stage = search.run()
        choice = Choice.of(stage, rng)
        self._members = choice.members(stage)
        self.chosen_ = {trial.candidate.name: weight for trial, weight in self._members}
        self.score_ = choice.score[0]
        self.leaderboard_ = choice.leaderboard(stage, search.dropped)
        self.reason_ = choice.reason(stage, self.leaderboard_.measure_name)
        self._keep_held_out(stage, order)
        spaced = np.linspace(0, len(order) - 1, min(len(order), COMPARED)).round().astype(int)
        self.comparison_rows_ = problem.X[np.unique(spaced)]
        self.members_: list[Any] = []
        if self.refit:
            self._refit(problem, stage, jobs, limit)

    def _problem(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> tuple[Problem, NDArray[np.int64]]:
        """The rows that teach, in an order of their own, and which rows of the data they are."""
        rows = np.flatnonzero(comparing_rows(ranks, weights, ties_count=self._with_ties))
        if weights is not None:
            rows = rows[weights[rows] > 0]
        groups = self._groups
        if groups is not None and len(groups) != len(ranks):
            raise ValueError(
                f"groups has {len(groups)} entries for {len(ranks)} rows; give one for each row"
            )
        keys = [X, ranks, *(part[:, None] for part in (weights, groups) if part is not None)]
        columns = np.nan_to_num(np.hstack(keys)[rows], nan=np.inf)
        rows = rows[np.lexsort(columns.T[::-1])]
        values = vars(self).get("_values")
        costs = None if values is None else Costs(values, higher_is_better(values, ranks))
        measure = self.ties_for if self._with_ties else "kendall_tau"
        measure = measure if costs is None else "gap_closed"
        problem = Problem(X, ranks, weights, groups, measure, self._with_ties, costs)
        units = len(rows) if groups is None else len(np.unique(groups[rows]))
        if units < 2:
            what = "one sample" if groups is None else "the rows of one group"
            raise ValueError(
                f"only {what} to learn from compares labels: at least 2 are needed, to learn from the "
                "one and try on the other"
            )
        return problem.take(rows), rows

    def _keep_held_out(self, stage: Stage, order: NDArray[np.int64]) -> None:
        """What the mixture says of rows left out: chances are fitted to it, and ties."""
        k = self.n_labels_
        weights = [weight for _, weight in self._members]
        predicted = np.tensordot(weights, [trial.predicted for trial, _ in self._members], 1)
        shares = np.tensordot(weights, [trial.shares for trial, _ in self._members], 1)
        ranks = ranks_by_position(predicted[:, :k])
        shares = np.asarray(shares, dtype=np.float64)
        self.certainty_ = fit_certainty(shares, ranks, stage.truth)
        consensus = next(trial for trial in stage.trials if trial.candidate.name == FLOOR)
        floor = ranks_by_position(consensus.predicted[:, :k])
        rows = order[stage.rows[stage.asked]]
        self._left_out = LeftOut(rows, ranks, shares, floor, stage.share)
        before = predicted[:, k:].reshape(-1, k, k) if self._with_ties else np.empty((0, k, k))
        self._held = HeldOut(rows, ranks, before)

    def _held_out(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> HeldOut | None:
        return self._held

    def _refit(self, problem: Problem, stage: Stage, jobs: int, limit: float) -> None:
        """Fit the members to all rows; to those that they were tried on, where time is short."""
        n = len(problem.ranks)
        needed = sum(trial.seconds_on(n) for trial, _ in self._members) / jobs
        if len(stage.rows) < n and time.monotonic() + needed > limit:
            warn_caller(
                f"time_budget={self.time_budget} is too short for all {n} rows: {len(stage.rows)} of "
                "them were learned from; give more time, or fewer candidates",
                RankingWarning,
            )
            problem = stage.problem
        ties = USUAL_TIES if problem.tied else "never"
        self._gap_means = gap_means(problem.X)
        filled = fill_gaps(problem.X, self._gap_means)
        self._fills = [trial.candidate.fill for trial, _ in self._members]

        fit = partial(_fit_member, problem, filled, ties)
        with quiet():
            chosen = [(trial.candidate, trial.seed) for trial, _ in self._members]
            self.members_ = in_threads(jobs_for(n, jobs), fit, *zip(*chosen, strict=True))
            self._expects = None
            if problem.costs is not None and not any(map(knows_values, self.members_)):
                forest = ForestRanker(n_jobs=jobs, random_state=self._members[0][0].seed)
                self._expects = fit_ranker(
                    forest, problem.X, problem.ranks, problem.weights, problem.costs.values
                )

    def _mix(self, X: np.ndarray, numbers: Any) -> Floats:
        """The mean of what members say of rows that each of them has checked, by their weights."""
        if not self.members_:
            raise ValueError(
                "this AutoRanker was fitted with refit=False and has no model to predict with; fit it "
                "with refit=True"
            )
        X = np.asarray(X, dtype=np.float64)
        filled = fill_gaps(X, self._gap_means) if any(self._fills) else X
        parts = zip(self.chosen_.values(), self.members_, self._fills, strict=True)
        checked = [(w, m, m._check_predict(filled if fill else X)) for w, m, fill in parts]

        step = -(-len(X) // n_pieces(len(X), effective_n_jobs(self.n_jobs)))

        def mixed(start: int) -> Floats:
            some = slice(start, start + step)
            with rows_taken(range(len(X))[some]):
                total: Floats = sum(w * numbers(m, take_rows(rows, some)) for w, m, rows in checked)
            return total

        starts = range(0, len(X), step)
        # pieces have threads already, and matrices of their size gain little by more
        with one_thread():
            return np.concatenate(in_threads(self.n_jobs, mixed, starts, require="sharedmem"))

    @property
    def _knows_values(self) -> bool:
        return bool(self._known_by())

    def _known_by(self) -> list[tuple[float, Any, bool]]:
        """Who knows what to expect of each label: weights, rankers, and whether gaps are filled."""
        if vars(self).get("_expects") is not None:
            return [(1.0, self._expects, False)]
        parts = zip(self.chosen_.values(), self.members_, self._fills, strict=True)
        return [part for part in parts if knows_values(part[1])]

    def _expected_values(self, X: np.ndarray) -> tuple[Floats, Floats]:
        X = np.asarray(X, dtype=np.float64)
        known = self._known_by()
        filled = fill_gaps(X, self._gap_means) if any(fill for _, _, fill in known) else X
        return expected_by([(w, ranker, filled if fill else X) for w, ranker, fill in known])

    def _learns_ties(self) -> bool:
        # a choice by cost needs one label in front: what is tied there costs the mean of all
        return super()._learns_ties() and not (self.ties == "auto" and "_values" in vars(self))

    def _predict_positions(self, X: np.ndarray) -> Floats:
        return self._mix(X, lambda model, rows: model._predict_positions(rows))

    def _raw_shares(self, X: np.ndarray) -> Floats:
        return self._mix(X, lambda model, rows: model._predict_shares(rows))

    def _predict_shares(self, X: np.ndarray) -> Floats:
        return self.certainty_.pairwise(self._raw_shares(X))

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        positions, shares = self._positions_and_shares(X)
        return ranks_by_position(finite_answers(positions)), shares

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        def both(model: Any, rows: np.ndarray) -> Floats:
            positions, shares = model._positions_and_shares(rows)
            return np.hstack([positions, shares.reshape(len(shares), -1)])

        k, mixed = self.n_labels_, self._mix(X, both)
        shares = self.certainty_.pairwise(mixed[:, k:].reshape(-1, k, k))
        return mixed[:, :k], shares

    def _predict_before(self, X: np.ndarray) -> Floats:
        return self._mix(X, lambda model, rows: model._predict_before(rows))

    def _check_parameters(self) -> None:
        check_candidates(self.candidates)
        check_flag("refit", self.refit)
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)
        if self.time_budget is not None:
            check_number("time_budget", self.time_budget, 0.0)

    def _check_state(self) -> None:
        super()._check_state()
        chosen, members = vars(self).get("chosen_"), vars(self).get("members_")
        if not isinstance(chosen, dict) or not isinstance(members, list) or not members:
            raise ValueError("it has no members to rank by")
        if len(chosen) != len(members) or len(vars(self).get("_fills", ())) != len(members):
            raise ValueError("its members and their weights differ in number")
        if any(type(w) is not float or not 0 < w <= 1 + 1e-9 for w in chosen.values()):
            raise ValueError("its weights are no shares from 0 to 1")
        for member in members:
            if not isinstance(member, BaseRanker) or isinstance(member, AutoRanker):
                raise ValueError(f"it holds a {type(member).__name__} where a ranker belongs")
            if (member.n_labels_, member.n_features_in_) != (self.n_labels_, self.n_features_in_):
                raise ValueError("a member ranks other labels, or by other features")
        expects = vars(self).get("_expects")
        if expects is not None:
            if not isinstance(expects, ForestRanker) or not expects._knows_values:
                raise ValueError("what knows its values is no forest that was fitted to some")
            if (expects.n_labels_, expects.n_features_in_) != (self.n_labels_, self.n_features_in_):
                raise ValueError("what knows its values is about other labels or features")
        self._saved_numbers("_gap_means", (self.n_features_in_,))
        n = self._saved_rows("comparison_rows_")
        rows = self._saved_array("comparison_rows_", (n, self.n_features_in_))
        if rows.dtype != np.float64 or np.isinf(rows).any():
            raise ValueError("its comparison_rows_ are infinite, or of another type")
        for name, kind in (("leaderboard_", Leaderboard), ("certainty_", Certainty)):
            if type(vars(self).get(name)) is not kind:
                raise ValueError(f"it has no {name}")


def n_pieces(n_rows: int, n_threads: int) -> int:
    """Into how many pieces rows are cut, so that threads have as many each, of one size.

    Examples
    --------
    >>> n_pieces(1000, 2), n_pieces(10_000, 2), n_pieces(24_000, 2), n_pieces(24_000, 1)
    (1, 2, 4, 3)
    """
    n = max(1, round(n_rows / MIXED_ROWS))
    return n if n_rows < n_threads * LEAST_ROWS else -(-n // n_threads) * n_threads


def _fit_member(
    problem: Problem, filled: np.ndarray, ties: str | float, candidate: Candidate, seed: int
) -> Any:
    """Fit a learner to all rows."""
    takes, costs = candidate.learner.takes, problem.costs
    weights = problem.weights if takes.weights else None
    values = costs.values if costs is not None and candidate.learner.by_cost else None
    X = filled if candidate.fill else problem.X
    return fit_ranker(candidate.make(seed, ties), X, problem.ranks, weights, values)
