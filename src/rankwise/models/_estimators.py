"""The rankers that a model file may hold: a fixed table, and what must hold for each."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.forest import ForestRanker
from rankwise.models._codec import Kind
from rankwise.models._errors import RefusedError
from rankwise.models._trees import (
    check_tree_meaning,
    check_trees,
    put_trees_together,
    take_trees_apart,
)
from rankwise.pairwise import PairwiseRanker, PositionRanker
from rankwise.tree import LabelwiseRanker, TreeRanker
from rankwise.tree._trees import Trees

_DECOMPOSITIONS = ("labelwise", "joint", "pairwise")


def ranker_kinds() -> dict[str, Kind]:
    """Return the table: name in the file -> class, and how it is kept."""
    checks: dict[type, Callable[[Any], None]] = {
        TreeRanker: _check_grown,
        ForestRanker: _check_grown,
        LabelwiseRanker: _check_labelwise,
        PairwiseRanker: _check_pairwise,
        PositionRanker: _check_positions,
    }
    kinds = {cls.__name__: _kind(cls, check) for cls, check in checks.items()}
    kinds["Trees"] = Kind(Trees, take_trees_apart, put_trees_together, check_trees)
    return kinds


def _kind(cls: type, check: Callable[[Any], None]) -> Kind:
    def put_together(state: dict[str, Any]) -> Any:
        return _put_ranker_together(cls, state)

    def check_all(model: Any) -> None:
        _check_names(model)
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


def _check_names(model: Any) -> None:
    state = vars(model)
    k, d = state.get("n_labels_"), state.get("n_features_in_")
    if type(k) is not int or type(d) is not int or k < 2 or d < 1:
        raise RefusedError("it ranks no labels by no features")
    labels = state.get("labels_")
    if not isinstance(labels, np.ndarray) or labels.shape != (k,) or len(set(labels.tolist())) != k:
        raise RefusedError(f"it has no {k} different labels")
    if type(state.get("_labels_are_named")) is not bool:
        raise RefusedError("it does not say whether its labels have names")
    names = state.get("feature_names_in_")
    if names is not None and not (
        isinstance(names, np.ndarray) and names.dtype == object and names.shape == (d,)
    ):
        raise RefusedError(f"it has no names for its {d} features")
    if state.get("_output_container") not in (None, "default", "pandas"):
        raise RefusedError("it returns predictions in an unknown container")


def _check_grown(model: Any) -> None:
    _call(model._check_parameters)
    state = vars(model)
    decomposition, trees = state.get("decomposition_"), state.get("_trees")
    if decomposition not in _DECOMPOSITIONS or not isinstance(trees, Trees):
        raise RefusedError("it has no trees, or does not say what they are about")
    k, d = model.n_labels_, model.n_features_in_
    check_tree_meaning(trees, d, k, decomposition)
    for name, shape in (("feature_importances_", (d,)), ("label_importances_", (k, d))):
        _check_matrix(state.get(name), name, shape, "f")
    jobs = state.get("n_jobs")
    if not (jobs is None or type(jobs) is int):
        raise RefusedError(f"its n_jobs is {str(jobs)[:40]!r}")


def _check_labelwise(model: Any) -> None:
    estimators = vars(model).get("estimators_")
    if not isinstance(estimators, list) or len(estimators) != model.n_labels_:
        raise RefusedError(f"it has no regressor for each of its {model.n_labels_} labels")
    for estimator in estimators:
        _check_part(estimator, "predict")


def _check_pairwise(model: Any) -> None:
    _call(model._check_parameters)
    state, k = vars(model), model.n_labels_
    _check_matrix(state.get("pair_counts_"), "pair_counts_", (k, k), "i")
    if (model.pair_counts_ < 0).any():
        raise RefusedError("its pair_counts_ are negative")
    estimators = state.get("estimators_")
    if not isinstance(estimators, dict):
        raise RefusedError("it has no classifiers of pairs")
    contested = {(i, j) for i in range(k) for j in range(i + 1, k)}
    for pair, estimator in estimators.items():
        if pair not in contested:
            raise RefusedError(
                f"it has a classifier of {str(pair)[:40]}, which is no pair of labels"
            )
        _check_part(estimator, "predict")
    if type(state.get("_seed")) is not int or not 0 <= state["_seed"] < 1 << 63:
        raise RefusedError("it has no seed")
    _check_texts(state.get("_names"), k)


def _check_positions(model: Any) -> None:
    _call(model._check_parameters)
    state, k = vars(model), model.n_labels_
    _check_matrix(state.get("position_counts_"), "position_counts_", (k, k), "i")
    if (model.position_counts_ < 0).any():
        raise RefusedError("its position_counts_ are negative")
    estimators = state.get("estimators_")
    if not isinstance(estimators, list) or len(estimators) != k:
        raise RefusedError(f"it has no entry for each of its {k} positions")
    for estimator in estimators:
        if estimator is not None:
            _check_part(estimator, "predict_proba")
            classes = np.asarray(getattr(estimator, "classes_", ()))
            if classes.dtype.kind not in "iu" or ((classes < 0) | (classes >= k)).any():
                raise RefusedError("a classifier of its positions knows other labels")
    _check_texts(state.get("_names"), k)


def _check_matrix(array: Any, name: str, shape: tuple[int, ...], kind: str) -> None:
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype.kind != kind:
        raise RefusedError(f"its {name} is not of shape {shape}")


def _check_part(part: Any, method: str) -> None:
    if not hasattr(part, method):
        raise RefusedError(f"it holds a {type(part).__name__} where an estimator belongs")


def _check_texts(texts: Any, n: int) -> None:
    if not isinstance(texts, list) or len(texts) != n or not all(type(t) is str for t in texts):
        raise RefusedError(f"it has no {n} names")


def _call(check: Callable[[], Any]) -> None:
    try:
        check()
    except (ValueError, TypeError) as error:
        raise RefusedError(f"its parameters are not valid: {error}") from None
