"""Long tables: one line per row and label, ``row, label, rank`` or ``row, label, value``."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Sequence
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._checks import ReadOptions, check_features, no_ranks, pack, ranks_of_cells
from rankwise.datasets._columns import FeatureColumns, Numbers
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._rank_texts import natural_order
from rankwise.datasets._table import Table, column_numbers
from rankwise.datasets._tabular import number_text
from rankwise.datasets._text import DataFileError, excerpt

_HINT = "correct the cell, or leave it empty if it is missing"


def is_long(header: Sequence[str]) -> bool:
    """Tell whether the columns are ``row``, ``label`` and either ``rank`` or ``value``."""
    return {"row", "label"} <= set(header) and ("rank" in header) != ("value" in header)


def read_long(table: Table, options: ReadOptions) -> Dataset:
    """Read a long table; other columns are features and must agree on all lines of a row."""
    row, label = options.role("row", "row"), options.role("label", "label")
    as_values = "value" in options.columns or (
        "rank" not in options.columns and "rank" not in table.header
    )
    amount = options.role("value", "value") if as_values else options.role("rank", "rank")
    places = column_numbers(table, [row, label, amount], "long-table")
    features = options.features
    if features is None:
        features = tuple(name for name in table.header if name not in (row, label, amount))
    if not as_values and options.higher_is_better is not None:
        raise DataFileError(
            table.path,
            f"column {amount!r} holds ranks, for which higher_is_better says nothing; if they are "
            f"scores, say columns={{'value': {amount!r}}}",
        )
    gathered = _Gathered(table, features, options, places, amount)
    for lines, rows in table.chunks():
        gathered.add(lines, rows)
    return gathered.finish(options.higher_is_better is not False if as_values else None)


class _Gathered:
    """The cells of a long table as three columns of numbers, and the features of each row once."""

    def __init__(
        self,
        table: Table,
        features: Sequence[str],
        options: ReadOptions,
        places: list[int],
        amount: str,
    ) -> None:
        self.path = table.path
        self._places, self._amount = places, amount
        self._feature_places = column_numbers(table, features, "feature")
        check_features(table.path, features, [table.header[j] for j in places], options.nominal)
        self._numbers = Numbers(table.path, allow_comma=table.delimiter != ",")
        self._features = FeatureColumns(features, self._numbers, nominal=options.nominal)
        self._rows: dict[str, int] = {}
        self._labels = {name: j for j, name in enumerate(options.labels or ())}
        self._fixed = options.labels is not None
        # A digest of each row's features; the cells themselves would fill the memory.
        self._digests: list[int] = []
        self._row_lines: list[int] = []
        self._row_of, self._label_of, self._line_of = array("q"), array("q"), array("q")
        self._value_of = array("d")

    def add(self, lines: list[int], rows: list[list[str]]) -> None:
        new_rows: list[list[str]] = []
        new_lines: list[int] = []
        row_place, label_place, amount_place = self._places
        amounts = self._numbers.parse([r[amount_place] for r in rows], lines, self._amount, _HINT)
        for line, cells in zip(lines, rows, strict=True):
            features = [cells[j] for j in self._feature_places]
            i, is_new = self._row(cells[row_place], features, line)
            if is_new:
                new_rows.append(features)
                new_lines.append(line)
            self._row_of.append(i)
            self._label_of.append(self._label(cells[label_place], line))
            self._line_of.append(line)
        self._value_of.extend(amounts)
        if new_rows:
            self._features.add(new_rows, new_lines)

    def finish(self, higher_is_better: bool | None) -> Dataset:
        labels = list(self._labels)
        Y, first = self._matrix(len(self._rows), len(labels))
        if not self._fixed and labels:
            labels = natural_order(labels)
            Y = Y[:, [self._labels[label] for label in labels]]
        ranks, values = ranks_of_cells(self.path, Y, labels, first, higher_is_better)
        X, names, notes = self._features.finish()
        return pack(
            self.path,
            X=X,
            Y=ranks,
            feature_names=names,
            labels=labels,
            lines=first,
            notes=notes,
            values=values,
            row_names=tuple(self._rows),
        )

    def _row(self, name: str, features: list[str], line: int) -> tuple[int, bool]:
        if not name:
            raise DataFileError(
                self.path, "does not say which row it belongs to; fill the cell", line
            )
        digest = hash(tuple(features))
        i = self._rows.setdefault(name, len(self._rows))
        if i == len(self._digests):
            self._digests.append(digest)
            self._row_lines.append(line)
            return i, True
        if self._digests[i] != digest:
            raise DataFileError(
                self.path,
                f"row {excerpt(name)} has other features here than on line {self._row_lines[i]}; "
                "features belong to a row and must agree on all its lines, or leave them out with "
                "features=[…]",
                line,
            )
        return i, False

    def _label(self, name: str, line: int) -> int:
        if name in self._labels:
            return self._labels[name]
        if not name:
            raise DataFileError(self.path, "names no label; fill the cell", line)
        if self._fixed:
            known = ", ".join(self._labels)
            raise DataFileError(
                self.path,
                f"label {excerpt(name)} is not among labels= ({excerpt(known, 200)}); "
                "correct it or "
                "add it there",
                line,
            )
        return self._labels.setdefault(name, len(self._labels))

    def _matrix(self, n: int, k: int) -> tuple[NDArray[np.float64], list[int]]:
        rows, labels = (
            np.frombuffer(self._row_of, np.int64),
            np.frombuffer(self._label_of, np.int64),
        )
        cells = rows * k + labels
        order = np.argsort(cells, kind="stable")
        again = np.flatnonzero(np.diff(cells[order]) == 0)
        if again.size:
            line = min(self._line_of[order[i + 1]] for i in again)
            at = self._line_of.index(line)
            row, label = list(self._rows)[rows[at]], list(self._labels)[labels[at]]
            raise DataFileError(
                self.path,
                f"row {excerpt(row)} ranks label {excerpt(label)} a second time; keep one "
                "of the lines",
                line,
            )
        Y = no_ranks(self.path, n, k)
        Y.flat[cells] = np.frombuffer(self._value_of, np.float64)
        return Y, self._row_lines


def write_long(dataset: Dataset, handle: TextIO) -> None:
    """Write one line per row and observed label, repeating the features on each."""
    taken = {"row", "label", "rank", "value"} & set(dataset.feature_names)
    if taken:
        raise ValueError(
            f"feature {min(taken)!r} has the name of a column of long tables; rename it"
        )
    if dataset.weights is not None:
        raise ValueError("long tables hold no weights; write .xarff or .csv with format='ranking'")
    names = dataset.row_names or tuple(str(i) for i in range(len(dataset)))
    if len({name.strip() for name in names if name.strip()}) < len(names):
        raise ValueError("two rows have one name, or a row has none; long tables tell rows by name")
    writer = csv.writer(handle, lineterminator="\n")
    writer.writerow(["row", "label", "rank", *dataset.feature_names])
    for name, features, ranks in zip(names, dataset.X, dataset.Y, strict=True):
        cells = [number_text(value) for value in features]
        for label, rank in zip(dataset.label_names, ranks, strict=True):
            # A row without any rank still needs its lines, or its features would be lost.
            if not np.isnan(rank) or np.isnan(ranks).all():
                writer.writerow([name, label, number_text(rank), *cells])
