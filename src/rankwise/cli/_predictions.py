"""Rows of a table with what a model predicts for them: as CSV, as numbers, as JSON, as a table to read."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import RowError
from rankwise._parallel import made_ahead
from rankwise._replacing import replacing_text
from rankwise._terminal import visible
from rankwise.cli._console import json_text, table_text
from rankwise.cli._new_rows import use_rows
from rankwise.cli._words import chance_text, row_name, sentence
from rankwise.datasets import DataFileError
from rankwise.datasets.tables import (
    Cell,
    Columns,
    Content,
    FeatureColumns,
    Table,
    holds_numbers,
    texts_of,
    write_content,
)
from rankwise.models import TableModel, TablePrediction

# More rows fill a screen several times.
_SHOWN = 40


class Predictions:
    """What is predicted for the rows of a table, a chunk at a time.

    Parameters
    ----------
    model : TableModel
        The model.
    table : Table
        One line per row.
    features : FeatureColumns
        What makes the features of the model of its columns.
    top : int, optional
        How many labels to rank.
    prefix : str
        Put before the names of the added columns.
    """

    def __init__(
        self,
        model: TableModel,
        table: Table,
        features: FeatureColumns,
        *,
        top: int | None = None,
        prefix: str = "",
    ) -> None:
        self._model, self._table, self._features, self._top = model, table, features, top
        self._added = model.output_columns(prefix)
        self.unused = [name for name in table.header if name not in features.names]

    def refuse_doubled_columns(self) -> None:
        """Refuse to add a column of a name that is taken."""
        doubled = next((name for name in self._added if name in self._table.header), None)
        if doubled is not None:
            raise ValueError(
                f"{self._table.path} has a column {doubled!r} already; choose names for the added "
                "columns with --prefix predicted_"
            )

    def as_csv(self) -> str:
        """Return a text table."""
        return "".join(self._text())

    def as_json(self) -> str:
        """Return a list of objects, one per row."""
        found = []
        for n, (line, cells, added) in enumerate(self._rows(), 1):
            name = row_name(self._model, self._named(cells))
            where = {"row": n, "name": name, "line": line}
            found.append({k: v for k, v in where.items() if v} | _as_object(self._model, added))
        return json_text(found)

    def as_sentences(self) -> str:
        """Return a sentence per row."""
        said = (
            sentence(self._model, self._named(cells), line, added)
            for line, cells, added in self._rows()
        )
        return "".join(f"{visible(one)}\n" for one in said)

    def as_table(self) -> str:
        """Return what a terminal shows: the ranking of the first rows, and how sure it is."""
        k, n = len(self._model.label_names), 0
        shown: list[list[Any]] = []
        for n, (_, cells, added) in enumerate(self._rows(), 1):
            if n <= _SHOWN:
                name = row_name(self._model, self._named(cells))
                (pair, top, *_) = added[k + 1 :]
                # with room to break the line between labels
                text = added[0].replace(">", " > ").replace("~", " ~ ")
                shown.append([n, name, text, chance_text(pair), chance_text(top)])
        columns = ["row", "name", "ranking", "first before second", "first of all"]
        if not any(row[1] for row in shown):
            columns, shown = columns[:1] + columns[2:], [row[:1] + row[2:] for row in shown]
        more = f"… and {n - _SHOWN:,} rows more; -o FILE writes all of them\n" if n > _SHOWN else ""
        return table_text(columns, shown) + more

    def write(self, target: Path) -> None:
        """Write a file, whole or not at all."""
        if holds_numbers(target):
            rows = (self._as_numbers(cells, added) for _, cells, added in self._rows())
            write_content(Content([*self._table.header, *self._added], rows), target)
        else:
            with replacing_text(target) as handle:
                handle.writelines(self._text())

    def _chunks(self) -> Iterator[tuple[Sequence[int], Any, TablePrediction]]:
        """Yield lines, columns and prediction; one chunk is predicted while another is written."""
        return made_ahead(self._predict, self._table.chunks(), n_ahead=1)

    def _predict(
        self, chunk: tuple[Sequence[int], Any]
    ) -> tuple[Sequence[int], Any, TablePrediction]:
        lines, columns = chunk
        X = self._features.encode(columns, lines)
        try:
            return lines, columns, self._model.predict(X, self._top)
        except ValueError as error:
            row, fault = self._first_fault(X, error)
            reason = str(fault)
            if isinstance(fault, RowError):
                reason = fault.before + fault.after.lstrip(",: ")
            raise DataFileError(self._table.path, reason, lines[row]) from error

    def _first_fault(self, X: NDArray[np.float64], error: ValueError) -> tuple[int, ValueError]:
        """Return the first row that cannot be predicted, and why; a model does not know its line."""
        row, stop = 0, len(X)
        while stop > row:
            middle = (row + stop) // 2
            try:
                self._model.predict(X[row : middle + 1], self._top)
                row = middle + 1
            except ValueError as found:
                stop, error = middle, found
        return min(row, len(X) - 1), error

    def _rows(self) -> Iterator[tuple[int, tuple[str, ...], tuple[Any, ...]]]:
        """Yield line, cells and what is added."""
        for lines, columns, prediction in self._chunks():
            cells = zip(*map(texts_of, columns), strict=True)
            yield from zip(lines, cells, prediction.rows(), strict=True)

    def _text(self) -> Iterator[str]:
        """Yield a text table, some lines at a time."""
        delimiter = self._table.delimiter if self._table.delimiter in (";", "\t", "|") else ","
        yield from _csv([[*self._table.header, *self._added]], delimiter)
        for _, columns, prediction in self._chunks():
            has_commas = self._features.numbers.comma_line is not None
            written = [_cells(c, delimiter, has_commas) for c in prediction.columns()]
            added = map(delimiter.join, zip(*written, strict=True))
            own = columns.lines(delimiter) if isinstance(columns, Columns) else None
            if own is None:
                texts = zip(*map(texts_of, columns), strict=True)
                own = [line[:-1] for line in _csv(texts, delimiter)]
            lines = zip(own, added, strict=True)
            yield "".join([f"{line}{delimiter}{more}\n" for line, more in lines])

    def _named(self, cells: Sequence[str]) -> dict[str, str]:
        return dict(zip(self._table.header, cells, strict=True))

    def _as_numbers(self, cells: Sequence[str], added: Sequence[Any]) -> list[Cell]:
        """Return a row of a workbook or the like, where numbers are numbers; names stay texts."""
        numbers = self._features.numbers
        own: list[Cell] = []
        for name, cell in zip(self._table.header, cells, strict=True):
            number = numbers.value(cell) if name in self._features.numeric and cell else None
            own.append(cell if number is None else number)
        return [*own, *(float("nan") if cell is None else cell for cell in added)]


def write_predictions(
    model: TableModel, file: Path, target: Path, sheet: str | None, prefix: str, top: int | None
) -> list[str]:
    """Write the rows of a file with what is predicted of them; return what is to be said of it."""

    def use(table: Table, features: FeatureColumns) -> None:
        rows = Predictions(model, table, features, top=top, prefix=prefix)
        rows.refuse_doubled_columns()
        rows.write(target)

    return use_rows(model, str(file), use, sheet)[1]


def _csv(rows: Any, delimiter: str) -> list[str]:
    """Return the lines of a text table, with their ends."""
    lines: list[str] = []
    # A writer hands over one line at a time.
    to_list: Any = SimpleNamespace(write=lines.append)
    csv.writer(to_list, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return lines


def _cells(column: list[Any], delimiter: str, has_commas: bool) -> list[str]:
    """Return the cells of a column as a text table has them; equal ones are written once."""
    different = list(set(column))
    cells = map(_with_comma, different) if has_commas else different
    # a line with nothing but an empty cell would have quotes for it
    lines = _csv(((cell, "") for cell in cells), delimiter)
    written = {cell: line[:-2] for cell, line in zip(different, lines, strict=True)}
    return [written[cell] for cell in column]


def _with_comma(cell: Any) -> Any:
    return str(cell).replace(".", ",") if isinstance(cell, float) else cell


def _as_object(model: TableModel, added: Sequence[Any]) -> dict[str, Any]:
    k = len(model.label_names)
    text, *positions = added[: k + 1]
    pair, top, *expected = added[k + 1 :]
    found = {
        "ranking": text,
        "positions": dict(zip(model.label_names, positions, strict=True)),
        "first_before_second": pair,
        "first_of_all": top,
    }
    if expected:
        pairs = zip(model.label_names, expected[::2], expected[1::2], strict=True)
        found["values"] = {label: {"expected": v, "spread": s} for label, v, s in pairs}
    return found
