"""The metrics as scikit-learn scorers, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from rankwise._naming import suggest
from rankwise.metrics._pairs import compatible_match, kendall_distance, kendall_tau
from rankwise.metrics._positions import footrule_distance, spearman_distance, spearman_rho
from rankwise.metrics._ties import exact_match, tau_b, tau_x
from rankwise.metrics._top import reciprocal_rank, top_k_accuracy
from rankwise.rankings import ranks_from_scores

_GREATER_IS_BETTER = {
    compatible_match: True,
    exact_match: True,
    footrule_distance: False,
    kendall_distance: False,
    kendall_tau: True,
    reciprocal_rank: True,
    spearman_distance: False,
    spearman_rho: True,
    tau_b: True,
    tau_x: True,
    top_k_accuracy: True,
}
_SET_BY_THE_SCORER = {"Y_true", "Y_pred", "average", "sample_weight"}
_METRICS: dict[str, Callable[..., Any]] = {metric.__name__: metric for metric in _GREATER_IS_BETTER}


def scorer(name: str, **options: Any) -> Callable[..., float]:
    """Return a metric as a scorer for `cross_val_score`, `GridSearchCV` and their kin.

    Parameters
    ----------
    name : str
        One of `scorer_names()`. Distances are negated, so that greater is always better.
    **options
        Keywords of the metric, such as ``k=3`` for "top_k_accuracy".

    Returns
    -------
    callable
        Called as ``scorer(estimator, X, Y)``. What ``estimator.predict`` returns is read as
        positions, of which only the order counts: a plain multi-output regressor that was fitted
        to ranks can be scored, though it predicts 0.7 or -0.2.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> always_the_mean = DummyRegressor().fit([[0], [1]], [[1, 2, 3], [1, 3, 2]])
    >>> scorer("kendall_distance")(always_the_mean, [[5]], [[1, 2, 3]])
    -0.5
    """
    # Imported here because scikit-learn's metrics take longer to import than all of this package.
    from sklearn.metrics import make_scorer

    if not isinstance(name, str) or name not in _METRICS:
        hint = suggest(name, _METRICS) or f"choose from {scorer_names()}"
        raise ValueError(f"there is no scorer {name!r}; {hint}")
    metric = _METRICS[name]
    known = set(inspect.signature(metric).parameters) - _SET_BY_THE_SCORER
    for option in options:
        if option not in known:
            takes = f"options {sorted(known)}" if known else "no options"
            raise TypeError(f"scorer {name!r} has no option {option!r}; it takes {takes}")
    greater = _GREATER_IS_BETTER[metric]
    return make_scorer(_measure, greater_is_better=greater, metric=name, **options)


def scorer_names() -> list[str]:
    """Return the names that `scorer` takes, sorted.

    Examples
    --------
    >>> scorer_names()[:2]
    ['compatible_match', 'exact_match']
    """
    return sorted(_METRICS)


def _measure(Y_true: Any, Y_pred: Any, *, metric: str, **options: Any) -> float:
    ranks = ranks_from_scores(Y_pred, higher_is_better=False)
    return float(_METRICS[metric](Y_true, ranks, **options))
