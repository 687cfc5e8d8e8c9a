"""What `fit` computes: a model, of data with the recipe of its columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.cli._reading import reading_of
from rankwise.cli._rows import named_frames, usable_rows
from rankwise.cli._scoring import validate_beside_floor
from rankwise.consensus import borda
from rankwise.datasets import Dataset
from rankwise.learners import fit_ranker
from rankwise.models import Certainty, Column, Recipe, TableModel, fit_certainty


def fit_table_model(
    training: Dataset, make: Callable[[], Any], *, learner: str, folds: int, seed: int
) -> TableModel:
    """Check on held-out rows, fit certainty to them, and fit the ranker to all rows."""
    data = usable_rows(training, folds)
    certainty, check = Certainty(), None
    if folds:
        found, floor = validate_beside_floor(
            data, make, folds=folds, repeats=1, seed=seed, with_shares=True
        )
        certainty = fit_certainty(np.asarray(found.shares), found.ranks.astype(np.int64), data.Y)
        check = {"folds": folds, "prediction": found.summaries(), "floor": floor.summaries()}
    ranker = fit_ranker(make(), *named_frames(data), data.weights)
    facts = {
        "learner": learner,
        "rows": len(data),
        "features": data.n_features,
        "check": check,
        "consensus": borda(data.Y, sample_weight=data.weights).tolist(),
        "sha256": training.sha256 or None,
        "reading": reading_of(training),
    }
    recipe = training.recipe or Recipe(tuple(Column(name) for name in training.feature_names))
    return TableModel(ranker, recipe, data.label_names, certainty, facts)
