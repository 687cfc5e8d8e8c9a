"""What `evaluate` computes: scores of a learner over folds, or of a model over new rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise._progress import Progress
from rankwise.baselines import Consensus
from rankwise.cli._console import note
from rankwise.cli._options import column_roles, quoted
from rankwise.cli._reading import as_at_fitting
from rankwise.cli._rows import note_idle_rows, usable_rows, useful_rows
from rankwise.cli._source import Source
from rankwise.datasets import Dataset
from rankwise.datasets.tables import Table, open_table
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
    path = source.path
    if path.is_file() and file_sha256(path) == model.facts.get("sha256"):
        note(
            "the model was fitted to this very file, so that the figures flatter it; leave --model out "
            "to cross-validate"
        )
    X, data = read_for_model(model, source)
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
    source = as_at_fitting(source, model.facts.get("reading"), model.label_names)
    if source.is_long:
        # the reader sees to it that the lines of a row agree on them
        columns = model.recipe.columns
        texts = [column.name for column in columns if column.categories is not None]
        source = replace(
            source, features=quoted([column.name for column in columns]), nominal=quoted(texts)
        )
    elif source.is_table:
        # only the rankings: the features are made by the model's recipe
        source = replace(source, features="")
    if source.is_table:
        # the model names a lacking column in its own words
        model.recipe.encoding(source.path, open_table(source.path).header)
    data = source.read()
    ranks = _labels_in_order(model, data)
    rankings = Dataset(data.X, ranks, label_names=model.label_names, notes=data.notes)
    return _features(model, source, data), rankings


def _features(model: TableModel, source: Source, data: Dataset) -> np.ndarray:
    path = source.path
    if not source.is_table:
        place = {name: j for j, name in enumerate(data.feature_names)}
        lacking = [name for name in model.recipe.feature_names if name not in place]
        if lacking:
            raise ValueError(
                f"{path} lacks the feature {lacking[0]!r}, which the model asks for; give a table "
                "with the columns of the training file"
            )
        return data.X[:, [place[name] for name in model.recipe.feature_names]]
    table = open_table(path)
    encoding = model.recipe.encoding(path, table.header, commas=table.delimiter != ",")
    chunks = _first_lines(source, table) if source.is_long else table.chunks()
    parts = [encoding.encode(rows, lines) for lines, rows in chunks]
    for remark in encoding.remarks():
        note(remark)
    return np.concatenate(parts)


def _first_lines(source: Source, table: Table) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Yield the first line of each row of a long table, which tells its features."""
    place = table.header.index((column_roles(source.column) or {}).get("row", "row"))
    seen: set[str] = set()
    for lines, rows in table.chunks():
        new = []
        for line, row in zip(lines, rows, strict=True):
            if row[place] not in seen:
                seen.add(row[place])
                new.append((line, row))
        if new:
            yield [line for line, _ in new], [row for _, row in new]


def _labels_in_order(model: TableModel, data: Dataset) -> np.ndarray:
    place = {name: j for j, name in enumerate(data.label_names)}
    strange = [name for name in place if name not in model.label_names]
    lacking = [name for name in model.label_names if name not in place]
    if strange or lacking:
        what = f"has the label {strange[0]!r}" if strange else f"lacks the label {lacking[0]!r}"
        raise ValueError(f"the file {what}; the model ranks {', '.join(model.label_names)}")
    return data.Y[:, [place[name] for name in model.label_names]]


def file_sha256(path: Path) -> str:
    """Return the fingerprint of a file."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
