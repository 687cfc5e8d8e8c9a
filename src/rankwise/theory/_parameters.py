"""The gate of the bounds: what each letter of the theorems may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rankwise._parameters import (
    check_between,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_positive,
    check_share,
)

# Beyond this many rows a count is known by its logarithm.
LARGEST_COUNT = 10**300

_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "criterion": partial(check_choice, choices=("level", "breiman")),
    "form": partial(check_choice, choices=("theorem", "lambert", "approximation")),
    "product": check_flag,
    "n": partial(check_integer, low=1, high=LARGEST_COUNT),
    "d": partial(check_integer, low=1),
    "k": partial(check_integer, low=2),
    "vc": partial(check_integer, low=1),
    "C": partial(check_number, low=1),
    "eps": check_between,
    "delta": check_between,
    "a": partial(check_number, low=0, high=1),
    "beta": check_share,
    "zeta": check_share,
    "tolerance": check_share,
}


def check(letter: str, value: Any) -> Any:
    """Return the value of one letter, checked; letters without a rule of their own are above 0."""
    return _CHECKS.get(letter, check_positive)(letter, value)


def checker(*letters: str) -> Callable[..., tuple[Any, ...]]:
    """Return a function that checks one value per letter, the relevant features r against d.

    Examples
    --------
    >>> checker("d", "k", "r")(6, 3, 2)
    (6, 3, 2)
    """

    def check_all(*values: Any) -> tuple[Any, ...]:
        found: dict[str, Any] = {}
        for letter, value in zip(letters, values, strict=True):
            if letter == "r":
                why = " (no more relevant features than features, d)"
                found[letter] = check_integer("r", value, 1, found["d"], why=why)
            else:
                found[letter] = check(letter, value)
        return tuple(found.values())

    return check_all


def check_random_state(random_state: Any) -> np.random.Generator:
    """Return a generator: the given one, or one that starts at the given number."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    why = ", a numpy Generator or None"
    return np.random.default_rng(check_integer("random_state", random_state, 0, why=why))


def check_finite(bound: float) -> float:
    """Return a bound that a float can hold."""
    if not math.isfinite(bound):
        raise ValueError("the bound is above 10^308, too large for a float; scale the input down")
    return bound
