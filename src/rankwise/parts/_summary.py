"""What must be known of all rows before any tree grows; of two parts it can be merged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from rankwise.parts._block import Block

# A feature of so few values is compared with each of them.
FEW_VALUES = 8


@dataclass
class FeatureSummary:
    """The values of one feature: each of them while they are few, and their ends."""

    most: int
    values: np.ndarray | None  # distinct, ascending; None where there are more than `most`
    low: float = np.inf
    high: float = -np.inf
    missing: bool = False

    def add(self, column: np.ndarray) -> None:
        """Take in some rows."""
        if self.values is not None and self._knows(column):
            return
        if column.dtype.kind == "f":
            known = column[~np.isnan(column)]
            self.missing |= len(known) < len(column)
            column = known
        if not len(column):
            return
        self.low = min(self.low, float(column.min()))
        self.high = max(self.high, float(column.max()))
        if self.values is not None:
            # a few rows tell most features of many values
            for rows in (column[: 2 * self.most], column):
                self._keep(_distinct(rows))
                if self.values is None:
                    break

    def merge(self, other: FeatureSummary) -> None:
        """Take in what is known of other rows."""
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.missing |= other.missing
        if other.values is None:
            self.values = None
        elif self.values is not None:
            self._keep(other.values)

    def _knows(self, column: np.ndarray) -> bool:
        """Whether each row has one of few values that were there before."""
        assert self.values is not None
        if not 0 < len(self.values) <= FEW_VALUES:
            return False
        if column.dtype == bool and len(self.values) == 2:
            return True
        # as numbers of the same type, which are compared many times as fast
        values = self.values.astype(column.dtype)
        found = column == values[0]
        for value in values[1:]:
            found |= column == value
        return bool(found.all())

    def _keep(self, values: np.ndarray) -> None:
        if self.values is None:
            return
        both = np.union1d(self.values, values)
        self.values = both if len(both) <= self.most else None


@dataclass
class Summary:
    """What is known of some rows."""

    n_rows: int
    features: list[FeatureSummary]
    together: np.ndarray  # (k, k) rows that rank both labels
    ordered: np.ndarray  # (k, k) rows that put one of them before the other
    halves: bool = False  # whether a position is a half, as that of two labels that are tied
    lowest: int = 0  # of twice the positions; 0 where no label is seen
    n_idle: int = 0  # rows that rank fewer than two labels
    weights: list[np.ndarray] = field(default_factory=list)
    sample: list[np.ndarray] = field(default_factory=list)  # features of the rows that make bins

    @classmethod
    def empty(cls, n_features: int, n_labels: int, most: int) -> Summary:
        """What is known of no rows; each value of a feature is kept up to so many."""
        features = [FeatureSummary(most, np.empty(0)) for _ in range(n_features)]
        together, ordered = np.zeros((2, n_labels, n_labels), dtype=np.int64)
        return cls(0, features, together, ordered)

    @property
    def complete(self) -> bool:
        """Whether each row ranks all labels."""
        return bool((self.together == self.n_rows).all())

    @property
    def tied(self) -> bool:
        """Whether a row ranks two labels equal."""
        others = ~np.eye(len(self.together), dtype=bool)
        return bool((self.together != self.ordered)[others].any())

    def add(self, block: Block, sample: np.ndarray) -> None:
        """Take in a block; `sample` are the rows in it of which bins are made."""
        for feature, column in zip(self.features, block.X.T, strict=True):
            feature.add(column)
        if len(sample):
            self.sample.append(block.X[sample])
        if block.weights is not None:
            self.weights.append(block.weights)
        self.n_rows += len(block.X)
        self._add_rankings(np.ascontiguousarray(block.positions.T))

    def merge(self, other: Summary) -> None:
        """Take in what is known of the rows behind these."""
        for feature, others in zip(self.features, other.features, strict=True):
            feature.merge(others)
        self._take_lowest(other.lowest)
        self.n_rows += other.n_rows
        self.halves |= other.halves
        self.n_idle += other.n_idle
        self.together += other.together
        self.ordered += other.ordered
        self.weights += other.weights
        self.sample += other.sample

    def _take_lowest(self, lowest: int) -> None:
        if lowest:
            self.lowest = min(self.lowest or lowest, lowest)

    def _add_rankings(self, columns: np.ndarray) -> None:
        known = columns > 0
        complete = bool(known.all())
        if not complete:
            self.n_idle += int(np.count_nonzero(known.sum(axis=0) < 2))
        if known.any():
            self._take_lowest(int(columns.min() if complete else columns[known].min()))
            self.halves |= bool((columns & 1).any())
        for i in range(len(columns)):
            for j in range(i + 1):
                both = known[i] & known[j]
                differ = columns[i] != columns[j]
                n_both = columns.shape[1] if complete else np.count_nonzero(both)
                n_differ = np.count_nonzero(differ if complete else differ & both)
                for pair in {(i, j), (j, i)}:
                    self.together[pair] += n_both
                    self.ordered[pair] += n_differ


def _distinct(column: np.ndarray) -> np.ndarray:
    """The values of some rows, ascending."""
    if column.dtype.itemsize > 1:
        return np.unique(column).astype(np.float64)
    # bytes are counted, which takes no sorting
    stored = np.bincount(np.ascontiguousarray(column).view(np.uint8), minlength=256)
    values = np.arange(256, dtype=np.uint8)
    if column.dtype == np.int8:
        stored, values = np.roll(stored, 128), np.roll(values, 128)
    return values[stored > 0].view(column.dtype).astype(np.float64)


def merged(summaries: Iterable[Summary], empty: Summary) -> Summary:
    """What is known of all parts, given in order."""
    for summary in summaries:
        empty.merge(summary)
    return empty
