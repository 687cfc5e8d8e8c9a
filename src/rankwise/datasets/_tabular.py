"""Tables with one row per ranking: ``A*, L*`` columns, a ranking column, or chosen columns."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._checks import (
    ReadOptions,
    check_features,
    check_weights,
    pack,
    ranks_of_cells,
)
from rankwise.datasets._columns import FeatureColumns, Numbers
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._rank_texts import RankTexts
from rankwise.datasets._table import Table, column_numbers, names_of
from rankwise.datasets._text import DataFileError
from rankwise.rankings import format_rankings

# No feature of a user is likely to be called so, which a plain "weight" often is.
WEIGHT = "@weight"
RANKING = "ranking"
_FEATURE, _LABEL = re.compile(r"A\d+"), re.compile(r"L\d+")


def scikit_lr_labels(header: Sequence[str]) -> list[str]:
    """Return the columns called ``L1, L2, …``."""
    return [name for name in header if _LABEL.fullmatch(name)]


def is_scikit_lr(header: Sequence[str]) -> bool:
    """Tell whether all columns are called ``A1, A2, …`` (features) or ``L1, L2, …`` (ranks)."""
    labels = scikit_lr_labels(header)
    others = [name for name in header if name not in labels and name != WEIGHT]
    return len(labels) >= 2 and all(_FEATURE.fullmatch(name) for name in others)


def read_scikit_lr(table: Table, options: ReadOptions) -> Dataset:
    """Read columns ``A*`` as features and ``L*`` as ranks."""
    labels = options.labels or tuple(scikit_lr_labels(table.header))
    features = options.features
    if features is None:
        taken = {*labels, options.role("weight", WEIGHT)}
        features = tuple(name for name in table.header if name not in taken)
        odd = next((name for name in features if not _FEATURE.fullmatch(name)), None)
        if odd is not None:
            raise DataFileError(
                table.path,
                f"column {odd!r} is called neither A1, A2, … nor L1, L2, …; name the "
                "columns wanted in "
                "features=",
            )
    return _read_wide(table, features, labels, options)


def read_wide(table: Table, options: ReadOptions) -> Dataset:
    """Read the columns that the user calls labels as ranks (or scores), the others as features."""
    if options.labels is None:
        raise DataFileError(
            table.path,
            "which columns hold the ranks? name them, labels=['tea', 'coffee', 'water'], out of "
            f"{names_of(table.header)}; a file with a column called 'ranking', or with columns A1, "
            "A2, … and L1, L2, …, is read as it is",
        )
    taken = {*options.labels, options.role("weight", WEIGHT)}
    features = options.features
    if features is None:
        features = tuple(name for name in table.header if name not in taken)
    return _read_wide(table, features, options.labels, options)


def read_ranking_column(table: Table, options: ReadOptions) -> Dataset:
    """Read texts such as ``a>b~c`` from one column, features from the others."""
    column = options.columns.get("ranking") or find_ranking_column(table.header) or RANKING
    place = column_numbers(table, [column], "ranking")[0]
    taken = {column, options.role("weight", WEIGHT)}
    features = options.features
    if features is None:
        features = tuple(name for name in table.header if name not in taken)
    rows = _RowReader(table, features, [column], options)
    rankings = RankTexts(table.path, options.labels)
    for lines, cells in rows:
        rankings.add([row[place] for row in cells], lines)
    Y, labels = rankings.finish()
    return rows.pack(Y, labels)


def find_ranking_column(header: Sequence[str]) -> str | None:
    """Return the column called ``ranking``, in any case."""
    return next((name for name in header if name.lower() == RANKING), None)


def write_scikit_lr(dataset: Dataset, handle: TextIO) -> None:
    """Write columns ``A*`` and ``L*``; the dataset's names must be these already."""
    names = [*dataset.feature_names, *dataset.label_names]
    if not is_scikit_lr(names):
        raise ValueError(
            "scikit-lr's format calls features A1, A2, … and labels L1, L2, …, so the names of "
            f"{dataset.name!r} would be lost; write format='ranking' or 'wide' instead"
        )
    write_wide(dataset, handle)


def write_wide(dataset: Dataset, handle: TextIO) -> None:
    """Write one column per feature, then one column of ranks per label."""
    matrix = np.hstack([dataset.X, dataset.Y])
    _write(dataset, handle, list(dataset.label_names), matrix, None)


def write_ranking_column(dataset: Dataset, handle: TextIO) -> None:
    """Write one column per feature, then the ranking as a text."""
    texts = format_rankings(dataset.Y, labels=list(dataset.label_names))
    _write(dataset, handle, [RANKING], dataset.X, list(texts))


def number_text(value: float) -> str:
    """Write a number so that it reads back the same; NaN is an empty cell."""
    return "" if np.isnan(value) else repr(float(value)).removesuffix(".0")


def _write(
    dataset: Dataset,
    handle: TextIO,
    last_columns: list[str],
    matrix: NDArray[np.float64],
    texts: list[str] | None,
) -> None:
    weights = dataset.weights
    header = [*dataset.feature_names, *([WEIGHT] if weights is not None else []), *last_columns]
    if len(set(header)) < len(header):
        doubled = next(name for i, name in enumerate(header) if name in header[:i])
        raise ValueError(f"two columns would be called {doubled!r}; rename a feature or a label")
    writer = csv.writer(handle, lineterminator="\n")
    writer.writerow(header)
    d = dataset.n_features
    for i, row in enumerate(matrix):
        cells = [number_text(value) for value in row]
        if weights is not None:
            cells.insert(d, number_text(weights[i]))
        if texts is not None:
            cells.append(texts[i])
        # A line without any content would be taken for a blank one.
        writer.writerow(cells if any(cells) else ["?", *cells[1:]])


def _read_wide(
    table: Table, features: Sequence[str], labels: Sequence[str], options: ReadOptions
) -> Dataset:
    places = column_numbers(table, labels, "label")
    rows = _RowReader(table, features, labels, options)
    cells = FeatureColumns(labels, rows.numbers, numeric=labels)
    for lines, chunk in rows:
        cells.add([[row[j] for j in places] for row in chunk], lines)
    matrix, _, _ = cells.finish()
    ranks, values = ranks_of_cells(table.path, matrix, labels, rows.lines, options.higher_is_better)
    return rows.pack(ranks, labels, values=values)


class _RowReader:
    """Goes through a table once, keeps features and weights, lends each chunk to its caller."""

    def __init__(
        self,
        table: Table,
        features: Sequence[str],
        taken: Sequence[str],
        options: ReadOptions,
    ) -> None:
        self._table = table
        weight = options.role("weight", WEIGHT)
        check_features(table.path, features, {*taken, weight}, options.nominal)
        self._places = column_numbers(table, features, "feature")
        self.numbers = Numbers(table.path, allow_comma=table.delimiter != ",")
        self._features = FeatureColumns(features, self.numbers, nominal=options.nominal)
        self._weight = [weight] if weight in table.header or "weight" in options.columns else []
        self._weight_places = column_numbers(table, self._weight, "weight")
        self._weights = FeatureColumns(self._weight, self.numbers, numeric=self._weight)
        self.lines = array("q")

    def __iter__(self) -> Iterator[tuple[list[int], list[list[str]]]]:
        for lines, rows in self._table.chunks():
            self._features.add([[row[j] for j in self._places] for row in rows], lines)
            if self._weight:
                self._weights.add([[row[j] for j in self._weight_places] for row in rows], lines)
            self.lines.extend(lines)
            yield lines, rows

    def pack(
        self,
        Y: NDArray[np.float64],
        labels: Sequence[str],
        values: NDArray[np.float64] | None = None,
    ) -> Dataset:
        X, names, notes = self._features.finish()
        weights = None
        if self._weight:
            column = self._weights.finish()[0][:, 0]
            weights = check_weights(self._table.path, column, self.lines)
        if self.numbers.comma_line is not None:
            notes.append("numbers were read with a decimal comma")
        return pack(
            self._table.path,
            X=X,
            Y=Y,
            feature_names=names,
            labels=labels,
            lines=self.lines,
            notes=notes,
            weights=weights,
            values=values,
        )
