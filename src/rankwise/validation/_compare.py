"""Compare methods over data sets: one unit per fold, resumed where a run stopped."""

from __future__ import annotations

import hashlib
import inspect
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._naming import rows_called, rows_taken
from rankwise._parameters import check_numbers
from rankwise.datasets import Dataset
from rankwise.learners import (
    Learner,
    fill_gaps,
    find_learner,
    fit_ranker,
    gap_means,
    needs_filling,
)
from rankwise.metrics import kendall_tau, tau_x
from rankwise.validation._comparison import Comparison, collect
from rankwise.validation._costs import Costs, without_costly_ties
from rankwise.validation._cross_validation import cross_validate, quiet
from rankwise.validation._inputs import Input, find_input, load_input
from rankwise.validation._plans import FoldPlan, choose_plan, fold_of
from rankwise.validation._store import Store
from rankwise.validation.running import Report, Unit, derive_seed, run

# Rows of the fit that compiles kernels before a fit is timed.
_WARM_ROWS = 40
_WARM: set[tuple[str, str, bool]] = set()


@check_arguments
def compare(
    methods: Sequence[str],
    datasets: Sequence[str | os.PathLike[str] | Dataset],
    *,
    folds: int | None = None,
    repeats: int | None = None,
    missing: Sequence[float] = (0.0,),
    seed: int = 0,
    top: int = 3,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: Report | None = None,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare methods by repeated cross-validation.

    All methods see the same folds, and the same labels deleted from the training rankings. Tau is
    measured on ranks, against the test rankings with nothing deleted. Weights of rows go to the
    methods; one that takes none is left out where there are some, and the comparison says so. For a
    method that takes no gaps in features they are filled with the mean of the training rows.

    Parameters
    ----------
    methods : sequence of str
        Known names (see `rankwise.learners`), with parameters such as ``"RF(n_estimators=200)"``,
        or your own estimator as ``"my_module:MyRanker"``.
    datasets : sequence of str, path-like or Dataset
        Names of benchmarks, files, or data.
    folds, repeats : int, optional
        Folds of the cross-validation, and how often it is made with other folds. By default a data
        set's own folds, where it brings some, else 10 folds, once; rows of one group are kept
        together.
    missing : sequence of float
        Shares of the training labels to delete; labels deleted at one rate are deleted at every
        higher one.
    seed : int
        Decides folds, deletions, and what methods draw at random.
    top : int
        Where values are known: how many labels may be tried, for the second figure of what is lost.
    out : path-like, optional
        Folder where each finished fold is kept: a run that was stopped continues there.
    n_jobs : int, optional
        Folds at a time; -1 for all cores.
    backend : str, optional
        Of joblib: "threading", "loky" (processes) or "dask".
    progress : callable, optional
        Called with the state of the run after each fold.
    options : mapping, optional
        Options of `rankwise.datasets.read`, for data sets that are files.

    Returns
    -------
    Comparison
        Its tables, statistics and failures.

    Examples
    --------
    >>> result = compare(["Tree", "RF(n_estimators=5)"], ["generated/iris"], folds=3)
    >>> print(result.tau_table().to_csv())  # doctest: +SKIP
    data set,Tree,Tree sd,RF(n_estimators=5),RF(n_estimators=5) sd
    generated/iris,0.937,0.022,0.941,0.025
    >>> result.methods
    ('Tree', 'RF(n_estimators=5)')
    """
    if not len(methods) or not len(datasets):
        raise ValueError("a comparison needs a method and a data set; give one or more of each")
    learners = {text: find_learner(text) for text in methods}
    _refuse_twins([learner.name for learner in learners.values()], "methods")
    rates = sorted({float(rate) for rate in check_numbers("missing", missing).ravel()})
    with ExitStack() as stack:
        folder = Path(out or stack.enter_context(TemporaryDirectory(prefix="rankwise-"))) / "inputs"
        inputs = [find_input(dataset, folder, options) for dataset in datasets]
        _refuse_twins([found.name for found in inputs], "data sets")
        protocol: dict[str, Any] = {"folds": folds, "repeats": repeats, "seed": seed, "top": top}
        units = fold_units(inputs, learners, missing=rates, **protocol)
        store = None if out is None else Store(Path(out) / "units")
        with quiet():
            outcomes = run(units, store, n_jobs=n_jobs, backend=backend, progress=progress)
    names = {text: learner.name for text, learner in learners.items()}
    plans = {found.name: str(_plan(found, folds, repeats)) for found in inputs}
    return replace(
        collect(outcomes, names, plans, rates),
        units={found.name: found.unit for found in inputs if found.unit is not None},
        top=top,
    )


def fold_units(
    inputs: Sequence[Input],
    learners: Mapping[str, Learner],
    *,
    folds: int | None = None,
    repeats: int | None = None,
    missing: Sequence[float] = (0.0,),
    seed: int = 0,
    top: int = 3,
) -> list[Unit]:
    """Return the units of a comparison: one fold of one method on one data set."""
    _check_protocol(inputs, folds, repeats, missing, seed)
    plans = {found.name: _plan(found, folds, repeats) for found in inputs}
    prints = {text: _fingerprint(learner) for text, learner in learners.items()}
    return [
        Unit(
            config={
                "kind": "fold",
                "dataset": found.config,
                "method": text,
                "estimator": prints[text],
                "folds": plans[found.name].folds,
                "repetition": repetition,
                "fold": fold,
                "missing": float(rate),
                "seed": seed,
                # only what has values can be asked for the best of several
                **({} if found.unit is None else {"top": top}),
            },
            work=evaluate_fold,
            cost=learner.cost(found.n_samples, found.n_features, found.n_labels),
            part=found.name,
        )
        for found in inputs
        for repetition, n_folds in enumerate(plans[found.name].sizes)
        for rate in missing
        for fold in range(n_folds)
        for text, learner in learners.items()
    ]


def evaluate_fold(config: dict[str, Any]) -> dict[str, Any]:
    """Fit on all folds but one and measure on that one: tau, and seconds of fit and prediction.

    Tau is taken on orders as well where the rankings are complete, and tau_x where they have ties.
    """
    data = load_input(config["dataset"])
    seed, repetition, fold = config["seed"], config["repetition"], config["fold"]
    train, test = fold_of(data, config["folds"], repetition, fold, seed)
    ranks = delete_labels(data.ranks, config["missing"], repetition, seed)
    train = train[(~np.isnan(ranks[train])).sum(axis=1) > 1]
    if not train.size:
        raise ValueError(
            f"no training row of {data.name} keeps two labels at a missing rate of "
            f"{config['missing']:.0%}"
        )
    learner = find_learner(config["method"])
    fill = needs_filling(learner, data.features)
    costs = Costs.of(data, config.get("top", 3))
    ranker = learner.estimator(derive_seed(seed, repetition, fold, 2))
    with rows_called(data.row_titles), rows_taken(train[:_WARM_ROWS]):
        _warm_up(learner, data, ranks, train[:_WARM_ROWS], fill)
    try:
        with quiet(), rows_called(data.row_titles):
            found = cross_validate(
                without_costly_ties(ranker, costs),
                data.features,
                ranks,
                cv=[(train, test)],
                sample_weight=data.weights,
                metrics={
                    "tau": kendall_tau,
                    "tau_on_orders": _tau_on_orders,
                    **({"tau_x": tau_x} if _has_ties(data.ranks) else {}),
                },
                y_test=data.ranks,
                fill=fill,
                costs=costs,
                by_cost=learner.by_cost,
            )
    except ValueError as error:
        if _is_taken(learner, data, ranks[train]):
            raise
        return {"refused": f"ValueError: {error}"}
    scores = {name: one for name, one in found.scores.items() if name != "gap_closed"}
    for who, what in found.references.items():
        scores |= {f"{who}_{name}": of for name, of in what.items() if name != "gap_closed"}
    lists: dict[str, list[Any]] = {
        **scores,
        "fit_seconds": found.fit_seconds,
        "predict_seconds": found.predict_seconds,
        "n_train": found.n_train,
        "n_test": found.n_test,
    }
    filled = {"filled": True} if fill else {}
    return {name: only for name, (only,) in lists.items()} | filled


def _is_taken(learner: Learner, data: Dataset, ranks: np.ndarray) -> bool:
    """Whether a method says that it takes such data; what it does not take it refuses by design."""
    takes = learner.takes
    found = {
        "missing_labels": np.isnan(ranks).any(),
        "ties": _has_ties(ranks),
        "weights": data.weights is not None,
    }
    return all(getattr(takes, what) for what, is_there in found.items() if is_there)


def _has_ties(ranks: np.ndarray) -> bool:
    rising = np.sort(ranks, axis=1)
    return bool((rising[:, 1:] == rising[:, :-1]).any())


def delete_labels(Y: np.ndarray, rate: float, repetition: int, seed: int) -> np.ndarray:
    """Return a copy of the ranks in which each label is missing with probability `rate`.

    Examples
    --------
    >>> drinks = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> delete_labels(drinks, 0.3, repetition=0, seed=1)
    array([[ 1., nan,  3.],
           [nan,  2.,  1.]])
    """
    if rate == 0:
        return Y
    rng = np.random.default_rng([seed, repetition, 1])
    return np.where(rng.random(Y.shape) < rate, np.nan, Y)


def _fingerprint(learner: Learner) -> dict[str, Any]:
    """Return what decides what the estimator does, as texts that a file can hold."""
    model = learner.estimator()
    kind = type(model)
    found: dict[str, Any] = {
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "parameters": {name: repr(value) for name, value in model.get_params().items()},
    }
    if learner.is_foreign:
        # No version of this package says when it changes.
        file = inspect.getsourcefile(kind)
        found["source"] = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    return found


def _plan(found: Input, folds: int | None, repeats: int | None) -> FoldPlan:
    return choose_plan(found.name, found.own_folds, found.n_groups, folds, repeats)


def _check_protocol(
    inputs: Sequence[Input],
    folds: int | None,
    repeats: int | None,
    missing: Sequence[float],
    seed: int,
) -> None:
    """Refuse a cross-validation that cannot be made."""
    if folds is not None and folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation takes two or more")
    if repeats is not None and repeats < 1:
        raise ValueError(f"repeats is {repeats}; give 1 or more")
    if seed < 0:
        raise ValueError(f"seed is {seed}; give 0 or more")
    if not missing:
        raise ValueError("no missing rate is given; 0 leaves the rankings as they are")
    for rate in missing:
        if not (math.isfinite(rate) and 0 <= rate < 1):
            raise ValueError(
                f"missing rate {rate}: give a share from 0 to less than 1, such as 0.3"
            )
    for found in inputs:
        plan = _plan(found, folds, repeats)
        n, what = found.n_samples, "rows"
        if plan.n_groups is not None:
            n, what = plan.n_groups, "groups"
        if n < plan.sizes[0]:
            raise ValueError(
                f"data set {found.name} has {n} {what}, too few for {plan.sizes[0]} folds"
            )


def _warm_up(
    learner: Learner, data: Dataset, ranks: np.ndarray, rows: np.ndarray, fill: bool
) -> None:
    """Fit a few rows once per process: compilation is no part of the time of a fit."""
    # Which kernels run depends on the kind of features and on whether labels are missing.
    key = learner.name, data.name, bool(np.isnan(ranks[rows]).any())
    if key in _WARM:
        return
    _WARM.add(key)
    weights = None if data.weights is None else data.weights[rows]
    # So few rows may be too few for a method; all of them decide.
    with quiet(), suppress(Exception):
        X = (
            fill_gaps(data.features[rows], gap_means(data.features[rows]))
            if fill
            else data.features[rows]
        )
        costs = Costs.of(data) if learner.by_cost else None
        values = None if costs is None else costs.values[rows]
        fit_ranker(learner.estimator(seed=0), X, ranks[rows], weights, values).predict(X)


def _tau_on_orders(Y: np.ndarray, predicted: np.ndarray) -> float:
    for ranks in (Y, predicted):
        if not (np.sort(ranks, axis=1) == np.arange(1, ranks.shape[1] + 1)).all():
            return math.nan
    return float(kendall_tau(Y, predicted, on="orders"))


def _refuse_twins(names: Sequence[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two {what} are called {name!r}; give each once, or rename one")
