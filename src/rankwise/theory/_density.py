"""Conditions on the features alone: density of all their combinations, and independence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from rankwise._parameters import check_integer
from rankwise.theory._condition import Condition, Verdict, judge
from rankwise.theory._observations import Observations, check_rows, halves, observe
from rankwise.theory._parameters import check_random_state

# Pairs are counted by matrix products of one-hot columns; this keeps them to seconds.
_MAX_COLUMNS = 4000
_MAX_ROWS = 8000
_RANDOM_SETS = 200
# An association (Cramer's V) below this is taken as none.
_WEAK = 0.1
# A density below this makes the forests' bounds empty.
SMALLEST_DENSITY = 0.01

# Features, and a bin of each.
_Combination = tuple[list[int], NDArray[np.int64]]


def marginal_density(X: Any, r: int, *, random_state: Any = 0) -> Condition:
    """Estimate zeta: any r features take any of their values with probability zeta / 2^r or more.

    The condition of forests by Breiman's criterion; those by Level-Splits need less
    (`relevant_density`). For binned features 2^r is the number of their combinations. The rarest
    combination is searched
    by one half of the rows, from the rarest single value on by adding the feature that makes it
    rarest, and over random sets; the other half measures it (Clopper-Pearson interval).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    r : int
        How many features, from 1 to n_features.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is an upper bound for r > 1, because not all sets are tried. It fails where
        zeta is surely below 0.01, and holds where it is surely above.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((2000, 6)) < 0.5
    >>> marginal_density(X, 2).verdict
    'holds'
    """
    data = observe(X)
    d, n = data.codes.shape
    r = check_integer("r", r, 1, d, why=" (no more than there are features)")
    check_rows(n)
    rng = check_random_state(random_state)
    choose, measure = halves(n, rng)
    features, values = _rarest(data, choose, r, rng)
    scale = math.prod(int(data.n_bins[i]) for i in features)
    count = int((data.codes[features][:, measure] == values[:, None]).all(axis=0).sum())
    low, high = (min(1.0, scale * end) for end in binomial_interval(count, len(measure)))
    estimate = min(1.0, scale * count / len(measure))
    rarest = f"the rarest values of {data.features_text(features)} together"
    text = f"{rarest} are in {count} of {len(measure)} rows that were held out"
    verdict = judge(low, high, SMALLEST_DENSITY)
    details = {"features": [data.feature_names[i] for i in features], "rows": count, "r": r}
    return Condition("marginal density", "zeta", estimate, low, high, verdict, text, details)


def feature_dependence(X: Any, *, random_state: Any = 0) -> Condition:
    """Estimate how far features are from independent: the strongest association of two of them.

    The theorems' better bounds (``product=True``) hold for independent features. One half of the
    rows finds the pair with the strongest association (Cramer's V, without bias), the other half
    measures it. Only pairs are looked at: features that depend on each other by three are not seen.
    Of more than 2,000 Boolean features (1,000 of four bins), so many are drawn at random.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is V, from 0 to 1. It holds (near a product) where V is surely below 0.1 and
        all features were looked at, and fails where it is surely above.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((4000, 6)) < 0.5
    >>> feature_dependence(X).verdict
    'holds'
    """
    data = observe(X)
    n = data.codes.shape[1]
    check_rows(n)
    rng = check_random_state(random_state)
    choose, measure = halves(n, rng)
    informative = np.flatnonzero(data.n_bins > 1)
    if len(informative) < 2:
        text = "there are no two features that vary"
        return Condition("independence", "V", 0.0, 0.0, 0.0, "holds", text)
    few = rng.permutation(informative)
    few = np.sort(few[np.cumsum(data.n_bins[few]) <= _MAX_COLUMNS])
    i, j = _most_associated(data, choose, few)
    bins = int(data.n_bins[i]), int(data.n_bins[j])
    table = np.zeros(bins)
    np.add.at(table, (data.codes[i][measure], data.codes[j][measure]), 1)
    v = math.sqrt(_association(table))
    # Fisher's transformation of the square root of an average of squared correlations.
    spread = float(ndtri(0.975)) / math.sqrt(max(1, len(measure) - 3))
    low, high = (math.tanh(math.atanh(min(v, 1 - 1e-12)) + s) for s in (-spread, spread))
    low = max(0.0, low)
    pair = data.features_text([i, j])
    verdict: Verdict = "holds" if high < _WEAK else "fails" if low > _WEAK else "cannot tell"
    if verdict == "holds" and len(few) < len(informative):
        text = f"no two of {len(few)} features, drawn at random, are associated; others may be"
        return Condition("independence", "V", v, low, high, "cannot tell", text)
    texts = {
        "holds": f"no two features are associated by {_WEAK:g} or more; the closest are {pair}",
        "fails": f"{pair} depend on each other",
        "cannot tell": f"{pair} may depend on each other; {n} rows do not show it",
    }
    details = {"features": [data.feature_names[f] for f in (i, j)]}
    return Condition("independence", "V", v, low, high, verdict, texts[verdict], details)


def binomial_interval(count: int, n: int, among: int = 1) -> tuple[float, float]:
    """Return the Clopper-Pearson 95% interval of a probability.

    Examples
    --------
    >>> [round(end, 3) for end in binomial_interval(0, 100)]
    [0.0, 0.036]
    """
    if n == 0:
        return 0.0, 1.0
    tail = 0.025 / among
    low = float(betaincinv(count, n - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 1 - tail)) if count < n else 1.0
    return low, high


def countable_order(r: float, n: int) -> int:
    """Return the order at which densities are estimated: r, as far as n rows can count.

    Examples
    --------
    >>> countable_order(3, 10_000), countable_order(30, 10_000)
    (3, 9)
    """
    return max(1, min(math.ceil(r), int(math.log2(max(2, n // 16)))))


def _rarest(
    data: Observations, rows: NDArray[np.int64], r: int, rng: np.random.Generator
) -> _Combination:
    """Search the combination of r features with the smallest share times number of combinations."""
    codes = data.codes[:, rows]
    best, least = _one_by_one(codes, data.n_bins, r)
    for _ in range(_RANDOM_SETS if r > 1 else 0):
        features = [int(i) for i in rng.choice(len(codes), r, replace=False)]
        shape = tuple(int(data.n_bins[i]) for i in features)
        if math.prod(shape) > 4 * len(rows):
            break
        cells = np.ravel_multi_index(tuple(codes[i].astype(np.int64) for i in features), shape)
        counts = np.bincount(cells, minlength=math.prod(shape))
        share = counts.min() * math.prod(shape) / len(rows)
        if share < least:
            values = np.unravel_index(int(counts.argmin()), shape)
            best, least = (features, np.array(values)), share
    return best


def _one_by_one(
    codes: NDArray[np.uint8], n_bins: NDArray[np.int64], r: int
) -> tuple[_Combination, float]:
    """Add the feature and value that make the combination rarest, until there are r of them."""
    inside = np.ones(codes.shape[1], dtype=bool)
    picked: dict[int, int] = {}
    while len(picked) < r:
        left = codes[:, inside]
        others = [i for i in range(len(codes)) if i not in picked]
        counts = {i: np.bincount(left[i], minlength=n_bins[i]) for i in others}
        rarest = min(others, key=lambda i: counts[i].min() * n_bins[i])
        picked[rarest] = int(counts[rarest].argmin())
        inside &= codes[rarest] == picked[rarest]
    scale = math.prod(int(n_bins[i]) for i in picked)
    return (list(picked), np.array(list(picked.values()))), float(inside.mean()) * scale


def _most_associated(
    data: Observations, rows: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[int, int]:
    rows = rows[:_MAX_ROWS]
    hot, starts = data.one_hot(kept, rows)
    share = hot.mean(axis=0)
    expected = np.maximum(np.outer(share, share), 1e-9)
    surprise = ((hot.T @ hot) / len(rows) - np.outer(share, share)) ** 2 / expected
    chi = np.add.reduceat(np.add.reduceat(surprise, starts, axis=0), starts, axis=1)
    chi /= np.minimum.outer(data.n_bins[kept], data.n_bins[kept]) - 1
    np.fill_diagonal(chi, -np.inf)
    i, j = np.unravel_index(int(chi.argmax()), chi.shape)
    return int(kept[i]), int(kept[j])


def _association(table: NDArray[np.float64]) -> float:
    """Squared Cramer's V, less what chance alone gives."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return 0.0
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float(((table - expected) ** 2 / expected).sum() / n)
    chance = (table.shape[0] - 1) * (table.shape[1] - 1) / max(1.0, n - 1)
    return min(1.0, max(0.0, phi - chance) / (min(table.shape) - 1))
