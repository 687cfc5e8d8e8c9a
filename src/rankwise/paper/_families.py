"""The studies on the synthetic families: units of noise levels, of both operators, of sample sizes."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

from rankwise.metrics import inconsistency, kendall_tau, repeated_errors, tau_gap
from rankwise.oracles import Mallows, TruncatedGaussian, family_grid, family_oracle, make_family
from rankwise.paper._cost import family_cost
from rankwise.paper._learners import (
    ADDED,
    PAPER,
    describe_learner,
    make_learner,
    measure,
    validate,
)
from rankwise.paper._protocol import Protocol, pick_levels
from rankwise.paper._records import NOISE_MEASURES
from rankwise.validation.running import Unit, derive_seed

CURVE_TEST_ROWS = 5000
# Grids of Gaussian noise, and how many levels each has.
GRIDS = {"gaussian": 50, "gaussian-programs": 50, "gaussian-matched": 20}
# The grid of the main figure, by the word in a protocol.
_NOISE_GRIDS = {"even": "gaussian", "programs": "gaussian-programs"}

Noise = list[Any]


def grid_units(protocol: Protocol) -> list[Unit]:
    """Units that find the scales of the Gaussian levels, which all others need."""
    return [
        Unit(
            {"kind": "grid", "grid": grid, "family": family, "seed": protocol.seed},
            find_scales,
            cost=3.0,
            part="noise levels",
        )
        for grid in (_NOISE_GRIDS[protocol.noise_grid], "gaussian-matched")
        for family in protocol.families
    ]


def find_scales(config: dict[str, Any]) -> dict[str, Any]:
    """Find the Gaussian levels of a grid."""
    levels = family_grid(config["grid"], config["family"], random_state=config["seed"])
    return {"scales": [level.scale for level in levels]}  # type: ignore[union-attr]


def noise_units(protocol: Protocol, scales: dict[tuple[str, str], list[float]]) -> list[Unit]:
    """Units of the main figure: no noise, then Gaussian levels, for each family."""
    units = []
    for family in protocol.families:
        grid = scales[_NOISE_GRIDS[protocol.noise_grid], family]
        levels = [None, *pick_levels(len(grid), protocol.noise_levels)]
        added = {levels[i] for i in pick_levels(len(levels), protocol.added_levels + 1)}
        for level in levels:
            noise = ["none"] if level is None else ["gaussian", grid[level]]
            learners = (*PAPER, *ADDED) if level in added else PAPER
            units += _family_units(protocol, family, noise, learners, "figure-noise")
    return units


def operator_units(protocol: Protocol, scales: dict[tuple[str, str], list[float]]) -> list[Unit]:
    """Units of the six panels: Mallows on ranks and on orders, Gaussian of the same alpha."""
    mallows = family_grid("mallows")
    units = []
    for family in protocol.families:
        for level in pick_levels(len(mallows), protocol.operator_levels):
            theta = mallows[level].theta  # type: ignore[union-attr]
            for noise in (
                ["gaussian", scales["gaussian-matched", family][level]],
                ["mallows", theta, "ranks"],
                ["mallows", theta, "orders"],
            ):
                units += _family_units(protocol, family, noise, PAPER, "figure-operators")
    return units


def _family_units(
    protocol: Protocol, family: str, noise: Noise, learners: tuple[str, ...], part: str
) -> list[Unit]:
    units = []
    for learner in learners:
        repeats = protocol.lfn_repeats if family == "LFN" else protocol.repeats
        if learner in ADDED:
            repeats = min(repeats, protocol.added_repeats)
        for repetition in range(repeats):
            config = {
                "kind": "family", "family": family, "noise": noise, "learner": learner,
                "model": describe_learner(learner, protocol.family_depth, protocol.trees),
                "repetition": repetition, "n_folds": protocol.n_folds,
                "folds": list(range(protocol.used_folds)), "n_samples": protocol.n_samples,
                "trees": protocol.trees, "depth": protocol.family_depth, "seed": protocol.seed,
                "measures": list(NOISE_MEASURES),
            }  # fmt: skip
            cost = protocol.used_folds * family_cost(
                family, learner, protocol.n_samples, protocol.trees
            )
            units.append(Unit(config, validate_on_family, cost, part))
    return units


def validate_on_family(config: dict[str, Any]) -> dict[str, Any]:
    """Train on noisy rankings of a family, validate on the noiseless ones."""
    sample = config["family"], tuple(config["noise"]), config["n_samples"], config["seed"]
    X, Y, Y_clean = _draw_family(*sample)
    return {**validate(config, X, Y, Y_clean), **_measure_noise(*sample)}


# A few numbers per level, which all its learners and repetitions share; they take as long as a tree.
@cache
def _measure_noise(
    family: str, noise: tuple[Any, ...], n_samples: int, seed: int
) -> dict[str, float | None]:
    _, Y, Y_clean = _draw_family(family, noise, n_samples, seed)
    repeated = repeated_errors(Y_clean, Y)
    return {
        "alpha": float(inconsistency(Y_clean, Y)),
        "beta": float(tau_gap(Y_clean, Y)),
        "beta_on_orders": float(kendall_tau(Y_clean, Y, on="orders")),
        "repeated_errors": None if np.isnan(repeated) else repeated,
    }


# Units of one level stand next to each other in a run, so that few data sets are kept.
@lru_cache(maxsize=3)
def _draw_family(
    family: str, noise: tuple[Any, ...], n_samples: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return make_family(family, make_noise(list(noise)), n_samples=n_samples, random_state=seed)


def make_noise(noise: Noise) -> TruncatedGaussian | Mallows | None:
    """Return the noise that a configuration describes.

    Examples
    --------
    >>> make_noise(["mallows", 0.6, "orders"])
    Mallows(theta=0.6, on='orders')
    """
    if noise[0] == "gaussian":
        return TruncatedGaussian(noise[1])
    return Mallows(noise[1], on=noise[2]) if noise[0] == "mallows" else None


def curve_units(protocol: Protocol) -> list[Unit]:
    """Units of the learning curve: noiseless families, growing training samples."""
    return [
        Unit(
            {
                "kind": "curve", "family": family, "n": n, "learner": learner,
                "model": describe_learner(learner, protocol.family_depth, protocol.trees),
                "n_drawn": max(protocol.curve_sizes), "repetition": repetition,
                "trees": protocol.trees, "depth": protocol.family_depth, "seed": protocol.seed,
            },
            validate_at_size,
            family_cost(family, learner, n, protocol.trees),
            "learning-curve",
        )
        for repetition in range(protocol.curve_repeats)
        for family in ("SFN",)
        for n in protocol.curve_sizes
        for learner in (*PAPER, *ADDED)
    ]  # fmt: skip


def validate_at_size(config: dict[str, Any]) -> dict[str, Any]:
    """Train on the first n rows of a noiseless sample, validate on rows of their own."""
    X, Y = _draw_curve_sample(
        config["family"], config["n_drawn"], config["seed"], config["repetition"]
    )
    seed = derive_seed(config["seed"], config["repetition"], 3)
    model = make_learner(config["learner"], depth=config["depth"], trees=config["trees"], seed=seed)
    rows = np.arange(CURVE_TEST_ROWS + config["n"])
    return measure(model, X, Y, [(rows[CURVE_TEST_ROWS:], rows[:CURVE_TEST_ROWS])], Y)


@lru_cache(maxsize=1)
def _draw_curve_sample(
    family: str, n_drawn: int, seed: int, repetition: int
) -> tuple[np.ndarray, np.ndarray]:
    oracle = family_oracle(family, random_state=seed)
    sample = derive_seed(seed, repetition, 2)
    X, Y = oracle.sample(CURVE_TEST_ROWS + n_drawn, random_state=sample)
    return X, Y
