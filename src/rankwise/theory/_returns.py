"""The constants C: approximate submodularity (Level-Splits) and diminishing returns (Breiman)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._candidates import candidates
from rankwise.theory._condition import Condition, Verdict, interval
from rankwise.theory._observations import Observations, observe_labels
from rankwise.theory._parameters import check_random_state
from rankwise.theory._sparsity import split_rows
from rankwise.theory._subsets import Measured, Moments, heterogeneity, moments, ratio_draws

# A constant that is surely above this makes the bounds empty: then the condition fails.
LARGEST_C = 10.0
_DRAWS = 100
_ROWS_PER_CELL = 8

# An increment: the cell it is taken in (axis -> bin), the features split on before, the new one.
_Where = tuple[tuple[tuple[int, int], ...], tuple[int, ...], int]
_Pair = tuple[_Where, _Where]
# All pairs of a late and an early increment, given the number of bins of each feature.
_Pairs = Callable[[tuple[int, ...]], Iterator[_Pair]]


class _Constant(NamedTuple):
    estimate: float
    low: float
    high: float
    features: list[str]  # those whose joint effect gives the estimate, the added one last
    looked_at: list[str]


def submodularity(X: Any, Y: Any, *, on: str = "ranks", random_state: Any = 0) -> Condition:
    """Estimate C of approximate submodularity, the condition of Level-Splits trees.

    V(T + i) - V(T) <= C (V(S + i) - V(S)) for all S within T and every feature i: a feature that
    does not help early does not help later either. Up to six features are looked at (those on the
    greedy path, the strongest of all pairs and of many random sets of three), as far as their
    combinations have 16 rows each, with all their subsets. One half of the rows chooses the worst
    S, T and i, the other half measures them, with a bootstrap interval.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        As in `sparsity`.
    on : {"ranks", "scores"}
        As in `sparsity`.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is C of the worst label, 1 at least. It is a lower bound unless all features
        were looked at for every label (details: "all_features"), and the text says so. It fails
        where C is surely above 10.

    Examples
    --------
    Coffee depends on whether two features differ, and neither of them helps alone:

    >>> X = np.random.default_rng(0).random((2000, 6)) < 0.5
    >>> Y = np.column_stack([X[:, 0], X[:, 1] ^ X[:, 2], X[:, 3]])
    >>> submodularity(X, Y, on="scores").verdict
    'fails'
    """
    return _constant("submodularity", X, Y, on, random_state, 6, _subset_pairs)


def diminishing_returns(X: Any, Y: Any, *, on: str = "ranks", random_state: Any = 0) -> Condition:
    """Estimate C of approximate diminishing returns, the condition of Breiman's trees.

    Within a cell A' and after any splits T, a feature gains at most C times what it gains in any
    larger cell A before all splits. Four features are looked at; otherwise as `submodularity`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        As in `sparsity`.
    on : {"ranks", "scores"}
        As in `sparsity`.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        As in `submodularity`.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((2000, 6)) < 0.5
    >>> Y = np.column_stack([X[:, 0] + 2 * X[:, 1], X[:, 2], X[:, 3]])
    >>> diminishing_returns(X, Y, on="scores").verdict
    'holds'
    """
    return _constant("diminishing returns", X, Y, on, random_state, 4, _cell_pairs)


def _constant(
    name: str, X: Any, Y: Any, on: str, random_state: Any, most: int, pairs: _Pairs
) -> Condition:
    data, by_label = observe_labels(X, Y, on)
    rng = check_random_state(random_state)
    found = {
        label: _of_label(data, y, most, pairs, len(by_label), rng) for label, y in by_label.items()
    }
    known = {label: c for label, c in found.items() if c is not None}
    n_informative = int((data.n_bins > 1).sum())
    looked_at = [0 if c is None else len(c.looked_at) for c in found.values()]
    details = {
        "all_features": min(looked_at) == n_informative,
        **{label: None if c is None else c._asdict() for label, c in found.items()},
    }
    if not known:
        text = f"{data.codes.shape[1]} rows show no clear effect of one feature beside another"
        return Condition(name, "C", math.nan, 1.0, math.inf, "cannot tell", text, details)
    worst = max(known, key=lambda label: (known[label].low, known[label].estimate))
    low = max(c.low for c in known.values())
    high = max(c.high for c in known.values())
    estimate = max(c.estimate for c in known.values())
    verdict, text = _judge(worst, known[worst], low, high, len(known) < len(found))
    if verdict == "holds" and not details["all_features"]:
        text += f" (lower bound: {min(looked_at)} of {n_informative} features were looked at)"
    return Condition(name, "C", estimate, low, high, verdict, text, details)


def _judge(
    label: str, worst: _Constant, low: float, high: float, some_unknown: bool
) -> tuple[Verdict, str]:
    last, others = worst.features[-1], ", ".join(map(repr, worst.features[:-1]))
    if low > LARGEST_C:
        return "fails", f"for {label}, feature {last!r} matters only together with {others}"
    if high == math.inf:
        return "cannot tell", f"for {label}, the rows do not show what {last!r} adds by itself"
    if some_unknown:
        return "cannot tell", "some labels show no clear effect of one feature beside another"
    return "holds", f"no feature adds more than {high:.3g} times as much late as it does early"


def _of_label(
    data: Observations,
    y: NDArray[np.float64],
    most: int,
    pairs: _Pairs,
    n_labels: int,
    rng: np.random.Generator,
) -> _Constant | None:
    choose, measure = split_rows(y, rng)
    features = candidates(data, y, choose, most, rng)
    if len(features) < 2:
        return None
    best = _worst_pair(moments(data, features, y, choose, _DRAWS, rng), pairs, y[choose].var())
    if best is None:
        return None
    tables = moments(data, features, y, measure, _DRAWS * min(20, 1 + n_labels), rng)
    upper, lower = (_increment(tables, where) for where in best)
    if upper is None or lower is None:
        return None
    names = [data.feature_names[features[a]] for a in (*_axes(best[0]), best[0][2])]
    low, high = interval(ratio_draws(upper, lower), among=n_labels)
    estimate = math.inf if upper.estimate > 0 else 1.0
    if lower.estimate > 0:
        estimate = upper.estimate / lower.estimate
    looked_at = [data.feature_names[i] for i in features]
    return _Constant(max(1.0, estimate), max(1.0, low), max(1.0, high), names, looked_at)


def _worst_pair(tables: Moments, pairs: _Pairs, variance: float) -> _Pair | None:
    """Choose the late and early increment whose ratio is surely largest."""

    @functools.cache
    def known(where: _Where) -> tuple[float, float] | None:
        increment = _increment(tables, where)
        return None if increment is None else (increment.estimate, increment.sd)

    rounding = 1e-12 * variance
    best, best_score = None, 0.0
    for pair in pairs(tables.rows.shape[:-1]):
        upper, lower = map(known, pair)
        if upper is None or lower is None or upper[0] <= 3 * upper[1] + rounding:
            continue
        score = (upper[0] - 3 * upper[1]) / (max(lower[0], 0) + 2 * lower[1] + rounding)
        if score > best_score:
            best, best_score = pair, score
    return best


def _axes(where: _Where) -> tuple[int, ...]:
    return tuple(sorted({axis for axis, _ in where[0]} | set(where[1])))


def _increment(tables: Moments, where: _Where) -> Measured | None:
    """Measure what the new feature adds to V; None where its cells have too few rows."""
    cell, before, new = where
    index: list[Any] = [slice(None)] * tables.rows.ndim
    for axis, code in cell:
        index[axis] = slice(code, code + 1)
    inside = Moments(*(table[tuple(index)] for table in tables))
    axes = (*before, new)
    n_cells = math.prod(inside.rows.shape[axis] for axis in axes)
    if inside.rows[..., 0].sum() < _ROWS_PER_CELL * n_cells:
        return None
    return heterogeneity(inside, axes) - heterogeneity(inside, before)


def _subset_pairs(shape: tuple[int, ...]) -> Iterator[_Pair]:
    """All (T, i) and (S, i) with S strictly within T."""
    axes = range(len(shape))
    for new in axes:
        for T in _subsets([axis for axis in axes if axis != new]):
            for S in _subsets(T):
                if S != T:
                    yield ((), T, new), ((), S, new)


def _cell_pairs(shape: tuple[int, ...]) -> Iterator[_Pair]:
    """All (A', T, i) and (A, i) with the cell A' within the cell A."""
    axes = range(len(shape))
    for new in axes:
        others = [axis for axis in axes if axis != new]
        states = [[*range(shape[axis]), "split", "free"] for axis in others]
        for state in itertools.product(*states):
            placed = list(zip(others, state, strict=True))
            cell = tuple((axis, s) for axis, s in placed if isinstance(s, int))
            T = tuple(axis for axis, s in placed if s == "split")
            for outer in _subsets(cell):
                if outer != cell or T:
                    yield (cell, T, new), (outer, (), new)


def _subsets(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All subsets, the smallest first."""
    for size in range(len(items) + 1):
        yield from itertools.combinations(items, size)
