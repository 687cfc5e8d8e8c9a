"""What `fit` computes: training data with a recipe of its columns, and the model of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
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
from rankwise.cli._options import read_dataset, split_names
from rankwise.datasets import DataFileError, Dataset
from rankwise.datasets._long import is_long
from rankwise.datasets._tabular import WEIGHT, find_ranking_column, is_scikit_lr
from rankwise.models import Certainty, Recipe, TableModel, fit_certainty
from rankwise.models._columns import learn_recipe, naming_columns, open_table

# Files of these endings or formats are no tables of columns; nothing is left out of them.
_NO_TABLES = (".xarff", ".arff", ".soc", ".soi", ".toc", ".toi")
_NO_TABLE_FORMATS = ("xarff", "preflib", "aslib")


@dataclass(frozen=True)
class Training:
    """A dataset, how its features were made of columns, and the fingerprint of its file."""

    data: Dataset
    recipe: Recipe
    sha256: str | None


def read_training_data(
    source: str,
    *,
    labels: str | None,
    features: str | None,
    drop: str | None,
    nominal: str | None,
    format: str | None,
    columns: list[str] | None,
    higher_is_better: bool | None,
) -> Training:
    """Read a file for learning; columns that name the rows are left out and told."""
    path = Path(source)
    table = is_table(path, format)
    if drop is not None and (features is not None or not table):
        why = "--features already says what to take" if features else f"{source} is no table"
        raise ValueError(f"--drop {drop}: {why}; use one of the two")
    if table and features is None:
        features = _chosen_features(path, labels, drop, columns)
    try:
        data = read_dataset(
            source,
            labels=labels,
            features=features,
            nominal=nominal,
            format=format,
            columns=columns,
            higher_is_better=higher_is_better,
        )
    except DataFileError as error:
        raise ValueError(_in_options(str(error))) from error
    recipe = learn_recipe(path if table else None, data.feature_names)
    encoded = [column.name for column in recipe.columns if "=" in column.name]
    if encoded and not table:
        note(f"predict will ask for columns of 0 and 1 such as {encoded[0]!r}")
    return Training(data, recipe, file_sha256(path) if path.is_file() else None)


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
    }
    return TableModel(ranker, training.recipe, data.label_names, certainty, facts)


def _chosen_features(
    path: Path, labels: str | None, drop: str | None, columns: list[str] | None
) -> str | None:
    """Return the columns to learn from as an option would name them; None: all that are left."""
    table = open_table(path)
    dropped = split_names(drop) or []
    for name in dropped:
        if name not in table.header:
            raise ValueError(f"--drop {name}: {path} has no such column")
    roles = {role.partition("=")[2] for role in columns or ()}
    taken = {*(split_names(labels) or ()), *roles, WEIGHT}
    ranking = find_ranking_column(table.header)
    taken |= {ranking} if ranking else set()
    long = _is_long(table.header, columns)
    if long:
        taken |= {"row", "label", "rank", "value"}
    elif labels is None and not ranking and is_scikit_lr(table.header):
        taken |= {name for name in table.header if name.startswith("L")}
    left = [name for name in table.header if name not in taken and name not in dropped]
    found = {} if long else naming_columns(table, left)
    for name, reason in found.items():
        note(
            f"column {name!r} {reason}, so it is taken as a name and left out; name it in --features "
            "to keep it"
        )
    if not found and not dropped:
        return None
    return quoted([name for name in left if name not in found])


def _in_options(message: str) -> str:
    """Name options of the command line where a message names arguments of Python."""
    for argument, option in (
        ("leave it out with features=[…]", "leave it out with --drop"),
        ("labels=['tea', 'coffee', 'water']", "--labels tea,coffee,water"),
        ("in nominal=", "in --nominal"),
        ("in features=", "in --features"),
    ):
        message = message.replace(argument, option)
    return message


def quoted(names: Sequence[str]) -> str:
    """Write names as an option takes them."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def is_table(path: Path, format: str | None) -> bool:
    """Tell whether a file is a table of named columns."""
    return (
        path.is_file()
        and path.suffix.lower() not in _NO_TABLES
        and format not in _NO_TABLE_FORMATS
        and not _is_arff(path)
    )


def is_long_table(path: Path, columns: list[str] | None) -> bool:
    """Tell whether a table has a line for each label of a row."""
    return _is_long(open_table(path).header, columns)


def _is_long(header: Sequence[str], columns: list[str] | None) -> bool:
    roles = tuple(role.partition("=")[0] for role in columns or ())
    return is_long(header) or bool({"row", "label"} & set(roles))


def _is_arff(path: Path) -> bool:
    with open(path, "rb") as handle:
        return handle.read(200).lstrip().lower().startswith((b"@relation", b"@attribute", b"%"))


def file_sha256(path: Path) -> str:
    """Return the fingerprint of a file."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
