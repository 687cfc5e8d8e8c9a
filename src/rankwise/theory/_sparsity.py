"""Sparsity r: how many features a label's position depends on, by a greedy path of splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._parameters import check_integer
from rankwise.theory._condition import Condition, Verdict, interval
from rankwise.theory._kernels import v_after_split
from rankwise.theory._observations import Observations, halves, observe_labels
from rankwise.theory._parameters import check_random_state

# A cell of the path holds this many rows of its half on average, or the path ends.
_ROWS_PER_CELL = 8
# Standard errors by which the held-out squared error must fall for a split to count.
_THRESHOLD = 2.0
# Share of the variance that is left to rounding: scores without noise are fitted to the last digit.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Path:
    """Features in the order of the greedy splits, and whether rows ran out before features did."""

    features: list[int]
    ran_out: bool


def sparsity(
    X: Any, Y: Any, *, on: str = "ranks", n_repeats: int = 10, random_state: Any = 0
) -> Condition:
    """Estimate r, the number of features that a label depends on.

    On a random half of the rows, splits are added greedily, each the one that raises V_n most
    (the Level-Splits path); the path ends at the first split that does not lower the squared error
    of the other half by two standard errors. Repeated over `n_repeats` random halves.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features with more than four values are put into quarters.
    Y : array-like of shape (n_samples, n_labels)
        Ranks, or scores with ``on="scores"``; NaN = not observed.
    on : {"ranks", "scores"}
        A position depends on the features of all labels that it is compared with; scores, where
        they were measured, on the label's own.
    n_repeats : int
        1 or more.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is r of the label that needs most features; the interval is the range of the
        repeats. Details: r and relevant features per label. Weak features beyond the resolution of
        n rows are not seen: r is what can be learned from this data, at least.

    Examples
    --------
    >>> from rankwise.oracles import SparseLinear
    >>> m = SparseLinear(6, 3, 2, random_state=0)
    >>> X = np.random.default_rng(0).random((2000, 6)) < 0.5
    >>> sparsity(X, m(X), on="scores").estimate
    2.0
    """
    data, by_label = observe_labels(X, Y, on)
    names, n = list(by_label), data.codes.shape[1]
    n_repeats = check_integer("n_repeats", n_repeats, 1)
    rng = check_random_state(random_state)
    found = [relevant_features(data, y, n_repeats, rng) for y in by_label.values()]
    lengths = np.array([lengths for lengths, _, _ in found])
    ran_out = [name for name, (_, _, short) in zip(names, found, strict=True) if short]
    # The higher of two middle ones: r is a whole number.
    per_label = np.quantile(lengths, 0.5, axis=1, method="higher")
    worst = int(per_label.argmax())
    low, high = interval(lengths[worst])
    details = {
        name: {"r": float(r), "features": [data.feature_names[i] for i in features]}
        for name, r, (_, features, _) in zip(names, per_label, found, strict=True)
    }
    r, d = float(per_label[worst]), len(data.feature_names)
    text = f"{names[worst]} depends on {r:g} of {d} features: {data.features_text(found[worst][1])}"
    if ran_out:
        text = f"{n} rows ran out before the features of {', '.join(ran_out)} did"
    elif r == 0:
        text = f"no feature lowers the error of held-out rows with {n} rows"
    verdict: Verdict = "cannot tell" if ran_out or r == 0 else "holds"
    return Condition("sparsity", "r", r, low, high, verdict, text, details)


def relevant_features(
    data: Observations, y: NDArray[np.float64], n_repeats: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], list[int], bool]:
    """Return path lengths, the features on most paths, and whether most paths ran out of rows.

    Examples
    --------
    >>> from rankwise.theory._observations import observe
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 25)
    >>> relevant_features(observe(X), X[:, 1] * 1.0, 3, np.random.default_rng(0))
    (array([1, 1, 1]), [1], False)
    """
    paths = [greedy_path(data, y, *split_rows(y, rng)) for _ in range(n_repeats)]
    lengths = np.array([len(path.features) for path in paths])
    on_paths = [i for path in paths for i in path.features]
    votes = np.bincount(np.array(on_paths, dtype=np.int64), minlength=len(data.n_bins))
    often = np.flatnonzero(2 * votes > n_repeats)
    order = often[np.argsort(-votes[often], kind="stable")]
    return lengths, [int(i) for i in order], 2 * sum(path.ran_out for path in paths) > n_repeats


def split_rows(
    y: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split the rows that observe a label into two random halves."""
    seen = np.flatnonzero(np.isfinite(y))
    first, second = halves(len(seen), rng)
    return seen[first], seen[second]


def greedy_path(
    data: Observations, y: NDArray[np.float64], grow: NDArray[np.int64], test: NDArray[np.int64]
) -> Path:
    """Follow the Level-Splits path of the rows `grow` while the rows `test` gain by it.

    Examples
    --------
    >>> from rankwise.theory._observations import observe
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 25)
    >>> rows = np.arange(100)
    >>> greedy_path(observe(X), X[:, 1] * 1.0, rows[:48], rows[48:]).features
    [1]
    """
    if len(grow) < 2 * _ROWS_PER_CELL:
        return Path([], True)
    codes = np.ascontiguousarray(data.codes[:, grow])
    target = y[grow] - y[grow].mean()
    cells = np.zeros(len(y), dtype=np.int64)
    n_cells, path = 1, list[int]()
    error = _held_out_error(cells, n_cells, y, grow, test)
    while len(path) < len(data.n_bins):
        v = v_after_split(codes, data.n_bins, cells[grow], n_cells, target)
        v[path] = -np.inf
        best = int(v.argmax())
        b = int(data.n_bins[best])
        if n_cells * b * _ROWS_PER_CELL > len(grow):
            return Path(path, True)
        finer = cells * b + data.codes[best]
        finer_error = _held_out_error(finer, n_cells * b, y, grow, test)
        gain = error - finer_error
        noise = _THRESHOLD * gain.std() / np.sqrt(len(test))
        if gain.mean() <= max(noise, _ROUNDING * target.var()):
            break
        path.append(best)
        cells, n_cells, error = finer, n_cells * b, finer_error
    return Path(path, False)


def _held_out_error(
    cells: NDArray[np.int64],
    n_cells: int,
    y: NDArray[np.float64],
    grow: NDArray[np.int64],
    test: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Squared error of the test rows, predicted by the cell means of the others."""
    counts = np.bincount(cells[grow], minlength=n_cells)
    sums = np.bincount(cells[grow], weights=y[grow], minlength=n_cells)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), y[grow].mean())
    return (y[test] - means[cells[test]]) ** 2
