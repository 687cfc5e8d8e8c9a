"""Compare methods over data sets: cross-validation, resumed where it stopped."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.datasets import Dataset
from rankwise.experiments._comparison import MEASURES, Comparison, Failure
from rankwise.experiments._folds import fold_units, quiet
from rankwise.experiments._inputs import Source, find_source
from rankwise.experiments._methods import Method, find_method
from rankwise.experiments._runner import Outcome, Progress, Unit, run
from rankwise.experiments._store import Store


def compare(
    methods: Sequence[str],
    datasets: Sequence[str | os.PathLike[str] | Dataset],
    *,
    folds: int = 10,
    repeats: int = 1,
    missing: Sequence[float] = (0.0,),
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare methods by repeated cross-validation.

    All methods see the same folds, and the same labels deleted from the training rankings. Tau is
    measured on positions, against the test rankings with nothing deleted.

    Parameters
    ----------
    methods : sequence of str
        Known names (see `known_methods`), with parameters such as ``"RF(n_estimators=200)"``, or
        your own estimator as ``"my_module:MyRanker"``.
    datasets : sequence of str, path-like or Dataset
        Names of benchmarks, files, or data.
    folds, repeats : int
        Folds of the cross-validation, and how often it is made with other folds.
    missing : sequence of float
        Shares of the training labels to delete.
    seed : int
        Decides folds, deletions, and what methods draw at random.
    out : path-like, optional
        Folder where each finished fold is kept: a run that was stopped continues there.
    n_jobs, backend, progress
        As in `run`.
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
    with ExitStack() as stack:
        inputs = _inputs_folder(out, datasets, stack)
        plan = make_plan(
            methods,
            datasets,
            folds=folds,
            repeats=repeats,
            missing=missing,
            seed=seed,
            inputs=inputs,
            options=options,
        )
        store = None if out is None else Store(Path(out) / "units")
        with quiet():
            outcomes = run(plan.units, store, n_jobs=n_jobs, backend=backend, progress=progress)
    return plan.collect(outcomes)


@dataclass(frozen=True)
class Plan:
    """What a comparison will compute."""

    sources: list[Source]
    methods: list[tuple[str, Method]]
    missing: list[float]
    units: list[Unit]

    def collect(self, outcomes: Sequence[Outcome]) -> Comparison:
        """Put what became of the units into one result."""
        name_of = {text: method.name for text, method in self.methods}
        records, failures = [], []
        for outcome in outcomes:
            config = outcome.unit.config
            place = {
                "dataset": config["dataset"]["name"],
                "method": name_of[config["method"]],
                **{key: config[key] for key in ("missing", "repeat", "fold")},
            }
            if outcome.result is None:
                failures.append(Failure(**place, error=outcome.error or ""))
            else:
                records.append(place | {key: outcome.result[key] for key in MEASURES})
        return Comparison(
            methods=tuple(name_of.values()),
            datasets=tuple(source.name for source in self.sources),
            missing=tuple(self.missing),
            records=tuple(records),
            failures=tuple(failures),
            n_reused=sum(outcome.reused for outcome in outcomes),
        )


def make_plan(
    methods: Sequence[str],
    datasets: Sequence[str | os.PathLike[str] | Dataset],
    *,
    folds: int,
    repeats: int,
    missing: Sequence[float],
    seed: int,
    inputs: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Plan:
    """Check what is asked for and lay it out as units, before anything is computed."""
    if not methods or not datasets:
        raise ValueError("a comparison needs a method and a data set; give one or more of each")
    for what, given in (("methods", methods), ("datasets", datasets)):
        if isinstance(given, str):
            raise TypeError(f"{what} is the text {given!r}; give a list, such as [{given!r}]")
    found = {text: find_method(text) for text in methods}
    _refuse_twins([method.name for method in found.values()], "methods")
    sources = [find_source(dataset, options=options, folder=inputs) for dataset in datasets]
    _refuse_twins([source.name for source in sources], "data sets")
    rates = sorted({float(rate) for rate in missing})
    units = fold_units(
        sources, list(found.items()), folds=folds, repeats=repeats, missing=rates, seed=seed
    )
    return Plan(sources, list(found.items()), rates, units)


def _inputs_folder(
    out: str | os.PathLike[str] | None, datasets: Sequence[Any], stack: ExitStack
) -> Path | None:
    if not any(isinstance(dataset, Dataset) for dataset in datasets):
        return None
    if out is not None:
        return Path(out) / "inputs"
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rankwise-")))


def _refuse_twins(names: Sequence[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two {what} are called {name!r}; give each once, or rename one")
