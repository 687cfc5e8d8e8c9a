"""How many incomplete or partial rankings a classifier per pair of labels needs."""

from __future__ import annotations

import functools
import math
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw

from rankwise._naming import shown
from rankwise._parameters import check_numbers, check_positive
from rankwise.theory._numbers import (
    Guarantee,
    HugeSampleSize,
    SampleSize,
    guarantee,
    precise,
    sample_size,
)
from rankwise.theory._parameters import check, checker


def pairwise_sample_size(
    k: int,
    vc: int,
    a: float,
    B: float,
    tolerance: float,
    eps: float,
    delta: float,
    constant: float = 1.0,
    *,
    form: str = "theorem",
) -> SampleSize:
    """Return how many incomplete or partial rankings pairwise learning needs for error eps.

    Each pair of labels gets the classifier of least training error from a class of VC dimension
    `vc`, and the votes are counted (Copeland). With probability 1 - delta the predicted ranking
    then differs from the best one with a chance of at most eps, plus what the class itself misses
    (`pairwise_risk_bound`). Conditions: strict stochastic transitivity, Tsybakov noise (a, B), and
    every pair is seen, whatever x is, with a chance of `tolerance` or more: phi for incomplete
    rankings (both labels observed), xi for partial ones (not tied).

    With c = `tsybakov_constant(a, B)`, K = k (k - 1) / 2 pairs, t the tolerance and
    Q = (cK / (eps t))^((2-a)/a), the forms are

    - "theorem": c / (t^(4-2a) K) Q max(log(k/delta), vc log(c vc / t^(3-2a) Q));
    - "lambert", from the theorem's proof: max(N2, N3) / (t K), where N2 = c log(k/delta) /
      t^(3-2a) Q and N3 solves N3 / log N3 = M3 = c vc / t^(3-2a) Q by the Lambert W function
      (N3 = M3 where M3 is below e: then every N3 has N3 >= M3 log N3);
    - "approximation": the same with N3 = 2 M3 log M3, never below the "lambert" form.

    Logarithms are natural. The theorem hides a constant, `constant` here: the result is the bound's
    shape, not a promise. It is stated for 0 < a < 1. At a = 1 the same formulas hold, with c = 1; at
    a = 0 margins may be as small as they like, and no number of rows is enough.

    Parameters
    ----------
    k, vc : int
        Labels (2 or more) and VC dimension (1 or more, see `vc_dimension`).
    a, B : float
        Tsybakov noise: 0 <= a <= 1, B > 0.
    tolerance : float
        Deletion tolerance phi or partial tolerance xi, above 0 and at most 1.
    eps, delta : float
        Error and probability of failure, both between 0 and 1.
    constant : float
        Factor for everything that the theorem hides.
    form : {"theorem", "lambert", "approximation"}

    Returns
    -------
    int, or HugeSampleSize above 10^300

    Examples
    --------
    Tea, coffee and water, half-spaces in six dimensions, each pair seen by half of the rows:

    >>> pairwise_sample_size(k=3, vc=7, a=0.5, B=1, tolerance=0.5, eps=0.1, delta=0.05)
    1186235491
    """
    case = _check(k, vc, a, B, tolerance, delta, constant, form)
    eps = check("eps", eps)
    return HugeSampleSize(math.inf) if case[2] == 0 else sample_size(_rows(*case, eps))


def pairwise_guarantee(
    n: int,
    k: int,
    vc: int,
    a: float,
    B: float,
    tolerance: float,
    delta: float,
    constant: float = 1.0,
    *,
    form: str = "theorem",
) -> Guarantee:
    """Return the error eps that n rows buy: the inverse of `pairwise_sample_size`.

    Parameters are those of `pairwise_sample_size`.

    Returns
    -------
    Guarantee
        A float. At 1 or more the theorem promises nothing, and its text says so; at a = 0 it is
        infinite for any n.

    Examples
    --------
    >>> round(pairwise_guarantee(1186235491, 3, 7, a=0.5, B=1, tolerance=0.5, delta=0.05), 4)
    0.1
    """
    case = _check(k, vc, a, B, tolerance, delta, constant, form)
    n = check("n", n)
    return Guarantee(math.inf) if case[2] == 0 else guarantee(functools.partial(_rows, *case), n)


def pairwise_risk_bound(
    eps: float, k: int, a: float, B: float, tolerance: float, misfit: ArrayLike = 0.0
) -> Guarantee:
    """Return the bound on the chance of a wrong ranking: eps plus what the class cannot express.

    It is c / t² · 2 Σ misfit^a + eps, with c = `tsybakov_constant(a, B)` and t the tolerance.

    Parameters
    ----------
    eps : float
        What `pairwise_guarantee` gives, or is asked of `pairwise_sample_size`.
    k : int
        Labels, 2 or more.
    a, B, tolerance : float
        As in `pairwise_sample_size`.
    misfit : float or array of k (k - 1) / 2 floats
        For each pair, how much the best classifier of the class errs beyond the best of all; one
        number stands for all pairs.

    Examples
    --------
    >>> round(pairwise_risk_bound(0.1, k=3, a=0.5, B=1, tolerance=1.0, misfit=0.0001), 6)
    0.22
    """
    eps = check_positive("eps", eps)
    k, a, B, t = checker("k", "a", "B", "tolerance")(k, a, B, tolerance)
    n_pairs = math.comb(k, 2)
    total = sum_of_misfits(misfit, n_pairs, a)
    risk = precise(lambda eps, a, B, t, total: _constant(a, B) / t**2 * 2 * total + eps)
    return Guarantee(risk(eps, a, B, t, total))


def pair_excess_risk(
    n: int,
    delta: float,
    vc: int,
    a: float,
    B: float,
    tolerance: float,
    C: float = 1.0,
    C_prime: float = 1.0,
) -> Guarantee:
    """Return r_n(delta): how far a pair's trained classifier may be from the best of its class.

    With probability 1 - delta, n comparisons of the pair give L(trained) - L* of at most twice what
    the class misses plus r_n, where with c = `tsybakov_constant(a, B)` and t the tolerance r_n is
    the larger of C' log(2/delta) / (t n) and
    2 (16 c / (n t^(3-2a)))^(1/(2-a)) ((C vc log n)^(1/(2-a)) + (32 log(2/delta))^(1/(2-a))).

    Parameters
    ----------
    n : int
        Comparisons of the pair.
    delta : float
        Probability of failure, between 0 and 1.
    vc : int
        VC dimension, 1 or more.
    a, B, tolerance : float
        As in `pairwise_sample_size`.
    C, C_prime : float
        The two constants that the paper leaves open.

    Examples
    --------
    >>> round(pair_excess_risk(10_000, delta=0.05, vc=7, a=0.5, B=1, tolerance=1.0), 4)
    1.7434
    """
    case = checker("n", "delta", "vc", "a", "B", "tolerance")(n, delta, vc, a, B, tolerance)
    # Not the C of the trees, which is 1 at least.
    constants = check_positive("C", C), check_positive("C_prime", C_prime)
    return Guarantee(excess_risk(*case, *constants))


_check = checker("k", "vc", "a", "B", "tolerance", "delta", "constant", "form")


def sum_of_misfits(misfit: ArrayLike, n_pairs: int, a: float) -> float:
    """Return the sum over all pairs of what the class misses, to the power of a."""
    if n_pairs > 10**300:
        raise ValueError("k is so large that no float holds the number of pairs; give fewer labels")
    missed = check_misfit(misfit, n_pairs) ** a
    return float(missed.sum()) if missed.ndim else float(missed) * n_pairs


def check_misfit(misfit: ArrayLike, n_pairs: int) -> np.ndarray:
    """Return what the class misses on each pair, or on all of them, as an array.

    Examples
    --------
    >>> check_misfit(2, 3)
    Traceback (most recent call last):
    ValueError: misfit is 2; use a difference of error rates, from 0 to 1
    """
    try:
        misfits = check_numbers("misfit", misfit)
    except TypeError:
        raise TypeError(f"misfit is {shown(misfit)}; use one number, or one per pair") from None
    if misfits.shape not in ((), (n_pairs,)):
        raise ValueError(
            f"misfit has shape {misfits.shape}; use one number, or {n_pairs}, one per pair"
        )
    wrong = ~((misfits >= 0) & (misfits <= 1))
    if wrong.any():
        raise ValueError(
            f"misfit is {misfits[wrong].flat[0]:g}; use a difference of error rates, from 0 to 1"
        )
    return misfits


@precise
def excess_risk(
    n: Decimal,
    delta: Decimal,
    vc: Decimal,
    a: Decimal,
    B: Decimal,
    t: Decimal,
    C: Decimal,
    C_prime: Decimal,
) -> Decimal:
    """Evaluate r_n(delta).

    Examples
    --------
    >>> round(excess_risk(10_000, 0.05, 7, 0.5, 1, 1.0, 1, 1), 4)
    Decimal('1.7434')
    """
    power = 1 / (2 - a)
    confidence = (2 / delta).ln()
    noise = 16 * _constant(a, B) / (n * t ** (3 - 2 * a))
    slow = 2 * noise**power * ((C * vc * n.ln()) ** power + (32 * confidence) ** power)
    return max(slow, C_prime * confidence / (t * n))


@precise
def _rows(
    k: Decimal,
    vc: Decimal,
    a: Decimal,
    B: Decimal,
    t: Decimal,
    delta: Decimal,
    constant: Decimal,
    form: str,
    eps: Decimal,
) -> Decimal:
    pairs = k * (k - 1) / 2
    base = pair_factor(k, a, B, t, eps)
    confidence = (k / delta).ln()
    M3 = base * vc
    if form == "theorem":
        comparisons = base * max(confidence, vc * M3.ln())
    elif form == "lambert":
        comparisons = max(base * confidence, M3 * _log_root(M3))
    else:
        comparisons = max(base * confidence, 2 * M3 * max(M3.ln(), Decimal(1)))
    return constant * comparisons / (t * pairs)


@precise
def pair_factor(k: Decimal, a: Decimal, B: Decimal, t: Decimal, eps: Decimal) -> Decimal:
    """Return c / t^(3-2a) (cK / (eps t))^((2-a)/a): what a pair needs but for the class, a above 0.

    Examples
    --------
    >>> round(pair_factor(2, 0.5, 1, 1, 0.5))
    128
    """
    c = _constant(a, B)
    return c / t ** (3 - 2 * a) * (c * k * (k - 1) / 2 / (eps * t)) ** ((2 - a) / a)


def _constant(a: Decimal, B: Decimal) -> Decimal:
    # Decimals do not know 0^0; it is 1 here.
    powers = [x**x if x else Decimal(1) for x in (a, 1 - a)]
    return B ** (1 - a) / (powers[0] * powers[1])


def _log_root(M: Decimal) -> Decimal:
    """Return y = log m >= 1 with m / log m = M, that is y = -W(-1/M) on the lower branch.

    Below M = e there is no such m, because every m satisfies m >= M log m; then 1.
    """
    log_M = M.ln()
    if log_M <= 1:
        return Decimal(1)
    y = log_M + log_M.ln()
    if log_M < 600:  # beyond, 1/M is too small for a float, and y as it stands is close enough
        y = Decimal(-float(lambertw(-1 / float(M), -1).real))
    for _ in range(6):
        # Newton's method for y - log y = log M: each step doubles the digits.
        if y - 1 > Decimal("1e-6"):
            y -= (y - y.ln() - log_M) / (1 - 1 / y)
    return max(y, Decimal(1))
