"""The paper's experiments from one call: plan the units, run what is missing, gather and judge."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rankwise.paper._benchmarks import benchmark_units, sparsity_units
from rankwise.paper._claims import Verdict
from rankwise.paper._families import (
    GRIDS,
    curve_units,
    grid_units,
    noise_units,
    operator_units,
)
from rankwise.paper._figure_claims import judge_figure
from rankwise.paper._protocol import PARTS, Protocol
from rankwise.paper._records import (
    Record,
    benchmark_records,
    curve_records,
    noise_records,
    sparsity_records,
    timing_records,
)
from rankwise.paper._sparsity_claim import judge_sparsity
from rankwise.paper._table_claims import judge_tables
from rankwise.paper._tables import TABLES, PaperTable, paper_table, vc_records
from rankwise.validation.running import Outcome, Report, Store, Unit, encode, run


@dataclass(frozen=True)
class Plan:
    """What is to be run, in the order in which it is started.

    Parameters
    ----------
    parts : tuple of str
        Tables and figures.
    protocol : Protocol
        How often, how many, how large.
    units : list of Unit
        All units; a cost is in seconds on one core of the machine of reference.
    done : set of int
        Places of those units whose results are there already.
    failures : list of str
        What could not even be planned.
    """

    parts: tuple[str, ...]
    protocol: Protocol
    units: list[Unit]
    done: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def seconds(self, part: str | None = None, *, tuned: bool = False) -> float:
        """Return the cost of what is left, of a part or of all, or of its tuned learners only."""
        return sum(
            unit.cost
            for i, unit in enumerate(self.units)
            if i not in self.done and part in (None, unit.part) and (is_tuned(unit) or not tuned)
        )

    def finished(self) -> Plan:
        """Return the plan without what is not done, to gather what is there."""
        units = [self.units[i] for i in sorted(self.done)]
        return replace(self, units=units, done=set(range(len(units))))


@dataclass(frozen=True)
class Reproduction:
    """What came out of a run.

    Parameters
    ----------
    parts : tuple of str
        The tables and figures that were planned.
    protocol : Protocol
        How often, how many, how large.
    tables : dict of PaperTable
        The paper's figures beside ours.
    records : dict of lists of dicts
        The data of each figure and of each table, as written to files.
    verdicts : list of Verdict
        The claims of the text.
    failures : list of str
        Units that failed, with the reason.
    n_units, n_reused : int
        How many units there are, and how many were there before the run.
    seconds : float
        Wall time of this run.
    """

    parts: tuple[str, ...]
    protocol: Protocol
    tables: dict[str, PaperTable]
    records: dict[str, list[Record]]
    verdicts: list[Verdict]
    failures: list[str]
    n_units: int
    n_reused: int
    seconds: float


def check_parts(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the parts that are asked for, in the paper's order; none or "all" means all.

    Examples
    --------
    >>> check_parts(["figure-noise", "table-vc"])
    ('table-vc', 'figure-noise')
    """
    for part in parts:
        if part not in (*PARTS, "all"):
            raise ValueError(f"there is no part {part!r}; use all or one of {', '.join(PARTS)}")
    if not parts or "all" in parts:
        return PARTS
    return tuple(part for part in PARTS if part in parts)


def is_tuned(unit: Unit) -> bool:
    """Whether a unit tunes its learner."""
    return "grid_depths" in unit.config


def plan(
    parts: Sequence[str],
    protocol: Protocol,
    store: Store | None = None,
    *,
    n_jobs: int | None = None,
    backend: str | None = None,
    find_levels: bool = True,
) -> Plan:
    """Plan a run: which units there are, and which of them are done.

    First repetitions come first, so that a run that is stopped has something of everything; tuned
    learners come last, the longest of them first, so that no worker waits long for another.

    Parameters
    ----------
    parts : sequence of str
        Tables and figures; none means all.
    protocol : Protocol
        How often, how many, how large.
    store : Store, optional
        Where results are.
    n_jobs : int, optional
        Units at a time; -1 for all cores.
    backend : str, optional
        Of joblib: "threading", "loky" (processes) or "dask".
    find_levels : bool
        Whether to find noise levels that the store does not have. If not, numbers stand in for
        them: enough to count units and their cost, for none of which there can be results.

    Examples
    --------
    >>> plan(["table-vc"], Protocol()).units
    []
    >>> small = Protocol.quick(datasets=("iris",), tuned_datasets=())
    >>> [unit.config["learner"] for unit in plan(["table-semi-synthetic"], small).units]
    ['RF', 'DT', 'SDT']
    """
    wanted = check_parts(parts)
    units: list[Unit] = []
    failures: list[str] = []
    for part, shape in TABLES.items():
        if part in wanted:
            units += benchmark_units(protocol, shape.datasets, part, shape.methods)
    if "table-sparsity" in wanted:
        units += sparsity_units(protocol)
    if {"figure-noise", "figure-operators"} & set(wanted):
        grids = grid_units(protocol)
        if find_levels:
            outcomes = run(grids, store, n_jobs=n_jobs, backend=backend)
        else:
            outcomes = [Outcome(unit, _known_levels(unit, store)) for unit in grids]
        failures += _failures(outcomes)
        if not failures:
            scales = {
                (o.unit.config["grid"], o.unit.config["family"]): o.result["scales"]  # type: ignore[index]
                for o in outcomes
            }
            if "figure-noise" in wanted:
                units += noise_units(protocol, scales)
            if "figure-operators" in wanted:
                units += operator_units(protocol, scales)
    if "learning-curve" in wanted:
        units += curve_units(protocol)
    units = _once(units)
    units.sort(key=_turn)
    done = set()
    if store is not None:
        done = {i for i, unit in enumerate(units) if store.get(unit.config) is not None}
    return Plan(wanted, protocol, units, done, failures)


def _known_levels(unit: Unit, store: Store | None) -> dict[str, Any]:
    """Return levels from the store, or as many numbers that no result can belong to."""
    found = None if store is None else store.get(unit.config)
    return found or {"scales": [-1.0 - i for i in range(GRIDS[unit.config["grid"]])]}


def _turn(unit: Unit) -> tuple[bool, int, float]:
    tuned = is_tuned(unit)
    return tuned, unit.config["repetition"], -unit.cost if tuned else 0.0


def _once(units: list[Unit]) -> list[Unit]:
    """Leave out the forests of the comparison that another table has already."""
    kept: dict[str, Unit] = {}
    for unit in units:
        is_shared = unit.config["kind"] == "benchmark"
        kept.setdefault(encode([unit.config, "" if is_shared else unit.part]), unit)
    return list(kept.values())


def reproduce(
    planned: Plan,
    store: Store | None = None,
    *,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: Report | None = None,
) -> Reproduction:
    """Run a plan, and gather tables, curves and verdicts from what finished.

    Parameters
    ----------
    planned : Plan
        As `plan` made it.
    store : Store, optional
        Where results are kept: a run that was stopped continues there.
    n_jobs : int, optional
        Units at a time; -1 for all cores.
    backend : str, optional
        Of joblib: "threading", "loky" (processes) or "dask".
    progress : callable, optional
        Called with the state of the run after each unit.

    Examples
    --------
    >>> result = reproduce(plan(["table-vc"], Protocol()))
    >>> result.records["table-vc"][0]["VC dimension"]
    11
    """
    started = time.perf_counter()
    outcomes = run(planned.units, store, n_jobs=n_jobs, backend=backend, progress=progress)
    # A level that two figures share ran once; each figure gets it.
    outcomes = [replace(o, unit=unit) for o, unit in zip(outcomes, planned.units, strict=True)]
    return gather(planned, outcomes, time.perf_counter() - started)


def gather(planned: Plan, outcomes: list[Outcome], seconds: float = 0.0) -> Reproduction:
    """Gather tables, curves and verdicts from outcomes, finished or not."""
    of_kind: dict[str, list[Outcome]] = {"benchmark": [], "curve": [], "sparsity": []}
    for outcome in outcomes:
        kind = outcome.unit.config["kind"]
        of_kind.setdefault(outcome.unit.part if kind == "family" else kind, []).append(outcome)
    benchmarks = benchmark_records(of_kind["benchmark"])
    tables = {name: paper_table(name, benchmarks) for name in TABLES if name in planned.parts}
    records = {name: table.records() for name, table in tables.items()}
    if "table-vc" in planned.parts:
        records["table-vc"] = vc_records()
    if "table-sparsity" in planned.parts:
        records["table-sparsity"] = sparsity_records(of_kind["sparsity"])
    for part in ("figure-noise", "figure-operators"):
        if part in planned.parts:
            records[part] = noise_records(of_kind.get(part, []))
    if "learning-curve" in planned.parts:
        records["learning-curve"] = curve_records(of_kind["curve"])
    records["timing"] = timing_records(outcomes)
    return Reproduction(
        planned.parts,
        planned.protocol,
        tables,
        records,
        judge(tables, records),
        [*planned.failures, *_failures(outcomes)],
        n_units=len(outcomes),
        n_reused=sum(outcome.reused for outcome in outcomes),
        seconds=seconds,
    )


def judge(tables: dict[str, PaperTable], records: dict[str, list[Record]]) -> list[Verdict]:
    """Judge every claim of the text on what there is, on both readings of tau."""
    figures = ("figure-noise", "figure-operators")
    return [
        *(v for part in figures for v in judge_figure(part, records.get(part, []))),
        *judge_tables(tables),
        *judge_sparsity(records.get("table-sparsity", [])),
    ]


def _failures(outcomes: Sequence[Outcome]) -> list[str]:
    found: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.error is not None:
            config = outcome.unit.config
            names = ("dataset", "family", "noise", "learner", "grid")
            what = " ".join(str(config[name]) for name in names if name in config)
            found.setdefault((what, outcome.error), []).append(outcome)
    return [
        f"{what}: {error}" + (f" ({len(failed)} units)" if len(failed) > 1 else "")
        for (what, error), failed in found.items()
    ]
