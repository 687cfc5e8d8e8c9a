"""What `evaluate` computes: scores of a learner over folds, or of a model over new rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._naming import name_some
from rankwise._progress import Progress
from rankwise.baselines import Consensus
from rankwise.cli._console import note
from rankwise.cli._reading import fitted_table
from rankwise.cli._rows import note_idle_rows, usable_rows, useful_rows
from rankwise.cli._source import Source
from rankwise.datasets import Dataset
from rankwise.models import TableModel
from rankwise.validation import METRICS, CrossValidation, cross_validate, summarize


def score_learner(
    data: Dataset, make: Callable[[], Any], *, folds: int, repeats: int, seed: int
) -> dict[str, Any]:
    """Return mean, sd and interval of every metric, of the learner and of the consensus."""
    data = usable_rows(data, folds)
    found, floor = validate_beside_floor(data, make, folds=folds, repeats=repeats, seed=seed)
    scores = {"prediction": found.summaries(), "floor": floor.summaries()}
    return {"rows": len(data), "folds": folds, "repeats": repeats, "scores": scores}


def validate_beside_floor(
    data: Dataset,
    make: Callable[[], Any],
    *,
    folds: int,
    repeats: int,
    seed: int,
    with_shares: bool = False,
) -> tuple[CrossValidation, CrossValidation]:
    """Cross-validate a learner and, on the same folds, the consensus, which reads no features."""

    def validate(ranker: Any, **more: Any) -> CrossValidation:
        protocol: dict[str, Any] = {"cv": folds, "repeats": repeats, "seed": seed}
        return cross_validate(
            ranker, data.X, data.Y, sample_weight=data.weights, **protocol, **more
        )

    with Progress("folds", folds * repeats) as progress:
        found = validate(lambda _: make(), with_shares=with_shares, each_fold=progress.advance)
    return found, validate(Consensus())


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
    note_idle_rows(data, int(useful.sum()))
    Y = data.Y[useful]
    consensus = np.asarray(model.facts.get("consensus", ()))
    if consensus.shape != (Y.shape[1],):
        raise ValueError("the model does not hold its consensus; fit it anew with `rankwise fit`")
    predictions = {
        "prediction": model.predict(X[useful]).ranks,
        "floor": np.tile(consensus, (len(Y), 1)),
    }
    scores = {
        who: {m: summarize(function(Y, ranks, average=False)) for m, function in METRICS.items()}
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
