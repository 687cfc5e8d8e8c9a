"""What `evaluate` computes: scores of a learner over folds, or of a model over new rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise.cli._console import note
from rankwise.cli._folds import (
    METRICS,
    cross_validate,
    progress_of_folds,
    tell_idle_rows,
    usable_rows,
    useful_rows,
)
from rankwise.cli._options import column_roles, quoted
from rankwise.cli._reading import as_at_fitting
from rankwise.cli._source import Source
from rankwise.cli._training import file_sha256
from rankwise.datasets import Dataset
from rankwise.datasets.tables import Table, open_table
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
    tell_idle_rows(data, int(useful.sum()))
    Y = data.Y[useful]
    consensus = np.asarray(model.facts.get("consensus", ()))
    if consensus.shape != (Y.shape[1],):
        raise ValueError("the model does not tell its consensus; fit it anew with `rankwise fit`")
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
        # a lacking column is told in the model's words
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
