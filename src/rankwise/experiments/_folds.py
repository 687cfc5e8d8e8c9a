"""Cross-validation in units: one fold of one method on one data set, labels deleted or not."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from rankwise.experiments._inputs import Source, load_source
from rankwise.experiments._methods import Method, find_method
from rankwise.experiments._runner import Unit
from rankwise.experiments._store import StoreWarning
from rankwise.metrics import kendall_tau

KIND = "fold"
# Rows of the fit that compiles kernels before a fit is timed.
_WARM_ROWS = 40
_WARM: set[tuple[str, str, bool]] = set()


def fold_units(
    sources: Sequence[Source],
    methods: Sequence[tuple[str, Method]],
    *,
    folds: int = 10,
    repeats: int = 1,
    missing: Sequence[float] = (0.0,),
    seed: int = 0,
) -> list[Unit]:
    """Return the units of a repeated k-fold comparison.

    All methods see the same folds and the same deleted labels.

    Parameters
    ----------
    sources : sequence of Source
        The data sets.
    methods : sequence of (str, Method)
        How each method is written, and what that means.
    folds, repeats : int
        Cross-validation.
    missing : sequence of float
        Shares of the training labels to delete; labels deleted at one rate are deleted at every
        higher one.
    seed : int
        Decides folds, deletions and what methods draw.

    Examples
    --------
    >>> from rankwise.experiments._inputs import find_source
    >>> units = fold_units([find_source("generated/iris")], [("Tree", find_method("Tree"))])
    >>> len(units), units[0].part
    (10, 'generated/iris')
    """
    check_protocol(sources, folds, repeats, missing, seed)
    prints = [method.fingerprint() for _, method in methods]
    return [
        Unit(
            config={
                "kind": KIND,
                "dataset": source.config,
                "method": text,
                "estimator": fingerprint,
                "folds": folds,
                "repeat": repeat,
                "fold": fold,
                "missing": float(rate),
                "seed": seed,
            },
            work=evaluate_fold,
            cost=method.cost(source.n_samples, source.n_features, source.n_labels),
            part=source.name,
        )
        for source in sources
        for repeat in range(repeats)
        for rate in missing
        for fold in range(folds)
        for (text, method), fingerprint in zip(methods, prints, strict=True)
    ]


def evaluate_fold(config: dict[str, Any]) -> dict[str, Any]:
    """Fit on all folds but one, and measure on that one.

    Parameters
    ----------
    config : dict
        As `fold_units` makes it.

    Returns
    -------
    dict
        Kendall's tau against the complete test rankings, on positions; on label sequences as well
        where the rankings are complete; seconds of fit and prediction.
    """
    dataset = load_source(config["dataset"])
    train, test = split(
        len(dataset), config["folds"], config["repeat"], config["fold"], config["seed"]
    )
    Y = delete_labels(dataset.Y, config["missing"], config["repeat"], config["seed"])
    # A row of fewer than two labels teaches nothing, and some methods refuse it.
    train = train[(~np.isnan(Y[train])).sum(axis=1) > 1]
    if not train.size:
        raise ValueError(
            f"no training row of {dataset.name} keeps two labels at a missing rate of "
            f"{config['missing']:.0%}"
        )
    X_train, Y_train, X_test, Y_test = dataset.X[train], Y[train], dataset.X[test], dataset.Y[test]
    method = find_method(config["method"])
    _warm_up(method, dataset.name, X_train[:_WARM_ROWS], Y_train[:_WARM_ROWS])
    model = method.estimator(seed=_draw(config["seed"], config["repeat"], config["fold"]))
    with quiet():
        start = time.perf_counter()
        model.fit(X_train, Y_train)
        middle = time.perf_counter()
        predicted = np.asarray(model.predict(X_test), dtype=float)
        end = time.perf_counter()
    return {
        "tau": float(kendall_tau(Y_test, predicted)),
        "tau_on_orders": _tau_on_orders(Y_test, predicted),
        "fit_seconds": middle - start,
        "predict_seconds": end - middle,
        "n_train": len(train),
        "n_test": len(test),
    }


def split(
    n_samples: int, folds: int, repeat: int, fold: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and test rows of a fold; fold sizes differ by one row at most.

    Examples
    --------
    >>> train, test = split(6, folds=3, repeat=0, fold=0, seed=0)
    >>> sorted([*train, *test]) == list(range(6)), len(test)
    (True, 2)
    """
    rng = np.random.default_rng([seed, repeat, 0])
    fold_of = rng.permutation(n_samples) % folds
    return np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def delete_labels(Y: np.ndarray, rate: float, repeat: int, seed: int) -> np.ndarray:
    """Return a copy of the ranks in which each label is missing with chance `rate`.

    Examples
    --------
    >>> drinks = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> delete_labels(drinks, 0.3, repeat=0, seed=1)
    array([[ 1., nan,  3.],
           [nan,  2.,  1.]])
    """
    if rate == 0:
        return Y
    rng = np.random.default_rng([seed, repeat, 1])
    return np.where(rng.random(Y.shape) < rate, np.nan, Y)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep estimators from warning, fold after fold, of what an audit tells once.

    Threads share their filters, so only the main one may set them; it does so for all.

    Examples
    --------
    >>> with quiet():
    ...     warnings.warn("tea was never compared with water")
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", StoreWarning)
        yield


def check_protocol(
    sources: Sequence[Source], folds: int, repeats: int, missing: Sequence[float], seed: int
) -> None:
    """Refuse a cross-validation that cannot be made."""
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation takes two or more")
    if repeats < 1:
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
    for source in sources:
        if source.n_samples < folds:
            raise ValueError(
                f"data set {source.name} has {source.n_samples} rows, too few for {folds} folds"
            )


def _warm_up(method: Method, dataset: str, X: np.ndarray, Y: np.ndarray) -> None:
    """Fit a few rows once per process: compilation is no part of the time of a fit."""
    # Which kernels run depends on the kind of features and on whether labels are missing.
    key = method.name, dataset, bool(np.isnan(Y).any())
    if key in _WARM:
        return
    _WARM.add(key)
    # So few rows may be too few for a method; all of them decide.
    with quiet(), suppress(Exception):
        method.estimator(seed=0).fit(X, Y).predict(X)


def _draw(*entropy: int) -> int:
    return int(np.random.SeedSequence([*entropy, 2]).generate_state(1)[0])


def _tau_on_orders(Y: np.ndarray, predicted: np.ndarray) -> float:
    for ranks in (Y, predicted):
        if not (np.sort(ranks, axis=1) == np.arange(1, ranks.shape[1] + 1)).all():
            return math.nan
    return float(kendall_tau(Y, predicted, on="orders"))
