"""The protocol of the paper's experiments: how often, how many, how large; and a quick one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rankwise._parameters import check_choice

SEMI_SYNTHETIC = (
    "authorship", "bodyfat", "calhousing", "cpu", "elevators", "fried", "glass", "housing",
    "iris", "pendigits", "segment", "stock", "vehicle", "vowel", "wine", "wisconsin",
)  # fmt: skip
REAL = ("cold", "diau", "dtt", "heat", "spo")
FAMILIES = ("SFN", "LFN")
NOISE_GRIDS = ("even", "programs")
PARTS = (
    "table-semi-synthetic",
    "table-real",
    "table-comparison",
    "table-comparison-real",
    "table-vc",
    "table-sparsity",
    "figure-noise",
    "figure-operators",
    "learning-curve",
)

# What lists may hold; None where that is any whole number from 1 up.
_CHOICES: dict[str, tuple[str | None, ...] | None] = {
    "datasets": (*SEMI_SYNTHETIC, *REAL),
    "tuned_datasets": (*SEMI_SYNTHETIC, *REAL),
    "families": FAMILIES,
    "grid_features": (None, "sqrt", "log2"),
    "grid_depths": None,
    "curve_sizes": None,
}


@dataclass(frozen=True)
class Protocol:
    """What is run; the defaults are the paper's protocol.

    Parameters
    ----------
    repeats, lfn_repeats, tuned_repeats, added_repeats : int
        Repetitions of cross-validation: in general, on LFN, of the tuned learners, and of the two
        learners that the paper did not run.
    n_folds : int
        Into how many folds the rows are divided.
    used_folds : int
        How many of them are used for validation, each once; all in the paper.
    tuned_folds : int
        The same for the tuned learners.
    families : tuple of str
        Synthetic families.
    n_samples : int
        Rows of a synthetic data set.
    noise_levels, operator_levels, added_levels : int
        How many of the 50 Gaussian levels and of the 20 levels of both operators, evenly picked,
        and on how many of the former the added learners run.
    noise_grid : {"even", "programs"}
        Which 50 Gaussian levels: evenly spread in alpha up to the strongest noise there is, or
        those of the paper's programs, with standard deviations from 0.0005 to 0.025 (the paper's
        text does not tell; see `rankwise.oracles.family_grid`).
    trees : int
        Trees of a forest.
    family_depth, benchmark_depth, real_depth : int
        Depth of shallow trees on the synthetic families, on the semi-synthetic benchmarks and on
        the real-world ones. The paper does not say; these come closest to its figures.
    datasets : tuple of str
        Benchmarks.
    tuned_datasets : tuple of str
        Those on which learners are tuned.
    inner_folds : int
        Folds of the inner cross-validation that tunes.
    grid_features, grid_depths : tuple
        What is tried when tuning; None stands for all features, and for any depth.
    curve_sizes : tuple of int
        Training rows of the learning curve.
    curve_repeats : int
        Training samples of each size.
    seed : int
        Decides the scores, the samples, the folds and the learners.

    Examples
    --------
    >>> Protocol().n_folds, Protocol.quick().repeats
    (10, 1)
    """

    repeats: int = 5
    lfn_repeats: int = 5
    tuned_repeats: int = 1
    added_repeats: int = 1
    n_folds: int = 10
    used_folds: int = 10
    tuned_folds: int = 10
    families: tuple[str, ...] = FAMILIES
    n_samples: int = 10_000
    noise_levels: int = 50
    operator_levels: int = 20
    added_levels: int = 10
    noise_grid: str = "even"
    trees: int = 50
    family_depth: int = 5
    benchmark_depth: int = 5
    real_depth: int = 15
    datasets: tuple[str, ...] = (*SEMI_SYNTHETIC, *REAL)
    tuned_datasets: tuple[str, ...] = (*SEMI_SYNTHETIC, *REAL)
    inner_folds: int = 5
    grid_features: tuple[str | None, ...] = (None, "sqrt", "log2")
    grid_depths: tuple[int | None, ...] = (5, 10, 15, None)
    curve_sizes: tuple[int, ...] = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
    curve_repeats: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = 2 if name in ("n_folds", "inner_folds") else int(name != "seed")
            if isinstance(value, int) and value < least:
                raise ValueError(f"{name} is {value}; use a whole number from {least} up")
        check_choice("noise_grid", self.noise_grid, NOISE_GRIDS)
        for name, known in _CHOICES.items():
            _check_list(name, getattr(self, name), known)
        for name in ("used_folds", "tuned_folds"):
            if getattr(self, name) > self.n_folds:
                raise ValueError(
                    f"{name} is {getattr(self, name)}, more than the {self.n_folds} folds there are"
                )

    @classmethod
    def quick(cls, **changes: Any) -> Protocol:
        """Return a protocol of the same shape that takes minutes, with fewer of everything."""
        small = ("bodyfat", "glass", "housing", "iris", "stock", "wine", "cold")
        values: dict[str, Any] = {
            "repeats": 1, "lfn_repeats": 1, "used_folds": 2, "tuned_folds": 1, "noise_levels": 5,
            "operator_levels": 3, "added_levels": 2, "tuned_datasets": small,
            "grid_depths": (5, None), "inner_folds": 3,
            "curve_sizes": (200, 1000, 5000), "curve_repeats": 1,
        }  # fmt: skip
        return cls(**(values | changes))

    def with_repeats(self, repeats: int) -> Protocol:
        """Return the protocol with one number of repetitions for everything."""
        return replace(
            self, repeats=repeats, lfn_repeats=repeats, tuned_repeats=repeats,
            added_repeats=repeats, curve_repeats=repeats,
        )  # fmt: skip

    @property
    def is_short(self) -> bool:
        """Whether folds, rows or levels were left out, so that a claim may fail by chance alone."""
        full = Protocol()
        names = ("used_folds", "tuned_folds", "n_samples", "noise_levels", "operator_levels")
        return any(getattr(self, name) < getattr(full, name) for name in names)

    def cuts(self) -> list[str]:
        """Say in words where this falls short of the paper's protocol."""
        full = Protocol()
        found = []
        for name, value in asdict(self).items():
            whole = getattr(full, name)
            if name in ("seed", "added_repeats", "added_levels", "noise_grid") or value == whole:
                continue
            if isinstance(value, int) and value > whole:
                continue
            found.append(f"{name.replace('_', ' ')}: {_short(value)} of {_short(whole)}")
        if self.tuned_repeats < full.repeats:
            found.append(f"tuned repeats: {self.tuned_repeats} of the paper's {full.repeats}")
        return found


def _check_list(name: str, values: tuple[Any, ...], known: tuple[Any, ...] | None) -> None:
    """Refuse what is unknown, given twice (it would count twice), or a grid of nothing."""
    for value in values:
        if known is not None and value not in known:
            raise ValueError(f"{name} has {value}; use {', '.join(map(str, known))}")
        is_any_depth = name == "grid_depths" and value is None
        if known is None and not is_any_depth and (not isinstance(value, int) or value < 1):
            raise ValueError(f"{name} has {value}; use whole numbers from 1 up")
        if values.count(value) > 1:
            raise ValueError(f"{name} has {value} more than once; give it once")
    if name.startswith("grid") and not values:
        raise ValueError(f"{name} is empty; give something to try")


def _short(value: Any) -> str:
    return str(len(value)) if isinstance(value, tuple) else f"{value:,}"


def pick_levels(count: int, wanted: int) -> list[int]:
    """Pick `wanted` of `count` levels, evenly, first and last included.

    Examples
    --------
    >>> pick_levels(20, 3)
    [0, 10, 19]
    """
    if wanted >= count:
        return list(range(count))
    if wanted == 1:
        return [count // 2]
    return [round(place) for place in np.linspace(0, count - 1, wanted) + 1e-9]
