"""The metrics as scikit-learn scorers, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise._naming import shown, suggest
from rankwise.metrics._pairs import compatible_match, kendall_distance, kendall_tau
from rankwise.metrics._positions import footrule_distance, spearman_distance, spearman_rho
from rankwise.metrics._regret import chosen_value, regret
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
# These need to know what each label is worth, beside the rankings.
_OF_VALUES: dict[str, Callable[..., Any]] = {"regret": regret, "chosen_value": chosen_value}
_SET_BY_THE_SCORER = {"Y_true", "Y_pred", "values", "average", "sample_weight"}
_METRICS: dict[str, Callable[..., Any]] = {metric.__name__: metric for metric in _GREATER_IS_BETTER}


def scorer(name: str, **options: Any) -> Callable[..., float]:
    """Return a metric as a scorer for `cross_val_score`, `GridSearchCV` and their kin.

    Parameters
    ----------
    name : str
        One of `scorer_names()`, or "regret" or "chosen_value". Distances and costs are negated, so
        that greater is always better.
    **options
        Keywords of the metric, such as ``k=3`` for "top_k_accuracy". "regret" and "chosen_value" want
        to know whether ``higher_is_better``.

    Returns
    -------
    callable
        Called as ``scorer(estimator, X, Y)``. What ``estimator.predict`` returns is read as
        positions, of which only the order counts: a plain multi-output regressor that was fitted
        to ranks can be scored, though it predicts 0.7 or -0.2. "regret" and "chosen_value" take
        the values of the labels by scikit-learn's metadata routing: see the second example.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> always_the_mean = DummyRegressor().fit([[0], [1]], [[1, 2, 3], [1, 3, 2]])
    >>> scorer("kendall_distance")(always_the_mean, [[5]], [[1, 2, 3]])
    -0.5

    What a choice costs, where ``seconds`` holds the run times of the rows of X (labels that are
    predicted equal cost their mean):

    >>> import sklearn
    >>> from sklearn.model_selection import cross_val_score
    >>> X, Y = [[0], [1], [2], [3]], [[1, 2], [1, 2], [2, 1], [1, 2]]
    >>> seconds = [[1, 9], [2, 9], [7, 5], [1, 2]]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     costs = scorer("regret", higher_is_better=False)
    ...     cross_val_score(DummyRegressor(), X, Y, scoring=costs, cv=2, params={"values": seconds})
    array([-3.75, -1.  ])
    """
    # Imported here because scikit-learn's metrics take longer to import than all of this package.
    from sklearn.metrics import make_scorer

    if not isinstance(name, str) or name not in {**_METRICS, **_OF_VALUES}:
        names = [*scorer_names(), *_OF_VALUES]
        hint = isinstance(name, str) and suggest(name, names)
        raise ValueError(f"there is no scorer {shown(name)}; {hint or f'choose from {names}'}")
    metric = _METRICS[name] if name in _METRICS else _OF_VALUES[name]
    known = set(inspect.signature(metric).parameters) - _SET_BY_THE_SCORER
    for option in options:
        if option not in known:
            takes = f"options {sorted(known)}" if known else "no options"
            raise TypeError(f"scorer {name!r} has no option {option!r}; it takes {takes}")
    if name in _METRICS:
        greater = _GREATER_IS_BETTER[_METRICS[name]]
        return make_scorer(_measure, greater_is_better=greater, metric=name, **options)
    return _scorer_of_values(name, options)


def scorer_names() -> list[str]:
    """Return the names that `scorer` takes, sorted, but for those that need values.

    Examples
    --------
    >>> scorer_names()[:2]
    ['compatible_match', 'exact_match']
    """
    return sorted(_METRICS)


def _scorer_of_values(name: str, options: dict[str, Any]) -> Any:
    from sklearn import get_config
    from sklearn.metrics import make_scorer

    if "higher_is_better" not in options:
        raise TypeError(
            f"scorer {name!r}: are high values better (yields) or low ones (run times)? say "
            "higher_is_better=True or False"
        )
    if not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"scorer {name!r} needs the values of the labels, which scikit-learn passes on by its "
            "metadata routing alone; say sklearn.set_config(enable_metadata_routing=True) first, and "
            "give params={'values': values} to cross_val_score or values=values to GridSearchCV.fit"
        )
    greater = name == "chosen_value" and options["higher_is_better"]
    made = make_scorer(_measure_values, greater_is_better=greater, metric=name, **options)
    return made.set_score_request(values=True)


def _measure_values(Y_true: Any, Y_pred: Any, *, metric: str, values: Any, **options: Any) -> float:
    ranks = ranks_from_scores(Y_pred, higher_is_better=False)
    return float(_OF_VALUES[metric](np.asarray(values), np.asarray(ranks), **options))


def _measure(Y_true: Any, Y_pred: Any, *, metric: str, **options: Any) -> float:
    ranks = ranks_from_scores(Y_pred, higher_is_better=False)
    return float(_METRICS[metric](Y_true, ranks, **options))
