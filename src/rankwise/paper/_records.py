"""From finished units to records: one row per level or data set and learner, means over all folds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.validation import mean_sd
from rankwise.validation.running import Outcome

Record = dict[str, Any]

# How noisy a data set is, by `rankwise.metrics`.
NOISE_MEASURES = ("alpha", "beta", "beta_on_orders", "repeated_errors")
# what tau is taken on -> the names of tau and of beta in a record
READINGS = {"ranks": ("tau", "beta"), "orders": ("tau_on_orders", "beta_on_orders")}

_OPERATORS = {"none": "none", "gaussian": "Gaussian", "mallows": "Mallows"}


def noise_records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Summarise units of the families: one record per family, noise level and learner.

    ``alpha``, ``beta``, ``beta_on_orders`` and ``repeated_errors`` are those of the data set at hand.
    """
    return [
        {
            "family": family,
            "operator": _OPERATORS[noise[0]],
            "parameter": noise[1] if len(noise) > 1 else None,
            "mallows_on": noise[2] if noise[0] == "mallows" else None,
            "learner": learner,
            **{name: results[0][name] for name in NOISE_MEASURES},
            **_means(results),
        }
        for (family, noise, learner), results in _grouped(outcomes, ("family", "noise", "learner"))
    ]


def find_levels(
    records: Iterable[Record], family: str, learner: str, operator: str, on: str | None = None
) -> list[Record]:
    """Return the noise levels of a learner on a family, in the order in which they were run."""
    wanted = (family, learner, operator, on)
    return [
        r for r in records if (r["family"], r["learner"], r["operator"], r["mallows_on"]) == wanted
    ]


def curve_records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Summarise units of the learning curve: one record per family, size and learner."""
    names = ("family", "n", "learner")
    return [
        {**dict(zip(names, key, strict=True)), **_means(results)}
        for key, results in _grouped(outcomes, names)
    ]


def benchmark_records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Summarise units of the benchmarks: one record per data set, reading of its file and learner."""
    return [
        {"dataset": dataset, "as_published": raw, "learner": learner, **_means(results)}
        for (dataset, raw, learner), results in _grouped(outcomes, ("dataset", "raw", "learner"))
    ]


def sparsity_records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Summarise the diagnosis of sparsity: one record per data set."""
    return [
        {"dataset": outcome.unit.config["dataset"], **outcome.result}
        for outcome in outcomes
        if outcome.result is not None
    ]


def timing_records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Say where the time went: seconds of processor cores per part and learner."""
    totals: dict[tuple[str, str], list[float]] = {}
    for outcome in outcomes:
        if outcome.result is not None:
            key = (outcome.unit.part, outcome.unit.config["learner"])
            totals.setdefault(key, []).append(outcome.result["seconds"])
    return [
        {"part": part, "learner": learner, "units": len(seconds), "seconds": round(sum(seconds), 2)}
        for (part, learner), seconds in sorted(totals.items())
    ]


def _grouped(outcomes: Iterable[Outcome], names: tuple[str, ...]) -> Iterable[tuple[Any, Any]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for outcome in outcomes:
        if outcome.result is not None:
            values = [outcome.unit.config[name] for name in names]
            key = tuple(tuple(v) if isinstance(v, list) else v for v in values)
            groups.setdefault(key, []).append(outcome.result)
    return groups.items()


def _means(results: list[dict[str, Any]]) -> Record:
    """Mean and standard deviation over all folds of all repetitions, as the paper has it.

    The standard deviation divides by n - 1, as everywhere in this package. The paper does not say
    by what its own divide; over 50 folds the two conventions differ by 1 %.
    """
    record: Record = {}
    for name in ("tau", "tau_on_orders"):
        taus = [tau for result in results for tau in result[name]]
        record[name], record[f"{name}_sd"] = mean_sd(taus)
    record["validations"] = sum(len(result["tau"]) for result in results)
    record["seconds"] = float(sum(result["seconds"] for result in results))
    return record
