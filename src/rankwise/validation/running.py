"""Long runs: units of work in parallel, each kept as it finishes, failures collected.

`rankwise.validation.compare` and `rankwise.paper.reproduce` are made of such units; experiments of
your own can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np

from rankwise._naming import shown
from rankwise._parallel import no_more_than
from rankwise.validation._environment import describe_environment
from rankwise.validation._json import decode, encode
from rankwise.validation._store import Store, StoreWarning

__all__ = [
    "Outcome", "Report", "Store", "StoreWarning", "Unit", "derive_seed", "describe_environment",
    "encode", "run",
]  # fmt: skip

Report = Callable[[float, float, str, float, float], None]

# Of loky, dask and concurrent.futures: the process that had the unit is gone.
_DEAD_WORKER_ERRORS = ("TerminatedWorkerError", "BrokenProcessPool", "KilledWorker")


@dataclass(frozen=True)
class Unit:
    """A piece of an experiment that is computed, kept and reused as a whole.

    Parameters
    ----------
    config : dict
        All that the result depends on, and what kind of unit it is; texts, numbers, lists, dicts.
    work : callable
        A function of a module that takes the configuration and returns a dict of the same kind.
        It is sent to other processes and machines, so it reads nothing but its argument.
    cost : float
        Expected work in any unit of time, for the time left.
    part : str
        The part of the run that it belongs to, for the progress.

    Examples
    --------
    >>> Unit({"kind": "length", "label": "tea"}, work=len).cost
    1.0
    """

    config: dict[str, Any]
    work: Callable[[dict[str, Any]], dict[str, Any]]
    cost: float = 1.0
    part: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a unit: a result, or the text of an error.

    Parameters
    ----------
    unit : Unit
        The unit.
    result : dict or None
        What its work returned.
    error : str or None
        Why there is no result.
    reused : bool
        Whether the result was there before the run.
    """

    unit: Unit
    result: dict[str, Any] | None
    error: str | None = None
    reused: bool = False


def run(
    units: Sequence[Unit],
    store: Store | None,
    *,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: Report | None = None,
) -> list[Outcome]:
    """Run the units that have no result yet, and return what became of all.

    Each result is on the disk before the next is taken in, so a run that is killed loses no more
    than the units it was at and those that had just come. A unit that fails, or kills its process,
    does not stop the others.

    Parameters
    ----------
    units : sequence of Unit
        They are started in this order. Units of equal configuration are computed once.
    store : Store or None
        Where results are looked for and kept. None keeps nothing.
    n_jobs : int, optional
        Units at a time, -1 for all cores; by default what ``joblib.parallel_config`` says, else 1.
    backend : str, optional
        A backend of joblib, such as ``"loky"``, ``"threading"`` or ``"dask"``; by default what
        ``joblib.parallel_config`` says, else threads.
    progress : callable, optional
        Called as ``progress(done_cost, total_cost, part, done_in_part, total_in_part)``: once per
        part before the work begins, with what was reused, then after each unit.

    Returns
    -------
    list of Outcome
        In the order of `units`.

    Examples
    --------
    >>> units = [Unit({"label": label}, work=dict) for label in ("tea", "water")]
    >>> [outcome.result for outcome in run(units, store=None)]
    [{'label': 'tea'}, {'label': 'water'}]
    """
    if backend is not None:
        _check_backend(backend)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {shown(progress)}; give a function to call, or None")
    job = _Job.of(units, store, progress)
    waiting = job.take_stored()
    while waiting:
        waiting = _run_until_a_worker_dies(job, waiting, n_jobs, backend)
    return [job.outcomes[i] for i in job.first_alike]


@dataclass
class _Job:
    """The state of a run."""

    units: list[Unit]
    store: Store | None
    progress: Report | None
    # per unit: the first unit of the same configuration
    first_alike: list[int]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    done: dict[str, float] = field(default_factory=dict)
    total: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Sequence[Unit], store: Store | None, progress: Report | None) -> _Job:
        first: dict[str, int] = {}
        first_alike = []
        for i, unit in enumerate(units):
            _check(i, unit)
            j = first.setdefault(encode(unit.config), i)
            if units[j].work is not unit.work:
                raise ValueError(
                    f"units {j} and {i} do different work under one configuration; add what keeps "
                    "them apart to it"
                )
            first_alike.append(j)
        job = cls(list(units), store, progress, first_alike)
        for i in set(first_alike):
            part = units[i].part
            job.total[part] = job.total.get(part, 0.0) + units[i].cost
            job.done.setdefault(part, 0.0)
        return job

    def take_stored(self) -> list[int]:
        """Take in what the store has, and return the units that are left."""
        waiting = []
        for i in sorted(set(self.first_alike)):
            unit = self.units[i]
            result = self.store.get(unit.config) if self.store is not None else None
            if result is None:
                waiting.append(i)
            else:
                self.outcomes[i] = Outcome(unit, result, reused=True)
                self.done[unit.part] += unit.cost
        for part in dict.fromkeys(unit.part for unit in self.units):
            self.report(part)
        return waiting

    def finish(self, i: int, result: Any, error: str | None) -> None:
        """Keep the result of a unit, and count it."""
        unit = self.units[i]
        if error is None:
            try:
                # As it will be read from the disk by a later run.
                result = decode(encode(_checked_result(result)))
            except TypeError as wrong:
                result, error = None, f"TypeError: {wrong}"
        if error is None and self.store is not None:
            self.store.put(unit.config, result)
        self.outcomes[i] = Outcome(unit, result, error)
        self.done[unit.part] += unit.cost
        self.report(unit.part)

    def report(self, part: str) -> None:
        if self.progress is not None:
            whole = math.fsum(self.done.values()), math.fsum(self.total.values())
            self.progress(*whole, part, self.done[part], self.total[part])


def _run_until_a_worker_dies(
    job: _Job, waiting: list[int], n_jobs: int | None, backend: str | None
) -> list[int]:
    """Run units; where a process dies, try the ones it may have had one by one. Return the rest."""
    started: list[int] = []

    def tasks() -> Iterator[Any]:
        for i in waiting:
            started.append(i)
            yield joblib.delayed(_attempt)(i, job.units[i].work, job.units[i].config)

    try:
        _consume(job, tasks(), no_more_than(len(waiting), n_jobs), backend)
    except Exception as error:
        if type(error).__name__ not in _DEAD_WORKER_ERRORS:
            raise
        for i in started:
            if i not in job.outcomes:
                _run_alone(job, i, backend)
    return [i for i in waiting if i not in job.outcomes]


def _run_alone(job: _Job, i: int, backend: str | None) -> None:
    unit = job.units[i]
    # Two jobs for one task: joblib would run a single job in this process, and end it.
    task = joblib.delayed(_attempt)(i, unit.work, unit.config)
    try:
        _consume(job, iter([task]), 2, backend)
    except Exception as error:
        if type(error).__name__ not in _DEAD_WORKER_ERRORS:
            raise
        job.finish(i, None, "its process died, perhaps for want of memory; try fewer jobs")


def _check_backend(backend: str) -> None:
    try:
        with joblib.parallel_config(backend=backend):
            pass
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"backend is {shown(backend)} ({error}); give one of joblib, such as 'loky' or 'threading'"
        ) from None


def _consume(job: _Job, tasks: Iterator[Any], n_jobs: int | None, backend: str | None) -> None:
    # One task per batch: a batch gives its results only when all of it is done.
    # Threads by default: kernels release the lock, and processes would load them anew.
    # joblib finds backends of other packages, such as Dask's, by way of its configuration only.
    with nullcontext() if backend is None else joblib.parallel_config(backend=backend):
        parallel = joblib.Parallel(
            n_jobs=n_jobs, prefer="threads", return_as="generator_unordered", batch_size=1
        )
        results = parallel(tasks)
        try:
            for i, result, error in results:
                job.finish(i, result, error)
        finally:
            results.close()


def _attempt(
    i: int, work: Callable[[dict[str, Any]], dict[str, Any]], config: dict[str, Any]
) -> tuple[int, Any, str | None]:
    """Do the work; an exception comes back as a text, which every backend can carry."""
    try:
        return i, work(config), None
    except Exception as error:
        reason = " ".join(str(error).split())
        return i, None, f"{type(error).__name__}: {reason}" if reason else type(error).__name__


def _check(i: int, unit: Unit) -> None:
    if not isinstance(unit, Unit):
        raise TypeError(f"unit {i} is a {type(unit).__name__}; give a Unit")
    if not (unit.cost >= 0 and math.isfinite(unit.cost)):
        raise ValueError(f"unit {i} has the cost {unit.cost}; a cost is finite and not negative")


def _checked_result(result: Any) -> dict[str, Any]:
    if not isinstance(result, dict):
        raise TypeError(f"the work returned a {type(result).__name__}; return a dict")
    return result


def derive_seed(*parts: int) -> int:
    """Return a seed that depends on all parts, and no two of which are related.

    Examples
    --------
    >>> derive_seed(0, 1) == derive_seed(0, 1) != derive_seed(0, 2)
    True
    """
    return int(np.random.SeedSequence(list(parts)).generate_state(1)[0])
