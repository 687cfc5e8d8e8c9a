"""Hypothesis classes in a model file, mostly as the classifiers of a `PairwiseRanker`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.hypotheses import Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork
from rankwise.models._checks import call, check_matrix
from rankwise.models._errors import RefusedError


def hypothesis_checks() -> dict[type, Callable[[Any], None]]:
    """Return class -> what must hold for it."""
    return {
        Ball: _if_fitted(_check_ball),
        Halfspace: _if_fitted(_check_halfspace),
        Rectangle: _if_fitted(_check_rectangle),
        SigmoidNetwork: _if_fitted(_check_network),
        SignNetwork: _if_fitted(_check_network),
    }


def _if_fitted(check: Callable[[Any, int], None]) -> Callable[[Any], None]:
    """An estimator that is a parameter of another has learned nothing yet."""

    def check_all(model: Any) -> None:
        state = vars(model)
        if not set(state) - set(model.get_params(deep=False)):
            return
        d, classes = state.get("n_features_in_"), state.get("classes_")
        if type(d) is not int or d < 1:
            raise RefusedError(f"its {type(model).__name__} classifies by no features")
        if not isinstance(classes, np.ndarray) or classes.shape != (2,):
            raise RefusedError(f"its {type(model).__name__} does not know two classes")
        check(model, d)

    return check_all


def _check_halfspace(model: Any, d: int) -> None:
    _check_numbers(model, {"_middle": (d,), "_scale": (d,), "_weights": (d + 1,)})
    _check_numbers(model, {"coef_": (1, d), "intercept_": (1,)})


def _check_ball(model: Any, d: int) -> None:
    _check_numbers(model, {"_middle": (d,), "_scale": (), "_weights": (d + 2,), "center_": (d,)})


def _check_rectangle(model: Any, d: int) -> None:
    for name in ("low_", "high_"):
        faces = vars(model).get(name)
        check_matrix(faces, name, (d,), "f")
        # a box may be open on a side
        if np.isnan(faces).any():
            raise RefusedError(f"its {name} holds NaN")


def _check_network(model: Any, d: int) -> None:
    call(model._check_sizes)
    h = model.hidden
    _check_numbers(model, {"_middle": (d,), "_spread": (d,)})
    _check_numbers(model, {"hidden_weights_": (d + 1, h), "output_weights_": (h + 1,)})


def _check_numbers(model: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        numbers = vars(model).get(name)
        check_matrix(numbers, name, shape, "f")
        if not np.isfinite(numbers).all():
            raise RefusedError(f"its {name} holds numbers that are not finite")
