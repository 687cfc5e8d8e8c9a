"""The classes that a model file may hold: a fixed list. What a sound state is, each says itself."""

from __future__ import annotations

from rankwise import baselines, hypotheses
from rankwise.auto import AutoRanker
from rankwise.forest import ForestRanker
from rankwise.models._codec import Kind
from rankwise.models._pipeline import PIPELINE
from rankwise.models._state import kind_of
from rankwise.models._table_model import TableModel
from rankwise.pairwise import KernelRanker, PairwiseRanker, PositionRanker
from rankwise.ranker import Certainty
from rankwise.tables import TableRanker
from rankwise.tree import LabelwiseRanker, TreeRanker

MODELS = (
    AutoRanker,
    TreeRanker,
    ForestRanker,
    LabelwiseRanker,
    PairwiseRanker,
    PositionRanker,
    KernelRanker,
    baselines.BoostLR,
    baselines.Consensus,
    baselines.LRRF,
    baselines.LRT,
    baselines.LWD,
    baselines.RPC,
    baselines.KNNKemeny,
    baselines.InstanceMallows,
    baselines.InstancePlackettLuce,
    baselines.InstancePLR,
    baselines.KernelRidgeKemeny,
    baselines.PLRBagging,
    baselines.PLRForest,
    baselines.PLRTree,
    hypotheses.Ball,
    hypotheses.Halfspace,
    hypotheses.Rectangle,
    hypotheses.SigmoidNetwork,
    hypotheses.SignNetwork,
    TableRanker,
    TableModel,
)


def known_kinds() -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    # found inside the models that are made of them, and never alone
    parts = {Certainty, *(part for cls in MODELS for part in _parts(cls))}
    kinds = [kind_of(cls) for cls in MODELS] + [kind_of(cls, alone=False) for cls in parts]
    return {kind.cls.__name__: kind for kind in (*kinds, PIPELINE)}


def _parts(cls: type) -> list[type]:
    own = getattr(cls, "_saved_parts", ())
    return [*own, *(part for inner in own for part in _parts(inner))]
