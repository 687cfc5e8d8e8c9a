"""The baselines that a model file may hold: those that are made of arrays, or of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.baselines import LRT, RPC, BoostLR, Consensus
from rankwise.models._checks import call, check_matrix, check_pairwise
from rankwise.models._errors import RefusedError
from rankwise.models._trees import check_tree_meaning
from rankwise.tree._trees import Trees


def baseline_checks() -> dict[type, Callable[[Any], None]]:
    """Return class -> what must hold for it."""
    return {
        BoostLR: _check_boost,
        Consensus: _check_consensus,
        LRT: _check_lrt,
        RPC: check_pairwise,
    }


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
