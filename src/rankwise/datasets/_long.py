"""Long tables: one line per row and label, ``row, label, rank`` or ``row, label, value``."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg
from rankwise.datasets._cells import Cells, texts_of
from rankwise.datasets._checks import no_ranks, pack, penalised, ranks_of_cells, value_facts
from rankwise.datasets._column_roles import (
    BETTER,
    COUNT,
    CUTOFF,
    PENALTY,
    SPREAD,
    UNIT,
    Layout,
    ReadOptions,
    choose_features,
    holds_values,
    places,
    ranking_columns,
    value_columns,
)
from rankwise.datasets._contents import Cell, Content, FeatureCells, check_header, number_text
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import Numbers
from rankwise.datasets._replicates import merge_replicates, pooled_deviation
from rankwise.datasets._row_facts import RowFacts, row_fact_columns
from rankwise.datasets._row_features import RowFeatures
from rankwise.datasets._table import Table
from rankwise.datasets._text import DataFileError, excerpt
from rankwise.rankings import natural_sorted

_ROLES = ("row", "label", "rank", "value")
_DIRECTIONS = {"higher": True, "lower": False}


def read_long(table: Table, layout: Layout, options: ReadOptions) -> Dataset:
    """Read a long table; other columns are features and must agree on all lines of a row."""
    columns = ranking_columns(table.header, options, layout.name)
    gathered = _Gathered(table, columns, options)
    for chunk in table.chunks():
        gathered.add(*chunk)
    dataset = gathered.finish()
    if dataset.higher_is_better is not None:
        dataset._set("layout", replace(layout, higher_is_better=dataset.higher_is_better))
    return dataset


class _Gathered:
    """The cells of a long table as columns of numbers, and the features of each row."""

    def __init__(self, table: Table, columns: list[str], options: ReadOptions) -> None:
        self.path = table.path
        self.error = partial(DataFileError, table.path)
        self._options = options
        self._content = columns[2:]
        self._as_values = len(columns) == 3 and holds_values(table.header, options)
        is_ranks = len(columns) == 3 and not self._as_values
        if is_ranks and options.higher_is_better is not None:
            raise self.error(
                f"column {columns[-1]!r} holds ranks, for which {Arg.HIGHER} says nothing; if they "
                f"are scores, say {Arg.COLUMN_AS_VALUE:{columns[-1]}}"
            )
        unnamed = {role: f", and {Arg.COLUMN_FOR:{role}} names no other" for role in _ROLES}
        self._places = places(table.path, table.header, columns, "long-table", unnamed)
        self._numbers = Numbers(table.path, allow_comma=table.delimiter != ",")
        self._facts = RowFacts(table, options, self._numbers, with_names=False)
        about = value_columns(table.header)
        self._about = {name: table.header.index(name) for name in about}
        self._said: dict[str, str] = {}
        # Ranks beside values, or the other way round, are of labels and no feature of rows.
        other = [name for name in ("rank", "value") if name in table.header]
        taken = list(dict.fromkeys([*columns, *self._facts.taken, *about, *other]))
        chosen = choose_features(table.path, table.header, taken, options)
        self._features = RowFeatures(table, chosen, self._numbers, options)
        self._rows: dict[str, int] = {}
        self._labels = {name: j for j, name in enumerate(options.labels or ())}
        self._fixed = options.labels is not None
        self._row_lines: list[int] = []
        self._row_of, self._label_of, self._line_of = array("q"), array("q"), array("q")
        # A digest of each line: two that are alike are one that was copied.
        self._digest_of = array("q")
        numbers = [*self._content, *(name for name in (SPREAD, COUNT) if name in about)]
        self._number_of = {name: array("d") for name in numbers}

    def add(self, lines: Sequence[int], columns: list[Cells]) -> None:
        texts = [texts_of(cells) for cells in columns]
        names, labels = (texts[j] for j in self._places[:2])
        where = dict(zip(self._content, self._places[2:], strict=True)) | self._about
        for name, numbers in self._number_of.items():
            numbers.extend(self._numbers.parse(columns[where[name]], lines, name))
        self._hear(texts, lines)
        new, owners = [], []
        for i, (name, label, line) in enumerate(zip(names, labels, lines, strict=True)):
            if not name:
                raise self.error("does not say which row it belongs to; fill the cell", line)
            row = self._rows.setdefault(name, len(self._rows))
            if row == len(self._row_lines):
                self._row_lines.append(line)
                new.append(i)
            owners.append(row)
            self._label_of.append(self._label(label, line))
            self._line_of.append(line)
        self._row_of.extend(owners)
        self._digest_of.extend(map(hash, zip(*texts, strict=True)))
        self._features.add(columns, texts, lines, owners)
        self._facts.refuse_conflicts(texts, lines, owners, self._row_lines)
        if new:
            self._facts.add(_some(columns, new), [lines[i] for i in new])

    def _hear(self, texts: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Keep what the table says of all its values, which is the same on every line."""
        for name, place in self._about.items():
            if name in (SPREAD, COUNT):
                continue
            said = self._said.setdefault(name, texts[place][0])
            for text, line in zip(texts[place], lines, strict=True):
                if text != said:
                    raise self.error(
                        f"column {name!r} says {excerpt(text)} here and {excerpt(said)} before; it is "
                        "about all values of the table: make two files of two kinds of values",
                        line,
                    )

    def finish(self) -> Dataset:
        options = self._with_direction()
        found = list(self._labels)
        labels = found if self._fixed or not found else natural_sorted(found)
        columns = [self._labels[label] for label in labels]
        shape = len(self._rows), len(labels)
        notes: list[str] = []
        kept = self._without_copies(shape[1], notes)
        # Labels take the place that they have in the result.
        place = np.argsort(columns) if columns else np.empty(0, dtype=np.int64)
        rows, named = (np.frombuffer(a, np.int64)[kept] for a in (self._row_of, self._label_of))
        cells = rows * shape[1] + place[named]
        extra: dict[str, Any] = {}
        if self._as_values:
            matrix, extra, pooled = self._merged(cells, kept, shape, options, notes)
            ranks, about = ranks_of_cells(
                self.path, matrix, labels, self._row_lines, replace(options, cutoff=None), pooled
            )
            extra |= about | value_facts(options)
        else:
            self._refuse_second_ranks(cells, kept, labels)
            matrix = self._matrix(cells, kept, self._content[0], shape)
            plain = replace(options, higher_is_better=None, cutoff=None, within=None)
            ranks, _ = ranks_of_cells(self.path, matrix, labels, self._row_lines, plain)
            extra = self._written_values(cells, kept, shape, options)
        X, recipe, remarks = self._features.finish(list(self._rows))
        extra |= {"row_names": tuple(self._rows)} | self._facts.finish(self._row_lines)
        if self._numbers.comma_line is not None:
            notes.append("numbers were read with a decimal comma")
        features = X, recipe, [*remarks, *notes]
        return pack(self.path, features, ranks, labels, self._row_lines, **extra)

    def _with_direction(self) -> ReadOptions:
        """Return the options with what the table itself says of its values."""
        options, said = self._options, self._said
        if BETTER in said:
            if said[BETTER].lower() not in _DIRECTIONS:
                raise self.error(
                    f"column {BETTER!r} says 'higher' or 'lower', not {said[BETTER]!r}"
                )
            higher = options.higher_is_better
            higher = _DIRECTIONS[said[BETTER].lower()] if higher is None else higher
            options = replace(options, higher_is_better=higher)
        if self._as_values and options.higher_is_better is None:
            raise self.error(
                f"column {self._content[0]!r} holds values; are high ones better (yields) or low "
                f"ones (run times)? say {Arg.WHICH_IS_BETTER}"
            )
        facts: dict[str, Any] = {
            "unit": options.unit or said.get(UNIT, ""),
            "cutoff": options.cutoff,
        }
        for name, field in ((CUTOFF, "cutoff"), (PENALTY, "penalty")):
            if said.get(name) and facts.get(field) is None:
                facts[field] = float(self._numbers.parse([said[name]], [1], name)[0])
        return replace(options, **facts)

    def _merged(
        self,
        cells: NDArray[np.int64],
        kept: NDArray[np.int64],
        shape: tuple[int, int],
        options: ReadOptions,
        notes: list[str],
    ) -> tuple[NDArray[np.float64], dict[str, Any], float]:
        """Return a table of values, replicates merged; their spread and count; the pooled deviation."""
        measured = np.frombuffer(self._number_of[self._content[0]], np.float64)[kept]
        measured = penalised(self.path, measured, options)
        merged = merge_replicates(cells, measured, options.replicates)
        matrix = no_ranks(self.path, *shape, len(cells))
        matrix.flat[merged.cells] = merged.values
        several = merged.counts > 1
        if not several.any():
            return matrix, {}, np.nan
        spread, counts = no_ranks(self.path, *shape, len(cells)), np.zeros(shape)
        spread.flat[merged.cells] = merged.spread
        counts.flat[merged.cells] = merged.counts
        pooled = pooled_deviation(merged.spread, merged.counts)
        unit = f" {options.unit}" if options.unit else ""
        n, sizes = several.sum(), merged.counts[several]
        values = "1 value is" if n == 1 else f"{n} values are"
        least, most = int(sizes.min()), int(sizes.max())
        notes.append(
            f"{values} the {options.replicates} of "
            f"{least if least == most else f'{least} to {most}'} replicates; pooled standard "
            f"deviation {pooled:.3g}{unit}"
        )
        return matrix, {"spread": spread, "replicates": counts}, pooled

    def _written_values(
        self,
        cells: NDArray[np.int64],
        kept: NDArray[np.int64],
        shape: tuple[int, int],
        options: ReadOptions,
    ) -> dict[str, Any]:
        """Return the values that stand beside ranks, in a table that `write` wrote."""
        if len(self._content) == 1:
            return {}
        parts = {"values": self._content[1], "spread": SPREAD, "replicates": COUNT}
        found: dict[str, Any] = {
            part: self._matrix(cells, kept, name, shape)
            for part, name in parts.items()
            if name in self._number_of
        }
        if "replicates" in found:
            found["replicates"] = np.nan_to_num(found["replicates"])
        return found | value_facts(options)

    def _matrix(
        self, cells: NDArray[np.int64], kept: NDArray[np.int64], name: str, shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        matrix = no_ranks(self.path, *shape, len(cells))
        matrix.flat[cells] = np.frombuffer(self._number_of[name], np.float64)[kept]
        return matrix

    def _without_copies(self, k: int, notes: list[str]) -> NDArray[np.int64]:
        """Return the lines without those that repeat another one of their cell exactly."""
        rows, labels = (np.frombuffer(a, np.int64) for a in (self._row_of, self._label_of))
        cells, digests = rows * k + labels, np.frombuffer(self._digest_of, np.int64)
        order = np.lexsort((np.arange(len(cells)), digests, cells))
        again = np.zeros(len(cells), dtype=bool)
        again[order[1:]] = (np.diff(cells[order]) == 0) & (np.diff(digests[order]) == 0)
        if again.any():
            n, line = int(again.sum()), self._line_of[int(again.argmax())]
            lines = "1 line repeats" if n == 1 else f"{n} lines repeat"
            notes.append(f"{lines} another one exactly (first: line {line}); each counts once")
        return np.flatnonzero(~again)

    def _refuse_second_ranks(
        self, cells: NDArray[np.int64], kept: NDArray[np.int64], labels: Sequence[str]
    ) -> None:
        ranks = np.frombuffer(self._number_of[self._content[0]], np.float64)[kept]
        order = np.argsort(cells, kind="stable")
        one, two = order[:-1], order[1:]
        wrong = (cells[one] == cells[two]) & ~(ranks[one] == ranks[two])
        if not wrong.any():
            return
        at = min(np.flatnonzero(wrong), key=lambda i: kept[two[i]])
        first, second = int(kept[one[at]]), int(kept[two[at]])
        row, label = divmod(int(cells[two[at]]), len(labels))
        raise self.error(
            f"row {excerpt(list(self._rows)[row])} ranks label {excerpt(labels[label])} a second "
            f"time, and not as on line {self._line_of[first]}; ranks are not averaged: keep one of "
            f"the lines, or say {Arg.COLUMN_AS_VALUE:{self._content[0]}} if they are measurements",
            self._line_of[second],
        )

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


def _some(columns: Sequence[Cells], rows: list[int]) -> list[Cells]:
    return [
        cells[rows] if isinstance(cells, np.ndarray) else [cells[i] for i in rows]
        for cells in columns
    ]


def long_content(dataset: Dataset) -> Content:
    """Return one line per row and observed label, repeating the features on each."""
    features = FeatureCells(dataset)
    taken = {"row", "label", "rank", "value"} & set(features.names)
    if taken:
        raise ValueError(
            f"feature {min(taken)!r} has the name of a column of long tables; rename it"
        )
    names = dataset.row_names or tuple(str(i) for i in range(1, len(dataset) + 1))
    if len({name.strip() for name in names if name.strip()}) < len(names):
        raise ValueError("two rows have one name, or a row has none; long tables need one for each")
    facts = row_fact_columns(dataset, with_names=False)
    amounts, constants = {"rank": dataset.ranks}, {}
    if dataset.values is not None and dataset.higher_is_better is not None:
        amounts["value"] = dataset.values
        more = {SPREAD: dataset.spread, COUNT: dataset.replicates}
        amounts |= {name: matrix for name, matrix in more.items() if matrix is not None}
        constants = {BETTER: "higher" if dataset.higher_is_better else "lower"}
        constants |= {UNIT: dataset.unit} if dataset.unit else {}
        numbers = {CUTOFF: dataset.cutoff, PENALTY: dataset.penalty}
        constants |= {name: number_text(x) for name, x in numbers.items() if x is not None}
    header = ["row", "label", *amounts, *features.names, *facts, *constants]
    check_header(header)
    written = np.zeros(dataset.ranks.shape, dtype=bool)
    for name, matrix in amounts.items():
        written |= ~np.isnan(matrix) & ((matrix > 0) | (name != COUNT))
    # A row without any rank still needs its lines, or its features would be lost; so does a label.
    written[~written.any(axis=1)] = True
    written[0, ~written.any(axis=0)] = True

    def rows() -> Iterator[Sequence[Cell]]:
        for i, (name, cells) in enumerate(zip(names, features, strict=True)):
            tail = [*cells, *(column[i] for column in facts.values()), *constants.values()]
            for j in np.flatnonzero(written[i]):
                numbers = (matrix[i, j] for matrix in amounts.values())
                yield [name, dataset.label_names[j], *numbers, *tail]

    return Content(header, rows())
