"""The rankers that a model file may hold: a fixed table, and what must hold for each."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.forest import ForestRanker
from rankwise.models._baselines import baseline_checks
from rankwise.models._checks import (
    check_grown,
    check_labelwise,
    check_names,
    check_pairwise,
    check_positions,
)
from rankwise.models._codec import Kind
from rankwise.models._errors import RefusedError
from rankwise.models._trees import (
    check_trees,
    put_trees_together,
    take_trees_apart,
)
from rankwise.pairwise import PairwiseRanker, PositionRanker
from rankwise.tree import LabelwiseRanker, TreeRanker
from rankwise.tree._trees import Trees


def ranker_kinds() -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    checks: dict[type, Callable[[Any], None]] = {
        TreeRanker: check_grown,
        ForestRanker: check_grown,
        LabelwiseRanker: check_labelwise,
        PairwiseRanker: check_pairwise,
        PositionRanker: check_positions,
        **baseline_checks(),
    }
    kinds = {cls.__name__: _kind(cls, check) for cls, check in checks.items()}
    kinds["Trees"] = Kind(Trees, take_trees_apart, put_trees_together, check_trees)
    return kinds


def _kind(cls: type, check: Callable[[Any], None]) -> Kind:
    def put_together(state: dict[str, Any]) -> Any:
        return _put_ranker_together(cls, state)

    def check_all(model: Any) -> None:
        check_names(model)
        check(model)

    return Kind(cls, _take_ranker_apart, put_together, check_all)


def _take_ranker_apart(model: Any) -> dict[str, Any]:
    params = model.get_params(deep=False)
    fitted = {name: value for name, value in vars(model).items() if name not in params}
    if "n_labels_" not in fitted:
        raise ValueError(f"this {type(model).__name__} is not fitted; call fit before save")
    state = params.get("random_state")
    if not (state is None or isinstance(state, (int, np.integer))):
        warnings.warn(
            f"random_state is a {type(state).__name__}, which is not saved: the loaded model has "
            "random_state=None; its predictions are the same",
            UserWarning,
            stacklevel=2,
        )
        params["random_state"] = None
    return {"params": params, "fitted": fitted}


def _put_ranker_together(cls: type, state: dict[str, Any]) -> Any:
    params, fitted = state.get("params"), state.get("fitted")
    if set(state) != {"params", "fitted"}:
        raise RefusedError(f"its {cls.__name__} is not described as rankers are")
    if not isinstance(params, dict) or not isinstance(fitted, dict):
        raise RefusedError(f"its {cls.__name__} has no parameters or no state")
    known = inspect.signature(cls).parameters
    for name, value in params.items():
        if name not in known:
            raise RefusedError(
                f"its {cls.__name__} has a parameter {str(name)[:60]!r}, unknown here"
            )
        if isinstance(value, (dict, list, tuple, np.ndarray, Trees)):
            raise RefusedError(f"its {cls.__name__} has a {type(value).__name__} as {name}")
    model = cls(**params)
    for name in fitted:
        if not isinstance(name, str) or not name.isidentifier() or name.startswith("__"):
            raise RefusedError(f"its {cls.__name__} has an attribute {str(name)[:60]!r}")
        if hasattr(cls, name) or name in known:
            raise RefusedError(f"its {cls.__name__} would have its {name} replaced; do not use it")
    vars(model).update(fitted)
    return model
