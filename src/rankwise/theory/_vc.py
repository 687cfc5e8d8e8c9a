"""VC dimensions of the hypothesis classes in the paper's table."""

from __future__ import annotations

import decimal
from decimal import Decimal
from typing import Any

from rankwise._parameters import check_integer, check_positive
from rankwise.theory._numbers import precise

_SPACES = {"halfspace": "d + 1", "rectangle": "2 d", "ball": "d + 1"}
_NETWORKS = {"sigmoid network": ("n_parameters", "n_neurons"), "sign network": ("n_parameters",)}


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
    needed = ("d",) if kind in _SPACES else _NETWORKS[kind]
    for key, value in given.items():
        if key in needed and value is None:
            raise TypeError(f"{kind!r} needs {key}; give {' and '.join(needed)}")
        if key not in needed and value is not None:
            raise TypeError(f"{kind!r} has no {key}; give {' and '.join(needed)} alone")
    sizes = [check_integer(key, given[key], 1) for key in needed]
    if kind in _SPACES:
        if check_positive("constant", constant) != 1:
            raise ValueError(f"constant is {constant:g}; {kind!r} is exact, leave it at 1")
        return 2 * sizes[0] if kind == "rectangle" else sizes[0] + 1
    if kind == "sigmoid network":
        order = _squared_product(check_positive("constant", constant), *sizes)
    else:
        order = _times_log(check_positive("constant", constant), *sizes)
    # One parameter alone already tells two points apart: never below 1.
    return max(1, int(order.to_integral_value(rounding=decimal.ROUND_CEILING)))


@precise
def _squared_product(constant: Decimal, n_parameters: Decimal, n_neurons: Decimal) -> Decimal:
    return constant * (n_parameters * n_neurons) ** 2


@precise
def _times_log(constant: Decimal, n_parameters: Decimal) -> Decimal:
    return constant * n_parameters * n_parameters.ln()


def _find(name: Any) -> str:
    names = [*_SPACES, *_NETWORKS]
    if isinstance(name, str):
        for known in names:
            if _plain(known) == _plain(name):
                return known
    raise ValueError(f"name is {name!r}; use {', '.join(map(repr, names[:-1]))} or {names[-1]!r}")


def _plain(name: str) -> str:
    return name.lower().replace(" ", "").replace("-", "").replace("_", "")
