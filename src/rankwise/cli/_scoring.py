"""What `evaluate` computes: scores of a learner over folds, or of a model over new rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._wording import name_some
from rankwise.cli._console import note
from rankwise.cli._folds import (
    METRICS,
    cross_validate,
    progress_of_folds,
    tell_idle_rows,
    usable_rows,
    useful_rows,
)
from rankwise.cli._reading import fitted_table
from rankwise.cli._source import Source
from rankwise.datasets import Dataset
from rankwise.models import TableModel


def score_learner(
    data: Dataset, make: Callable[[], Any], *, folds: int, repeats: int, seed: int
) -> dict[str, Any]:
    """Return mean, sd and interval of every metric, of the learner and of the consensus."""
    data = usable_rows(data, folds)
    with progress_of_folds(folds * repeats) as each_fold:
        found = cross_validate(
            data, make, folds=folds, repeats=repeats, seed=seed, each_fold=each_fold
        )
    return {"rows": len(data), "folds": folds, "repeats": repeats, "scores": found.summaries()}


def score_model(model: TableModel, source: Source) -> dict[str, Any]:
    """Return the same for a fitted model on the rows of a file, over rows."""
    X, data = read_for_model(model, source)
    if data.sha256 and data.sha256 == model.facts.get("sha256"):
        note(
            "the model was fitted to this very file, so that the figures flatter it; leave --model out "
            "to cross-validate"
        )
    useful = useful_rows(data)
    if not useful.any():
        raise ValueError(
            f"{source.file}: no row orders two labels, so that there is nothing to score"
        )
    tell_idle_rows(data, int(useful.sum()))
    Y = data.Y[useful]
    consensus = np.asarray(model.facts.get("consensus", ()))
    if consensus.shape != (Y.shape[1],):
        raise ValueError("the model does not say its consensus; fit it anew with `rankwise fit`")
    predictions = {
        "prediction": model.predict(X[useful]).ranks,
        "floor": np.tile(consensus, (len(Y), 1)),
    }
    scores = {
        who: {m: _over_rows(function(Y, ranks, average=False)) for m, function in METRICS.items()}
        for who, ranks in predictions.items()
    }
    return {"rows": len(Y), "folds": None, "repeats": None, "scores": scores}


def read_for_model(model: TableModel, source: Source) -> tuple[np.ndarray, Dataset]:
    """Read a file by the columns and labels of a model; returns its features, and the rankings."""
    data = source.read(like=fitted_table(model))
    features = model.recipe.feature_names
    # A file is read by the recipe; the features of a benchmark may stand in another order.
    X = data.X[:, _places(source, data.feature_names, features, "feature")]
    Y = data.Y[:, _places(source, data.label_names, model.label_names, "label")]
    strange = set(data.label_names) - set(model.label_names)
    if strange:
        raise ValueError(
            f"{source.file} has the label {min(strange)!r}; the model ranks "
            f"{', '.join(model.label_names)}"
        )
    return X, replace(data, Y=Y, values=None, label_names=model.label_names)


def _places(source: Source, found: Sequence[str], wanted: Sequence[str], what: str) -> list[int]:
    place = {name: j for j, name in enumerate(found)}
    for name in wanted:
        if name not in place:
            raise ValueError(
                f"{source.file} lacks the {what} {name!r}, which the model was fitted on; it has "
                f"{name_some(found, 20)}"
            )
    return [place[name] for name in wanted]


def _over_rows(values: Any) -> dict[str, float | int | None]:
    values = np.asarray(values, dtype=np.float64)
    values = values[np.isfinite(values)]
    if not len(values):
        return {"mean": None, "sd": None, "low": None, "high": None, "n": 0}
    mean = float(values.mean())
    if len(values) == 1:
        return {"mean": mean, "sd": None, "low": None, "high": None, "n": 1}
    sd = float(values.std(ddof=1))
    half = 1.96 * sd / math.sqrt(len(values))
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half, "n": len(values)}
