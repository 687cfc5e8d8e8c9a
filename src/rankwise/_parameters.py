"""Parameters checked by name, value and allowed range: a number of rows, a probability, a flag."""

from __future__ import annotations

import itertools
import math
import numbers
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import number_text, shown


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number of Python or numpy; True and a span of time are none.

    Examples
    --------
    >>> is_whole(3), is_whole(3.0), is_whole(True), is_whole(np.timedelta64(3, "s"))
    (True, False, False, False)
    """
    # numpy derives spans of time from its whole numbers
    others = bool | np.bool_ | np.timedelta64
    return isinstance(value, numbers.Integral) and not isinstance(value, others)


def is_real(value: Any) -> TypeGuard[float]:
    """Whether a value is a real number of Python or numpy; True and a span of time are none."""
    others = bool | np.bool_ | np.timedelta64
    return isinstance(value, numbers.Real) and not isinstance(value, others)


def is_list(value: Any) -> bool:
    """Whether a value is gone through item by item, and no text, bytes, dict, sparse matrix or number.

    Examples
    --------
    >>> is_list(("tea", "water")), is_list("tea"), is_list({"tea": 1}), is_list(list)
    (True, False, False, False)
    """
    # a block of bytes has items too, but not of every shape
    bytes_of = bytes | bytearray | memoryview
    is_other = isinstance(value, str | bytes_of | Mapping) or hasattr(value, "tocoo")
    return isinstance(value, Iterable) and not is_other and getattr(value, "ndim", 1) != 0


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is {shown(value)}; use True or False")
    return bool(value)


def draw_integer(random_state: Any) -> int:
    """Return a whole number below 2**31 - 1 from whatever scikit-learn takes as `random_state`.

    Examples
    --------
    >>> draw_integer(0)
    209652396
    >>> draw_integer(-1)
    Traceback (most recent call last):
    ValueError: random_state is -1; use a whole number from 0 to 4294967295, a RandomState, or None
    """
    # imported here: importing the package must stay cheap
    from sklearn.utils import check_random_state

    try:
        drawn: int = check_random_state(random_state).randint(2**31 - 1)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"random_state is {shown(random_state)}; use a whole number from 0 to {2**32 - 1}, a "
            "RandomState, or None"
        ) from None
    return int(drawn)


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """Return `value` if it is one of `choices`.

    Examples
    --------
    >>> check_choice("criterion", "levels", ("level", "breiman"))
    Traceback (most recent call last):
    ValueError: criterion is 'levels'; use 'level' or 'breiman'
    """
    if not any(isinstance(value, type(choice)) and value == choice for choice in choices):
        *others, last = map(repr, choices)
        raise ValueError(f"{name} is {shown(value)}; use {', '.join(others)} or {last}")
    return value


def is_dict(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a dict or like one; scipy has a sparse matrix that is, and does not count."""
    return isinstance(value, Mapping) and not hasattr(value, "tocoo")


def check_numbers(name: str, values: Any, n_dimensions: int | None = None) -> NDArray[np.float64]:
    """Return numbers as a new array of floats; of any shape, unless its number of dimensions is said.

    Examples
    --------
    >>> check_numbers("mean", ["tea"])
    Traceback (most recent call last):
    TypeError: mean: could not convert string to float: 'tea'; give numbers
    >>> check_numbers("shares", 3, 1)
    Traceback (most recent call last):
    ValueError: shares has shape (); give a flat list of numbers
    """
    try:
        with np.errstate(over="ignore"):  # what is too large is infinite
            array = np.asarray(values)
            if array.dtype.kind not in "biufOSU":
                raise TypeError(f"{array.dtype} is no type of real numbers")
            if np.ma.is_masked(values):
                raise TypeError("it has masked cells")
            if array.dtype.kind in "SU":
                array = array.astype(object)  # a text is named as Python writes it
            numbers = np.array(array, dtype=np.float64)
    except Exception as error:  # of whatever container this is
        raise TypeError(f"{name}: {error}; give numbers") from error
    if n_dimensions not in (None, numbers.ndim):
        wanted = {1: "a flat list of numbers", 2: "a table of numbers, one row per sample"}
        other = f"an array of {n_dimensions} dimensions"
        raise ValueError(
            f"{name} has shape {numbers.shape}; give {wanted.get(n_dimensions, other)}"
        )
    return numbers


def check_text(name: str, value: Any) -> str:
    """Return `value` if it is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; give a text")
    return value


def check_names(name: str, value: Any) -> list[str]:
    """Return names as texts; a text alone is no list of names.

    Examples
    --------
    >>> check_names("labels", "tea")
    Traceback (most recent call last):
    TypeError: labels is 'tea'; give a list of names
    """
    if not is_list(value):
        raise TypeError(f"{name} is {shown(value)}; give a list of names")
    return [str(one) for one in as_list(name, value)]


# What is no container and gives more is taken for something without an end.
MOST_ITEMS = 1_000_000


def as_list(name: str, value: Iterable[Any]) -> list[Any]:
    """Return a list of what is gone through item by item, unless that has no end within reach.

    Examples
    --------
    >>> import itertools
    >>> as_list("labels", itertools.count())
    Traceback (most recent call last):
    TypeError: labels is count(0), which has no end within 1,000,000 items; give a list
    """
    if isinstance(value, list | tuple | set | frozenset | dict) or hasattr(value, "__array__"):
        return list(value)  # which holds its items already
    described = shown(value)
    found = list(itertools.islice(value, MOST_ITEMS + 1))
    if len(found) > MOST_ITEMS:
        raise TypeError(
            f"{name} is {described}, which has no end within {MOST_ITEMS:,} items; give a list"
        )
    return found


def check_integer(name: str, value: Any, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int from `low` to `high`; `why` ends the message.

    Examples
    --------
    >>> check_integer("k", 1, 2)
    Traceback (most recent call last):
    ValueError: k is 1; use a whole number of 2 or more
    """
    # Such limits are powers of ten, and nobody counts their digits.
    most = high if high is None or high < 10**18 else f"10^{len(str(high)) - 1}"
    allowed = (
        f"a whole number of {low} or more"
        if high is None
        else f"a whole number from {low} to {most}"
    )
    if not is_whole(value):
        raise TypeError(f"{name} is {shown(value)}; use {allowed}{why}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} is {number}; use {allowed}{why}")
    return number


def check_rows(name: str, rows: NDArray[Any], n_rows: int, what: str = "rows") -> None:
    """Refuse an array that does not say, by number or as a mask, which of `n_rows` rows are meant.

    Examples
    --------
    >>> check_rows("train", np.array([0, 3]), 3)
    Traceback (most recent call last):
    ValueError: train has 3; give numbers from 0 to 2, or a mask of 3 rows
    """
    remedy = f"give numbers from 0 to {n_rows - 1}, or a mask of {n_rows} {what}"
    if (
        rows.ndim != 1
        or rows.dtype.kind not in "iub"
        or (rows.dtype.kind == "b") > (len(rows) == n_rows)
    ):
        raise ValueError(f"{name} has shape {rows.shape} and dtype {rows.dtype}; {remedy}")
    if rows.dtype.kind != "b":
        for row in rows[(rows < 0) | (rows >= n_rows)][:1]:
            raise ValueError(f"{name} has {row}; {remedy}")


def memory_of_machine() -> float:
    """Return how many bytes this process may hold at most; infinite where the system does not say."""
    if not hasattr(os, "sysconf"):
        return math.inf
    memory = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        import resource  # not everywhere
    except ImportError:
        return memory
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    return memory if allowed == resource.RLIM_INFINITY else min(memory, float(allowed))


def check_size(name: str, value: Any, low: int, bytes_each: float) -> int:
    """Return `value` as an int of `low` or more, if so many things of so many bytes fit into memory.

    Examples
    --------
    >>> check_size("n_samples", 10**15, 1, bytes_each=80)
    Traceback (most recent call last):
    ValueError: n_samples is 1000000000000000, which takes 7e+07 GB, and there are ... GB; give less
    """
    number = check_integer(name, value, low)
    memory = memory_of_machine()
    if number > memory / bytes_each:
        needed = number * (bytes_each / 2**30) if number < 10**200 else math.inf
        raise ValueError(
            f"{name} is {number_text(number)}, which takes {needed:.0g} GB, and there are "
            f"{memory / 2**30:.3g} GB; give less"
        )
    return number


def check_number(
    name: str, value: Any, low: float = 0.0, high: float = math.inf, *, ends: str = "[]"
) -> float:
    """Return `value` as a finite float from `low` to `high`; round `ends` leave the limits out.

    Examples
    --------
    >>> check_number("eps", 1, 0, 1, ends="()")
    Traceback (most recent call last):
    ValueError: eps is 1; use a number with 0 < eps < 1
    """
    open_low, open_high = ends[0] == "(", ends[1] == ")"
    if high < math.inf:
        left, right = ("<" if is_open else "<=" for is_open in (open_low, open_high))
        allowed = f"a number with {low:g} {left} {name} {right} {high:g}"
    elif open_low:
        allowed = f"a finite number with {name} > {low:g}"
    else:
        allowed = f"a finite number of {low:g} or more" if low > -math.inf else "a finite number"
    if not is_real(value):
        raise TypeError(f"{name} is {shown(value)}; use {allowed}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float; use {allowed}") from None
    outside = number <= low if open_low else number < low
    outside |= number >= high if open_high else number > high
    if outside or not math.isfinite(number):
        raise ValueError(f"{name} is {number:g}; use {allowed}")
    return number


def check_between(name: str, value: Any) -> float:
    """Return `value` as a float above 0 and below 1."""
    return check_number(name, value, 0, 1, ends="()")


def check_share(name: str, value: Any) -> float:
    """Return `value` as a float above 0 and at most 1."""
    return check_number(name, value, 0, 1, ends="(]")


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a finite float above 0."""
    return check_number(name, value, ends="(]")


# More threads or processes for each processor than this gain nothing, and take all memory.
MOST_JOBS_EACH = 16


def check_jobs(value: Any) -> int | None:
    """Return `n_jobs` if it is None or a whole number other than 0, and one that a machine can hold."""
    if value is not None and (not is_whole(value) or value == 0 or abs(int(value)) >= 1 << 31):
        raise ValueError(
            f"n_jobs is {shown(value)}; give a whole number from 1, -1 for all processors, or None"
        )
    n_processors = os.cpu_count() or 1
    if value is not None and value > MOST_JOBS_EACH * n_processors:
        raise ValueError(
            f"n_jobs is {value}, and this machine has {n_processors} processors: so many threads or "
            f"processes would stop it; give at most {MOST_JOBS_EACH * n_processors}, or -1"
        )
    return None if value is None else int(value)


def check_seconds(name: str, value: Any, *, allow_zero: bool = True) -> None:
    """Refuse what is no number of seconds; None stands for no limit."""
    if value is None:
        return
    allowed = f"seconds {'from' if allow_zero else 'above'} 0, or None for no limit"
    if not is_real(value):
        raise TypeError(f"{name} is {shown(value)}; use {allowed}")
    seconds: Any = value  # which may be larger than any float
    if not (seconds > 0 or (allow_zero and seconds == 0)):
        raise ValueError(f"{name} is {value}; use {allowed}")


def deadline_in(seconds: float | None) -> float:
    """When so many seconds from now are over, on the clock of `time.monotonic`."""
    # nobody waits for a number of seconds that no float holds
    return math.inf if seconds is None or seconds > 1e18 else time.monotonic() + seconds


def check_weights(
    sample_weight: Any, n_rows: int, most: float = math.inf
) -> NDArray[np.float64] | None:
    """Return weights of rows as floats, or say which of them is wrong; None stays None."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight)
        hidden = isinstance(sample_weight, np.ma.MaskedArray) and np.ma.is_masked(sample_weight)
        if hidden or weights.dtype.kind == "c":
            raise TypeError("has masked or complex cells, and weights are real numbers")
        weights = weights.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"sample_weight: {error}; give one number per row") from error
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape} but there are {n_rows} rows; give a flat list "
            "of one number per row"
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0) & (weights <= most)))
    if wrong.size:
        i = int(wrong[0])
        limit = f" and at most {most:g}" if most < math.inf else ""
        raise ValueError(
            f"row {i}: sample_weight is {weights[i]:g}; weights are finite, not negative{limit}; "
            "0 leaves a row out"
        )
    if not weights.any():
        raise ValueError("sample_weight is zero in every row; give some row a weight above 0")
    return weights
