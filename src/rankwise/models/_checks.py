"""What must hold for each ranker before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.engine import Trees
from rankwise.models._errors import RefusedError
from rankwise.models._trees import check_tree_meaning

_DECOMPOSITIONS = ("labelwise", "joint", "pairwise")


def check_names(model: Any) -> None:
    """Refuse a ranker without labels, features or their names."""
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
    if state.get("_output_container") not in (None, "default", "pandas", "polars"):
        raise RefusedError("it returns predictions in an unknown container")


def check_grown(model: Any) -> None:
    """Refuse a tree or a forest whose trees do not fit it."""
    call(model._check_parameters)
    state = vars(model)
    decomposition, trees = state.get("decomposition_"), state.get("_trees")
    if decomposition not in _DECOMPOSITIONS or not isinstance(trees, Trees):
        raise RefusedError("it has no trees, or does not say what they are about")
    k, d = model.n_labels_, model.n_features_in_
    check_tree_meaning(trees, d, k, decomposition)
    for name, shape in (("feature_importances_", (d,)), ("label_importances_", (k, d))):
        check_matrix(state.get(name), name, shape, "f")
    check_jobs(state.get("n_jobs"))


def check_labelwise(model: Any) -> None:
    """Refuse a ranker without a regressor per label."""
    estimators = vars(model).get("estimators_")
    if not isinstance(estimators, list) or len(estimators) != model.n_labels_:
        raise RefusedError(f"it has no regressor for each of its {model.n_labels_} labels")
    for estimator in estimators:
        check_part(estimator, "predict")


def check_pairwise(model: Any) -> None:
    """Refuse a ranker of pairs whose counts or classifiers do not fit it."""
    call(model._check_parameters)
    state, k = vars(model), model.n_labels_
    check_matrix(state.get("pair_counts_"), "pair_counts_", (k, k), "i")
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
        check_part(estimator, "predict")
    if type(state.get("_seed")) is not int or not 0 <= state["_seed"] < 1 << 63:
        raise RefusedError("it has no seed")
    check_texts(state.get("_names"), k)


def check_positions(model: Any) -> None:
    """Refuse a ranker of positions whose counts or classifiers do not fit it."""
    call(model._check_parameters)
    state, k = vars(model), model.n_labels_
    check_matrix(state.get("position_counts_"), "position_counts_", (k, k), "i")
    if (model.position_counts_ < 0).any():
        raise RefusedError("its position_counts_ are negative")
    estimators = state.get("estimators_")
    if not isinstance(estimators, list) or len(estimators) != k:
        raise RefusedError(f"it has no entry for each of its {k} positions")
    for estimator in estimators:
        if estimator is not None:
            check_part(estimator, "predict_proba")
            classes = _classes_of(estimator)
            if classes.dtype.kind not in "iu" or ((classes < 0) | (classes >= k)).any():
                raise RefusedError("a classifier of its positions knows other labels")
    check_texts(state.get("_names"), k)


def check_matrix(array: Any, name: str, shape: tuple[int, ...], kind: str) -> None:
    """Refuse what is no array of this shape and kind."""
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype.kind != kind:
        raise RefusedError(f"its {name} is not of shape {shape}")


def check_jobs(jobs: Any) -> None:
    """Refuse what is no number of processors."""
    if not (jobs is None or (type(jobs) is int and jobs != 0)):
        raise RefusedError(f"its n_jobs is {str(jobs)[:40]!r}")


def check_part(part: Any, method: str) -> None:
    """Refuse what is no fitted estimator with this method."""
    try:
        found = hasattr(part, method)
    except Exception:  # as in `call`: a property of a crafted pipeline
        found = False
    if not found:
        raise RefusedError(f"it holds a {type(part).__name__} where an estimator belongs")


def _classes_of(part: Any) -> np.ndarray:
    try:
        return np.asarray(part.classes_)
    except Exception:  # as above
        raise RefusedError("a classifier of its positions knows no labels") from None


def check_texts(texts: Any, n: int) -> None:
    """Refuse what is no list of so many texts."""
    if not isinstance(texts, list) or len(texts) != n or not all(type(t) is str for t in texts):
        raise RefusedError(f"it has no {n} names")


def call(check: Callable[[], Any]) -> None:
    """Run a ranker's own check of its parameters; what it raises is a reason to refuse."""
    try:
        check()
    except Exception as error:  # a stranger's scikit-learn part may raise anything
        raise RefusedError(f"its parameters are not valid: {error}") from None
