"""The tables on the benchmarks: units of data set, learner and repetition, or fold where tuned.

And the diagnosis of their sparsity, by which the paper explains its real-world figures.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np

from rankwise.datasets import load
from rankwise.paper._cost import SPARSITY_SECONDS, benchmark_cost
from rankwise.paper._learners import PAPER, TUNED, describe_learner, validate
from rankwise.paper._protocol import REAL, Protocol
from rankwise.validation.running import Unit


def benchmark_units(
    protocol: Protocol, datasets: tuple[str, ...], part: str, methods: tuple[str, ...]
) -> list[Unit]:
    """Units of a table: of those data sets that the protocol has, and those methods that are learners.

    Real-world files are read as published as well.
    """
    units = []
    for name in (name for name in datasets if name in protocol.datasets):
        tuned = TUNED if name in protocol.tuned_datasets else ()
        for raw in (True, False) if name in REAL else (False,):
            for learner in (*PAPER, *tuned):
                if learner in methods:
                    make = _tuned if learner in TUNED else _untuned
                    units += make(protocol, name, raw, learner, part)
    return units


def _untuned(protocol: Protocol, name: str, raw: bool, learner: str, part: str) -> list[Unit]:
    depth = protocol.real_depth if name in REAL else protocol.benchmark_depth
    folds = list(range(protocol.used_folds))
    model = describe_learner(learner, depth, protocol.trees)
    cost = len(folds) * benchmark_cost(name, learner, protocol.trees)
    return [
        _unit(protocol, name, raw, learner, repetition, folds, cost, part, model=model, depth=depth)
        for repetition in range(protocol.repeats)
    ]


def _tuned(protocol: Protocol, name: str, raw: bool, learner: str, part: str) -> list[Unit]:
    grid = {
        "grid_features": list(protocol.grid_features),
        "grid_depths": list(protocol.grid_depths),
        "inner_folds": protocol.inner_folds,
    }
    # Trees of all depths are cut from one fit.
    n_fits = len(protocol.grid_features) * protocol.inner_folds
    cost = n_fits * benchmark_cost(name, learner, protocol.trees)
    return [
        _unit(protocol, name, raw, learner, repetition, [fold], cost, part, **grid)
        for repetition in range(protocol.tuned_repeats)
        for fold in range(protocol.tuned_folds)
    ]


def _unit(
    protocol: Protocol, name: str, raw: bool, learner: str, repetition: int, folds: list[int],
    cost: float, part: str, **more: Any,
) -> Unit:  # fmt: skip
    config = {
        "kind": "benchmark", "dataset": name, "raw": raw, "learner": learner,
        "repetition": repetition, "n_folds": protocol.n_folds, "folds": folds,
        "trees": protocol.trees, "seed": protocol.seed, **more,
    }  # fmt: skip
    return Unit(config, validate_on_benchmark, cost, part)


def validate_on_benchmark(config: dict[str, Any]) -> dict[str, Any]:
    """Cross-validate a learner on a data set, for the folds of a configuration."""
    X, Y = _load(config["dataset"], config["raw"])
    return validate(config, X, Y, Y)


def sparsity_units(protocol: Protocol) -> list[Unit]:
    """Units that diagnose how many features matter in each benchmark, corrected files."""
    return [
        Unit(
            {"kind": "sparsity", "dataset": name, "learner": "sparsity", "repetition": 0,
             "seed": protocol.seed},
            diagnose_sparsity, SPARSITY_SECONDS, "table-sparsity",
        )
        for name in protocol.datasets
    ]  # fmt: skip


def diagnose_sparsity(config: dict[str, Any]) -> dict[str, Any]:
    """Estimate the number of features that a label of a data set depends on, at least."""
    from rankwise.theory import sparsity

    started = time.perf_counter()
    X, Y = _load(config["dataset"], False)
    found = sparsity(X, Y, random_state=config["seed"])
    return {
        "features": X.shape[1], "r": found.estimate, "r_low": found.low, "r_high": found.high,
        "verdict": found.verdict, "text": found.text, "seconds": time.perf_counter() - started,
    }  # fmt: skip


@lru_cache(maxsize=2)
def _load(name: str, raw: bool) -> tuple[np.ndarray, np.ndarray]:
    # Results are kept by the name of their data set, so one file only may stand behind it.
    dataset = load(name, raw=raw, published_only=True)
    return dataset.features, dataset.ranks
