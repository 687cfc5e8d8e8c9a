"""From the gathered rows of a sample to its trees, by the kernels that grow any tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from rankwise.engine import (
    PAIRWISE,
    CompactTrees,
    DrawnBag,
    Features,
    Targets,
    TreeGrower,
    doubled_targets,
    flat_trees,
    pairwise_targets,
    plain_features,
    tied_targets,
)
from rankwise.parts._block import ranks_of
from rankwise.parts._coding import Coding
from rankwise.parts._gathering import Held, Piece, is_bytes, joined


class Grown(NamedTuple):
    """What has grown of one sample."""

    trees: CompactTrees
    importances: np.ndarray
    answers: np.ndarray  # (n_held, n_targets) of its trees, 0 for rows that the sample has


class GrownForest:
    """What has grown of all samples, whichever is done first.

    Answers are added in the order of samples, so that their sums have the same bits each time.
    """

    def __init__(self, n_samples: int) -> None:
        self.trees: list[Any] = [None] * n_samples
        self.importances: list[Any] = [None] * n_samples
        self.held: Held | None = None
        self.left_out: list[np.ndarray] = []  # (n_trees, n_held) of some samples after the other
        self.answers: Any = 0.0
        self._waiting: dict[int, np.ndarray] = {}
        self._n_added = 0
        self._lock = Lock()

    def add(self, sample: int, grown: Grown) -> None:
        """Take in what has grown of a sample."""
        with self._lock:
            self.trees[sample], self.importances[sample] = grown.trees, grown.importances
            self._waiting[sample] = grown.answers
            while self._n_added in self._waiting:
                self.answers = self.answers + self._waiting.pop(self._n_added)
                self._n_added += 1


@dataclass(frozen=True)
class Growth:
    """All that the trees of a sample depend on, beside its rows; the same for all samples."""

    coding: Coding
    dtype: np.dtype[Any]  # of features: bytes come as they are, others mostly as codes
    entropy: int
    rules: Any
    criterion: str
    honest: bool
    decomposition: str
    keeps_ties: bool
    scale: int  # of positions, and the lowest of them, in all rows
    lowest: int
    most_weight: float | None  # the largest weight, where weights are no whole numbers
    as_numbers: bool = False  # whether features come as the numbers they are, to be cut at random

    @property
    def gathers_by(self) -> Coding | None:
        """How rows are coded where they are gathered; None: they come as they are."""
        return None if self.as_numbers or is_bytes(self.dtype) else self.coding

    def features(self, gathered: np.ndarray) -> Features:
        """What is cut, of rows as they were gathered."""
        if self.as_numbers and not self.coding.is_boolean:
            return plain_features(gathered.view(self.dtype))
        if is_bytes(self.dtype):
            gathered = self.coding.recoded(gathered, self.dtype)
        elif self.as_numbers:
            gathered = self.coding.codes(gathered.view(self.dtype))
        # what came from elsewhere may be read-only, for which kernels would compile anew
        return self.coding.features(np.require(gathered, requirements=["C", "W"]))

    def targets(self, positions: np.ndarray) -> Targets:
        """What trees learn of the positions of some rows."""
        if self.decomposition not in PAIRWISE:
            return doubled_targets(
                positions.astype(np.int32), self.decomposition, self.scale, self.lowest
            )
        make = tied_targets if self.keeps_ties else pairwise_targets
        return make(ranks_of(positions), self.decomposition)

    def grow(
        self, tree: int, pieces: Sequence[Piece], held: np.ndarray, left_out: np.ndarray
    ) -> Grown:
        """Grow the trees of a sample from what each part gave to it, and ask them about held rows."""
        gathered, positions, times, weights = joined(pieces)
        fractions: np.ndarray | None = None
        if weights is not None and self.most_weight is not None:
            fractions = weights / self.most_weight
        targets, features = self.targets(positions), self.features(gathered)
        bag = DrawnBag(times)
        grower = TreeGrower(
            features, targets, bag, fractions, self.rules, self.criterion, self.honest
        )
        grown = grower.grow(np.random.SeedSequence(self.entropy, spawn_key=(tree,)))
        flat = flat_trees(grown.trees, targets, features)
        n_targets = len(flat.roots) * flat.values.shape[1]
        answers = flat.sums_of(held, n_targets) if len(held) else np.empty((0, n_targets))
        return Grown(CompactTrees.of(flat), grown.importances, answers * left_out[:, None])
