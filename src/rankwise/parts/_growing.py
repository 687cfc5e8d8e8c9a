"""From the gathered rows of a sample to its trees, by the kernels that grow any tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.engine import (
    PAIRWISE,
    DrawnBag,
    Features,
    GrownSample,
    Targets,
    TreeGrower,
    doubled_targets,
    pairwise_targets,
    plain_features,
    tied_targets,
)
from rankwise.parts._block import ranks_of
from rankwise.parts._coding import Coding
from rankwise.parts._gathering import Piece, is_bytes, joined


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

    def grow(self, tree: int, pieces: Sequence[Piece]) -> GrownSample:
        """Grow the trees of a sample from what each part gave to it."""
        gathered, positions, times, weights = joined(pieces)
        fractions: np.ndarray | None = None
        if weights is not None and self.most_weight is not None:
            fractions = weights / self.most_weight
        targets = self.targets(positions)
        grower = TreeGrower(
            self.features(gathered),
            targets,
            DrawnBag(times),
            fractions,
            self.rules,
            self.criterion,
            self.honest,
        )
        seed = np.random.SeedSequence(self.entropy, spawn_key=(tree,))
        # how often rows are there is known already, and would be kept as long as the trees
        return grower.grow(seed)._replace(bag=times[:0])
