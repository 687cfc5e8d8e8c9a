"""How many rows a fully grown honest forest needs, and how large its subsamples are."""

from __future__ import annotations

import functools
import math
from decimal import Decimal
from typing import NamedTuple

from rankwise.theory._numbers import Guarantee, SampleSize, guarantee, precise, sample_size
from rankwise.theory._parameters import check, checker


class ForestSize(NamedTuple):
    """Rows n to train on, and rows s that each tree sees.

    Attributes
    ----------
    n, s : int or HugeSampleSize
    """

    n: SampleSize
    s: SampleSize


def forest_sample_size(
    criterion: str,
    d: int,
    k: int,
    r: int,
    beta: float,
    zeta: float,
    eps: float,
    delta: float,
    constant: float = 1.0,
) -> ForestSize:
    """Return how many complete rankings a forest per label needs for error eps, and its subsample.

    Each tree is honest, fully grown, and sees s rows drawn from the n. Then the mean squared error
    of the scores, summed over labels, is at most eps with probability 1 - delta, and the mean
    Spearman distance at most 4 eps k² (`spearman_guarantee`). Features are Boolean, rankings
    without noise, and the r features of a label stand out from the others by beta (strong sparsity).

    - Level-Splits: n = 2^r k log(k/delta) / eps (log d / beta² + 1 / zeta),
      s = 2^r (log(dk/delta) / beta² + log(k/delta) / zeta); no combination of a label's features
      has a probability strictly between 0 and zeta / 2^r.
    - Breiman: n = 2^r k log(dk/delta) / (eps zeta beta²), s = 2^r log(dk/delta) / (zeta beta²);
      any r features take any of their 2^r values with probability zeta / 2^r or more.

    Logarithms are natural. `constant` multiplies n and s and stands for what the theorem hides: the
    result is the bound's shape, not a promise. Where n would be below s (few features, large eps),
    n is s, because a subsample is no larger than the sample.

    Parameters
    ----------
    criterion : {"level", "breiman"}
    d, k, r : int
        Features, labels, and features that matter to one label (1 <= r <= d).
    beta, zeta : float
        Gap of strong sparsity and density bound, both above 0 and at most 1.
    eps, delta : float
        Error and probability of failure, both between 0 and 1.
    constant : float
        Factor for everything that the theorem hides.

    Returns
    -------
    ForestSize
        The pair (n, s); each an int, or HugeSampleSize above 10^300.

    Examples
    --------
    >>> n, s = forest_sample_size("breiman", d=6, k=3, r=2, beta=0.1, zeta=0.5, eps=0.1, delta=0.05)
    >>> n, s
    (141267, 4709)
    """
    case = _check(criterion, d, k, r, beta, zeta, delta, constant)
    n, s = forest_rows(*case, check("eps", eps))
    return ForestSize(sample_size(max(n, s)), sample_size(s))


def forest_guarantee(
    n: int,
    criterion: str,
    d: int,
    k: int,
    r: int,
    beta: float,
    zeta: float,
    delta: float,
    constant: float = 1.0,
) -> Guarantee:
    """Return the error eps that n rows buy: the inverse of `forest_sample_size`.

    Parameters are those of `forest_sample_size`.

    Returns
    -------
    Guarantee
        A float. At 1 or more the theorem promises nothing, and its text says so; it is infinite
        where n is less than the subsample s that every tree needs.

    Examples
    --------
    >>> eps = forest_guarantee(141267, "breiman", d=6, k=3, r=2, beta=0.1, zeta=0.5, delta=0.05)
    >>> round(eps, 4)
    0.1
    """
    n = check("n", n)
    case = _check(criterion, d, k, r, beta, zeta, delta, constant)
    rows = functools.partial(forest_rows, *case)
    if n < rows(Decimal(1))[1]:
        return Guarantee(math.inf)
    return guarantee(lambda eps: rows(eps)[0], n)


_check = checker("criterion", "d", "k", "r", "beta", "zeta", "delta", "constant")


@precise
def forest_rows(
    criterion: str,
    d: Decimal,
    k: Decimal,
    r: Decimal,
    beta: Decimal,
    zeta: Decimal,
    delta: Decimal,
    constant: Decimal,
    eps: Decimal,
) -> tuple[Decimal, Decimal]:
    """Evaluate the theorems' n and s, before rounding.

    Examples
    --------
    >>> n, s = forest_rows("breiman", 6, 3, 2, 0.1, 0.5, 0.05, 1, 0.1)
    >>> round(n), round(s)
    (141266, 4709)
    """
    cells = constant * Decimal(2) ** r
    any_feature = (d * k / delta).ln()
    any_label = (k / delta).ln()
    if criterion == "level":
        n = cells * k * any_label / eps * (d.ln() / beta**2 + 1 / zeta)
        return n, cells * (any_feature / beta**2 + any_label / zeta)
    s = cells * any_feature / (zeta * beta**2)
    return s * k / eps, s
