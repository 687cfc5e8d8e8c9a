"""Steps before a classifier that many of them have in common, done once."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

from rankwise._fitted import is_pipeline
from rankwise.classifiers._squares import WithSquares


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
        steps = list(model) if is_pipeline(model) else []
        if len(steps) < 2 or not _are_plain(model, steps[:-1]):
            found.append((model, X))
            continue
        key = pickle.dumps(steps[:-1])
        if key not in done:
            done[key] = model[:-1].transform(X)
        found.append((steps[-1], done[key]))
    return found


def _are_plain(pipeline: Any, steps: list[Any]) -> bool:
    """Whether what steps make of a row follows from what they have learned, and from nothing else."""
    # imported here: few models are pipelines, and what these are made of takes long to load
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    plain = {SimpleImputer, StandardScaler, WithSquares}
    return type(pipeline) is Pipeline and plain.issuperset(map(type, steps))
