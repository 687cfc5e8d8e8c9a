"""Strong sparsity: by how much a label's own features stand out from all others."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._condition import Condition, Verdict, interval
from rankwise.theory._kernels import v_after_split
from rankwise.theory._observations import Observations, halves, observe_labels
from rankwise.theory._parameters import check_random_state
from rankwise.theory._sparsity import greedy_path, split_rows
from rankwise.theory._subsets import heterogeneity, moments

_ROWS_PER_CELL = 16
# Sets T of earlier splits that are tried per label; each is one scan over all features.
_MAX_SETS = 48
_DRAWS = 100


class _Gap(NamedTuple):
    estimate: float
    low: float
    high: float
    own: str
    other: str | None
    after: list[str]


def strong_sparsity(X: Any, Y: Any, *, on: str = "ranks", random_state: Any = 0) -> Condition:
    """Estimate beta, the gap of strong sparsity, the condition of forests.

    After any splits T, each of a label's own features adds to V at least beta more than any other
    feature does. Own features are those on the greedy path (`sparsity`), T ranges over sets of
    them. A half of the rows finds the path, the sets and the closest rival; the other half measures
    the difference, with a bootstrap interval.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        As in `sparsity`. With ranks, V is in units of (position / n_labels)².
    on : {"ranks", "scores"}
        As in `sparsity`.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is beta of the worst label, an upper bound because not all T are tried. It
        fails where some rival surely adds more than an own feature.

    Examples
    --------
    A Boolean feature of weight w adds w² / 4:

    >>> X = np.random.default_rng(0).integers(0, 2, (2000, 6))
    >>> Y = np.column_stack([X[:, 0] + 2 * X[:, 1], X[:, 2], X[:, 3]])
    >>> beta = strong_sparsity(X, Y, on="scores")
    >>> beta.low < 0.25 < beta.high, beta.verdict
    (True, 'holds')
    """
    data, by_label = observe_labels(X, Y, on)
    rng = check_random_state(random_state)
    found = {label: _of_label(data, y, len(by_label), rng) for label, y in by_label.items()}
    details = {label: None if gap is None else gap._asdict() for label, gap in found.items()}
    known = {label: gap for label, gap in found.items() if gap is not None}
    if not known:
        n = data.codes.shape[1]
        text = f"no label has a feature that helps to predict held-out rows of {n}"
        unknown = (math.nan, math.nan, math.nan)
        return Condition("strong sparsity", "beta", *unknown, "cannot tell", text, details)
    worst = min(known, key=lambda label: known[label].estimate)
    beta = known[worst].estimate
    low = min(gap.low for gap in known.values())
    high = min(gap.high for gap in known.values())
    verdict, text = _judge(worst, known[worst], low, high, len(known) < len(found))
    return Condition("strong sparsity", "beta", beta, low, high, verdict, text, details)


def _judge(
    label: str, gap: _Gap, low: float, high: float, some_unknown: bool
) -> tuple[Verdict, str]:
    after = f" after {', '.join(map(repr, gap.after))}" if gap.after else ""
    rival = "nothing" if gap.other is None else repr(gap.other)
    if high <= 0:
        return "fails", f"for {label}, {rival} adds more than its own feature {gap.own!r}{after}"
    if low <= 0:
        return "cannot tell", f"for {label}, {gap.own!r} and {rival} are too close{after}"
    if some_unknown:
        return "cannot tell", "for some labels no feature has a clear effect"
    return "holds", f"the closest: for {label}, {gap.own!r} against {rival}{after}"


def _of_label(
    data: Observations, y: NDArray[np.float64], n_labels: int, rng: np.random.Generator
) -> _Gap | None:
    choose, measure = split_rows(y, rng)
    grow, test = halves(len(choose), rng)
    own = greedy_path(data, y, choose[grow], choose[test]).features
    if not own:
        return None
    T, i, j = _closest(data, y, choose, own, rng)
    features = [*T, i] if j is None else [*T, i, j]
    tables = moments(data, features, y, measure, _DRAWS * min(20, 1 + n_labels), rng)
    before = tuple(range(len(T)))
    early = heterogeneity(tables, before)
    gap = heterogeneity(tables, (*before, len(T))) - early
    if j is not None:
        gap -= heterogeneity(tables, (*before, len(T) + 1)) - early
    low, high = interval(gap.draws(), among=n_labels)
    names = data.feature_names
    rival = None if j is None else names[j]
    return _Gap(gap.estimate, low, high, names[i], rival, [names[t] for t in T])


def _closest(
    data: Observations,
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    own: list[int],
    rng: np.random.Generator,
) -> tuple[tuple[int, ...], int, int | None]:
    """Find the splits T, the own feature i and the rival j with the smallest difference."""
    codes = np.ascontiguousarray(data.codes[:, rows])
    target = y[rows] - y[rows].mean()
    rivals = np.setdiff1d(np.arange(len(data.n_bins)), own)
    best: tuple[float, tuple[int, ...], int, int | None] = (math.inf, (), own[-1], None)
    for T in _sets(data, own, len(rows), rng):
        cells = np.zeros(len(rows), dtype=np.int64)
        for t in T:
            cells = cells * data.n_bins[t] + codes[t]
        n_cells = math.prod(int(data.n_bins[t]) for t in T)
        v = v_after_split(codes, data.n_bins, cells, n_cells, target)
        i = min((i for i in own if i not in T), key=lambda i: v[i])
        j = int(rivals[v[rivals].argmax()]) if len(rivals) else None
        gap = float(v[i] - v[j]) if j is not None else float(v[i])
        if gap < best[0]:
            best = (gap, T, i, j)
    return best[1:]


def _sets(
    data: Observations, own: list[int], n_rows: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """List sets of own features, at least one left out, whose cells keep enough rows."""
    # T is measured together with an own feature and a rival.
    most = n_rows / (_ROWS_PER_CELL * int(data.n_bins.max()) ** 2)
    sets: list[tuple[int, ...]] = []
    for size in range(len(own)):
        few = itertools.islice(itertools.combinations(own, size), 2000)
        sets += [T for T in few if not T or math.prod(int(data.n_bins[t]) for t in T) <= most]
    if len(sets) > _MAX_SETS:
        kept = rng.choice(len(sets) - 1, _MAX_SETS - 1, replace=False) + 1
        sets = [sets[0], *(sets[s] for s in np.sort(kept))]
    return sets
