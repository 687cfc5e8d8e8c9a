"""Steps before a classifier that many of them have in common, done once."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rankwise.classifiers._squares import WithSquares

# What these make of a row follows from what they have learned, and from nothing else.
_PLAIN = {SimpleImputer, StandardScaler, WithSquares}


def has_plain_steps(model: Any) -> bool:
    """Whether it is a pipeline whose steps before the last learn and keep nothing but numbers.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> has_plain_steps(make_pipeline(StandardScaler(), LogisticRegression()))
    True
    """
    if type(model) is not Pipeline or len(model.steps) < 2:
        return False
    return {type(step) for _, step in model.steps[:-1]} <= _PLAIN and model.memory is None


def after_shared_steps(models: Iterable[Any], X: Any) -> list[tuple[Any, Any]]:
    """Return the classifier of each model, and the rows as they reach it.

    Pairs of labels that were compared in the same rows have learned the same means and spreads, but
    for the classifier itself.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
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
        if not has_plain_steps(model):
            found.append((model, X))
            continue
        *steps, last = model
        key = pickle.dumps(steps)
        if key not in done:
            done[key] = model[:-1].transform(X)
        found.append((last, done[key]))
    return found
