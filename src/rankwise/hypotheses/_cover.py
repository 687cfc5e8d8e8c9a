"""The fewest rows to give up so that a linear function separates the rest, with proof.

Rows that no linear function separates contain a small set, of at most one more than the weights,
that already cannot be separated: one of its rows is a mistake of every function. The fewest rows
that hit all such sets is an integer program (a set cover); its sets are found as they are needed,
each by a linear program whose corners are exactly these sets (Gleeson and Ryan, 1990).
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array

from rankwise.hypotheses._hypothesis import count_mistakes

Array = NDArray[np.float64]

# Weights of a certificate below this are rounding.
ZERO = 1e-9
# A weighted mean of rows below this is 0. HiGHS calls 1e-7 so, which is too much for a proof.
EXACT = 1e-12
# Rounds in which a certificate may lose rows of no weight.
ROUNDS = 3


def fewest_mistakes(
    F: Array,
    signs: Array,
    found: Array,
    deadline: float,
    rng: np.random.Generator,
    *,
    kept_above: int | None = None,
) -> tuple[Array, int]:
    """Return weights at least as good as `found`, and a number of mistakes that none goes below.

    Features F (n, p) are mostly about 1, the last is the constant; `signs` are -1 and +1. The weight
    `kept_above` must not be negative; `deadline` is on the clock of `time.monotonic`.
    """
    mistakes = count_mistakes(F @ found, signs)
    A = F * signs[:, None]
    sets: list[NDArray[np.int64]] = []
    bound = 0
    given_up = np.zeros(len(A), dtype=bool)
    while bound < mistakes:
        new, complete = _disjoint_sets(A, ~given_up, deadline, rng, kept_above)
        if not new and complete:
            weights = _separate(A[~given_up], kept_above)
            better = count_mistakes(F @ weights, signs)
            return (weights if better < mistakes else found), bound
        # disjoint sets cost a mistake each, beside the rows given up already
        bound = max(bound, len(new)) if not sets else bound
        sets += new
        left = deadline - time.monotonic()
        if not complete or left <= 0 or bound >= mistakes:
            break
        hit, least = _cover(sets, len(A), left)
        bound = max(bound, least)
        if hit is None:
            break
        given_up = hit
    return found, bound


def _disjoint_sets(
    A: Array,
    active: NDArray[np.bool_],
    deadline: float,
    rng: np.random.Generator,
    kept_above: int | None,
) -> tuple[list[NDArray[np.int64]], bool]:
    """Inseparable sets without common rows, and whether there are no more."""
    active = active.copy()
    sets: list[NDArray[np.int64]] = []
    while active.any():
        if time.monotonic() > deadline:
            return sets, False
        rows = np.flatnonzero(active)
        support = _inseparable(A[rows], rng, kept_above)
        if support is None:
            break
        if not len(support):
            return sets, False
        sets.append(rows[support])
        active[rows[support]] = False
    return sets, True


def _inseparable(
    A: Array, rng: np.random.Generator, kept_above: int | None
) -> NDArray[np.int64] | None:
    """Return rows of a smallest-possible inseparable set, or None where all can be separated.

    By Farkas' lemma A u > 0 has no solution exactly if some weighted mean of the rows is 0. No rows
    are returned if the mean that was found is small, but not 0.
    """
    free = np.ones(A.shape[1], dtype=bool)
    if kept_above is not None:
        free[kept_above] = False
    equal = np.vstack([A[:, free].T, np.ones(len(A))])
    right = np.append(np.zeros(free.sum()), 1.0)
    below = {} if kept_above is None else {"A_ub": A[:, ~free].T, "b_ub": np.zeros(1)}
    result = linprog(rng.random(len(A)), A_eq=equal, b_eq=right, method="highs-ds", **below)
    return _certified(A, result.x, kept_above) if result.status == 0 else None


def _certified(A: Array, weights: Array, kept_above: int | None) -> NDArray[np.int64]:
    """Return the rows of positive weight if their mean is 0 to the last digits, or none."""
    zero = np.ones(A.shape[1], dtype=bool)
    if kept_above is not None:
        zero[kept_above] = A[:, kept_above] @ weights > -ZERO
    rows = np.flatnonzero(weights > ZERO)
    for _ in range(ROUNDS):
        part = A[rows][:, zero].T
        # the nearest weights with mean 0; there are none but 0 if the rows are independent
        exact = weights[rows] - np.linalg.lstsq(part, part @ weights[rows], rcond=EXACT)[0]
        if exact.sum() < 0.5 or np.abs(part @ exact).max() > EXACT * np.abs(part).max():
            break
        if (exact > 0).all():
            return rows
        rows = rows[exact > 0]
    return np.empty(0, dtype=np.int64)


def _cover(
    sets: list[NDArray[np.int64]], n_rows: int, seconds: float
) -> tuple[NDArray[np.bool_] | None, int]:
    """Return the fewest rows that hit every set (None if time is up), and a lower bound."""
    rows = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
    used, position = np.unique(np.concatenate(sets), return_inverse=True)
    places = np.stack([rows, position.reshape(-1)]).astype(np.int32)  # what HiGHS counts with
    matrix = coo_array((np.ones(len(rows)), tuple(places))).tocsr()
    result = milp(
        np.ones(len(used)),
        integrality=np.ones(len(used)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, 1, np.inf),
        options={} if math.isinf(seconds) else {"time_limit": seconds},
    )
    dual = 0.0 if result.mip_dual_bound is None else result.mip_dual_bound
    bound = math.ceil(dual - 1e-6) if math.isfinite(dual) else 0
    if result.status != 0:
        return None, bound
    hit = np.zeros(n_rows, dtype=bool)
    hit[used[result.x > 0.5]] = True
    return hit, bound


def _separate(A: Array, kept_above: int | None) -> Array:
    """Return the weights in [-1, 1] that separate all rows by the widest margin."""
    n, p = A.shape
    if not n:
        return np.zeros(p)
    bounds = [(-1.0, 1.0)] * p + [(None, None)]
    # the constant may be as large as all other terms together
    largest = p * max(1.0, float(np.abs(A).max()))
    bounds[p - 1] = (-largest, largest)
    if kept_above is not None:
        bounds[kept_above] = (0.0, 1.0)
    result = linprog(
        np.append(np.zeros(p), -1.0),
        A_ub=np.hstack([-A, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=bounds,
        method="highs-ds",
    )
    return result.x[:p] if result.status == 0 else np.zeros(p)
