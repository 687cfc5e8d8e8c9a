"""What rows that were left out tell: how true the chances came, and which labels are hard to tell apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets import Dataset
from rankwise.metrics import kendall_tau, top_k_accuracy
from rankwise.ranker import fit_certainty

Floats = NDArray[np.float64]

# Chances from one half to one are put into so many bins.
N_BINS = 5
# Rows that compare two labels, below which little is known about them.
FEW_ROWS = 20


@dataclass(frozen=True)
class Rate:
    """How often something came true.

    Examples
    --------
    >>> half = Rate(n=100, true=50)
    >>> half.share, [round(end, 2) for end in half.interval]
    (0.5, [0.4, 0.6])
    """

    n: int
    true: float

    @property
    def share(self) -> float:
        """From 0 to 1; NaN without any."""
        return self.true / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval of the share (Wilson), within 0 and 1."""
        if not self.n:
            return math.nan, math.nan
        z, n, p = 1.96, self.n, self.share
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Bin:
    """Pairs to which a similar chance was given."""

    chance: float
    came_true: Rate


@dataclass(frozen=True)
class Pair:
    """Two labels, and how often rows left out were put right about them."""

    a: str
    b: str
    right: Rate


@dataclass(frozen=True)
class HeldOutRows:
    """Rows, and what was predicted of them by learners that had not seen them.

    Parameters
    ----------
    data : Dataset
        The rows, with their rankings.
    ranks : ndarray of shape (n_rows, n_labels)
        Predicted, 1 = first.
    shares : ndarray of shape (n_rows, n_labels, n_labels)
        As `predict_pairwise` gave them, before they become chances.
    floor : ndarray of shape (n_rows, n_labels)
        By one consensus ranking for all, of the rows learned from.
    counts : ndarray of shape (n_rows,), optional
        What each row counts in tau; all alike by default.
    """

    data: Dataset
    ranks: NDArray[np.int64]
    shares: Floats
    floor: NDArray[Any]
    counts: Floats | None = None

    @cached_property
    def chances(self) -> Floats:
        """Chances of pairs; those of each half of the rows are fitted to the other half.

        So they are judged by rows that neither the learners nor the chances have seen.
        """
        found = np.array(self.shares, dtype=np.float64)
        half = np.random.default_rng(0).permutation(len(found)) % 2
        for one in (0, 1):
            judged, fitted = half == one, half != one
            if fitted.any() and judged.any():
                learned = fit_certainty(
                    self.shares[fitted], self.ranks[fitted], self.data.ranks[fitted]
                )
                found[judged] = learned.pairwise(self.shares[judged])
        return found

    def order(self) -> NDArray[np.int64]:
        """Labels of each row, the one predicted first in front."""
        return np.argsort(self.ranks, axis=1, kind="stable")

    def first_before_second(self) -> Floats:
        """The chance of each row that its first label stands before its second."""
        order, rows = self.order(), np.arange(len(self.ranks))
        return np.asarray(self.chances[rows, order[:, 0], order[:, 1]])

    def first_is_best(self) -> Rate:
        """How often the label predicted first is the best of those observed."""
        found = np.asarray(top_k_accuracy(self.data.ranks, self.ranks, average=False))
        known = found[~np.isnan(found)]
        return Rate(len(known), float(known.sum()))

    def gain(self) -> tuple[float, float, float]:
        """Tau minus that of one consensus for all rows, in the same rows, and a 95 % interval."""
        Y = self.data.ranks
        gains = np.subtract(
            kendall_tau(Y, self.ranks, average=False), kendall_tau(Y, self.floor, average=False)
        )
        share = np.ones(len(Y)) if self.counts is None else self.counts
        known = ~np.isnan(gains) & (share > 0)
        if not known.any():
            return math.nan, math.nan, math.nan
        parts = share[known] / share[known].sum()
        mean = float(parts @ gains[known])
        half = 1.96 * float(np.sqrt(parts**2 @ (gains[known] - mean) ** 2))
        return mean, mean - half, mean + half

    def reliability(self) -> list[Bin]:
        """Return how often the likelier order came true, by the chance that it was given."""
        i, j = np.triu_indices(self.data.n_labels, k=1)
        difference = self.data.ranks[:, j] - self.data.ranks[:, i]
        known = np.isfinite(difference) & (difference != 0)
        chance = self.chances[:, i, j][known]
        came = np.where(chance >= 0.5, difference[known] > 0, difference[known] < 0)
        chance = np.maximum(chance, 1 - chance)
        places = np.minimum((2 * N_BINS * (chance - 0.5)).astype(int), N_BINS - 1)
        return [
            Bin(float(chance[here].mean()), Rate(int(here.sum()), float(came[here].sum())))
            for place in range(N_BINS)
            if (here := places == place).any()
        ]

    def pairs(self) -> list[Pair]:
        """Return every pair of labels that some row orders, the hardest first, rare ones last."""
        names, Y, ranks = self.data.label_names, self.data.ranks, self.ranks
        found = []
        for i, j in zip(*np.triu_indices(len(names), k=1), strict=True):
            known = np.isfinite(Y[:, i]) & np.isfinite(Y[:, j]) & (Y[:, i] != Y[:, j])
            if known.any():
                truth = Y[known, i] < Y[known, j]
                right = np.where(
                    ranks[known, i] == ranks[known, j],
                    0.5,
                    truth == (ranks[known, i] < ranks[known, j]),
                )
                found.append(Pair(names[i], names[j], Rate(int(known.sum()), float(right.sum()))))
        return sorted(found, key=lambda pair: (pair.right.n < FEW_ROWS, pair.right.share))
