"""Which column of the rows that go into a pipeline each feature that reaches its ranker was made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

# For each feature the number of the column it was made of; None where there are several, or nobody knows.
Sources = list[int | None]


def sources_of(pipeline: Pipeline, n_features: int) -> Sources | None:
    """Return the columns that the features behind the steps of a pipeline were made of, if steps tell.

    Followed are steps that keep, scale, fill or drop columns, encoders of categories, column
    transformers, and pipelines of these. Sums of columns, such as principal components, are of none.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder, StandardScaler
    >>> X = np.array([[1.0, 0], [0, 2], [1, 4]])
    >>> one_each = ColumnTransformer([("a", OneHotEncoder(), [1]), ("b", StandardScaler(), [0])])
    >>> sources_of(make_pipeline(one_each, "passthrough").fit(X), 4)
    [1, 1, 1, 0]
    >>> sources_of(make_pipeline(PCA(1), "passthrough").fit(X), 1)
    [None]
    """
    found = _through(pipeline[:-1], None)
    return found if found is not None and len(found) == n_features else None


def _through(step: Any, n_columns: int | None) -> Sources | None:
    """Return the columns behind each output of a step; None where the step does not tell."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return None if n_columns is None else list(range(n_columns))
    if isinstance(step, Pipeline):
        return _through_all([one for _, one in step.steps], n_columns)
    if isinstance(step, ColumnTransformer):
        return _through_parts(step)
    try:
        made = [str(name) for name in step.get_feature_names_out()]
        given = _names_of(step)
    except (AttributeError, TypeError, ValueError):
        return None
    if isinstance(step, OneHotEncoder):
        sizes = _encoded_sizes(step)
        if sum(sizes) == len(made):
            return [j for j, size in enumerate(sizes) for _ in range(size)]
    if len(set(given)) < len(given):
        return [None] * len(made)
    # A feature that keeps the name of a column was made of it alone.
    place = {name: j for j, name in enumerate(given)}
    return [place.get(name) for name in made]


def _through_all(steps: Sequence[Any], n_columns: int | None) -> Sources | None:
    told = [step for step in steps if hasattr(step, "n_features_in_")]
    if n_columns is None and told:
        n_columns = int(told[0].n_features_in_)
    if n_columns is None:
        return None
    behind: Sources = list(range(n_columns))
    for step in steps:
        inner = _through(step, len(behind))
        if inner is None or any(i is not None and i >= len(behind) for i in inner):
            return None
        behind = [None if i is None else behind[i] for i in inner]
    return behind


def _through_parts(step: ColumnTransformer) -> Sources | None:
    names = _names_of(step)
    ends = [part.stop for part in step.output_indices_.values()]
    behind: Sources = [None] * max(ends, default=0)
    for name, part, columns in step.transformers_:
        where = step.output_indices_[name]
        if where.start == where.stop:
            continue
        try:
            places = _places(columns, names)
        except (IndexError, KeyError, TypeError, ValueError):
            continue  # said in a way of its own, so that nothing is known of these
        inner = _through(part, len(places))
        if inner is not None and len(inner) == where.stop - where.start:
            behind[where] = [None if i is None else places[i] for i in inner]
    return behind


def _names_of(step: Any) -> list[str]:
    """Return what a step calls the columns that come in."""
    names = getattr(step, "feature_names_in_", None)
    return [f"x{j}" for j in range(step.n_features_in_)] if names is None else [*map(str, names)]


def _places(columns: Any, names: Sequence[str]) -> list[int]:
    chosen = np.atleast_1d(columns) if not isinstance(columns, slice) else columns
    if isinstance(chosen, np.ndarray) and chosen.dtype.kind in "OU":
        place = {name: j for j, name in enumerate(names)}
        return [place[str(name)] for name in chosen]
    return [int(j) for j in np.arange(len(names))[chosen]]


def _encoded_sizes(encoder: OneHotEncoder) -> list[int]:
    """Return how many features each column became."""
    sizes = [len(categories) for categories in encoder.categories_]
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(sizes)
    dropped = [None] * len(sizes) if encoder.drop_idx_ is None else list(encoder.drop_idx_)
    return [
        size - (0 if few is None else len(few) - 1) - (gone is not None)
        for size, few, gone in zip(sizes, rare, dropped, strict=True)
    ]
