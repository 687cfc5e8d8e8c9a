"""Fitted steps of scikit-learn that are numbers and texts throughout: kept as rankers are.

skops keeps any step, but imports all of scikit-learn to read it back, which takes longer than most
predictions. The steps here are those of logistic regressions, which most models of pairs are made of.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rankwise._fitted import is_pipeline
from rankwise.models._arrays import DTYPES
from rankwise.models._codec import Kind
from rankwise.models._errors import RefusedError
from rankwise.models._state import kind_of, of_any_machine, put_together

PLAIN = {"LogisticRegression", "SimpleImputer", "StandardScaler", "WithSquares"}
# What a file calls a pipeline of them.
STEPS = "Steps"


def plain_kinds(named: Set[str] | None = None) -> dict[str, Kind]:
    """Return the table of those steps: name in the file -> class, and how it is kept.

    Of a file nothing is imported but what it names.
    """
    kinds = {}
    if named is None or "FillingLogistic" in named:
        from rankwise.classifiers import FillingLogistic

        kinds["FillingLogistic"] = replace(kind_of(FillingLogistic, alone=False), is_small=True)
    if named is not None and not named & {*PLAIN, STEPS}:
        return kinds
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    from rankwise.classifiers import WithSquares

    for cls in (LogisticRegression, SimpleImputer, StandardScaler, WithSquares):
        kinds[cls.__name__] = Kind(
            cls, _take_apart, partial(put_together, cls), _check, False, _is_plain, True
        )
    kinds[STEPS] = Kind(Pipeline, _steps_of, _pipeline_of, _check, False, _has_plain_steps, True)
    return kinds


def _take_apart(step: Any) -> dict[str, Any]:
    params = step.get_params(deep=False)
    fitted = {name: value for name, value in vars(step).items() if name not in params}
    return {"params": of_any_machine(params), "fitted": fitted}


def _is_plain(step: Any) -> bool:
    return all(map(_is_plain_value, vars(step).values()))


def _is_plain_value(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.newbyteorder("<").str in DTYPES
    return value is None or isinstance(value, (bool, int, float, str, np.number, np.dtype))


def _check(step: Any) -> None:
    if type(vars(step).get("n_features_in_", 1)) is not int:
        raise RefusedError(f"its {type(step).__name__} takes no whole number of features")


def _has_plain_steps(pipeline: Any) -> bool:
    plain = all(type(step).__name__ in PLAIN and _is_plain(step) for _, step in pipeline.steps)
    return plain and pipeline.memory is None and not pipeline.verbose


def _steps_of(pipeline: Any) -> dict[str, Any]:
    return dict(pipeline.steps)


def _pipeline_of(state: dict[str, Any]) -> Any:
    from sklearn.pipeline import Pipeline

    if not state or any(
        is_pipeline(step) or not hasattr(step, "get_params") for step in state.values()
    ):
        raise RefusedError("its pipeline has a step that is none")
    return Pipeline(list(state.items()))
