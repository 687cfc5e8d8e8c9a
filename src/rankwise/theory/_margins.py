"""Tsybakov's noise condition: how often a pair of labels is close to a coin toss."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._condition import Condition, Verdict, interval
from rankwise.theory._pair_shares import pair_shares
from rankwise.theory._parameters import check_random_state

Floats = NDArray[np.float64]

# Margins |p - 1/2| up to here are the tail that the power law is fitted to.
_TAIL = 0.25
_DRAWS = 200
_SMALLEST = 0.05


class _Tail(NamedTuple):
    margins: Floats
    weights: Floats
    floor: float  # margins below may as well be 0


def tsybakov(X: Any, Y: Any, *, random_state: Any = 0) -> Condition:
    """Estimate a and B of Tsybakov's noise: ``P(|p_ij(x) - 1/2| < 2t) <= B t^(a/(1-a))``.

    p_ij is estimated in regions of the features, as in `transitivity`. The power a/(1-a) of the
    tail up to a margin of 1/4 is fitted by maximum likelihood (Hill's estimator); margins within
    three standard errors of 0 count as lying anywhere below. a near 1: pairs are never close;
    a near 0: for many rows the order of two labels is a coin toss.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        Ranks; NaN = not observed, equal = tied.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is a of the worst pair, with a bootstrap interval over regions and rows; where
        the rows do not decide, the interval takes in that unseen margins may be as large as any that
        would not be seen.
        Details: B and a per pair. It fails where a is surely below 0.05, and holds where it is
        surely above. B is NaN where a is 1: no margin is below 1/4, and every a < 1 will do with
        B = 8^(a/(1-a)). It is infinite where it is above 10^300: then use the lower end of a.
        Regions average over x: margins that change sign within a region look smaller than they are.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 3))
    >>> clear = np.where(X[:, [1]] == 1, [1, 2, 3], [3, 2, 1])
    >>> tsybakov(X, clear).estimate
    1.0
    """
    shares = pair_shares(X, Y, random_state)
    rng = check_random_state(random_state)
    k = len(shares.labels)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k) if shares.total[:, i, j].any()]
    if not pairs:
        text = "no two labels are ever compared"
        return Condition("Tsybakov noise", "a", math.nan, 0.0, 1.0, "cannot tell", text)
    counts = {(i, j): (shares.total[:, i, j], shares.wins[:, i, j]) for i, j in pairs}
    tails = {pair: _tail(*counts[pair]) for pair in pairs}
    powers = {pair: _exponent(tail) for pair, tail in tails.items()}
    worst = min(pairs, key=lambda pair: powers[pair])
    low, high = interval([_drawn_exponent(*counts[worst], rng) for _ in range(_DRAWS)])
    a, tail = powers[worst], tails[worst]
    low, high = min(low, a), max(high, a)
    names = f"{shares.labels[worst[0]]} and {shares.labels[worst[1]]}"
    verdict, text = _judge(names, tail, a, low, high)
    if verdict == "cannot tell":
        low, high = _widened(tail, low, high)
    details = {
        "B": _scale(tail, a),
        "pair": [shares.labels[i] for i in worst],
        "regions": len(shares.rows),
        "a": {f"{shares.labels[i]}, {shares.labels[j]}": powers[i, j] for i, j in pairs},
    }
    return Condition("Tsybakov noise", "a", a, low, high, verdict, text, details)


def _judge(names: str, tail: _Tail, a: float, low: float, high: float) -> tuple[Verdict, str]:
    close = float(tail.weights[tail.margins <= tail.floor].sum())
    if tail.floor >= _TAIL:
        return "cannot tell", f"{names} are compared too rarely to tell how close they are"
    if high < _SMALLEST and tail.floor <= _SMALLEST:
        return "fails", f"for {close:.0%} of the rows {names} are no better than a coin toss"
    if low > _SMALLEST:
        near = f"within {tail.floor:.2g} on {close:.0%} of rows"
        return "holds", f"the closest pair is {names}, {near}"
    return "cannot tell", f"{names} are too close on {close:.0%} of the rows to tell how close"


def _tail(total: Floats, wins: Floats) -> _Tail:
    known = total > 0
    p = wins[known] / total[known]
    floor = 3 * float(np.sqrt(np.average(0.25 / total[known], weights=total[known])))
    return _Tail(np.abs(p - 0.5), total[known] / total.sum(), min(floor, _TAIL))


def _drawn_exponent(total: Floats, wins: Floats, rng: np.random.Generator) -> float:
    """Draw the counts anew, and then a by the spread of Hill's estimator over so many regions."""
    p = np.divide(wins, total, out=np.full_like(total, 0.5), where=total > 0)
    # What may as well be a coin toss is drawn as one: else chance would count twice.
    p[np.abs(p - 0.5) <= _tail(total, wins).floor] = 0.5
    tail = _tail(total, rng.binomial(total.astype(np.int64), p).astype(np.float64))
    a = _exponent(tail)
    regions = int(((tail.margins > tail.floor) & (tail.margins <= _TAIL)).sum())
    if a == 1 or not regions:
        return a
    power = a / (1 - a) * rng.gamma(regions) / regions
    return power / (1 + power)


def _exponent(tail: _Tail) -> float:
    """Return a from Hill's estimator of a/(1-a), censored below the floor."""
    margins, weights = tail.margins, tail.weights
    seen = (margins > tail.floor) & (margins <= _TAIL)
    hidden = float(weights[margins <= tail.floor].sum())
    logs = float((weights[seen] * np.log(_TAIL / margins[seen])).sum())
    logs += hidden * math.log(_TAIL / tail.floor) if hidden else 0.0
    count = float(weights[seen].sum())
    if count == 0 and hidden == 0:
        return 1.0  # no margin in the tail at all
    return count / (count + logs) if count + logs > 0 else 0.0


def _widened(tail: _Tail, low: float, high: float) -> tuple[float, float]:
    if tail.floor >= _TAIL:
        return 0.0, 1.0
    just_seen = np.maximum(tail.margins, np.nextafter(tail.floor, 1.0))
    return low, max(high, _exponent(tail._replace(margins=just_seen)))


def _scale(tail: _Tail, a: float) -> float:
    """Return the smallest B with which the bound holds for every margin that is clearly not 0."""
    if a == 1:
        return math.nan
    order = np.argsort(tail.margins)
    margins = np.maximum(tail.margins[order], tail.floor)
    reached = np.cumsum(tail.weights[order])
    # In logarithms: with a near 1 the power is in the thousands.
    log10 = float((np.log10(reached) - a / (1 - a) * np.log10(margins / 2)).max())
    return 10.0**log10 if log10 <= 300 else math.inf
