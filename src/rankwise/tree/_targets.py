"""Rankings as regression targets: one per label, all labels at once, or one per pair of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from rankwise.tree._sums_kernels import COUNT_BITS, COUNT_MASK

MOST_PACKED = (1 << (16 - COUNT_BITS)) - 1


@dataclass(frozen=True)
class Targets:
    """Small integers to be averaged in the cells of a tree.

    Positions are ``(values + lowest) / scale``; tied labels share their mean position, so that scale
    is 2 where there are ties. Comparisons are 1 (the first label of the pair stands before the
    second), -1, or 0 where they were not seen.
    """

    values: np.ndarray  # (n, n_outputs) int64
    decomposition: str
    n_labels: int
    scale: int = 1
    lowest: int = 0

    @property
    def n_trees(self) -> int:
        """How many trees it takes to predict one ranking."""
        return self.n_labels if self.decomposition == "labelwise" else 1

    def kind(self, tree: int) -> np.ndarray:
        """A number for each distinct target of a tree; empty for comparisons, which may be missing."""
        if self.decomposition == "labelwise":
            return self.values[:, tree].astype(np.int32)
        if self.decomposition == "joint":
            return np.unique(self.values, axis=0, return_inverse=True)[1].ravel().astype(np.int32)
        return np.empty(0, dtype=np.int32)

    def outputs(self, tree: int) -> np.ndarray:
        """The targets of one tree, (n, n_outputs)."""
        return self.values[:, [tree]] if self.decomposition == "labelwise" else self.values

    def to_positions(self, means: np.ndarray) -> np.ndarray:
        """Mean targets as mean positions."""
        return (means + self.lowest) / self.scale


def position_targets(ranks: np.ndarray, decomposition: str) -> Targets:
    """Targets of complete rankings: the position of each label."""
    doubled = np.round(2 * rankdata(ranks, method="average", axis=1)).astype(np.int64)
    scale = 2 if (doubled % 2).any() else 1
    values = doubled * scale // 2
    lowest = int(values.min())
    return Targets(values - lowest, decomposition, ranks.shape[1], scale, lowest)


def pairwise_targets(ranks: np.ndarray) -> Targets:
    """Targets of any rankings: the outcome of each comparison, 0 where it is missing or a tie."""
    first, second = np.triu_indices(ranks.shape[1], k=1)
    difference = ranks[:, second] - ranks[:, first]
    values = np.sign(np.where(np.isnan(difference), 0.0, difference)).astype(np.int64)
    return Targets(values, "pairwise", ranks.shape[1])


@dataclass(frozen=True)
class Statistics:
    """The statistics of each row that a tree adds up; see the kernels for the columns."""

    stats: np.ndarray
    packed: np.ndarray  # empty where a row does not fit 16 bits
    count_column: np.ndarray

    @property
    def first_output(self) -> int:
        """The column of the first target."""
        return self.stats.shape[1] - len(self.count_column)


def statistics(
    outputs: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray | None,
    pairwise: bool,
    integer: type,
) -> Statistics:
    """Statistics of rows drawn `counts` times each, with weights that are no whole numbers or None."""
    n_outputs = outputs.shape[1]
    if weights is None and not pairwise and n_outputs == 1:
        return _one_target(outputs[:, 0], counts, integer)
    weight = counts if weights is None else counts * weights
    weighted = weight[:, None] * outputs
    columns = [counts[:, None]]
    if pairwise:
        columns.append(weight[:, None] * (outputs != 0))
        count_column = np.arange(1, n_outputs + 1)
    elif weights is None:
        count_column = np.zeros(n_outputs, dtype=np.int64)
    else:
        columns.append(weight[:, None])
        count_column = np.ones(n_outputs, dtype=np.int64)
    dtype = integer if weights is None and _fits(counts, outputs, integer) else np.float64
    stats: np.ndarray = np.concatenate([*columns, weighted], axis=1).astype(dtype)
    return Statistics(stats, np.empty(0, np.uint16), count_column.astype(np.int64))


def _one_target(target: np.ndarray, counts: np.ndarray, integer: type) -> Statistics:
    weighted = counts * target
    dtype = integer if _fits(counts, target, integer) else np.float64
    stats: np.ndarray = np.empty((len(target), 2), dtype=dtype)
    stats[:, 0] = counts
    stats[:, 1] = weighted
    packed = np.empty(0, np.uint16)
    if dtype is integer and counts.max() <= COUNT_MASK and weighted.max() <= MOST_PACKED:
        packed = (counts | (weighted << COUNT_BITS)).astype(np.uint16)
    return Statistics(stats, packed, np.zeros(1, dtype=np.int64))


def _fits(counts: np.ndarray, targets: np.ndarray, integer: type) -> bool:
    largest = max(1, int(np.abs(targets).max(initial=0)))
    return int(counts.sum()) * largest <= np.iinfo(integer).max
