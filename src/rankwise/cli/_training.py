"""What `fit` computes: training data with a recipe of its columns, and the model of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rankwise.cli._console import note
from rankwise.cli._reading import reading_of
from rankwise.cli._rows import usable_rows
from rankwise.cli._scoring import file_sha256, validate_beside_floor
from rankwise.cli._source import Source
from rankwise.consensus import borda
from rankwise.datasets import Dataset
from rankwise.learners import fit_ranker
from rankwise.models import Certainty, Recipe, TableModel, fit_certainty


@dataclass(frozen=True)
class Training:
    """A dataset, how its features were made of columns, its file's fingerprint, how it was read."""

    data: Dataset
    recipe: Recipe
    sha256: str | None
    reading: dict[str, Any] | None = None


def read_training_data(source: Source) -> Training:
    """Read a file for learning, with the recipe by which its columns become features."""
    data, path = source.read(), source.path
    recipe = Recipe.learn(path if source.is_table else None, data.feature_names)
    encoded = [column.name for column in recipe.columns if "=" in column.name]
    if encoded and not source.is_table:
        note(f"predict will ask for columns of 0 and 1 such as {encoded[0]!r}")
    sha256 = file_sha256(path) if path.is_file() else None
    return Training(data, recipe, sha256, reading_of(source))


def fit_table_model(
    training: Training, make: Callable[[], Any], *, learner: str, folds: int, seed: int
) -> TableModel:
    """Check on held-out rows, fit certainty to them, and fit the ranker to all rows."""
    data = usable_rows(training.data, folds)
    certainty, check = Certainty(), None
    if folds:
        found, floor = validate_beside_floor(
            data, make, folds=folds, repeats=1, seed=seed, with_shares=True
        )
        certainty = fit_certainty(np.asarray(found.shares), found.ranks.astype(np.int64), data.Y)
        check = {"folds": folds, "prediction": found.summaries(), "floor": floor.summaries()}
    named = (
        pd.DataFrame(data.X, columns=list(data.feature_names)),
        pd.DataFrame(data.Y, columns=list(data.label_names)),
    )
    ranker = fit_ranker(make(), *named, data.weights)
    facts = {
        "learner": learner,
        "rows": len(data),
        "features": data.n_features,
        "check": check,
        "consensus": borda(data.Y, sample_weight=data.weights).tolist(),
        "sha256": training.sha256,
        "reading": training.reading,
    }
    return TableModel(ranker, training.recipe, data.label_names, certainty, facts)
