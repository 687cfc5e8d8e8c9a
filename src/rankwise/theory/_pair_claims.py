"""The claims within the proof of the theorem on pairs, and what follows for the risk."""

from __future__ import annotations

import math
from decimal import Decimal

from numpy.typing import ArrayLike

from rankwise._parameters import check_positive
from rankwise.theory._inequalities import tsybakov_constant
from rankwise.theory._numbers import (
    Guarantee,
    HugeSampleSize,
    SampleSize,
    precise,
    sample_size,
)
from rankwise.theory._pairs import excess_risk, sum_of_misfits
from rankwise.theory._parameters import check, check_finite, checker


def pair_comparisons(
    delta: float, vc: int, a: float, B: float, tolerance: float, C: float = 1.0
) -> SampleSize:
    """Return n_PC: from how many comparisons of a pair on its excess risk falls at the fast rate.

    The claim on the loss gap of a pair. With n_PC comparisons or more, r_n(delta) of
    `pair_excess_risk` is its first term, that with n^(1/(2-a)). With c = `tsybakov_constant(a, B)`
    and t the tolerance, n_PC is the larger of (2/delta)^(1/(2 C² vc)) and
    log(2/delta) (6^(2-a) t^(1-a) / c)^(1/(1-a)). The claim on the sample complexity calls the number
    of comparisons that all pairs need n_PC too; that is `pairwise_sample_size`.

    Parameters
    ----------
    delta : float
        Probability of failure, between 0 and 1.
    vc : int
        VC dimension, 1 or more.
    a, B, tolerance : float
        As in `pairwise_sample_size`.
    C : float
        The constant that the claim leaves open.

    Returns
    -------
    int, or HugeSampleSize above 10^300; at a = 1 it is infinite, as the second term is

    Examples
    --------
    >>> pair_comparisons(0.05, vc=7, a=0.5, B=1, tolerance=0.5)
    100
    """
    case = checker("delta", "vc", "a", "B", "tolerance")(delta, vc, a, B, tolerance)
    # Not the C of the trees, which is 1 at least.
    C = check_positive("C", C)
    return HugeSampleSize(math.inf) if case[2] == 1 else sample_size(_comparisons(*case, C))


def pairwise_error_bound(
    n: int,
    k: int,
    vc: int,
    a: float,
    B: float,
    tolerance: float,
    delta: float,
    misfit: ArrayLike = 0.0,
    C: float = 1.0,
    C_prime: float = 1.0,
) -> Guarantee:
    """Return the bound on the chance of a wrong ranking after n comparisons of each pair.

    The claim on aggregation, a union over the K = k (k - 1) / 2 pairs: with probability 1 - delta the
    ranking differs from the best one with a chance of at most
    c / t (2 Σ misfit^a + K r_n(delta / K)^a), where c = `tsybakov_constant(a, B)`, t is the
    tolerance and r_n that of `pair_excess_risk`. The theorem (`pairwise_risk_bound`) has c / t²
    before the sum: both are upper bounds, and this one is the smaller.

    Parameters
    ----------
    n : int
        Comparisons of each pair.
    k, vc : int
        Labels (2 or more) and VC dimension (1 or more).
    a, B, tolerance : float
        As in `pairwise_sample_size`.
    delta : float
        Probability of failure, between 0 and 1.
    misfit : float or array of k (k - 1) / 2 floats
        As in `pairwise_risk_bound`.
    C, C_prime : float
        As in `pair_excess_risk`.

    Examples
    --------
    >>> bound = pairwise_error_bound(10**9, k=3, vc=7, a=0.5, B=1, tolerance=1.0, delta=0.05)
    >>> round(bound, 4)
    0.202
    """
    letters = ("n", "k", "vc", "a", "B", "tolerance", "delta")
    n, k, vc, a, B, t, delta = checker(*letters)(n, k, vc, a, B, tolerance, delta)
    constants = check_positive("C", C), check_positive("C_prime", C_prime)
    n_pairs = math.comb(k, 2)
    missed = sum_of_misfits(misfit, n_pairs, a)
    learned = n_pairs * float(excess_risk(n, delta / n_pairs, vc, a, B, t, *constants)) ** a
    return Guarantee(check_finite(tsybakov_constant(a, B) / t * (2 * float(missed) + learned)))


def pairwise_risk_gap(chance: float, k: int) -> float:
    """Return k² chance: how much the mean Kendall distance may be above the least possible one.

    The remark after the theorem on incomplete rankings: R(learned) - R(best) is at most the mean
    Kendall distance of the two, which is at most k² wherever they differ. (At most k (k - 1) / 2, in
    fact; this is the remark's.)

    Parameters
    ----------
    chance : float
        That the learned ranking is not the best one: `pairwise_risk_bound` or
        `pairwise_error_bound`; above 0.
    k : int
        Labels, 2 or more.

    Examples
    --------
    >>> round(pairwise_risk_gap(0.05, k=4), 6)
    0.8
    """
    gap = precise(lambda chance, k: k**2 * chance)
    return check_finite(float(gap(check_positive("chance", chance), check("k", k))))


@precise
def _comparisons(
    delta: Decimal, vc: Decimal, a: Decimal, B: Decimal, t: Decimal, C: Decimal
) -> Decimal:
    c = Decimal(repr(tsybakov_constant(float(a), float(B))))
    fast = (6 ** (2 - a) * t ** (1 - a) / c) ** (1 / (1 - a))
    return max((2 / delta) ** (1 / (2 * C**2 * vc)), (2 / delta).ln() * fast)
