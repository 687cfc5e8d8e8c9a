"""Long tables: one line per row and label, ``row, label, rank`` or ``row, label, value``."""

from __future__ import annotations

import csv
from array import array
from functools import partial
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg, Message
from rankwise.datasets._checks import no_ranks, pack, ranks_of_cells
from rankwise.datasets._column_roles import (
    Layout,
    ReadOptions,
    choose_features,
    holds_values,
    places,
    ranking_columns,
)
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import Cells, FeatureColumns, Numbers, texts_of
from rankwise.datasets._table import Table
from rankwise.datasets._text import DataFileError, excerpt
from rankwise.datasets._wide import number_text
from rankwise.rankings import natural_sorted


def read_long(table: Table, layout: Layout, options: ReadOptions) -> Dataset:
    """Read a long table; other columns are features and must agree on all lines of a row."""
    columns = ranking_columns(table.header, options, layout.name)
    as_values = holds_values(table.header, options)
    if not as_values and options.higher_is_better is not None:
        raise DataFileError(
            table.path,
            f"column {columns[-1]!r} holds ranks, for which {Arg.HIGHER} says nothing; if they are "
            f"scores, say {Arg.COLUMN_AS_VALUE:{columns[-1]}}",
        )
    gathered = _Gathered(table, columns, options)
    for chunk in table.chunks():
        gathered.add(*chunk)
    return gathered.finish(layout.higher_is_better if as_values else None)


class _Gathered:
    """The cells of a long table as three columns of numbers, and the features of each row once."""

    def __init__(self, table: Table, columns: list[str], options: ReadOptions) -> None:
        self.path = table.path
        self.error = partial(DataFileError, table.path)
        self._amount = columns[-1]
        self._places = places(table.path, table.header, columns, "long-table")
        self._feature_places = choose_features(table.path, table.header, columns, options)
        self._numbers = Numbers(table.path, allow_comma=table.delimiter != ",")
        self._features = FeatureColumns(
            table.header,
            self._feature_places,
            self._numbers,
            nominal=options.nominal,
            recipe=options.recipe,
        )
        self._rows: dict[str, int] = {}
        self._labels = {name: j for j, name in enumerate(options.labels or ())}
        self._fixed = options.labels is not None
        # A digest of each row's features; the cells themselves would fill the memory.
        self._digests: list[int] = []
        self._row_lines: list[int] = []
        self._row_of, self._label_of, self._line_of = array("q"), array("q"), array("q")
        self._value_of = array("d")

    def add(self, lines: list[int], columns: list[Cells]) -> None:
        names, labels = (texts_of(columns[j]) for j in self._places[:2])
        amounts = columns[self._places[2]]
        self._value_of.extend(self._numbers.parse(amounts, lines, self._amount))
        features = [texts_of(columns[j]) for j in self._feature_places]
        new = []
        for i, (name, label, line) in enumerate(zip(names, labels, lines, strict=True)):
            row, is_new = self._row(name, hash(tuple(cells[i] for cells in features)), line)
            if is_new:
                new.append(i)
            self._row_of.append(row)
            self._label_of.append(self._label(label, line))
            self._line_of.append(line)
        if new:
            first = [
                cells[new] if isinstance(cells, np.ndarray) else [cells[i] for i in new]
                for cells in columns
            ]
            self._features.add(first, [lines[i] for i in new])

    def finish(self, higher_is_better: bool | None) -> Dataset:
        labels = list(self._labels)
        Y = self._matrix(len(self._rows), len(labels))
        if not self._fixed and labels:
            labels = natural_sorted(labels)
            Y = Y[:, [self._labels[label] for label in labels]]
        ranks, values = ranks_of_cells(self.path, Y, labels, self._row_lines, higher_is_better)
        extra = {"values": values, "row_names": tuple(self._rows)}
        return pack(self.path, self._features.finish(), ranks, labels, self._row_lines, **extra)

    def _row(self, name: str, digest: int, line: int) -> tuple[int, bool]:
        if not name:
            raise self.error("does not say which row it belongs to; fill the cell", line)
        i = self._rows.setdefault(name, len(self._rows))
        if i == len(self._digests):
            self._digests.append(digest)
            self._row_lines.append(line)
            return i, True
        if self._digests[i] != digest:
            raise self.error(
                f"row {excerpt(name)} has other features here than on line {self._row_lines[i]}; "
                "features belong to a row and must agree on all its lines, or leave them out with "
                f"{Arg.DROP}",
                line,
            )
        return i, False

    def _label(self, name: str, line: int) -> int:
        if name in self._labels:
            return self._labels[name]
        if not name:
            raise self.error("names no label; fill the cell", line)
        if self._fixed:
            raise self.error(
                f"label {excerpt(name)} is not among {Arg.LABELS} "
                f"({excerpt(', '.join(self._labels), 200)}); correct it or add it there",
                line,
            )
        return self._labels.setdefault(name, len(self._labels))

    def _matrix(self, n: int, k: int) -> NDArray[np.float64]:
        rows, labels = (np.frombuffer(a, np.int64) for a in (self._row_of, self._label_of))
        cells = rows * k + labels
        order = np.argsort(cells, kind="stable")
        again = np.flatnonzero(np.diff(cells[order]) == 0)
        if again.size:
            line = min(self._line_of[order[i + 1]] for i in again)
            at = self._line_of.index(line)
            row, label = list(self._rows)[rows[at]], list(self._labels)[labels[at]]
            raise self.error(
                f"row {excerpt(row)} ranks label {excerpt(label)} a second time; keep one of the "
                "lines",
                line,
            )
        Y = no_ranks(self.path, n, k)
        Y.flat[cells] = np.frombuffer(self._value_of, np.float64)
        return Y


def write_long(dataset: Dataset, handle: TextIO) -> None:
    """Write one line per row and observed label, repeating the features on each."""
    taken = {"row", "label", "rank", "value"} & set(dataset.feature_names)
    if taken:
        raise ValueError(
            f"feature {min(taken)!r} has the name of a column of long tables; rename it"
        )
    if dataset.weights is not None:
        raise ValueError(
            Message(f"long tables hold no weights; write .xarff or .csv, {Arg.FORMAT:ranking}")
        )
    names = dataset.row_names or tuple(str(i) for i in range(len(dataset)))
    if len({name.strip() for name in names if name.strip()}) < len(names):
        raise ValueError("two rows have one name, or a row has none; long tables need one for each")
    writer = csv.writer(handle, lineterminator="\n")
    writer.writerow(["row", "label", "rank", *dataset.feature_names])
    for name, features, ranks in zip(names, dataset.X, dataset.Y, strict=True):
        cells = [number_text(value) for value in features]
        for label, rank in zip(dataset.label_names, ranks, strict=True):
            # A row without any rank still needs its lines, or its features would be lost.
            if not np.isnan(rank) or np.isnan(ranks).all():
                writer.writerow([name, label, number_text(rank), *cells])
