"""The baselines that a model file may hold: those that are made of trees, classifiers or one ranking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.baselines import LRRF, LRT, LWD, RPC, BoostLR, Consensus
from rankwise.baselines._lrrf import TopLabelForest
from rankwise.engine import Trees
from rankwise.models._checks import (
    call,
    check_jobs,
    check_matrix,
    check_pairwise,
    check_part,
    check_texts,
)
from rankwise.models._errors import RefusedError
from rankwise.models._trees import check_tree_meaning


def baseline_checks() -> dict[type, Callable[[Any], None]]:
    """Return class -> what must hold for it."""
    return {
        BoostLR: _check_boost,
        Consensus: _check_consensus,
        LRRF: _check_lrrf,
        LRT: _check_lrt,
        LWD: _check_lwd,
        RPC: check_pairwise,
    }


def baseline_parts() -> dict[type, Callable[[Any], None]]:
    """Return the same for classes that are only found inside others."""
    return {TopLabelForest: _check_top_forest}


def _check_consensus(model: Any) -> None:
    k = model.n_labels_
    state = vars(model)
    check_matrix(state.get("ranks_"), "ranks_", (k,), "i")
    check_matrix(state.get("_shares"), "_shares", (k, k), "f")
    _check_rankings(model.ranks_[None], k)
    if not ((model._shares >= 0) & (model._shares <= 1)).all():
        raise RefusedError("its shares are not between 0 and 1")


def _check_lrt(model: Any) -> None:
    trees = _trees_of(model)
    n, k = len(trees.values), model.n_labels_
    if len(trees.roots) != 1:
        raise RefusedError("its LRT has several trees")
    state = vars(model)
    check_matrix(state.get("centers_"), "centers_", (n, k), "i")
    check_matrix(state.get("thetas_"), "thetas_", (n,), "f")
    _check_rankings(model.centers_, k)
    if not (model.thetas_ >= 0).all():
        raise RefusedError("its thetas_ are negative or not numbers")


def _check_lrrf(model: Any) -> None:
    forest = vars(model).get("_forest")
    if type(forest) is not TopLabelForest:
        raise RefusedError("it has no forest")
    if (forest.n_labels_, forest.n_features_in_) != (model.n_labels_, model.n_features_in_):
        raise RefusedError("its forest is about other labels or features")


def _check_top_forest(model: Any) -> None:
    call(model._check_parameters)
    if vars(model).get("decomposition_") != "joint":
        raise RefusedError("its forest is not one of whole rankings")
    _trees_of(model)
    check_jobs(vars(model).get("n_jobs"))


def _check_lwd(model: Any) -> None:
    call(model._check_parameters)
    k, estimators = model.n_labels_, vars(model).get("estimators_")
    if not (
        isinstance(estimators, list)
        and len(estimators) == k
        and all(isinstance(row, list) and len(row) == k - 1 for row in estimators)
    ):
        raise RefusedError(f"it has no {k - 1} classifiers for each of its {k} labels")
    for entry in (entry for row in estimators for entry in row):
        if type(entry) is not float:
            check_part(entry, "predict_proba")
        elif not 0 <= entry <= 1:
            raise RefusedError(f"it has {entry} for a chance")
    check_texts(vars(model).get("_names"), k)


def _check_boost(model: Any) -> None:
    call(model._check_parameters)
    trees = _trees_of(model)
    weights = vars(model).get("estimator_weights_")
    check_matrix(weights, "estimator_weights_", (len(trees.roots),), "f")
    if not (np.isfinite(model.estimator_weights_) & (model.estimator_weights_ > 0)).all():
        raise RefusedError("its estimator_weights_ are not positive numbers")


def _trees_of(model: Any) -> Trees:
    trees = vars(model).get("_trees")
    if not isinstance(trees, Trees):
        raise RefusedError("it has no trees")
    check_tree_meaning(trees, model.n_features_in_, model.n_labels_, "joint")
    return trees


def _check_rankings(ranks: np.ndarray, k: int) -> None:
    if (np.sort(ranks, axis=1) != np.arange(1, k + 1)).any():
        raise RefusedError(f"its rankings are no rankings of {k} labels")
