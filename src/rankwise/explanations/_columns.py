"""Explanations in the user's terms: the columns of a table, or what a pipeline calls its features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._fitted import feature_names
from rankwise._naming import index_of, python_value
from rankwise._parameters import check_numbers
from rankwise.datasets.tables import Recipe
from rankwise.explanations._explanation import Contribution, Explanation
from rankwise.explanations._sources import sources_of


def steps_names(pipeline: Any, ranker: Any) -> list[str]:
    """Return the names of the features that reach the ranker at the end of a pipeline."""
    names = getattr(ranker, "feature_names_in_", None)
    if names is None and len(pipeline.steps) > 1:
        try:
            names = pipeline[:-1].get_feature_names_out()
        except (AttributeError, ValueError):
            names = None  # a step that does not say what its features are called
    if names is None and len(pipeline.steps) == 1:
        names = getattr(pipeline, "feature_names_in_", None)
    if names is None or len(names) != ranker.n_features_in_:
        return feature_names(ranker)
    return [str(name) for name in names]


def in_columns(
    found: Explanation, inside: Sequence[str], columns: Sequence[tuple[str, int, Any]]
) -> Explanation:
    """Add up what the features of each column do.

    Parameters
    ----------
    found : Explanation
        By features.
    inside : sequence of str
        What the features are called there, in order.
    columns : sequence of (name, number of features, value)
        In the order of the features.

    Returns
    -------
    Explanation
    """
    amount = {part.feature: part.amount for part in found.contributions}
    parts, start = [], 0
    for name, size, value in columns:
        total = sum(amount[feature] for feature in inside[start : start + size])
        parts.append(Contribution(name, value, float(total)))
        start += size
    parts.sort(key=lambda part: -abs(part.amount))
    return replace(found, contributions=tuple(parts))


def in_sources(found: Explanation, pipeline: Any, ranker: Any, x: Any) -> Explanation:
    """Put an explanation by the features that reach a ranker in terms of the columns of its pipeline.

    What features of one column do is added up, and the cell is that of `x`, as it was given. Features
    made of several columns stay, by the names that the steps give them.
    """
    inside, outside = feature_names(ranker), steps_names(pipeline, ranker)
    made = {part.feature: part for part in found.contributions}
    sources = sources_of(pipeline, len(inside)) or [None] * len(inside)
    names, cells = _cells_of(x, pipeline)
    amounts: dict[tuple[str, Any], float] = {}
    values: dict[tuple[str, Any], Any] = {}
    for feature, name, source in zip(inside, outside, sources, strict=True):
        key = ("step", name) if source is None else ("column", source)
        values[key] = made[feature].value if source is None else cells[source]
        amounts[key] = amounts.get(key, 0.0) + made[feature].amount
    parts = [
        Contribution(key[1] if key[0] == "step" else names[key[1]], values[key], amount)
        for key, amount in amounts.items()
    ]
    parts.sort(key=lambda part: -abs(part.amount))
    return replace(found, contributions=tuple(parts))


def _cells_of(x: Any, pipeline: Any) -> tuple[list[str], list[Any]]:
    """Return names and cells of one row, in the order in which the first step was given columns."""
    known = getattr(pipeline, "feature_names_in_", None)
    if hasattr(x, "tocoo"):
        x = x.toarray()
    if not hasattr(x, "columns"):
        cells = np.asarray(x)[0].tolist()
        names = [f"feature {j}" for j in range(len(cells))] if known is None else list(known)
        return [str(name) for name in names], cells
    names = list(x.columns if known is None else known)
    cells = [x[name].iloc[0] if hasattr(x, "iloc") else x[name][0] for name in names]
    return [str(name) for name in names], [python_value(cell) for cell in cells]


@check_arguments
def in_recipe(found: Explanation, model: Any, recipe: Recipe, x: Any) -> Explanation:
    """Put an explanation in terms of the columns of a table, with their cells.

    Parameters
    ----------
    found : Explanation
        By the features of a ranker.
    model : ranker
        Whose features they are.
    recipe : Recipe
        By which they were made of the columns.
    x : array-like of shape (1, n_features)
        The row, as the recipe makes it.

    Returns
    -------
    Explanation
        What the features of a column do is added up.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.datasets.tables import Column
    >>> recipe = Recipe((Column("place", ("home", "work", "train")),))
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> model = rw.TreeRanker().fit(X, [[1, 2], [2, 1], [2, 1]])
    >>> found = rw.explain(model, [1, 0, 0], 0, 1)
    >>> in_recipe(found, model, recipe, [X[0]]).contributions
    (Contribution(feature='place', value='home', amount=...),)
    """
    cells, columns, start = check_numbers("x", x, 2)[0], [], 0
    for column in recipe.columns:
        size = len(column.features)
        value: Any = column.cell(cells[start : start + size])
        is_missing = column.categories is not None and not isinstance(value, str)
        columns.append((column.name, size, None if is_missing else value))
        start += size
    return in_columns(found, feature_names(model), columns)


def with_row_names(found: Explanation, X: Any) -> Explanation:
    """Call similar rows what the index of the training rows calls them."""
    index = index_of(X)
    if index is None or found.similar_rows is None:
        return found
    rows = tuple(replace(row, name=str(index[row.row])) for row in found.similar_rows)
    return replace(found, similar_rows=rows)
