"""Tables with one row per ranking: ``A*, L*`` columns, a ranking column, or chosen columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg, Message
from rankwise._naming import name_some
from rankwise.datasets._cells import texts_of
from rankwise.datasets._checks import pack, ranks_of_cells
from rankwise.datasets._column_roles import (
    RANKING,
    Layout,
    ReadOptions,
    choose_features,
    is_scikit_lr,
    places,
    ranking_columns,
    refuse_odd_names,
)
from rankwise.datasets._contents import Cell, Content, FeatureCells, check_header
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import FILL, FeatureColumns, Numbers
from rankwise.datasets._rank_texts import RankTexts
from rankwise.datasets._row_facts import RowFacts, row_fact_columns
from rankwise.datasets._table import Chunk, Table
from rankwise.datasets._text import DataFileError
from rankwise.rankings import format_rankings


def read_wide(table: Table, layout: Layout, options: ReadOptions) -> Dataset:
    """Read one column of ranks (or scores) per label: those that are chosen, or ``L1, L2, …``."""
    labels = ranking_columns(table.header, options, layout.name)
    if layout.name == "wide" and options.labels is None:
        if {"row", "label", "rank", "value"} <= set(table.header):
            raise DataFileError(
                table.path,
                "has a column 'rank' and a column 'value'; say which one counts, "
                f"{Arg.COLUMN_AS_VALUE:value} or {Arg.COLUMN_AS_RANK:rank}",
            )
        raise DataFileError(
            table.path,
            f"which columns hold the ranks? name them, {Arg.SOME_LABELS}, out of "
            f"{name_some(table.header, 20)}; or, where each line is about one label of a row, the "
            f"columns that hold row, label and value (or rank), {Arg.LONG_COLUMNS}; a file with a "
            "column called 'ranking', or with columns A1, A2, … and L1, L2, …, is read as it is",
        )
    label_places = places(table.path, table.header, labels, "label")
    rows = _RowReader(table, layout, labels, options)
    if layout.name == "scikit-lr" and options.features is None:
        refuse_odd_names(table.path, rows.features.names)
    hint = FILL
    if layout.name == "wide":
        hint += (
            "; if each line is about one label of a row, name the columns that hold row, label and value "
            f"(or rank) instead of labels, {Arg.LONG_COLUMNS}"
        )
    blocks = []
    for lines, columns in rows:
        named = zip(labels, label_places, strict=True)
        blocks.append([rows.numbers.parse(columns[j], lines, name, hint) for name, j in named])
    matrix = np.concatenate(blocks, axis=1).T if blocks and labels else np.empty((0, len(labels)))
    ranks, extra = ranks_of_cells(table.path, matrix, labels, rows.lines, options)
    return rows.pack(ranks, labels, **extra)


def read_ranking_column(table: Table, layout: Layout, options: ReadOptions) -> Dataset:
    """Read texts such as ``a>b~c`` from one column, features from the others."""
    column = ranking_columns(table.header, options, layout.name)
    (place,) = places(table.path, table.header, column, "ranking")
    rows = _RowReader(table, layout, column, options)
    rankings = RankTexts(table.path, options.labels)
    for lines, columns in rows:
        rankings.add(texts_of(columns[place]), lines)
    Y, labels = rankings.finish()
    return rows.pack(Y, labels)


def scikit_lr_content(dataset: Dataset) -> Content:
    """Return columns ``A*`` and ``L*``; the dataset's names must be these already."""
    if not is_scikit_lr([*dataset.feature_names, *dataset.label_names]):
        raise ValueError(
            Message(
                "scikit-lr's format calls features A1, A2, … and labels L1, L2, …, so the names of "
                f"{dataset.name!r} would be lost; write {Arg.FORMAT:ranking} or {Arg.FORMAT:wide}"
            )
        )
    return wide_content(dataset)


def wide_content(dataset: Dataset) -> Content:
    """Return one column per feature, then one of ranks per label."""
    return _content(dataset, dataset.label_names, dataset.ranks.tolist())


def ranking_content(dataset: Dataset) -> Content:
    """Return one column per feature, then the ranking as a text."""
    texts = format_rankings(dataset.ranks, labels=list(dataset.label_names))
    return _content(dataset, [RANKING], ([text] for text in texts))


def _content(
    dataset: Dataset, columns: Sequence[str], rankings: Iterable[Sequence[Cell]]
) -> Content:
    """Return features, what is known of rows, and the columns that hold the ranking of each row."""
    facts, features = row_fact_columns(dataset), FeatureCells(dataset)
    header = [*features.names, *facts, *columns]
    check_header(header)
    rows = (
        [*cells, *(column[i] for column in facts.values()), *ranking]
        for i, (cells, ranking) in enumerate(zip(features, rankings, strict=True))
    )
    return Content(header, rows)


class _RowReader:
    """Goes through a table once, keeps features and facts, lends each chunk to its caller."""

    def __init__(
        self, table: Table, layout: Layout, rankings: Sequence[str], options: ReadOptions
    ) -> None:
        self._table, self._layout = table, layout
        self.numbers = Numbers(table.path, allow_comma=table.delimiter != ",")
        self._facts = RowFacts(table, options, self.numbers)
        self.features = FeatureColumns(
            table.header,
            choose_features(table.path, table.header, [*rankings, *self._facts.taken], options),
            self.numbers,
            nominal=options.nominal,
            drop_names=options.chooses_columns,
            drop_empty=options.chooses_columns,
            recipe=options.recipe,
        )
        self.lines = array("q")

    def __iter__(self) -> Iterator[Chunk]:
        for lines, columns in self._table.chunks():
            self.features.add(columns, lines)
            self._facts.add(columns, lines)
            self.lines.extend(lines)
            yield lines, columns

    def pack(self, Y: NDArray[np.float64], labels: Sequence[str], **extra: Any) -> Dataset:
        features = self.features.finish()
        if self.features.naming is not None:
            # Kept, so that a later file with this column is read alike.
            column, names = self.features.naming
            extra["row_names"] = names
            roles = {**self._layout.roles, "row": column}
            extra["layout"] = replace(self._layout, roles=roles)
        extra |= self._facts.finish(self.lines)
        if self.numbers.comma_line is not None:
            features[-1].append("numbers were read with a decimal comma")
        return pack(self._table.path, features, Y, labels, self.lines, **extra)
