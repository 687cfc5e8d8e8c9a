"""Rankings as regression targets: one per label, all labels at once, or one per pair of labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankwise.engine.kernels.row_statistics import (
    EVEN_MASK,
    PACKED_BITS,
    write_statistics,
)

# Decompositions into comparisons: a tree for each pair of labels, or one for all pairs.
PAIRWISE = ("pairwise", "joint_pairwise")

# What sums of weighted targets may come to.
MOST = np.iinfo(np.int32).max
EXACT_BITS = 26

# Where targets are larger, packed rows are unpacked so often that nothing is won.
MOST_PACKED = 16


@dataclass(frozen=True)
class Targets:
    """Small integers to be averaged in the cells of a tree.

    Positions are ``(values + lowest) / scale``; tied labels share their mean position, so that scale
    is 2 where there are ties. Comparisons are 1 (the first label of the pair stands before the
    second), -1, or 0 where they were not seen.

    Where ties are kept, a pair has two comparisons, first all pairs (i, j), then all (j, i): 1 where
    the one label stands before the other or ties with it, -1 where it stands behind. So a tie is 1 in
    both. Where all of them were seen they are positions of their own kind, to be shifted by `lowest`.

    With `weights` a comparison counts as much as they say, in each row another amount: those of one
    tree share a unit, so that in a tree on all pairs the weightier pairs decide.
    """

    values: np.ndarray  # (n, n_outputs) integers
    decomposition: str
    n_labels: int
    scale: int = 1
    lowest: int = 0
    keeps_ties: bool = False
    weights: np.ndarray | None = None  # (n, n_outputs), of comparisons alone

    @property
    def n_trees(self) -> int:
        """How many trees it takes to predict one ranking."""
        return self.values.shape[1] if self.decomposition in ("labelwise", "pairwise") else 1

    @property
    def compares(self) -> bool:
        """Whether targets are comparisons of two labels."""
        return self.decomposition in PAIRWISE

    @property
    def has_gaps(self) -> bool:
        """Whether targets are comparisons, of which some may be missing."""
        return self.compares and not self.lowest

    @cached_property
    def largest(self) -> int:
        """The largest target, by amount."""
        return max(1, int(np.abs(self.values).max()))

    @cached_property
    def kinds(self) -> np.ndarray:
        """For each tree a number for each distinct target; empty where a tree has missing ones."""
        if self.n_trees > 1 or self.values.shape[1] == 1:
            return self.outputs[:, :, 0].astype(np.int32, copy=False)
        if not self.has_gaps:
            return _numbered(self.values, self.largest + 1)[None]
        return np.empty((1, 0), dtype=np.int32)

    @cached_property
    def outputs(self) -> np.ndarray:
        """Targets of each tree, (n_trees, n, n_outputs); int32 if they fit, for the kernels' sake."""
        dtype = np.int32 if self.largest <= np.iinfo(np.int32).max else np.int64
        if self.decomposition in ("labelwise", "pairwise"):
            return np.ascontiguousarray(self.values.T, dtype)[:, :, None]
        return self.values.astype(dtype, copy=False)[None]

    def without_rows(self) -> Targets:
        """The same without the targets of any row: what predictions are read by."""
        return replace(self, values=self.values[:0].copy(), weights=None)

    def by_label(self, amounts: np.ndarray) -> np.ndarray:
        """Amounts of each target, (n_outputs, ...), as those of each label: a pair counts for both."""
        if not self.compares:
            return amounts
        result = np.zeros((self.n_labels, *amounts.shape[1:]))
        if self.keeps_ties:
            amounts = amounts.reshape(2, -1, *amounts.shape[1:]).sum(axis=0)
        for side in np.triu_indices(self.n_labels, k=1):
            np.add.at(result, side, amounts)
        return result


def _numbered(rows: np.ndarray, base: int) -> np.ndarray:
    """A number for each distinct row of digits from 0 to base - 1."""
    if rows.shape[1] * np.log2(base) > 62:
        # bytes of a row as one text: sorted in the same order, many times as fast
        wide = np.ascontiguousarray(rows, np.uint8 if base <= 256 else ">u4")
        as_one = wide.view(np.dtype((np.void, wide.strides[0])))[:, 0]
        numbers = np.unique(as_one, return_inverse=True)[1].ravel()
    else:
        numbers = rows @ (base ** np.arange(rows.shape[1], dtype=np.int64))
        if numbers.max() >= 1 << 31:
            numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers.astype(np.int32)


def position_targets(ranks: np.ndarray, decomposition: str) -> Targets:
    """Targets of complete rankings: the position of each label."""
    positions = ranks
    if (np.sort(ranks, axis=1) != np.arange(1, ranks.shape[1] + 1)).any():
        from scipy.stats import rankdata  # slow to import, and strict rankings need none

        positions = rankdata(ranks, method="average", axis=1)
    doubled = np.round(2 * positions).astype(np.int32)
    scale = 2 if (doubled % 2).any() else 1
    return doubled_targets(doubled, decomposition, scale, int(doubled.min()) * scale // 2)


def doubled_targets(doubled: np.ndarray, decomposition: str, scale: int, lowest: int) -> Targets:
    """Targets of positions times 2; scale and the lowest are those of all rows, of which these are some."""
    values = doubled if scale == 2 else doubled // 2
    return Targets(values - lowest, decomposition, doubled.shape[1], scale, lowest)


def pairwise_targets(
    ranks: np.ndarray, decomposition: str, weights: np.ndarray | None = None
) -> Targets:
    """Targets of any rankings: the outcome of each comparison, 0 where it is missing or a tie."""
    first, second = np.triu_indices(ranks.shape[1], k=1)
    difference = ranks[:, second] - ranks[:, first]
    values = np.sign(np.where(np.isnan(difference), 0.0, difference)).astype(np.int32)
    return Targets(values, decomposition, ranks.shape[1], weights=weights)


def tied_targets(
    ranks: np.ndarray, decomposition: str, weights: np.ndarray | None = None
) -> Targets:
    """Targets of rankings with ties: two outcomes of each comparison, of which a tie has both."""
    first, second = np.triu_indices(ranks.shape[1], k=1)
    difference = ranks[:, second] - ranks[:, first]
    missing = np.isnan(difference)
    both = [np.where(side >= 0, 1, -1) for side in (difference, -difference)]
    values = np.concatenate([np.where(missing, 0, side) for side in both], axis=1, dtype=np.int32)
    if missing.any() or weights is not None:
        both_weights = None if weights is None else np.tile(weights, 2)
        return Targets(values, decomposition, ranks.shape[1], keeps_ties=True, weights=both_weights)
    return Targets(values + 1, decomposition, ranks.shape[1], lowest=-1, keeps_ties=True)


class RowWeights(NamedTuple):
    """How much each row counts, in whole units, so that every sum of weighted targets is exact."""

    counts: np.ndarray  # int32, how often each row was drawn
    units: np.ndarray  # int32
    unit: float  # the weight of a unit; 1 where units are counts
    most: int  # how often a row was drawn at most
    total: int  # units of all rows


def row_weights(counts: np.ndarray, fractions: np.ndarray | None, largest: int) -> RowWeights:
    """Weights of rows drawn `counts` times each, with weights that are no whole numbers or None.

    Sums of weighted targets up to `largest` must fit 32 bits. A unit is a power of two, so that halves
    and quarters stay what they are; a row that counts at all counts one unit or more.
    """
    counts, most_drawn = counts.astype(np.int32, copy=False), int(counts.max())
    weight = counts if fractions is None else counts * fractions
    # kernels add the weight to a target, so that none is negative
    total, most = weight.sum(), MOST // (largest + 1)
    if fractions is None and total <= most:
        return RowWeights(counts, counts, 1.0, most_drawn, int(total))
    room = most - int((weight > 0).sum())
    if room <= 0:
        raise ValueError(
            f"{(weight > 0).sum()} rows of targets up to {largest} are too many for one tree, whose "
            "sums are 32-bit integers: draw fewer with max_samples"
        )
    unit = 2.0 ** np.ceil(np.log2(total / room)) if total > 0 else 1.0
    units = np.maximum(np.round(weight / unit), weight > 0).astype(np.int32)
    return RowWeights(counts, units, float(unit), most_drawn, int(units.sum()))


def comparison_units(weights: RowWeights, of_comparisons: np.ndarray, largest: int) -> np.ndarray:
    """Weights of the comparisons of rows that count so much, in whole units, (n, n_outputs).

    The unit is the same for all of them, and as for rows a power of two. Sums keep to 26 bits, so that
    the product of two is a float without a rounding error: of an honest tree one side of a cut may be
    empty, and gains nothing only where nothing is rounded.
    """
    amounts = weights.units[:, None] * of_comparisons
    room = max(len(amounts), (1 << EXACT_BITS) // (largest + 1))
    most = float(amounts.sum(axis=0).max())
    scale = 2.0 ** np.floor(np.log2(room / most)) if most > 0 else 1.0
    return np.maximum(np.round(amounts * scale), amounts > 0).astype(np.int32)


class Statistics(NamedTuple):
    """The statistics of each row that some trees add up; see the kernels for the columns."""

    stats: np.ndarray  # (n_trees, n, n_stats)
    packed: np.ndarray  # two in 16 bits, (n_trees, n_stats / 2, n); empty where they do not fit
    count_column: np.ndarray
    kind: np.ndarray  # (n_trees, n) a number for each distinct target, or empty
    most_weight: int  # packed rows of this weight together fit 16 bits
    lowest: float  # a mean target m is (m + lowest) / scale, once a tree has grown
    scale: float

    @property
    def first_output(self) -> int:
        """The column of the first target."""
        return self.stats.shape[-1] - len(self.count_column)

    def of_one(self) -> Statistics:
        """The same for the only tree, without the axis of trees."""
        return self._replace(stats=self.stats[0], packed=self.packed[0], kind=self.kind[0])


def counted(targets: Targets, weights: RowWeights) -> bool:
    """Whether all targets were seen, and rows count a whole number of times."""
    return weights.units is weights.counts and not targets.has_gaps


def statistics(targets: Targets, trees: slice, weights: RowWeights) -> Statistics:
    """Statistics of rows for some trees: count, weights that differ from it, weighted targets.

    For one tree at a time unless rows are `counted`.
    """
    if counted(targets, weights):
        return _counted(targets, trees, weights)
    (outputs,), counts, units = targets.outputs[trees], weights.counts, weights.units
    n_outputs = outputs.shape[1]
    own = amounts = units[:, None]
    if targets.weights is not None:
        columns = trees if targets.n_trees > 1 else slice(None)
        amounts = comparison_units(weights, targets.weights[:, columns], targets.largest)
    count_column = np.ones(n_outputs, dtype=np.int64)
    if targets.has_gaps:
        own = amounts * (outputs != 0)
        count_column = np.arange(1, n_outputs + 1, dtype=np.int64)
    joined = np.concatenate([counts[:, None], own, amounts * outputs], axis=1)
    # kernels compile anew for another layout
    stats: np.ndarray = joined.astype(np.int32, order="C")[None]
    packed = np.empty((1, 0, 0), np.uint16)
    return _of_targets(targets, trees, stats, packed, count_column, 0)


def _counted(targets: Targets, trees: slice, weights: RowWeights) -> Statistics:
    """Statistics of rows whose targets were all seen, and that count a whole number of times."""
    outputs, largest = targets.outputs[trees], targets.largest
    n_trees, n, n_outputs = outputs.shape
    stats: np.ndarray = np.empty((n_trees, n, 1 + n_outputs), dtype=np.int32)
    most_weight = _most_packed(largest) if n_outputs == 1 else EVEN_MASK // largest
    fits = largest <= MOST_PACKED and weights.most <= most_weight
    packed = np.empty((n_trees, (2 + n_outputs) // 2, n) if fits else (n_trees, 0, 0), np.uint16)
    write_statistics(outputs, weights.counts, most_weight, stats, packed)
    count_column = np.zeros(n_outputs, dtype=np.int64)
    return _of_targets(targets, trees, stats, packed, count_column, most_weight)


def _of_targets(
    targets: Targets,
    trees: slice,
    stats: np.ndarray,
    packed: np.ndarray,
    count_column: np.ndarray,
    most_weight: int,
) -> Statistics:
    kind, shift = targets.kinds[trees], (float(targets.lowest), float(targets.scale))
    return Statistics(stats, packed, count_column, kind, most_weight, *shift)


def _most_packed(largest: int) -> int:
    """The weight of rows whose sums of counts, and of targets up to `largest`, fit 16 bits together."""
    count_bits = PACKED_BITS - 1
    while ((1 << count_bits) - 1) * largest >= 1 << (PACKED_BITS - count_bits):
        count_bits -= 1
    return (1 << count_bits) - 1
