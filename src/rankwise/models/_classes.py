"""The classes that a model file may hold: a fixed list. What a sound state is, each says itself."""

from __future__ import annotations

from rankwise.baselines import (
    LRRF,
    LRT,
    LWD,
    RPC,
    BoostLR,
    Consensus,
    InstanceMallows,
    InstancePlackettLuce,
    KernelRidgeKemeny,
    KNNKemeny,
)
from rankwise.forest import ForestRanker
from rankwise.hypotheses import Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork
from rankwise.models._codec import Kind
from rankwise.models._state import kind_of
from rankwise.models._table_model import table_kinds
from rankwise.pairwise import PairwiseRanker, PositionRanker
from rankwise.tree import LabelwiseRanker, TreeRanker

RANKERS = (
    TreeRanker,
    ForestRanker,
    LabelwiseRanker,
    PairwiseRanker,
    PositionRanker,
    BoostLR,
    Consensus,
    LRRF,
    LRT,
    LWD,
    RPC,
    KNNKemeny,
    InstanceMallows,
    InstancePlackettLuce,
    KernelRidgeKemeny,
)
HYPOTHESES = (Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork)


def known_kinds() -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    estimators = (*RANKERS, *HYPOTHESES)
    # private classes are found inside the estimators that are made of them, and never alone
    parts = dict.fromkeys(part for cls in estimators for part in _parts(cls))
    kinds = [kind_of(cls) for cls in estimators] + [kind_of(cls, alone=False) for cls in parts]
    return {kind.cls.__name__: kind for kind in kinds} | table_kinds()


def _parts(cls: type) -> list[type]:
    own = getattr(cls, "_saved_parts", ())
    return [*own, *(part for inner in own for part in _parts(inner))]
