"""The gate of the conditions: features become few bins each, rankings become numbers per label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import finite_features
from rankwise._parameters import check_choice, check_numbers
from rankwise.rankings import check_rankings, label_names

# Bins of a feature with more distinct values than that; Boolean features have two.
_MAX_BINS = 4
# Comparisons are made in blocks of rows of about this many.
_BLOCK_CELLS = 1 << 24


@dataclass(frozen=True)
class Observations:
    """What the condition estimators share: X as it is and in bins, and names."""

    X: NDArray[Any]
    codes: NDArray[np.uint8]  # (n_features, n_samples): one feature is contiguous
    n_bins: NDArray[np.int64]
    feature_names: list[str]

    def features_text(self, features: Any) -> str:
        """Name features for a message."""
        return ", ".join(repr(self.feature_names[i]) for i in features)

    def one_hot(
        self, features: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return a column per bin of the features, 1 where a row lies in it, and where each starts."""
        starts = np.concatenate([[0], np.cumsum(self.n_bins[features])[:-1]])
        hot = np.zeros((len(rows), int(self.n_bins[features].sum())), dtype=np.float32)
        for start, i in zip(starts, features, strict=True):
            hot[np.arange(len(rows)), start + self.codes[i][rows]] = 1
        return hot, starts


def observe(X: Any) -> Observations:
    """Check X and put each feature into bins: its own values if few, quarters otherwise.

    What was observed already stays as it is, so that several estimators can share it.
    """
    if isinstance(X, Observations):
        return X
    names = label_names(X)
    X = finite_features(X, "conditions need")
    names = [f"x{i}" for i in range(X.shape[1])] if names is None else [str(s) for s in names]
    codes = np.empty((X.shape[1], X.shape[0]), dtype=np.uint8)
    n_bins = np.empty(X.shape[1], dtype=np.int64)
    for i in range(X.shape[1]):
        codes[i], n_bins[i] = _bin(X[:, i])
    return Observations(X, codes, n_bins, names)


def quoted_labels(Y: Any, n_labels: int) -> list[str]:
    """Name labels for messages: DataFrame columns, else their number."""
    names = label_names(Y)
    return [f"label {j}" if names is None else repr(names[j]) for j in range(n_labels)]


def targets(Y: Any, on: str, n_samples: int) -> NDArray[np.float64]:
    """Return one number per row and label, NaN = not observed.

    With ``on="ranks"`` it is the position divided by the number of labels, the paper's canonical
    representation; positions among fewer observed labels are stretched to 1..k. With
    ``on="scores"`` it is the given number itself.
    """
    on_ranks = check_choice("on", on, ("ranks", "scores")) == "ranks"
    values = _stretched(check_rankings(Y, warn=False)) if on_ranks else _check_scores(Y)
    check_lengths(n_samples, len(values))
    return values


def observe_labels(X: Any, Y: Any, on: str) -> tuple[Observations, dict[str, NDArray[np.float64]]]:
    """Check X and Y, and return by label its `targets` less the first of them.

    No shift changes the estimates that use them. What never changes is exactly 0, and rounding in
    its mean does not look like an effect.

    Examples
    --------
    >>> X = np.arange(20).reshape(-1, 1)
    >>> _, by_label = observe_labels(X, [[1, 2, 3], [3, 2, 1]] * 10, "ranks")
    >>> {name: values[:2].round(2).tolist() for name, values in by_label.items()}
    {'label 0': [0.0, 0.67], 'label 1': [0.0, 0.0], 'label 2': [0.0, -0.67]}
    """
    data = observe(X)
    values = targets(Y, on, data.codes.shape[1])
    first = np.isfinite(values).argmax(axis=0)
    values = values - values[first, np.arange(values.shape[1])]
    return data, dict(zip(quoted_labels(Y, values.shape[1]), values.T, strict=True))


def observe_rankings(X: Any, Y: Any) -> tuple[Observations, NDArray[np.float64]]:
    """Check X and Y, and return the ranks as they are."""
    data = observe(X)
    ranks = check_rankings(Y, warn=False)
    check_lengths(data.codes.shape[1], len(ranks))
    return data, ranks


def check_lengths(n_samples: int, n_rankings: int) -> None:
    """Refuse X and Y of different lengths, and fewer rows than any estimate can use."""
    if n_samples != n_rankings:
        raise ValueError(f"X has {n_samples} rows but Y has {n_rankings}; give one ranking per row")
    check_rows(n_samples)


def check_rows(n_samples: int) -> None:
    """Refuse fewer rows than any estimate can use."""
    if n_samples < 20:
        raise ValueError(f"there are {n_samples} rows; give at least 20 to estimate anything")


def halves(n: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split rows at random: the first half chooses, the second one measures."""
    order = rng.permutation(n)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def row_blocks(ranks: NDArray[np.float64]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield stretches of rows whose pairs of labels fit into memory, where they are and what."""
    step = max(1, _BLOCK_CELLS // ranks.shape[1] ** 2)
    for start in range(0, len(ranks), step):
        rows = slice(start, start + step)
        yield rows, ranks[rows]


def _bin(column: NDArray[Any]) -> tuple[NDArray[np.uint8], int]:
    if column.dtype == bool and column.any() != column.all():
        return column.view(np.uint8), 2
    values, code, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(values) > _MAX_BINS:
        # Equal values share the place of their middle: one that fills half of the rows gets a bin
        # of its own, where cuts at quartiles would all fall on it and tell nothing apart.
        middle = (np.cumsum(count) - count / 2) / len(column)
        bins, bin_of_value = np.unique((_MAX_BINS * middle).astype(int), return_inverse=True)
        return bin_of_value[code].astype(np.uint8), len(bins)
    return code.astype(np.uint8), len(values)


def _check_scores(Y: Any) -> NDArray[np.float64]:
    values = check_numbers("Y", Y)
    if values.ndim != 2 or values.shape[1] < 1:
        raise ValueError(f"Y has shape {values.shape}; give one score per row and label")
    if np.isinf(values).any():
        row, label = (int(at[0]) for at in np.nonzero(np.isinf(values)))
        raise ValueError(f"row {row}: label {label} has score {values[row, label]}; use NaN")
    largest = np.abs(values).max(initial=0.0, where=np.isfinite(values))
    if largest and not 1e-100 < largest < 1e100:
        raise ValueError(f"Y has scores up to {largest:g}, whose squares are lost; rescale them")
    return values


def _stretched(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    k = ranks.shape[1]
    before = np.empty(ranks.shape)
    for rows, block in row_blocks(ranks):
        before[rows] = (block[:, None, :] < block[:, :, None]).sum(axis=2, dtype=np.float64)
        before[rows] += 0.5 * ((block[:, None, :] == block[:, :, None]).sum(axis=2) - 1)
    observed = np.isfinite(ranks)
    others = observed.sum(axis=1, keepdims=True) - 1
    before[~observed | (others < 1)] = np.nan
    return (1 + before * (k - 1) / np.maximum(others, 1)) / k
