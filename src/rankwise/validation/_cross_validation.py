"""Cross-validation: where folds are drawn, and the one loop over them, for every command."""

from __future__ import annotations

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._arguments import check_arguments
from rankwise._naming import name_some, rows_taken, shown
from rankwise._parallel import in_order
from rankwise._parameters import check_integer, check_weights, is_list, is_whole
from rankwise.learners import fill_gaps, fit_ranker, gap_means
from rankwise.metrics import compatible_match, exact_match, kendall_tau, tau_x, top_k_accuracy
from rankwise.rankings import RankingWarning, check_rankings, check_row_order
from rankwise.validation._costs import REFERENCES, SINGLE, Costs, shares_closed
from rankwise.validation._statistics import summarize
from rankwise.validation._store import StoreWarning

Fold = tuple[np.ndarray, np.ndarray]
Metrics = Mapping[str, Callable[..., Any]]
Keep = Callable[[Any, Any], np.ndarray]

METRICS: Metrics = {
    "tau": kendall_tau,
    "tau_x": tau_x,
    "exact": exact_match,
    "compatible": compatible_match,
    "top1": top_k_accuracy,
}


@check_arguments
@dataclass(frozen=True)
class CrossValidation:
    """What `cross_validate` found.

    Parameters
    ----------
    scores : dict
        From metric to one value per fold.
    ranks : ndarray of shape (n_samples, n_labels)
        The ranks predicted for each row when it was first held out; NaN for rows that never were.
    kept : dict of ndarray
        The same for what else was asked for, by name.
    fit_seconds, predict_seconds : list of float
        Wall-clock time of each fold.
    n_train, n_test : list of int
        Rows of each fold.
    references : dict of dict
        Where costs were measured: those of the single best label, chosen on the training rows, and
        of the virtual best, which knows the best label of every row.
    """

    scores: dict[str, list[float]]
    ranks: np.ndarray = field(repr=False)
    kept: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    fit_seconds: list[float] = field(default_factory=list, repr=False)
    predict_seconds: list[float] = field(default_factory=list, repr=False)
    n_train: list[int] = field(default_factory=list, repr=False)
    n_test: list[int] = field(default_factory=list, repr=False)
    references: dict[str, dict[str, list[float]]] = field(default_factory=dict, repr=False)

    def summary(
        self, metric: str = "tau", reference: str | None = None
    ) -> dict[str, float | int | None]:
        """Return mean, standard deviation over folds (n - 1), a 95 % interval of the mean, and n.

        The interval is Nadeau and Bengio's (2003): folds share their training rows, so that the
        mean varies more than sd / sqrt(number of folds).

        Parameters
        ----------
        metric : str
            One of those measured.
        reference : {"single_best", "virtual_best"}, optional
            Whose, if not those of the ranker.
        """
        scores = self._scores_of(reference)
        if metric not in scores:
            raise ValueError(f"metric is {shown(metric)}; measured were {name_some(scores)}")
        return summarize(scores[metric], sum(self.n_test) / max(1, sum(self.n_train)), metric)

    def summaries(self, reference: str | None = None) -> dict[str, dict[str, float | int | None]]:
        """Return the summary of every metric."""
        scores = self._scores_of(reference)
        return {metric: self.summary(metric, reference) for metric in scores}

    def _scores_of(self, reference: str | None) -> dict[str, list[float]]:
        if reference is None:
            return self.scores
        if reference not in self.references:
            known = (
                f"there are {name_some(self.references)}" if self.references else "there is none"
            )
            raise ValueError(f"reference is {shown(reference)}; {known}")
        return self.references[reference]


@check_arguments
def cross_validate(
    ranker: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    repeats: int = 1,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    metrics: Mapping[str, Callable[..., Any]] = METRICS,
    y_test: Any = None,
    keep: Mapping[str, Keep] | None = None,
    ranked: bool = True,
    fill: bool = False,
    costs: Costs | None = None,
    by_cost: bool = False,
    seed: int = 0,
    each_fold: Callable[[], None] | None = None,
) -> CrossValidation:
    """Fit a ranker to all folds but one, measure it on that one, and so on for every fold.

    Training rows that observe fewer than two labels teach nothing and are left out. Inside
    ``joblib.parallel_config(backend="dask")`` folds are worked on by the cluster, which gets the data once.

    Parameters
    ----------
    ranker : estimator or callable
        Cloned for each fold; or a function of the fold's number, from 0, that returns a new one.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Features.
    y : array-like or DataFrame of shape (n_samples, n_labels)
        Ranks to learn from, 1 = first; NaN = not observed, equal = tied.
    cv : int, splitter of scikit-learn, or iterable of (train, test)
        A number of folds, which are drawn at random; a splitter such as ``GroupKFold``; or rows of
        given folds, by number or as masks.
    repeats : int
        How often a number of folds is drawn anew.
    groups : array-like of shape (n_samples,), optional
        Rows of one group are never divided between training and test.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows for fitting; metrics count every test row once.
    metrics : mapping
        From name to a function of true and predicted ranks; by default tau, tau_X (for which ties
        count), exact match, the same with what the truth ties in any order, and first label right.
    y_test : array-like of shape (n_samples, n_labels), optional
        Ranks to measure against where these are not `y`, as when `y` is noisy or incomplete.
    keep : mapping, optional
        What else to keep of the held-out rows: from name to a function of the fitted ranker and rows
        that returns an array with one entry per row, such as `SHARES`.
    ranked : bool
        Whether held-out rows are ranked and measured. False: nothing is done but what `keep` asks for.
    fill : bool
        Whether missing features get the mean of the training rows, for rankers that take no gaps.
    costs : Costs, optional
        What each label is worth in each row; then what the predictions cost is measured too, as
        "regret", "regret_of_top", "value" and "gap_closed".
    by_cost : bool
        Whether the ranker learns from the values as well, as `PairwiseRanker` can.
    seed : int
        Decides folds that are drawn.
    each_fold : callable, optional
        Called after each fold, to show progress.

    Returns
    -------
    CrossValidation
        Scores, times and held-out predictions.

    Examples
    --------
    >>> from rankwise.datasets import load
    >>> from rankwise.tree import TreeRanker
    >>> X, y = load("generated/iris")
    >>> found = cross_validate(TreeRanker(random_state=0), X, y, cv=3)
    >>> len(found.scores["tau"]), found.summary("tau")["n"]
    (3, 3)

    Rows of one plant stay together:

    >>> from sklearn.model_selection import GroupKFold
    >>> plants = [i // 2 for i in range(len(X))]
    >>> grouped = cross_validate(TreeRanker(), X, y, cv=GroupKFold(5), groups=plants)
    >>> grouped.n_test
    [30, 30, 30, 30, 30]
    """
    try:
        X, y = (
            table if isinstance(getattr(table, "shape", None), tuple) else np.asarray(table)
            for table in (X, y)
        )
    except Exception as error:  # of whatever container this is
        raise TypeError(f"X and y: {error}; give one row per sample in each") from error
    if not X.shape:
        raise ValueError("X is no table; give one row per sample and one column per feature")
    ranks = check_rankings(y, warn=False, name="y")
    truth = ranks if y_test is None else check_rankings(y_test, warn=False, name="y_test")
    others: dict[str, Any] = {"y": y, "y_test": y_test, "sample_weight": sample_weight}
    for name, other in others.items():
        if other is None:
            continue
        is_sized = hasattr(other, "__len__") and not hasattr(other, "tocoo")
        n_others = len(other) if is_sized else 0
        if n_others != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows but {name} has {n_others}; give one for each row"
            )
        check_row_order(X, other, ("X", name))
    weights = check_weights(sample_weight, X.shape[0])
    teaches = (~np.isnan(ranks)).sum(axis=1) > 1
    n, k = truth.shape
    for name, function in {**metrics, **(keep or {})}.items():
        if not callable(function):
            raise TypeError(f"{name!r} stands for {shown(function)}; give a function")
    if not isinstance(costs, Costs | None):
        raise TypeError(f"costs is {shown(costs)}; give Costs, as Costs.of(dataset)")
    metrics = metrics if ranked else {}
    found = CrossValidation({metric: [] for metric in metrics}, np.full((n, k), np.nan))
    values = costs.values if by_cost and costs is not None else None
    hold_out = partial(_hold_out, X, y, truth, weights, values, metrics, ranked, fill)
    is_new, sent = np.ones(n, dtype=bool), deque[tuple[np.ndarray, ...]]()

    def folds() -> Iterator[tuple[Any, ...]]:
        for number, (train, test) in enumerate(_folds(cv, repeats, seed, X, ranks, groups)):
            train = train[teaches[train]]
            if not train.size:
                raise ValueError(f"fold {number}: no training row observes two labels or more")
            new = is_new[test]
            is_new[test] = False
            sent.append((train, test, new))
            yield _new(ranker, number), train, test, (keep or {}) if new.any() else {}

    for held_out in in_order(hold_out, folds()):
        train, test, new = sent.popleft()
        found.fit_seconds.append(held_out.fit_seconds)
        found.n_train.append(len(train))
        found.n_test.append(len(test))
        if held_out.predicted is not None:
            found.predict_seconds.append(held_out.predict_seconds)
            found.ranks[test[new]] = held_out.predicted[new]
            for metric, score in held_out.scores.items():
                found.scores[metric].append(score)
            if costs is not None:
                _add_costs(found, costs.measure(train, test, held_out.predicted))
        for name, rows in held_out.kept.items():
            kept = found.kept.setdefault(name, np.full((n, *rows.shape[1:]), np.nan, rows.dtype))
            kept[test[new]] = rows[new]
        if each_fold is not None:
            each_fold()
    if ranked and costs is not None:
        gaps = found.references[SINGLE]["regret"]
        for scores in (found.scores, *found.references.values()):
            scores["gap_closed"] = shares_closed(scores["regret"], gaps, found.n_test)
    return found


@dataclass(frozen=True)
class _HeldOut:
    """What came of one fold."""

    fit_seconds: float
    predict_seconds: float
    predicted: np.ndarray | None
    scores: dict[str, float]
    kept: dict[str, np.ndarray]


def _hold_out(
    X: Any,
    y: Any,
    truth: np.ndarray,
    weights: np.ndarray | None,
    values: np.ndarray | None,
    metrics: Metrics,
    ranked: bool,
    fill: bool,
    model: Any,
    train: np.ndarray,
    test: np.ndarray,
    keep: Mapping[str, Keep],
) -> _HeldOut:
    """Fit a model to the rows of training, and ask it about those of the test."""
    # Imported here: reading results needs no scikit-learn.
    from rankwise.classifiers import take_rows

    start = time.perf_counter()
    # What is thin is said once, about all rows, by an audit or the final fit.
    with quiet(RankingWarning):
        of_train = None if weights is None else weights[train]
        X_train, X_test = take_rows(X, train), take_rows(X, test)
        if fill:
            means = gap_means(X_train)
            X_train, X_test = fill_gaps(X_train, means), fill_gaps(X_test, means)
        own = None if values is None else values[train]
        with rows_taken(train):
            fit_ranker(model, X_train, take_rows(y, train), of_train, own)
    middle = time.perf_counter()
    with rows_taken(test):
        predicted = np.asarray(model.predict(X_test), dtype=np.float64) if ranked else None
    end = time.perf_counter()
    scores = {
        metric: float(function(truth[test], predicted)) for metric, function in metrics.items()
    }
    kept = {name: np.asarray(function(model, X_test)) for name, function in keep.items()}
    return _HeldOut(middle - start, end - middle, predicted, scores, kept)


def _add_costs(found: CrossValidation, measured: dict[str, dict[str, float]]) -> None:
    for who, figures in measured.items():
        known = found.references
        scores = found.scores if who not in REFERENCES else known.setdefault(who, {})
        for metric, figure in figures.items():
            scores.setdefault(metric, []).append(figure)


def draw_folds(
    n_samples: int,
    n_folds: int,
    *,
    repetition: int = 0,
    seed: int = 0,
    groups: ArrayLike | None = None,
) -> list[Fold]:
    """Divide rows at random into folds whose sizes differ by one row, or group, at most.

    Parameters
    ----------
    n_samples, n_folds : int
        How many.
    repetition, seed : int
        Decide the draw.
    groups : array-like of shape (n_samples,), optional
        Rows of one group come into one fold.

    Returns
    -------
    list of (train, test)
        Rows by number.

    Examples
    --------
    >>> train, test = draw_folds(6, 3)[0]
    >>> sorted([*train, *test]) == list(range(6)), len(test)
    (True, 2)
    """
    check_integer("n_samples", n_samples, 0, 10**9)
    names, which = np.arange(n_samples), np.arange(n_samples)
    if groups is not None:
        try:
            given = np.asarray(groups)
        except Exception as error:  # of whatever container this is
            raise TypeError(f"groups: {error}; give one text or number for each row") from error
        if given.shape != (n_samples,):
            raise ValueError(f"groups has {given.size} entries for {n_samples} rows; give one each")
        try:
            names, which = np.unique(given, return_inverse=True)
        except TypeError:
            raise TypeError("groups has entries of several types; give texts or numbers") from None
    check_integer("n_folds", n_folds, 0)
    check_integer("seed", seed, 0)
    check_integer("repetition", repetition, 0)
    if not 2 <= n_folds <= len(names):
        what = "rows" if groups is None else "groups"
        raise ValueError(
            f"{n_folds} folds of {len(names)} {what}: give from 2 to {len(names)} folds"
        )
    order = np.random.default_rng([seed, repetition]).permutation(len(names))
    fold_of = (order % n_folds)[which]
    return [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(n_folds)]


@contextmanager
def quiet(category: type[Warning] = Warning) -> Iterator[None]:
    """Keep estimators from warning, fold after fold, of what an audit reports once.

    Threads share their filters, so only the main one may set them; it does so for all.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        warnings.simplefilter("always", StoreWarning)
        yield


def _folds(
    cv: Any, repeats: int, seed: int, X: Any, ranks: np.ndarray, groups: Any
) -> Iterable[Fold]:
    n = len(ranks)
    check_integer("repeats", repeats, 1)
    if is_whole(cv):
        return [
            fold
            for repetition in range(repeats)
            for fold in draw_folds(n, int(cv), repetition=repetition, seed=seed, groups=groups)
        ]
    if repeats != 1:
        raise ValueError(f"repeats is {repeats}; only a number of folds is drawn more than once")
    if hasattr(cv, "split") and not isinstance(cv, str | bytes | bytearray | type):
        return list(cv.split(X, ranks, groups))
    if not is_list(cv):
        raise TypeError(
            f"cv is {shown(cv)}; give a number of folds, a splitter such as GroupKFold(5), or a "
            "list of (train, test)"
        )
    return [_given(number, n, fold) for number, fold in enumerate(cv)]


def _given(number: int, n: int, fold: Any) -> Fold:
    """Check a fold that was given: rows by number or as masks, none of them on both sides."""
    rows = []
    try:
        train, test = map(np.asarray, fold)
    except (TypeError, ValueError):
        raise TypeError(
            f"fold {number} of cv is {shown(fold)}; give (train, test), the rows of each"
        ) from None
    for part in (train, test):
        part = np.flatnonzero(part) if part.dtype == bool and len(part) == n else part
        if not part.size or part.dtype.kind not in "iu" or part.min() < 0 or part.max() >= n:
            raise ValueError(f"fold {number}: give rows by number from 0 to {n - 1}, or as masks")
        rows.append(part)
    trains = np.zeros(n, dtype=bool)
    trains[rows[0]] = True
    shared = rows[1][trains[rows[1]]]
    if shared.size:
        raise ValueError(
            f"fold {number}: row {shared.min()} is in training and in test; keep it in one"
        )
    return rows[0], rows[1]


def _new(ranker: Any, number: int) -> Any:
    if isinstance(ranker, type) or not (hasattr(ranker, "fit") or callable(ranker)):
        raise TypeError(
            f"ranker is {shown(ranker)}; give an estimator such as ForestRanker(), or a function "
            "that makes one for each number of a fold"
        )
    if not hasattr(ranker, "fit"):
        return ranker(number)
    from sklearn.base import clone

    return clone(ranker)


def _shares(model: Any, X: Any) -> np.ndarray:
    from rankwise._fitted import find_ranker, reaching_rows  # reading results needs no scikit-learn

    if find_ranker(model) is not None:
        model, X = reaching_rows(model, X)
    if not hasattr(model, "predict_pairwise"):
        raise ValueError(
            f"{type(model).__name__} has no predict_pairwise, which certainty is fitted to; choose "
            "another learner, or derive yours from rankwise.ranker.BaseRanker"
        )
    return np.asarray(model.predict_pairwise(X))


# For `keep`: what certainty is fitted to.
SHARES: Mapping[str, Keep] = {"shares": _shares}
