"""Settings of learners that the theorems suggest for the data at hand."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise.theory._density import countable_order, marginal_density
from rankwise.theory._forests import forest_rows
from rankwise.theory._gap import strong_sparsity
from rankwise.theory._observations import Observations, observe_rankings
from rankwise.theory._parameters import check
from rankwise.theory._relevant_density import relevant_density
from rankwise.theory._returns import diminishing_returns, submodularity
from rankwise.theory._sparsity import sparsity
from rankwise.theory._trees import split_levels

_FORMULAS = {
    ("max_splits", "level"): "log2 t, with t = (n / log(d/delta))^(Cr/(Cr+2))",
    ("max_splits", "breiman"): "t = (n / log(d/delta))^(Cr/(Cr+3))",
    ("max_samples", "level"): "s = 2^r (log(dk/delta) / beta^2 + log(k/delta) / zeta)",
    ("max_samples", "breiman"): "s = 2^r log(dk/delta) / (zeta beta^2)",
}


@check_arguments
@dataclass(frozen=True)
class Suggestion:
    """A setting, the formula that gives it, and every number that went into it.

    Attributes
    ----------
    setting : {"max_splits", "max_samples"}
    value : int
        What to set: `exact`, rounded up and kept within what the data allows.
    formula : str
    exact : float
        What the formula gives; infinite where a constant of the theorem is not above 0.
    clipped : bool
        Whether `value` is not `exact` rounded up.
    criterion : {"level", "breiman"}
    n, d, k : int
        Rows, features and labels.
    delta : float
        Chance of failure that the theorem is taken at.
    r : int
        Features that matter to one label, 1 at least.
    C, beta, zeta : float or None
        Diagnosed constants; None where the formula has no such letter.

    Examples
    --------
    >>> print(Suggestion("max_splits", 4, "log2 t", 3.2, False, "level", 500, 6, 3, 0.05, 2, C=1.0))
    max_splits = 4: log2 t = 3.2 (n = 500, d = 6, k = 3, delta = 0.05, r = 2, C = 1)
    """

    setting: str
    value: int
    formula: str
    exact: float
    clipped: bool
    criterion: str
    n: int
    d: int
    k: int
    delta: float
    r: int
    C: float | None = None
    beta: float | None = None
    zeta: float | None = None

    def __str__(self) -> str:
        letters = ("n", "d", "k", "delta", "r", "C", "beta", "zeta")
        known = [(letter, getattr(self, letter)) for letter in letters]
        numbers = ", ".join(f"{letter} = {_text(x)}" for letter, x in known if x is not None)
        why = ", clipped to what the data allows" if self.clipped else ""
        exact = f"{self.formula} = {self.exact:.4g}{why}"
        return f"{self.setting} = {self.value}: {exact} ({numbers})"

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes by name.

        Examples
        --------
        >>> one = Suggestion("max_splits", 4, "log2 t", 3.2, False, "level", 500, 6, 3, 0.05, 2)
        >>> one.to_dict()["value"]
        4
        """
        return asdict(self)


def suggest_splits(
    X: Any,
    Y: Any,
    criterion: str = "level",
    *,
    n: int | None = None,
    delta: float = 0.05,
    random_state: Any = 0,
) -> Suggestion:
    """Suggest how many splits a tree should make: `TreeRanker`'s ``max_splits="theory"``.

    The theorem on trees takes t = (n / log(d/delta))^(Cr/(Cr+2)) cells for Level-Splits, and
    exponent Cr/(Cr+3) for Breiman. A level-splits tree of t cells has log2 t levels, Breiman's
    tree cuts t nodes; both are rounded up, and log2 t is 1 at least. r and C are diagnosed:
    `sparsity` (1 where no feature is seen to matter), and `submodularity` or, for Breiman,
    `diminishing_returns` (1 where the rows do not show it; an infinite C makes the exponent 1).

    Parameters
    ----------
    X, Y : array-like
        Features (finite) and ranks, as in `diagnose`. Incomplete and tied rankings count by the
        positions that they leave to each label.
    criterion : {"level", "breiman"}
    n : int, optional
        Rows to learn from; by default those of Y that rank two labels or more.
    delta : float
        Chance of failure.
    random_state : int, Generator or None
        For the random halves of the diagnosis.

    Returns
    -------
    Suggestion
        Its `value` is what to set.

    Examples
    --------
    >>> from rankwise.oracles import Oracle, SparseLinear
    >>> X, Y = Oracle(SparseLinear(6, 3, 2)).sample(500, random_state=0)
    >>> found = suggest_splits(X, Y)
    >>> found.value, found.r, found.clipped
    (6, 3, False)
    """
    X, criterion, n, d, k, delta = _check(X, Y, criterion, n, delta)
    r = _relevant(X, Y, random_state)
    estimate = submodularity if criterion == "level" else diminishing_returns
    C = float(estimate(X, Y, random_state=random_state).estimate)
    C = 1.0 if math.isnan(C) else C
    levels = float(split_levels(criterion, d, r, C, delta, n))
    exact = levels if criterion == "level" else 2.0**levels
    least = 1 if criterion == "level" else 2
    formula = _FORMULAS["max_splits", criterion]
    value = max(least, math.ceil(exact))
    return Suggestion(
        "max_splits", value, formula, exact, exact < least, criterion, n, d, k, delta, r, C=C
    )


def suggest_samples(
    X: Any,
    Y: Any,
    criterion: str = "breiman",
    *,
    n: int | None = None,
    delta: float = 0.05,
    random_state: Any = 0,
) -> Suggestion:
    """Suggest how many rows each tree of a forest should draw: ``max_samples="theory"``.

    The theorem on forests takes s = 2^r (log(dk/delta) / beta² + log(k/delta) / zeta) rows for
    Level-Splits, and s = 2^r log(dk/delta) / (zeta beta²) for Breiman, rounded up, n at most. r,
    beta and zeta are diagnosed: `sparsity` (1 where no feature is seen to matter),
    `strong_sparsity`, and `relevant_density` for Level-Splits or `marginal_density` for Breiman,
    which needs more. Where beta or zeta is not above 0 or not known, s is
    infinite and n is taken. The bound is cautious: beta is a difference of squares of positions
    divided by k, well below 0.1. On 10,000 rows of the paper's families SFN and LFN it is n.

    Parameters
    ----------
    X, Y : array-like
        As in `suggest_splits`.
    criterion : {"level", "breiman"}
        As in `suggest_splits`.
    n : int, optional
        The most that a tree can draw; by default the rows of Y that rank two labels or more.
    delta : float
        Chance of failure.
    random_state : int, Generator or None
        For the random halves of the diagnosis.

    Returns
    -------
    Suggestion
        Its `value` is what to set.

    Examples
    --------
    >>> from rankwise.oracles import Oracle, SparseLinear
    >>> X, Y = Oracle(SparseLinear(6, 3, 2)).sample(500, random_state=0)
    >>> found = suggest_samples(X, Y)
    >>> found.value, found.exact > 500, found.clipped
    (500, True, True)
    """
    X, criterion, n, d, k, delta = _check(X, Y, criterion, n, delta)
    r = _relevant(X, Y, random_state)
    beta = float(strong_sparsity(X, Y, random_state=random_state).estimate)
    if criterion == "level":
        density = relevant_density(X, Y, random_state=random_state)
    else:
        density = marginal_density(X, countable_order(r, n), random_state=random_state)
    zeta = float(density.estimate)
    exact = math.inf
    if beta > 0 and zeta > 0:
        exact = float(forest_rows(criterion, d, k, r, beta, zeta, delta, 1, Decimal(1))[1])
    value = n if exact > n else max(1, math.ceil(exact))
    formula = _FORMULAS["max_samples", criterion]
    return Suggestion(
        "max_samples", value, formula, exact, exact > n, criterion, n, d, k, delta, r, None,
        beta, zeta,
    )  # fmt: skip


def _text(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.4g}"


def _relevant(X: Any, Y: Any, random_state: Any) -> int:
    return max(1, math.ceil(sparsity(X, Y, random_state=random_state).estimate))


def _check(
    X: Any, Y: Any, criterion: Any, n: Any, delta: Any
) -> tuple[Observations, str, int, int, int, float]:
    criterion, delta = check("criterion", criterion), check("delta", delta)
    data, ranks = observe_rankings(X, Y)
    if n is None:
        n = max(1, int((np.isfinite(ranks).sum(axis=1) > 1).sum()))
    return data, criterion, check("n", n), len(data.codes), ranks.shape[1], delta
