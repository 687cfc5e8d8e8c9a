"""The gate of the bounds: every parameter is checked by name, value and allowed range."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

CRITERIA = ("level", "breiman")
# Beyond this many rows a count is told by its logarithm.
LARGEST_COUNT = 10**300


def check_criterion(criterion: Any) -> str:
    """Return `criterion` if it is "level" or "breiman".

    Examples
    --------
    >>> check_criterion("level")
    'level'
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion is {criterion!r}; use 'level' or 'breiman'")
    return str(criterion)


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False.

    Examples
    --------
    >>> check_flag("product", True)
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is {value!r}; use True or False")
    return bool(value)


def check_integer(name: str, value: Any, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int in [low, high].

    Examples
    --------
    >>> check_integer("k", 3, 2)
    3
    """
    most = "10^300" if high == LARGEST_COUNT else high
    allowed = f"an integer of {low} or more" if high is None else f"an integer from {low} to {most}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {value!r}; use {allowed}{why}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} is {number}; use {allowed}{why}")
    return number


def check_random_state(random_state: Any) -> np.random.Generator:
    """Return a generator: the given one, or one that starts at the given number.

    Examples
    --------
    >>> int(check_random_state(0).integers(10))
    8
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    why = ", a numpy Generator or None"
    return np.random.default_rng(check_integer("random_state", random_state, 0, why=why))


def check_open(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1.

    Examples
    --------
    >>> check_open("eps", 0.1)
    0.1
    """
    number = _real(name, value, f"a number with 0 < {name} < 1")
    if not 0 < number < 1:
        raise ValueError(f"{name} is {number:g}; use a number with 0 < {name} < 1")
    return number


def check_share(name: str, value: Any) -> float:
    """Return `value` as a float above 0 and at most 1.

    Examples
    --------
    >>> check_share("tolerance", 1)
    1.0
    """
    number = _real(name, value, f"a number with 0 < {name} <= 1")
    if not 0 < number <= 1:
        raise ValueError(f"{name} is {number:g}; use a number with 0 < {name} <= 1")
    return number


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a finite float above 0.

    Examples
    --------
    >>> check_positive("B", 2)
    2.0
    """
    number = _real(name, value, f"a finite number with {name} > 0")
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is {number:g}; use a finite number with {name} > 0")
    return number


def check_at_least(name: str, value: Any, low: float) -> float:
    """Return `value` as a finite float of `low` or more.

    Examples
    --------
    >>> check_at_least("C", 1.5, 1)
    1.5
    """
    number = _real(name, value, f"a finite number of {low:g} or more")
    if not low <= number < math.inf:
        raise ValueError(f"{name} is {number:g}; use a finite number of {low:g} or more")
    return number


def check_sizes(d: Any, k: Any, r: Any) -> tuple[int, int, int]:
    """Return the numbers of features, labels and relevant features per label.

    Examples
    --------
    >>> check_sizes(6, 3, 2)
    (6, 3, 2)
    """
    d = check_integer("d", d, 1)
    k = check_integer("k", k, 2)
    r = check_integer("r", r, 1, d, why=" (no more relevant features than features, d)")
    return d, k, r


def check_finite(bound: float) -> float:
    """Return a bound that a float can hold.

    Examples
    --------
    >>> check_finite(2.5)
    2.5
    """
    if not math.isfinite(bound):
        raise ValueError("the bound is above 10^308, too large for a float; scale the input down")
    return bound


def _real(name: str, value: Any, allowed: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; use {allowed}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float; use {allowed}") from None
