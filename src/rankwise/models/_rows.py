"""Baselines that keep training rows: neighbours and kernel regression.

A file holds the rows as they were kept, the rankings or weights that belong to them, and what was
chosen at fitting. The index of neighbours and the other forms of the rankings follow from these
alone, without a choice or a random number, and are made again at loading.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import NearestNeighbors

from rankwise.baselines import InstanceMallows, InstancePlackettLuce, KernelRidgeKemeny, KNNKemeny
from rankwise.baselines._embeddings import check_embedding, refuse_unembeddable
from rankwise.baselines._instance_plackett_luce import observed_orders
from rankwise.baselines._mallows import observed_places
from rankwise.baselines._neighbours import compares
from rankwise.models._checks import call, check_jobs, check_matrix
from rankwise.models._errors import RefusedError
from rankwise.models._state import take_ranker_apart
from rankwise.rankings import check_rankings

_DERIVED = ("_index", "_embedding", "_vectors", "_places", "_orders", "_model")
_KERNEL_ROWS, _KERNEL_WEIGHTS = "_kernel_rows", "_kernel_weights"


@dataclass(frozen=True)
class RowKeeper:
    """How one of these classes is kept."""

    cls: type
    check: Callable[[Any], None]
    take_apart: Callable[[Any], dict[str, Any]]
    finish: Callable[[Any], None]


def row_keepers() -> list[RowKeeper]:
    """Return the classes, each with what must hold for it and what follows from its rows."""
    return [
        RowKeeper(KNNKemeny, _check_kemeny, _without_derived, _finish_kemeny),
        RowKeeper(InstanceMallows, _check_no_ties, _without_derived, _finish_mallows),
        RowKeeper(InstancePlackettLuce, _check_no_ties, _without_derived, _finish_plackett_luce),
        RowKeeper(KernelRidgeKemeny, _check_ridge, _take_ridge_apart, _finish_ridge),
    ]


def _without_derived(model: Any) -> dict[str, Any]:
    state = take_ranker_apart(model)
    state["fitted"] = {
        name: value for name, value in state["fitted"].items() if name not in _DERIVED
    }
    return state


def _take_ridge_apart(model: Any) -> dict[str, Any]:
    state = _without_derived(model)
    state["fitted"][_KERNEL_ROWS] = model._model.X_fit_
    state["fitted"][_KERNEL_WEIGHTS] = model._model.dual_coef_
    return state


def _check_neighbours(model: Any) -> None:
    state, d, k = vars(model), model.n_features_in_, model.n_labels_
    rows = state.get("_kept_features")
    n = len(rows) if isinstance(rows, np.ndarray) and rows.ndim == 2 else 0
    if not n:
        raise RefusedError("it remembers no rows")
    for name, shape in (("_kept_features", (n, d)), ("_centre", (d,)), ("_spread", (d,))):
        _check_finite(state.get(name), name, shape)
    if not (state["_spread"] > 0).all():
        raise RefusedError("its _spread is not positive")
    check_matrix(state.get("_ranks"), "_ranks", (n, k), "f")
    call(lambda: check_rankings(model._ranks, warn=False))
    if not compares(model._ranks).all():
        raise RefusedError("it remembers rows that compare no labels")
    asked = state.get("n_neighbors_")
    if type(asked) is not int or not 1 <= asked <= n:
        raise RefusedError(f"it asks {str(asked)[:40]} of {n} neighbours")
    check_jobs(state.get("n_jobs"))


def _check_kemeny(model: Any) -> None:
    _check_neighbours(model)
    call(
        lambda: refuse_unembeddable(
            model._ranks, model.labels_, model.embedding, check_embedding(model.embedding)
        )
    )


def _check_no_ties(model: Any) -> None:
    _check_neighbours(model)
    call(lambda: check_rankings(model._ranks, allow_ties=False))


def _check_ridge(model: Any) -> None:
    state, k = vars(model), model.n_labels_
    call(lambda: check_embedding(model.embedding))
    rows = state.get(_KERNEL_ROWS)
    n = len(rows) if isinstance(rows, np.ndarray) and rows.ndim == 2 else 0
    if not n:
        raise RefusedError("it remembers no rows")
    width = {"kemeny": k * (k - 1) // 2, "hamming": k * k, "lehmer": k}[model.embedding]
    _check_finite(rows, _KERNEL_ROWS, (n, model.n_features_in_))
    _check_finite(state.get(_KERNEL_WEIGHTS), _KERNEL_WEIGHTS, (n, width))
    for name in ("alpha_", "gamma_"):
        number = state.get(name)
        if type(number) is not float or not 0 < number < np.inf:
            raise RefusedError(f"its {name} is {str(number)[:40]}, not a number above 0")


def _finish_neighbours(model: Any) -> None:
    model._index = NearestNeighbors(n_jobs=model.n_jobs).fit(model._kept_features)


def _finish_kemeny(model: Any) -> None:
    _finish_neighbours(model)
    model._embedding = check_embedding(model.embedding)
    model._vectors = model._embedding.embed(model._ranks)


def _finish_mallows(model: Any) -> None:
    _finish_neighbours(model)
    model._places = observed_places(model._ranks)


def _finish_plackett_luce(model: Any) -> None:
    _finish_neighbours(model)
    model._orders = observed_orders(model._ranks)


def _finish_ridge(model: Any) -> None:
    model._embedding = check_embedding(model.embedding)
    regressor = KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=model.gamma_)
    # what its fit would set, to the last bit
    regressor.n_features_in_ = model.n_features_in_
    regressor.X_fit_ = vars(model).pop(_KERNEL_ROWS)
    regressor.dual_coef_ = vars(model).pop(_KERNEL_WEIGHTS)
    model._model = regressor


def _check_finite(array: Any, name: str, shape: tuple[int, ...]) -> None:
    check_matrix(array, name, shape, "f")
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise RefusedError(f"its {name} holds numbers that are not finite, or of another type")
