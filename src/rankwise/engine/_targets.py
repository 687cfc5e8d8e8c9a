"""Rankings as regression targets: one per label, all labels at once, or one per pair of labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from rankwise.engine.kernels.row_statistics import (
    COUNT_BITS,
    COUNT_MASK,
    EVEN_MASK,
    write_statistics,
)

MOST_PACKED = (1 << (16 - COUNT_BITS)) - 1

# Weights are 32-bit numbers where this share of them are so many units or more.
MANY_UNITS = 64
SHARE_OF_LARGE = 0.99

# Where several targets are larger, packed rows are unpacked so often that nothing is won.
MOST_EVENLY_PACKED = 16


@dataclass(frozen=True)
class Targets:
    """Small integers to be averaged in the cells of a tree.

    Positions are ``(values + lowest) / scale``; tied labels share their mean position, so that scale
    is 2 where there are ties. Comparisons are 1 (the first label of the pair stands before the
    second), -1, or 0 where they were not seen.
    """

    values: np.ndarray  # (n, n_outputs) integers
    decomposition: str
    n_labels: int
    scale: int = 1
    lowest: int = 0

    @property
    def n_trees(self) -> int:
        """How many trees it takes to predict one ranking."""
        return self.n_labels if self.decomposition == "labelwise" else 1

    @cached_property
    def largest(self) -> int:
        """The largest target, by amount."""
        return max(1, int(np.abs(self.values).max()))

    @cached_property
    def kinds(self) -> list[np.ndarray]:
        """For each tree a number for each distinct target; empty where comparisons may be missing."""
        if self.decomposition == "labelwise":
            return [column[:, 0].astype(np.int32, copy=False) for column in self.outputs]
        if self.decomposition == "joint":
            return [_numbered(self.values, self.largest + 1)]
        return [np.empty(0, dtype=np.int32)]

    @cached_property
    def outputs(self) -> list[np.ndarray]:
        """For each tree its targets, (n, n_outputs); int32 wherever they fit, for the kernels' sake."""
        dtype = np.int32 if self.largest <= np.iinfo(np.int32).max else np.int64
        if self.decomposition == "labelwise":
            return [column[:, None] for column in np.ascontiguousarray(self.values.T, dtype)]
        return [self.values.astype(dtype, copy=False)]

    def without_rows(self) -> Targets:
        """The same without the targets of any row: what predictions are read by."""
        return replace(self, values=self.values[:0].copy())

    def by_label(self, amounts: np.ndarray) -> np.ndarray:
        """Amounts of each target, (n_outputs, ...), as those of each label: a pair counts for both."""
        if self.decomposition != "pairwise":
            return amounts
        result = np.zeros((self.n_labels, *amounts.shape[1:]))
        for side in np.triu_indices(self.n_labels, k=1):
            np.add.at(result, side, amounts)
        return result

    def make_positions(self, means: np.ndarray) -> None:
        """Turn mean targets into mean positions, in place."""
        means += self.lowest
        means /= self.scale


def _numbered(rows: np.ndarray, base: int) -> np.ndarray:
    """A number for each distinct row of digits from 0 to base - 1."""
    if rows.shape[1] * np.log2(base) > 62:
        numbers = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    else:
        numbers = rows @ (base ** np.arange(rows.shape[1], dtype=np.int64))
        if numbers.max() >= 1 << 31:
            numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers.astype(np.int32)


def position_targets(ranks: np.ndarray, decomposition: str) -> Targets:
    """Targets of complete rankings: the position of each label."""
    doubled = np.round(2 * rankdata(ranks, method="average", axis=1)).astype(np.int32)
    scale = 2 if (doubled % 2).any() else 1
    values = doubled if scale == 2 else doubled // 2
    lowest = int(values.min())
    return Targets(values - lowest, decomposition, ranks.shape[1], scale, lowest)


def pairwise_targets(ranks: np.ndarray) -> Targets:
    """Targets of any rankings: the outcome of each comparison, 0 where it is missing or a tie."""
    first, second = np.triu_indices(ranks.shape[1], k=1)
    difference = ranks[:, second] - ranks[:, first]
    values = np.sign(np.where(np.isnan(difference), 0.0, difference)).astype(np.int32)
    return Targets(values, "pairwise", ranks.shape[1])


class Statistics(NamedTuple):
    """The statistics of each row that a tree adds up; see the kernels for the columns."""

    stats: np.ndarray
    packed: np.ndarray  # two statistics in 16 bits, (n_stats / 2, n); empty where they do not fit
    count_column: np.ndarray
    kind: np.ndarray  # (n,) a number for each distinct target, or empty
    most_weight: int  # packed rows of this weight together fit 16 bits
    unit: float = 1.0  # weights are counted in this

    @property
    def first_output(self) -> int:
        """The column of the first target."""
        return self.stats.shape[1] - len(self.count_column)


def statistics(
    targets: Targets,
    tree: int,
    counts: np.ndarray,
    weights: np.ndarray | None,
    integer: type,
) -> Statistics:
    """Statistics of rows drawn `counts` times each, with weights that are no whole numbers or None."""
    outputs = targets.outputs[tree]
    fits = int(counts.sum()) * targets.largest <= np.iinfo(integer).max
    dtype = integer if fits else np.int64
    if weights is None and targets.decomposition != "pairwise":
        return _counted(outputs, counts, targets.kinds[tree], targets.largest, integer, dtype)
    n_outputs = outputs.shape[1]
    weight, unit = counts, 1.0
    if weights is not None:
        weight, unit = _in_units(counts * weights, targets.largest, integer)
        dtype = weight.dtype.type
    columns = [counts[:, None]]
    if targets.decomposition == "pairwise":
        columns.append(weight[:, None] * (outputs != 0))
        count_column = np.arange(1, n_outputs + 1)
    else:
        columns.append(weight[:, None])
        count_column = np.ones(n_outputs, dtype=np.int64)
    joined = np.concatenate([*columns, weight[:, None] * outputs], axis=1)
    stats: np.ndarray = joined.astype(dtype, order="C")  # kernels compile anew for another layout
    packed = np.empty((0, 0), np.uint16)
    count_column = count_column.astype(np.int64)
    return Statistics(stats, packed, count_column, targets.kinds[tree], 0, unit)


def _in_units(weight: np.ndarray, largest: int, integer: type) -> tuple[np.ndarray, float]:
    """Weights as whole numbers of a unit, one at least unless they are 0; and the unit.

    Every sum of weighted targets is then exact, whatever the order of the rows, and child = parent -
    sibling leaves no rounding behind that would pass for a weight. 32 bits are enough where nearly
    all weights are many units; 64-bit sums are exact floats as well.
    """
    magnitude = np.ceil(np.log2(weight.sum() * largest))
    drawn = weight > 0
    unit = float(2.0 ** (magnitude - 30))
    n_large = np.count_nonzero(weight >= MANY_UNITS * unit)
    if integer is not np.int32 or n_large < SHARE_OF_LARGE * np.count_nonzero(drawn):
        integer, unit = np.int64, float(2.0 ** (magnitude - 52))
    return np.maximum(np.round(weight / unit), drawn).astype(integer), unit


def _counted(
    targets: np.ndarray,
    counts: np.ndarray,
    kind: np.ndarray,
    largest: int,
    integer: type,
    dtype: type,
) -> Statistics:
    """Statistics of rows whose targets were all seen, and that count a whole number of times."""
    n, n_outputs = targets.shape
    stats: np.ndarray = np.empty((n, 1 + n_outputs), dtype=dtype)
    most = int(counts.max())
    if n_outputs == 1:
        # kernels of Boolean features (int32) add up COUNT_MASK packed rows before they unpack them
        most_weight, together = COUNT_MASK, COUNT_MASK if integer is np.int32 else most
        fits = together * largest <= MOST_PACKED
    else:
        most_weight = EVEN_MASK // largest
        fits = integer is np.int32 and largest <= MOST_EVENLY_PACKED
    fits &= most <= most_weight
    packed = np.empty(((2 + n_outputs) // 2, n) if fits else (0, 0), np.uint16)
    write_statistics(targets, counts, stats, packed)
    return Statistics(stats, packed, np.zeros(n_outputs, dtype=np.int64), kind, most_weight)
