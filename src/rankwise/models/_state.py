"""An estimator as two tables, its parameters and what it has learned, and back."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from rankwise.engine import Trees
from rankwise.models._errors import RefusedError


def take_apart(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator and its other attributes."""
    params = model.get_params(deep=False)
    fitted = {name: value for name, value in vars(model).items() if name not in params}
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


def take_ranker_apart(model: Any) -> dict[str, Any]:
    """As `take_apart`, for a ranker, which must be fitted."""
    state = take_apart(model)
    if "n_labels_" not in state["fitted"]:
        raise ValueError(f"this {type(model).__name__} is not fitted; call fit before save")
    return state


def put_together(cls: type, state: dict[str, Any]) -> Any:
    """Return an estimator of what a file says; nothing that its class defines can be replaced."""
    params, fitted = state.get("params"), state.get("fitted")
    if set(state) != {"params", "fitted"}:
        raise RefusedError(f"its {cls.__name__} is not described as estimators are")
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
