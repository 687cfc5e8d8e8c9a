"""Small facts that the proofs rest on: Tsybakov's constant and Talagrand's inequality."""

from __future__ import annotations

import math

from rankwise._parameters import check_number, check_positive
from rankwise.theory._parameters import check, check_finite


def tsybakov_constant(a: float, B: float) -> float:
    """Return C_{a,B} = B^(1-a) / ((1-a)^(1-a) a^a).

    Under Tsybakov noise (a, B), a classifier whose error is above the best by e disagrees with the
    best one on a share of at most C_{a,B} e^a of the rows. At the ends, with 0^0 = 1, it is B (a = 0:
    nothing is asked of the margins) and 1 (a = 1: no margin is small).

    Parameters
    ----------
    a, B : float
        ``P(|p - 1/2| < 2t) <= B t^(a/(1-a))`` for all t >= 0, with 0 <= a <= 1 and B > 0.

    Examples
    --------
    >>> round(tsybakov_constant(0.5, 1), 6)
    2.0
    >>> tsybakov_constant(0, 3), tsybakov_constant(1, 3)
    (3.0, 1.0)
    """
    a, B = check("a", a), check("B", B)
    return check_finite(B ** (1 - a) / ((1 - a) ** (1 - a) * a**a))


def talagrand_bound(
    expected_supremum: float, variance: float, b: float, n: int, delta: float
) -> float:
    """Return Talagrand's bound on the largest deviation of a mean over a class of functions.

    With probability 1 - delta, sup (Pf - P_n f) is at most 2 E sup (Pf - P_n f)
    + sqrt(2 variance log(1/delta) / n) + 4 b log(1/delta) / (3 n).

    Parameters
    ----------
    expected_supremum : float
        E sup (Pf - P_n f), 0 or more.
    variance : float
        The largest variance of a function of the class, 0 or more.
    b : float
        Bound of Pf - f for all functions of the class, above 0.
    n : int
        Rows.
    delta : float
        Probability of failure, between 0 and 1.

    Examples
    --------
    >>> round(talagrand_bound(0.01, variance=0.25, b=1, n=1000, delta=0.05), 4)
    0.0627
    """
    mean = check_number("expected_supremum", expected_supremum)
    variance = check_number("variance", variance)
    b = check_positive("b", b)
    n = check("n", n)
    confidence = -math.log(check("delta", delta))
    spread = math.sqrt(2 * (variance * confidence / n)) + 4 * (b * confidence / (3 * n))
    return check_finite(2 * mean + spread)
