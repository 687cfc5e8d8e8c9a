"""Numbers of rows of any size, and the accuracy that a number of rows buys.

Bounds are evaluated in decimal arithmetic of fifty digits whose exponent has no practical limit: no
overflow, and the parameters mean what was typed (0.1 is one tenth).
"""

from __future__ import annotations

import decimal
import functools
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from rankwise._arguments import check_arguments
from rankwise._naming import shown
from rankwise._parameters import is_real
from rankwise.theory._parameters import LARGEST_COUNT

_CONTEXT = decimal.Context(
    prec=50,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    traps=[decimal.Overflow, decimal.InvalidOperation, decimal.DivisionByZero],
)


@check_arguments
@functools.total_ordering
class HugeSampleSize:
    """A number of rows above 10^300: it prints as such, compares, and carries its logarithm.

    Parameters
    ----------
    log10 : float
        Decimal logarithm of the number; infinite where no number of rows is enough.

    Examples
    --------
    >>> n = HugeSampleSize(812.4)
    >>> print(n)
    more than 10^300 rows
    >>> n > 10**300, n < HugeSampleSize(900.0)
    (True, True)
    >>> print(HugeSampleSize(math.inf))
    no number of rows is enough
    """

    def __init__(self, log10: float) -> None:
        if not is_real(log10):
            raise TypeError(f"log10 is {shown(log10)}; give a number")
        self.log10 = float(log10)

    def __str__(self) -> str:
        if math.isinf(self.log10):
            return "no number of rows is enough"
        return "more than 10^300 rows"

    def __format__(self, spec: str) -> str:
        # Whoever writes f"{n:,}" for an int gets the text here, and no error.
        return str(self)

    def __repr__(self) -> str:
        return f"HugeSampleSize(log10={self.log10:g})"

    def __eq__(self, other: object) -> bool:
        log10 = _log10(other)
        return NotImplemented if log10 is None else self.log10 == log10

    def __lt__(self, other: object) -> bool:
        log10 = _log10(other)
        return NotImplemented if log10 is None else self.log10 < log10

    def __hash__(self) -> int:
        return hash(("HugeSampleSize", self.log10))


SampleSize: TypeAlias = int | HugeSampleSize


class Guarantee(float):
    """The accuracy eps that a number of rows buys: a float that says when it is worth nothing.

    Examples
    --------
    >>> Guarantee(0.25)
    0.25
    >>> print(Guarantee(3.0))
    3 (not below 1: these rows buy no guarantee)
    """

    @property
    def holds(self) -> bool:
        """Whether eps is below 1, so that something is guaranteed at all.

        Examples
        --------
        >>> Guarantee(3.0).holds
        False
        """
        return self < 1

    def __str__(self) -> str:
        text = f"{float(self):g}" if math.isfinite(self) else "unbounded"
        return text if self.holds else f"{text} (not below 1: these rows buy no guarantee)"


def precise(bound: Callable[..., Any]) -> Callable[..., Any]:
    """Evaluate a bound in decimal arithmetic, all its numbers taken as they are written."""

    @functools.wraps(bound)
    def evaluate(*arguments: Any) -> Any:
        with decimal.localcontext(_CONTEXT):
            try:
                return bound(*(_as_decimal(value) for value in arguments))
            except decimal.Overflow:
                raise ValueError(
                    "the bound has more than 10^18 digits; lower C, r or B, or raise a, eps or "
                    "tolerance"
                ) from None

    return evaluate


def sample_size(rows: Decimal) -> SampleSize:
    """Round a bound up to whole rows, at least one.

    Examples
    --------
    >>> sample_size(Decimal("36.2"))
    37
    >>> sample_size(Decimal("1e400"))
    HugeSampleSize(log10=400)
    """
    if rows <= LARGEST_COUNT:
        return max(1, int(rows.to_integral_value(rounding=decimal.ROUND_CEILING)))
    with decimal.localcontext(_CONTEXT):
        return HugeSampleSize(float(rows.log10()))


def guarantee(rows: Callable[[Decimal], Decimal], n: int) -> Guarantee:
    """Find the eps at which a falling bound `rows(eps)` equals n, on a logarithmic scale.

    Examples
    --------
    >>> round(guarantee(precise(lambda eps: 100 / eps), 1000), 6)
    0.1
    """
    from scipy.optimize import brentq  # takes longer to load than the rest of this package

    with decimal.localcontext(_CONTEXT):
        goal = Decimal(n).ln()

        def surplus(log_eps: float) -> float:
            return float(rows(Decimal(log_eps).exp()).ln() - goal)

        low, high = -1.0, 1.0
        while surplus(low) < 0:
            low *= 2
        while surplus(high) > 0:
            high *= 2
        log_eps = brentq(surplus, low, high, xtol=1e-13, rtol=1e-14)
        eps = float(Decimal(log_eps).exp())
    # Nothing is ever guaranteed without any error: an eps below all floats is given as the smallest.
    return Guarantee(max(eps, sys.float_info.min))


def _as_decimal(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(repr(value))
    return Decimal(value) if type(value) is int else value


def _log10(value: Any) -> float | None:
    if isinstance(value, HugeSampleSize):
        return value.log10
    if not isinstance(value, int | float):
        return None
    return math.log10(value) if value > 0 else -math.inf if value <= 0 else math.nan
