"""Plain twins of the bounds, as the theorems write them in floats, and of the conditions."""

import itertools
import math

import numpy as np

from rankings.naive import is_before


def tree_rows(criterion, d, k, r, C, eps, delta, product):
    confidence = math.log(d * k / delta)
    if product:
        power = 2 if criterion == "level" else 3
        return confidence * 2**r * k**power * C**2 / eps**power
    power = C * r + (2 if criterion == "level" else 3)
    return confidence * (C * r * k / eps) ** power


def forest_rows(criterion, d, k, r, beta, zeta, eps, delta):
    if criterion == "level":
        n = 2**r * k * math.log(k / delta) / eps * (math.log(d) / beta**2 + 1 / zeta)
        return n, 2**r * (math.log(d * k / delta) / beta**2 + math.log(k / delta) / zeta)
    n = 2**r * k * math.log(d * k / delta) / (eps * zeta * beta**2)
    return n, 2**r * math.log(d * k / delta) / (zeta * beta**2)


def pairwise_rows(k, vc, a, B, t, eps, delta, form):
    pairs = k * (k - 1) / 2
    c = B ** (1 - a) / ((1 - a) ** (1 - a) * a**a)
    Q = (c * pairs / (eps * t)) ** ((2 - a) / a)
    if form == "theorem":
        M = max(math.log(k / delta), vc * math.log(c * vc / t ** (3 - 2 * a) * Q))
        return c / (t ** (4 - 2 * a) * pairs) * Q * M
    N2 = c * math.log(k / delta) / t ** (3 - 2 * a) * Q
    M3 = c * vc / t ** (3 - 2 * a) * Q
    if math.e >= M3:
        N3 = M3
    else:
        # m = M3 log m by bisection of log m, which lies above 1
        low, high = 1.0, 2 * math.log(M3) + 2
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if middle - math.log(middle) < math.log(M3) else (low, middle)
            )
        N3 = M3 * low
    if form == "approximation":
        N3 = 2 * M3 * max(math.log(M3), 1)
    return max(N2, N3) / (t * pairs)


def stretched_position(ranks, label):
    """Position of a label among the observed ones, ties in the middle, stretched to 1..k, over k."""
    k = len(ranks)
    others = [r for j, r in enumerate(ranks) if j != label and not math.isnan(r)]
    if math.isnan(ranks[label]) or not others:
        return math.nan
    before = sum(is_before(r, ranks[label]) for r in others)
    return (1 + before * (k - 1) / len(others)) / k


def heterogeneity(X, y, features):
    """V(S) by products of the centred y of two different rows of one cell."""
    y = np.asarray(y, dtype=float) - np.mean(y)
    cells = {}
    for row, value in zip(X, y, strict=True):
        cells.setdefault(tuple(row[i] for i in features), []).append(value)
    v = 0.0
    for inside in cells.values():
        pairs = [a * b for a, b in itertools.permutations(inside, 2)]
        v += len(inside) / len(y) * (sum(pairs) / len(pairs) if pairs else 0.0)
    return v


def _true_v(f, d, features, cell):
    """V of a function of d fair Boolean features within a cell (feature -> value)."""
    inside = [x for x in itertools.product((0, 1), repeat=d) if all(x[i] == v for i, v in cell)]
    v = 0.0
    for x in inside:
        alike = [f(z) for z in inside if all(z[i] == x[i] for i in features)]
        v += (sum(alike) / len(alike)) ** 2 / len(inside)
    return v


def submodularity_constant(f, d):
    """C by its definition, over all S within T and all features; inf where no C will do."""
    worst = 1.0
    for i in range(d):
        others = [j for j in range(d) if j != i]
        sets = [S for n in range(d) for S in itertools.combinations(others, n)]
        gain = {S: _true_v(f, d, (*S, i), ()) - _true_v(f, d, S, ()) for S in sets}
        for S, T in itertools.product(sets, sets):
            if set(S) <= set(T) and gain[T] > 1e-12:
                worst = max(worst, gain[T] / gain[S] if gain[S] > 1e-12 else math.inf)
    return worst


def diminishing_returns_constant(f, d):
    """C by its definition, over all cells A' within A, all T and all features."""
    worst = 1.0
    states = list(itertools.product((0, 1, None), repeat=d))
    cells = [tuple((i, v) for i, v in enumerate(s) if v is not None) for s in states]
    for i in range(d):
        open_cells = [cell for cell in cells if all(j != i for j, _ in cell)]
        others = [j for j in range(d) if j != i]
        sets = [T for n in range(d) for T in itertools.combinations(others, n)]
        for outer in open_cells:
            early = _true_v(f, d, (i,), outer) - _true_v(f, d, (), outer)
            for inner, T in itertools.product(open_cells, sets):
                if not set(outer) <= set(inner):
                    continue
                late = _true_v(f, d, (*T, i), inner) - _true_v(f, d, T, inner)
                if late > 1e-12:
                    worst = max(worst, late / early if early > 1e-12 else math.inf)
    return worst


def first_circle(beats):
    """Three labels that beat each other in turn, or None."""
    for i, j, u in itertools.permutations(range(len(beats)), 3):
        if beats[i][j] and beats[j][u] and beats[u][i]:
            return i, j, u
    return None
