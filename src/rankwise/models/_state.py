"""An object as a table of what it is made of, and back: estimators, and records such as flat trees."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from rankwise.models._codec import Kind
from rankwise.models._errors import RefusedError


def kind_of(cls: type, *, alone: bool = True) -> Kind:
    """Return how objects of a class are kept: by parameters and attributes, or by fields."""
    if not is_dataclass(cls):
        return Kind(cls, _take_apart, partial(put_together, cls), _check_estimator, alone)
    take = getattr(cls, "_saved_state", _fields_of)
    put = getattr(cls, "_from_state", partial(_from_fields, cls))
    return Kind(cls, take, put, lambda record: record._check_state(), alone)


def _fields_of(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _from_fields(cls: type, state: dict[str, Any]) -> Any:
    if set(state) != {field.name for field in fields(cls)}:
        raise RefusedError(f"its {cls.__name__} lacks a part or a number, or has one too many")
    return cls(**state)


def of_any_machine(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters without what belongs to a machine: threads, files to keep, memory to save.

    A file comes from another machine, or from a stranger who would have thousands of threads. All
    processors (-1) is a wish that every machine can grant, and stays. A step that saves memory
    (``copy=False``) would write into the rows that its user asks about. Names may be those of parts
    inside of parts, such as ``estimator__n_jobs``.

    Examples
    --------
    >>> of_any_machine({"max_depth": 3, "n_jobs": 3000, "estimator__memory": "/tmp/x"})
    {'max_depth': 3, 'n_jobs': None, 'estimator__memory': None}
    """
    kept = {}
    for name, value in params.items():
        last = str(name).rpartition("__")[2]
        is_number = last == "n_jobs" and type(value) is int and value != -1
        kept[name] = None if is_number or last == "memory" else value
        if last == "copy" and value is False:
            kept[name] = True
    return kept


def _take_apart(model: Any) -> dict[str, Any]:
    # this looks at the parameters too
    fitted = model._saved_state()
    params = of_any_machine(model._saved_params())
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
        if not all(map(_is_parameter, value if isinstance(value, (list, tuple)) else [value])):
            raise RefusedError(f"its {cls.__name__} has a {type(value).__name__} as {name}")
    model = cls(**of_any_machine(params))
    for name in fitted:
        if not isinstance(name, str) or not name.isidentifier() or name.startswith("__"):
            raise RefusedError(f"its {cls.__name__} has an attribute {str(name)[:60]!r}")
        if hasattr(cls, name) or name in known:
            raise RefusedError(f"its {cls.__name__} would have its {name} replaced; do not use it")
    vars(model).update(fitted)
    return model


def _is_parameter(value: Any) -> bool:
    plain = value is None or isinstance(value, (bool, int, float, str))
    return plain or hasattr(type(value), "get_params")


def _check_estimator(model: Any) -> None:
    try:
        model._check_parameters()
    except Exception as error:  # a stranger's scikit-learn part may raise anything
        raise RefusedError(f"its parameters are not valid: {str(error)[:500]}") from None
    model._check_state()
    model._restore()
