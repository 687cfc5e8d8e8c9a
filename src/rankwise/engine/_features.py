"""From a matrix of numbers to codes: of every value, or of bins where values are many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from rankwise._blocks import LANES, zeros_in_lines
from rankwise._intrinsics import BLOCK, WORD_BITS
from rankwise.engine.kernels.coding import TOGETHER, write_codes

# A missing value in CodedFeatures.by_feature.
MISSING = 1 << 30

# Rows looked at together where a temporary array is needed.
CHUNK = 16_384

# The same where they are copied to another layout: they stay in the cache.
NEAR = 1024

# Bins of fewer values than this on average would lose cuts and save little.
VALUES_OF_A_BIN = 4

# So few rows are looked at first, where they may be enough.
FEW = 64

# Trees grow from codes of two bytes even where one would do: kernels are compiled for each type, for
# seconds, and are no faster on bytes.
NARROWEST = np.uint16


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

    def columns_of(self, features: np.ndarray) -> np.ndarray:
        """The columns of a few features."""
        words = self.bits[:, features // WORD_BITS] >> (features % WORD_BITS).astype(np.uint32)
        return np.ascontiguousarray((words & 1).T, dtype=np.uint8)

    def without_rows(self) -> BooleanFeatures:
        """The same without the codes of any row: what new rows are read by."""
        return BooleanFeatures(self.bits[:0].copy(), self.thresholds)


@dataclass(frozen=True)
class CodedFeatures:
    """Features of any kind: each value by its place among the values, or bins, of its feature."""

    codes: np.ndarray  # (n, d) unsigned; `n_codes` of the feature where a value is missing
    lowest: tuple[np.ndarray, ...]  # of each feature the lowest value of each code, ascending
    highest: tuple[np.ndarray, ...]  # and the highest, which is the same unless values share a bin

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.codes.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.codes.shape[1]

    @cached_property
    def n_codes(self) -> np.ndarray:
        """Number of codes of each feature."""
        return np.array([len(v) for v in self.lowest], dtype=np.int64)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each feature starts in one array of all codes, gaps among them."""
        return np.concatenate([[0], np.cumsum(self.n_codes + 1)]).astype(np.uint64)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of the codes of all features, each in one array; NaN for gaps."""
        lowest, highest = (
            np.concatenate([np.append(v, np.nan) for v in side])
            for side in (self.lowest, self.highest)
        )
        return lowest, highest

    @cached_property
    def by_feature(self) -> np.ndarray:
        """(d, n) int32 codes, MISSING where there is none."""
        codes = self.codes.T.astype(np.int32, order="C")
        codes[codes == self.n_codes[:, None]] = MISSING
        return codes

    @cached_property
    def order(self) -> np.ndarray:
        """(d, n) rows of each feature in ascending order of its codes, missing ones last."""
        return np.argsort(self.by_feature, axis=1, kind="stable").astype(np.int32)

    def without_rows(self) -> CodedFeatures:
        """The same without the codes of any row: what new rows are read by."""
        return CodedFeatures(self.codes[:0].copy(), self.lowest, self.highest)

    def thresholds(self, features: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Values half-way between two codes; +inf where the higher is MISSING."""
        first = self.offsets.astype(np.int64)[features]
        at_gap = np.asarray(high) == MISSING
        lowest, highest = self.ends
        below, above = highest[first + low], lowest[first + np.where(at_gap, 0, high)]
        return np.where(at_gap, np.inf, between(below, above))


@dataclass(frozen=True)
class PlainFeatures:
    """Features as the numbers that they are, which is all that a cut at random needs."""

    # (n * width,), row by row, in single precision if X is; NaN where there is none, 0 in lanes to spare
    values: np.ndarray
    n_samples: int
    n_features: int

    def without_rows(self) -> PlainFeatures:
        """The same without any row."""
        return PlainFeatures(self.values[:0].copy(), 0, self.n_features)


def plain_features(X: np.ndarray) -> PlainFeatures:
    """Lay a matrix of numbers out in rows of whole blocks of lanes; NaN is missing."""
    n, d = X.shape
    width = -(-d // LANES) * LANES
    single = np.result_type(X, np.float32) == np.float32
    values = zeros_in_lines(n * width, np.float32 if single else np.float64)
    values.reshape(n, width)[:, :d] = X
    return PlainFeatures(values, n, d)


Features = BooleanFeatures | CodedFeatures | PlainFeatures


def code_features(X: np.ndarray, max_bins: int | None = None) -> BooleanFeatures | CodedFeatures:
    """Code a matrix of numbers; NaN is missing.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Any real dtype, already checked: no infinities.
    max_bins : int, optional
        A feature of more than four times as many values is cut into so many bins, of about the same
        number of rows each. None: every value has its own code.

    Returns
    -------
    BooleanFeatures or CodedFeatures
        Boolean where no feature has more than two values and none is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rankwise.engine import code_features
    >>> code_features(np.array([[0, 5], [1, 5], [1, 7]])).columns_of(np.arange(2))
    array([[0, 1, 1],
           [0, 0, 1]], dtype=uint8)
    >>> code_features(np.array([[0.5], [2.0], [np.nan], [1.0]])).codes.T
    array([[0, 2, 3, 1]], dtype=uint16)
    >>> code_features(np.arange(10.0).reshape(-1, 1), max_bins=2).highest
    (array([4., 9.]),)
    """
    boolean = boolean_features(X)
    if boolean is not None:
        return boolean
    X = np.ascontiguousarray(X)  # kernels compile anew for another layout
    ends = [ends_of_codes(X[:, j], max_bins) for j in range(X.shape[1])]
    lowest, highest = zip(*ends, strict=True)
    return CodedFeatures(codes_of(X, lowest, NARROWEST), lowest, highest)


def codes_of(
    X: np.ndarray, lowest: Sequence[np.ndarray], narrowest: DTypeLike = np.uint8
) -> np.ndarray:
    """Code a matrix of numbers by the lowest value of each code of its features.

    No value may lie below the first of them.
    """
    most = max(len(own) for own in lowest)
    codes = np.empty(X.shape, np.promote_types(narrowest, np.min_scalar_type(most)))
    for j, own in enumerate(lowest):
        _write_codes(X, j, own, codes)
    return codes


def _write_codes(X: np.ndarray, j: int, lowest: np.ndarray, codes: np.ndarray) -> None:
    """Write the codes of one feature; `len(lowest)` for a gap."""
    if X.dtype not in (np.float32, np.float64) or not len(lowest):
        # NaN is sorted behind all numbers
        column = X[:, j].astype(np.float64)
        codes[:, j] = np.searchsorted(lowest, column, side="right") - 1
        codes[np.isnan(column), j] = len(lowest)
        return
    padded = np.full(1 << (len(lowest) - 1).bit_length(), np.inf)
    padded[: len(lowest)] = lowest
    numbers, places = np.zeros(TOGETHER), np.zeros(TOGETHER, np.uint64)
    write_codes(X, j, len(lowest), padded, numbers, places, codes)


def boolean_features(X: np.ndarray) -> BooleanFeatures | None:
    """Code a matrix of numbers where no feature has more than two values and none is missing."""
    # a few rows tell most features that have more values
    for rows in (X[:FEW], X):
        low, high = _extremes(np.minimum, rows), _extremes(np.maximum, rows)
        if not _has_two_values(rows, low, high):
            return None
    return _code_boolean(X, low, high)


def _extremes(extreme: np.ufunc, rows: np.ndarray) -> np.ndarray:
    """The least or greatest value of each feature; NaN where one is missing.

    Halves are held against each other: numpy's own reduction goes row by row, and a row is short.
    """
    while len(rows) > FEW:
        half = (len(rows) + 1) // 2
        rows = extreme(rows[:half], rows[-half:])
    found: np.ndarray = extreme.reduce(rows)
    return found


def ends_of_codes(column: np.ndarray, max_bins: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest value of each code of a feature."""
    # sorted as they are, which is faster for short numbers; NaN comes last
    ordered = np.sort(column).astype(np.float64)
    ordered = ordered[: len(ordered) - int(np.isnan(ordered).sum())]
    if not len(ordered):
        return ordered, ordered
    starts = _starts_of_codes(ordered, max_bins)
    return ordered[starts], ordered[np.append(starts[1:], len(ordered)) - 1]


def _starts_of_codes(ordered: np.ndarray, max_bins: int | None) -> np.ndarray:
    """The places among ordered values where codes start."""
    n = len(ordered)
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    if max_bins is None or len(starts) <= VALUES_OF_A_BIN * max_bins:
        return starts
    first = ordered[np.arange(max_bins) * n // max_bins]
    if (first[1:] > first[:-1]).all():
        # no value has more rows than a bin
        return np.searchsorted(ordered, first)
    return _starts_of_bins(starts, n, max_bins)


def _starts_of_bins(starts: np.ndarray, n: int, max_bins: int) -> np.ndarray:
    """Of the places where values start among n rows in order, those where bins start.

    Bins hold about as many rows each; a value of more rows than that counts as one bin's.
    """
    counts = np.minimum(np.diff(starts, append=n), n / max_bins)
    middle = np.cumsum(counts) - counts / 2
    bins = np.floor(middle * (max_bins / counts.sum()))
    return starts[np.append(0, np.flatnonzero(bins[1:] != bins[:-1]) + 1)]


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
    if X.dtype.kind in "iu" and ((high == low) | (high == low + X.dtype.type(1))).all():
        return True  # there is no whole number between
    # NaN equals nothing, so a missing value answers False
    for start in range(0, len(X), CHUNK):
        rows = X[start : start + CHUNK]
        if not ((rows == low) | (rows == high)).all():
            return False
    return True


def _code_boolean(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> BooleanFeatures:
    # whole numbers beyond 2^53 may be one float64, as which new rows are compared
    below, above = low.astype(np.float64), high.astype(np.float64)
    thresholds, differs = boolean_thresholds(below, above), below != above
    return packed_features(X, lambda rows: (rows == high) & differs, thresholds)


def boolean_thresholds(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Where features of two values are cut; +inf where both are one."""
    thresholds: np.ndarray = between(low, high)
    thresholds[low == high] = np.inf
    return thresholds


def packed_features(
    X: np.ndarray, ones: Callable[[np.ndarray], np.ndarray], thresholds: np.ndarray
) -> BooleanFeatures:
    """Pack what a function says of some rows at a time, 1 or 0 for each feature."""
    n, d = X.shape
    width = -(-d // BLOCK) * BLOCK // 8
    bits = np.zeros((n, width), dtype=np.uint8)
    for start in range(0, n, NEAR):
        rows = slice(start, start + NEAR)
        packed = np.packbits(ones(X[rows]), axis=1, bitorder="little")
        bits[rows, : packed.shape[1]] = packed
    return BooleanFeatures(bits.view("<u4").astype(np.uint32, copy=False), thresholds)
