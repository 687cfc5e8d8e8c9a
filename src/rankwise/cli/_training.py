"""What `fit` computes: a model, of data with the recipe of its columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankwise.cli._folds import (
    consensus_of,
    cross_validate,
    fit_ranker,
    progress_of_folds,
    usable_rows,
)
from rankwise.cli._reading import reading_of
from rankwise.datasets import Dataset
from rankwise.models import Certainty, Column, Recipe, TableModel, fit_certainty


def fit_table_model(
    training: Dataset, make: Callable[[], Any], *, learner: str, folds: int, seed: int
) -> TableModel:
    """Check on held-out rows, fit certainty to them, and fit the ranker to all rows."""
    data = usable_rows(training, folds)
    certainty, check = Certainty(), None
    if folds:
        with progress_of_folds(folds) as each_fold:
            found = cross_validate(
                data, make, folds=folds, repeats=1, seed=seed, each_fold=each_fold
            )
        certainty = fit_certainty(found.shares, found.ranks, data.Y)
        check = {"folds": folds, **found.summaries()}
    ranker = fit_ranker(make(), data)
    facts = {
        "learner": learner,
        "rows": len(data),
        "features": data.n_features,
        "check": check,
        "consensus": consensus_of(data).tolist(),
        "sha256": training.sha256 or None,
        "reading": reading_of(training),
    }
    recipe = training.recipe or Recipe(tuple(Column(name) for name in training.feature_names))
    return TableModel(ranker, recipe, data.label_names, certainty, facts)
