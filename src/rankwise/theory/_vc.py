"""The paper's table of hypothesis classes: VC dimensions and sample complexities."""

from __future__ import annotations

import decimal
import math
import re
from decimal import Decimal
from typing import Any

from rankwise._naming import shown
from rankwise._parameters import check_integer, check_positive
from rankwise.theory._numbers import HugeSampleSize, SampleSize, precise, sample_size
from rankwise.theory._pairs import pair_factor
from rankwise.theory._parameters import checker

_NETWORKS = {"sigmoid network": ("n_parameters", "n_neurons"), "sign network": ("n_parameters",)}
_NEEDED = {"halfspace": ("d",), "rectangle": ("d",), "ball": ("d",), **_NETWORKS}


def vc_dimension(
    name: str,
    d: int | None = None,
    *,
    n_parameters: int | None = None,
    n_neurons: int | None = None,
    constant: float = 1.0,
) -> int:
    """Return the VC dimension of a class of classifiers.

    ================  ==========================  =========================================
    name              VC dimension                needs
    ================  ==========================  =========================================
    halfspace         d + 1                       d
    rectangle         2 d (axis-aligned)          d
    ball              d + 1                       d
    sigmoid network   constant · M² N²            M = n_parameters, N = n_neurons
    sign network      constant · M log M          M = n_parameters
    ================  ==========================  =========================================

    For networks the table gives the order alone: `constant` stands for what it hides, the logarithm
    is natural, and the result is rounded up.

    Parameters
    ----------
    name : str
        Upper case, spaces, hyphens and underscores do not matter.
    d : int
        Features, for half-spaces, rectangles and balls.
    n_parameters, n_neurons : int
        Size of a network.
    constant : float
        Factor of the networks' bounds.

    Examples
    --------
    >>> vc_dimension("halfspace", d=6)
    7
    >>> vc_dimension("sign network", n_parameters=50)
    196
    """
    kind, sizes = _sizes(name, d, n_parameters, n_neurons)
    constant = check_positive("constant", constant)
    if kind not in _NETWORKS:
        if constant != 1:
            raise ValueError(f"constant is {constant:g}; {kind!r} is exact, leave it at 1")
        return 2 * sizes[0] if kind == "rectangle" else sizes[0] + 1
    order = _order(constant, *sizes)
    # One parameter alone already tells two points apart: never below 1.
    return max(1, int(order.to_integral_value(rounding=decimal.ROUND_CEILING)))


def class_sample_size(
    name: str,
    k: int,
    a: float,
    B: float,
    tolerance: float,
    eps: float,
    delta: float,
    *,
    d: int | None = None,
    n_parameters: int | None = None,
    n_neurons: int | None = None,
    constant: float = 1.0,
) -> SampleSize:
    """Return how many rankings pairwise learning needs with a class: the table's last column.

    The table of concept classes says N0 O(log(k/delta) v w), v the larger of the two and w

    ================  ==========================
    name              w
    ================  ==========================
    halfspace         d log d
    rectangle         d log d
    ball              d log d
    sigmoid network   M² N² log(M N)
    sign network      M log² M
    ================  ==========================

    N0 is "a polynomial of k / (phi eps)"; here it is what stands before the maximum in the theorem,
    c / (t^(4-2a) K) (cK / (eps t))^((2-a)/a), in the letters of `pairwise_sample_size`. That has the
    logarithm of this factor as well, which the table leaves out, and a class by its VC dimension.

    Parameters
    ----------
    name : str
        As in `vc_dimension`.
    k : int
        Labels, 2 or more.
    a, B, tolerance, eps, delta : float
        As in `pairwise_sample_size`.
    d, n_parameters, n_neurons : int
        As in `vc_dimension`.
    constant : float
        Factor for everything that the table hides.

    Returns
    -------
    int, or HugeSampleSize above 10^300

    Examples
    --------
    >>> class_sample_size("halfspace", k=3, a=0.5, B=1, tolerance=0.5, eps=0.1, delta=0.05, d=6)
    99077132
    """
    kind, sizes = _sizes(name, d, n_parameters, n_neurons)
    letters = ("k", "a", "B", "tolerance", "eps", "delta", "constant")
    case = checker(*letters)(k, a, B, tolerance, eps, delta, constant)
    if case[1] == 0:
        return HugeSampleSize(math.inf)
    return sample_size(_class_rows(kind, *case, *sizes))


@precise
def _class_rows(
    kind: str,
    k: Decimal,
    a: Decimal,
    B: Decimal,
    t: Decimal,
    eps: Decimal,
    delta: Decimal,
    constant: Decimal,
    size: Decimal,
    n_neurons: Decimal = Decimal(1),
) -> Decimal:
    scale = size.ln()
    of_class = size * scale
    if kind == "sigmoid network":
        of_class = (size * n_neurons) ** 2 * (size * n_neurons).ln()
    elif kind == "sign network":
        of_class = size * scale**2
    factor = pair_factor(k, a, B, t, eps) / (t * k * (k - 1) / 2)
    return constant * factor * max((k / delta).ln(), of_class)


@precise
def _order(constant: Decimal, M: Decimal, N: Decimal | None = None) -> Decimal:
    return constant * (M * M.ln() if N is None else (M * N) ** 2)


def _sizes(
    name: Any, d: int | None, n_parameters: int | None, n_neurons: int | None
) -> tuple[str, list[int]]:
    """Return the class that is meant, and the sizes that it needs."""
    kind = _find(name)
    given = {"d": d, "n_parameters": n_parameters, "n_neurons": n_neurons}
    needed = _NEEDED[kind]
    for key, value in given.items():
        if key in needed and value is None:
            raise TypeError(f"{kind!r} needs {key}; give {' and '.join(needed)}")
        if key not in needed and value is not None:
            raise TypeError(f"{kind!r} has no {key}; give {' and '.join(needed)} alone")
    return kind, [check_integer(key, given[key], 1) for key in needed]


def _find(name: Any) -> str:
    *others, last = _NEEDED
    for known in _NEEDED:
        if isinstance(name, str) and _plain(known) == _plain(name):
            return known
    raise ValueError(f"name is {shown(name)}; use {', '.join(map(repr, others))} or {last!r}")


def _plain(name: str) -> str:
    return re.sub("[ _-]", "", name.lower())
