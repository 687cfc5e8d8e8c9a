"""How many rows and splits a labelwise decision tree needs (the paper's theorem on trees)."""

from __future__ import annotations

import decimal
import functools
from decimal import Decimal

from rankwise._parameters import check_positive
from rankwise.theory._numbers import Guarantee, SampleSize, guarantee, precise, sample_size
from rankwise.theory._parameters import check, check_finite, checker


def tree_sample_size(
    criterion: str,
    d: int,
    k: int,
    r: int,
    C: float,
    eps: float,
    delta: float,
    product: bool = False,
    constant: float = 1.0,
) -> SampleSize:
    """Return how many complete rankings a tree per label needs for error eps.

    With that many rows, the mean squared error of the scores, summed over labels, is at most eps
    with probability 1 - delta, and the mean Spearman distance of the rankings at most 4 eps k²
    (`spearman_guarantee`). Features are Boolean, rankings complete and without noise, and each
    label's score depends on r features.

    - Level-Splits, C-approximate submodularity: log(dk/delta) (Crk/eps)^(Cr+2).
    - Level-Splits, independent features too: log(dk/delta) 2^r k² (C/eps)².
    - Breiman, C-approximate diminishing returns: log(dk/delta) (Crk/eps)^(Cr+3).
    - Breiman, independent features too: log(dk/delta) k³ C² 2^r / eps³.

    Logarithms are natural. The theorem hides a constant and logarithmic factors; they are
    `constant` here. So the result is the bound's shape, not a promise.

    Parameters
    ----------
    criterion : {"level", "breiman"}
    d, k, r : int
        Features, labels, and features that matter to one label (1 <= r <= d).
    C : float
        The constant of the condition, 1 or more.
    eps, delta : float
        Error and probability of failure, both between 0 and 1.
    product : bool
        Whether features are independent of each other.
    constant : float
        Factor for everything that the theorem hides.

    Returns
    -------
    int, or HugeSampleSize above 10^300

    Examples
    --------
    Tea, coffee and water, each depending on two of six features:

    >>> tree_sample_size("level", d=6, k=3, r=2, C=1, eps=0.1, delta=0.05, product=True)
    21190
    >>> print(tree_sample_size("level", d=1000, k=3, r=200, C=1, eps=0.1, delta=0.05))
    more than 10^300 rows
    """
    case = _check(criterion, d, k, r, C, delta, product, constant)
    return sample_size(_rows(*case, check("eps", eps)))


def tree_depth(
    criterion: str,
    d: int,
    k: int,
    r: int,
    C: float,
    eps: float,
    delta: float,
    product: bool = False,
    constant: float = 1.0,
    n: int | None = None,
) -> int:
    """Return the number of splits, log t, that goes with `tree_sample_size`, rounded up.

    For independent features it is r. Otherwise Cr/(Cr+2) (log n - log log(d/delta)) for
    Level-Splits and the same with Cr+3 for Breiman, where any larger number will do as well. The
    outer logarithms are of base 2, because a tree that splits each of its leaves log t times has t
    of them, and only so is log t = r for independent features the same kind of number; log(d/delta)
    within, as in the bound on rows, is natural. `suggest_splits` takes the same formula.

    Parameters
    ----------
    n : int, optional
        The rows at hand; by default those of `tree_sample_size` (eps and constant are not used if
        n is given). The other parameters are those of `tree_sample_size`.

    Returns
    -------
    int
        0 where n is too small for one split.

    Examples
    --------
    >>> tree_depth("level", d=6, k=3, r=2, C=1, eps=0.1, delta=0.05, product=True)
    2
    >>> tree_depth("level", d=6, k=3, r=2, C=1, eps=0.1, delta=0.05, n=10_000)
    6
    """
    case = _check(criterion, d, k, r, C, delta, product, constant)
    eps = check("eps", eps)
    rows = _rows(*case, eps) if n is None else check("n", n)
    if product:
        return case[3]
    splits = split_levels(case[0], case[1], case[3], case[4], case[5], rows)
    return max(0, int(splits.to_integral_value(rounding=decimal.ROUND_CEILING)))


def tree_guarantee(
    n: int,
    criterion: str,
    d: int,
    k: int,
    r: int,
    C: float,
    delta: float,
    product: bool = False,
    constant: float = 1.0,
) -> Guarantee:
    """Return the error eps that n rows buy: the inverse of `tree_sample_size`.

    Parameters are those of `tree_sample_size`.

    Returns
    -------
    Guarantee
        A float. At 1 or more the theorem promises nothing, and its text says so.

    Examples
    --------
    >>> round(tree_guarantee(21190, "level", d=6, k=3, r=2, C=1, delta=0.05, product=True), 4)
    0.1
    """
    case = _check(criterion, d, k, r, C, delta, product, constant)
    return guarantee(functools.partial(_rows, *case), check("n", n))


def spearman_guarantee(eps: float, k: int) -> float:
    """Return 4 eps k²: the mean Spearman distance that follows from error eps of the scores.

    The theorem on trees says eps k², its proof O(eps) k²; 4 is the factor that can be proved.
    Scores are positions over k, so that predicted positions p are within eps k² of the true ranking
    s, as squared distances. Sorting p gives the ranking that is nearest to it (a projection), no
    further from p than s is; by the triangle inequality it is within twice that distance of s.

    Parameters
    ----------
    eps : float
        Error of the scores, as in `tree_sample_size` and `forest_sample_size`; any positive number.
    k : int
        Labels. No two rankings are further apart than k (k² - 1) / 3.

    Examples
    --------
    >>> round(spearman_guarantee(0.1, k=3), 6)
    3.6

    The factor is needed. Positions 1.51 and 1.49 are predicted where 1 and 2 are true; sorted they
    are 2 and 1, at distance 2:

    >>> eps = ((1.51 - 1) ** 2 + (1.49 - 2) ** 2) / 2**2
    >>> round(eps * 2**2, 2), round(spearman_guarantee(eps, k=2), 2)
    (0.52, 2.08)
    """
    k = check("k", k)
    distance = precise(lambda eps, k: 4 * eps * k**2)(check_positive("eps", eps), k)
    return check_finite(float(distance))


_check = checker("criterion", "d", "k", "r", "C", "delta", "product", "constant")


@precise
def _rows(
    criterion: str,
    d: Decimal,
    k: Decimal,
    r: Decimal,
    C: Decimal,
    delta: Decimal,
    product: bool,
    constant: Decimal,
    eps: Decimal,
) -> Decimal:
    """Evaluate the theorem's four cases, before rounding."""
    confidence = constant * (d * k / delta).ln()
    if product and criterion == "level":
        return confidence * Decimal(2) ** r * k**2 * (C / eps) ** 2
    if product:
        return confidence * k**3 * C**2 * Decimal(2) ** r / eps**3
    return confidence * (C * r * k / eps) ** (C * r + extra_power(criterion))


@precise
def split_levels(
    criterion: str, d: Decimal, r: Decimal, C: Decimal, delta: Decimal, rows: Decimal
) -> Decimal:
    """Return log2 t for t = (rows / log(d/delta))^(Cr/(Cr+2)), Cr+3 for Breiman, before rounding.

    An infinite C makes the exponent 1.

    Examples
    --------
    >>> round(split_levels("level", 100, 10, 1.0, 0.05, 10_000), 2)
    Decimal('8.63')
    """
    power = 1 if C.is_infinite() else C * r / (C * r + extra_power(criterion))
    return power * (rows.ln() - (d / delta).ln().ln()) / Decimal(2).ln()


def extra_power(criterion: str) -> int:
    """Return what the theorem on trees adds to Cr in its exponents."""
    return 2 if criterion == "level" else 3
