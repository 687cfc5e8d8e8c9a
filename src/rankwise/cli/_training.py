"""What `fit` computes: training data with a recipe of its columns, and the model of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.cli._console import note
from rankwise.cli._folds import (
    consensus_of,
    cross_validate,
    fit_ranker,
    progress_of_folds,
    usable_rows,
)
from rankwise.cli._reading import reading_of
from rankwise.cli._source import Source
from rankwise.datasets import Dataset
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
        "sha256": training.sha256,
        "reading": training.reading,
    }
    return TableModel(ranker, training.recipe, data.label_names, certainty, facts)


def file_sha256(path: Path) -> str:
    """Return the fingerprint of a file."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
