"""Steps before a classifier that many of them have in common, done once."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

from rankwise._fitted import is_pipeline
from rankwise.classifiers._filling_logistic import FillingLogistic
from rankwise.classifiers._squares import WithSquares


def has_plain_steps(model: Any) -> bool:
    """Whether it is a pipeline whose steps before the last learn and keep nothing but numbers.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> has_plain_steps(make_pipeline(StandardScaler(), LogisticRegression()))
    True
    """
    if not is_pipeline(model) or len(model.steps) < 2:
        return False
    # imported here: few models are pipelines, and what these are made of takes long to load
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    steps = {type(step) for _, step in model.steps[:-1]}
    is_plain = type(model) is Pipeline and model.memory is None
    return is_plain and steps <= {SimpleImputer, StandardScaler, WithSquares}


def after_shared_steps(models: Iterable[Any], X: Any) -> list[tuple[Any, Any]]:
    """Return the classifier of each model, and the rows as they reach it.

    Pairs of labels that were compared in the same rows have learned the same means and spreads, but
    for the classifier itself.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X = [[1.0], [3.0]]
    >>> models = [
    ...     make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y) for y in ([0, 1], [1, 0])
    ... ]
    >>> (first, rows), (second, same) = after_shared_steps(models, X)
    >>> rows.tolist(), same is rows
    ([[-1.0], [1.0]], True)
    """
    done: dict[bytes, Any] = {}
    found = []
    for model in models:
        if type(model) is FillingLogistic:
            key = model.learned_of_features()
            if key not in done:
                done[key] = model.design(X)
            found.append((model.lines(), done[key]))
            continue
        if not has_plain_steps(model):
            found.append((model, X))
            continue
        *steps, last = model
        key = pickle.dumps(steps)
        if key not in done:
            done[key] = model[:-1].transform(X)
        found.append((last, done[key]))
    return found
