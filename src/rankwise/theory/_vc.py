"""VC dimensions of the hypothesis classes in the paper's table."""

from __future__ import annotations

import decimal
import re
from decimal import Decimal
from typing import Any

from rankwise._parameters import check_integer, check_positive
from rankwise.theory._numbers import precise

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
    kind = _find(name)
    given = {"d": d, "n_parameters": n_parameters, "n_neurons": n_neurons}
    needed = _NEEDED[kind]
    for key, value in given.items():
        if key in needed and value is None:
            raise TypeError(f"{kind!r} needs {key}; give {' and '.join(needed)}")
        if key not in needed and value is not None:
            raise TypeError(f"{kind!r} has no {key}; give {' and '.join(needed)} alone")
    sizes = [check_integer(key, given[key], 1) for key in needed]
    constant = check_positive("constant", constant)
    if kind not in _NETWORKS:
        if constant != 1:
            raise ValueError(f"constant is {constant:g}; {kind!r} is exact, leave it at 1")
        return 2 * sizes[0] if kind == "rectangle" else sizes[0] + 1
    order = _order(constant, *sizes)
    # One parameter alone already tells two points apart: never below 1.
    return max(1, int(order.to_integral_value(rounding=decimal.ROUND_CEILING)))


@precise
def _order(constant: Decimal, M: Decimal, N: Decimal | None = None) -> Decimal:
    return constant * (M * M.ln() if N is None else (M * N) ** 2)


def _find(name: Any) -> str:
    *others, last = _NEEDED
    for known in _NEEDED:
        if isinstance(name, str) and _plain(known) == _plain(name):
            return known
    raise ValueError(f"name is {name!r}; use {', '.join(map(repr, others))} or {last!r}")


def _plain(name: str) -> str:
    return re.sub("[ _-]", "", name.lower())
