"""From a matrix of numbers to codes: exact, so that a tree finds every threshold there is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise._intrinsics import BLOCK, WORD_BITS

# The code of a missing value in CodedFeatures.by_feature.
MISSING = 1 << 30

# Rows looked at together where a temporary array is needed.
CHUNK = 16_384

# The same where they are copied to another layout: they stay in the cache.
NEAR = 1024


@dataclass(frozen=True)
class BooleanFeatures:
    """Features of two values each (or one): 0 for the lower, 1 for the higher."""

    bits: np.ndarray  # (n, n_words) uint32, feature 32 w + i is bit i of word w; whole blocks
    thresholds: np.ndarray  # (d,) a value is 1 if it is larger

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.bits.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.thresholds)

    @property
    def n_blocks(self) -> int:
        """Number of blocks of features that the kernels handle together."""
        return self.bits.shape[1] * WORD_BITS // BLOCK

    @cached_property
    def columns(self) -> np.ndarray:
        """(d, n) uint8, feature by feature."""
        columns = np.empty((self.n_features, self.n_samples), dtype=np.uint8)
        for start in range(0, self.n_samples, NEAR):
            rows = slice(start, start + NEAR)
            columns[:, rows] = unpacked(self.bits[rows], self.n_features).T
        return columns

    def columns_of(self, features: np.ndarray) -> np.ndarray:
        """The columns of a few features."""
        words = self.bits[:, features // WORD_BITS] >> (features % WORD_BITS).astype(np.uint32)
        return np.ascontiguousarray((words & 1).T, dtype=np.uint8)

    def without_rows(self) -> BooleanFeatures:
        """The same without the codes of any row: what new rows are read by."""
        return BooleanFeatures(self.bits[:0].copy(), self.thresholds)


@dataclass(frozen=True)
class CodedFeatures:
    """Features of any kind: each value by its place among the distinct values of its feature."""

    by_feature: np.ndarray  # (d, n) int32, MISSING where there is none
    values: tuple[np.ndarray, ...]  # the distinct values of each feature, ascending

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.by_feature.shape[1]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.by_feature.shape[0]

    @cached_property
    def n_codes(self) -> np.ndarray:
        """Number of distinct values of each feature."""
        return np.array([max(1, len(v)) for v in self.values], dtype=np.int64)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each feature starts in one array of all codes."""
        return np.concatenate([[0], np.cumsum(self.n_codes)]).astype(np.uint64)

    @cached_property
    def flat_values(self) -> np.ndarray:
        """The distinct values of all features in one array."""
        return np.concatenate([v if len(v) else np.array([np.nan]) for v in self.values])

    @cached_property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool((self.by_feature == MISSING).any())

    @cached_property
    def fits_16_bits(self) -> bool:
        """Whether codes fit `by_row`: nothing missing, at most 65,536 values to a feature."""
        return not self.has_missing and int(self.n_codes.max()) <= 1 << 16

    @cached_property
    def by_row(self) -> np.ndarray:
        """(n, d) uint16 codes, row by row."""
        return np.ascontiguousarray(self.by_feature.T, dtype=np.uint16)

    @cached_property
    def order(self) -> np.ndarray:
        """(d, n) rows of each feature in ascending order of its values, missing ones last."""
        return np.argsort(self.by_feature, axis=1, kind="stable").astype(np.int32)

    def without_rows(self) -> CodedFeatures:
        """The same without the codes of any row: what new rows are read by."""
        return CodedFeatures(self.by_feature[:, :0].copy(), self.values)

    def thresholds(self, features: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Values half-way between two codes; +inf where the higher is MISSING."""
        first = self.offsets.astype(np.int64)[features]
        at_gap = np.asarray(high) == MISSING
        below, above = (self.flat_values[first + np.where(at_gap, 0, c)] for c in (low, high))
        return np.where(at_gap, np.inf, between(below, above))


def code_features(X: np.ndarray) -> BooleanFeatures | CodedFeatures:
    """Code a matrix of numbers; NaN is missing.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Any real dtype, already checked: no infinities.

    Returns
    -------
    BooleanFeatures or CodedFeatures
        Boolean where no feature has more than two values and none is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rankwise.engine import code_features
    >>> code_features(np.array([[0, 5], [1, 5], [1, 7]])).columns
    array([[0, 1, 1],
           [0, 0, 1]], dtype=uint8)
    >>> code_features(np.array([[0.5], [2.0], [np.nan], [1.0]])).values
    (array([0.5, 1. , 2. ]),)
    """
    low, high = X.min(axis=0), X.max(axis=0)
    if _has_two_values(X, low, high):
        return _code_boolean(X, low, high)
    codes = np.empty((X.shape[1], X.shape[0]), dtype=np.int32)
    values = []
    for j in range(X.shape[1]):
        column = X[:, j].astype(np.float64)
        missing = np.isnan(column)
        present = column[~missing]
        distinct, places = np.unique(present, return_inverse=True)
        codes[j, missing] = MISSING
        codes[j, ~missing] = places
        values.append(distinct)
    return CodedFeatures(codes, tuple(values))


def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A number t with low <= t < high, half-way where the floats allow it.

    Examples
    --------
    >>> float(between(1.0, 2.0))
    1.5
    """
    middle = np.asarray(low) / 2 + np.asarray(high) / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def _has_two_values(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
    if X.dtype == bool:
        return True
    # NaN equals nothing, so a missing value answers False
    for start in range(0, len(X), CHUNK):
        rows = X[start : start + CHUNK]
        if not ((rows == low) | (rows == high)).all():
            return False
    return True


def _code_boolean(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> BooleanFeatures:
    n, d = X.shape
    # whole numbers beyond 2^53 may be one float64, as which new rows are compared
    below, above = low.astype(np.float64), high.astype(np.float64)
    thresholds = between(below, above)
    differs = below != above
    thresholds[~differs] = np.inf
    width = -(-d // BLOCK) * BLOCK // 8
    bits = np.zeros((n, width), dtype=np.uint8)
    for start in range(0, n, NEAR):
        rows = slice(start, start + NEAR)
        ones = np.packbits((X[rows] == high) & differs, axis=1, bitorder="little")
        bits[rows, : ones.shape[1]] = ones
    return BooleanFeatures(bits.view("<u4").astype(np.uint32, copy=False), thresholds)


def unpacked(bits: np.ndarray, d: int) -> np.ndarray:
    """The first d features of each row as 0 or 1."""
    ordered = np.ascontiguousarray(bits.astype("<u4", copy=False)).view(np.uint8)
    return np.unpackbits(ordered, axis=1, count=d, bitorder="little")
