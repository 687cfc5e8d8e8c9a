"""The estimators that a model file may hold: a fixed table, and what must hold for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rankwise.engine import Trees
from rankwise.forest import ForestRanker
from rankwise.models._baselines import baseline_checks, baseline_parts
from rankwise.models._checks import (
    check_grown,
    check_labelwise,
    check_names,
    check_pairwise,
    check_positions,
)
from rankwise.models._codec import Kind
from rankwise.models._hypotheses import hypothesis_checks
from rankwise.models._rows import row_keepers
from rankwise.models._state import put_together, take_apart, take_ranker_apart
from rankwise.models._trees import (
    check_trees,
    put_trees_together,
    take_trees_apart,
)
from rankwise.pairwise import PairwiseRanker, PositionRanker
from rankwise.tree import LabelwiseRanker, TreeRanker


def estimator_kinds() -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    checks: dict[type, Callable[[Any], None]] = {
        TreeRanker: check_grown,
        ForestRanker: check_grown,
        LabelwiseRanker: check_labelwise,
        PairwiseRanker: check_pairwise,
        PositionRanker: check_positions,
        **baseline_checks(),
    }
    kinds = [_ranker(cls, check) for cls, check in checks.items()]
    kinds += [_ranker(cls, check, alone=False) for cls, check in baseline_parts().items()]
    kinds += [
        _ranker(keeper.cls, keeper.check, keeper.take_apart, keeper.finish)
        for keeper in row_keepers()
    ]
    kinds += [
        Kind(cls, take_apart, partial(put_together, cls), check)
        for cls, check in hypothesis_checks().items()
    ]
    kinds.append(Kind(Trees, take_trees_apart, put_trees_together, check_trees, alone=False))
    return {kind.cls.__name__: kind for kind in kinds}


def _ranker(
    cls: type,
    check: Callable[[Any], None],
    take: Callable[[Any], dict[str, Any]] = take_ranker_apart,
    finish: Callable[[Any], None] | None = None,
    alone: bool = True,
) -> Kind:
    def check_all(model: Any) -> None:
        check_names(model)
        check(model)

    return Kind(cls, take, partial(put_together, cls), check_all, finish, alone)
