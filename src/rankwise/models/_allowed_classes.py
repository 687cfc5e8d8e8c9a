"""The classes that a model file may hold: a fixed list. What a sound state is, each says itself."""

from __future__ import annotations

from collections.abc import Set

import rankwise
from rankwise.models._codec import Kind
from rankwise.models._pipeline import pipeline_kind
from rankwise.models._plain_parts import plain_kinds
from rankwise.models._state import kind_of
from rankwise.ranker import Certainty

# By the package of rankwise that they are in, which is loaded when it is first used.
MODELS = {
    "auto": ("AutoRanker",),
    "tree": ("TreeRanker", "LabelwiseRanker"),
    "forest": ("ForestRanker",),
    "pairwise": ("PairwiseRanker", "PositionRanker", "KernelRanker"),
    "baselines": (
        "BoostLR",
        "Consensus",
        "LRRF",
        "LRT",
        "LWD",
        "RPC",
        "KNNKemeny",
        "InstanceMallows",
        "InstancePlackettLuce",
        "InstancePLR",
        "KernelRidgeKemeny",
        "PLRBagging",
        "PLRForest",
        "PLRTree",
    ),
    "hypotheses": ("Ball", "Halfspace", "Rectangle", "SigmoidNetwork", "SignNetwork"),
    "tables": ("TableRanker",),
    "models": ("TableModel",),
}


def model_classes(named: Set[str] | None = None) -> list[type]:
    """Return the classes that may stand alone in a file: all, or those of these names."""
    return [
        getattr(getattr(rankwise, package), name)
        for package, names in MODELS.items()
        for name in names
        if named is None or name in named
    ]


def known_kinds(named: Set[str] | None = None) -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    models = model_classes(named)
    # found inside the models that are made of them, and never alone
    parts = {Certainty, *(part for cls in models for part in _parts(cls))}
    kinds = [kind_of(cls) for cls in models] + [kind_of(cls, alone=False) for cls in parts]
    if named is None or "Pipeline" in named:
        kinds.append(pipeline_kind())
    return {kind.cls.__name__: kind for kind in kinds} | plain_kinds(named)


def _parts(cls: type) -> list[type]:
    own = getattr(cls, "_saved_parts", ())
    return [*own, *(part for inner in own for part in _parts(inner))]
