"""The rows that a model is asked about: any file that `fit` reads, standard input, a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from rankwise._paths import path_fault
from rankwise.cli._options import STANDARD
from rankwise.cli._reading import fitted_table
from rankwise.cli._source import standard_input
from rankwise.datasets import Dataset, available, load
from rankwise.datasets.tables import (
    FeatureColumns,
    OneLinePerRow,
    ReadOptions,
    Table,
    use_table,
)
from rankwise.models import TableModel

Result = TypeVar("Result")


class _BenchmarkTable:
    """The features of a benchmark as a table; rows count as lines, from 1."""

    delimiter = ","
    remarks: tuple[str, ...] = ()

    def __init__(self, data: Dataset) -> None:
        self.path, self.header = Path(data.name), list(data.feature_names)
        self._features = data.features

    def chunks(self) -> Iterator[tuple[range, list[Any]]]:
        yield range(1, len(self._features) + 1), list(self._features.T)


def use_rows(
    model: TableModel, file: str, use: Callable[[Table, FeatureColumns], Result], sheet: str | None
) -> tuple[Result, list[str]]:
    """Call `use` with a table of one line per row and with what makes the features of the model.

    It may be called twice, see `rankwise.datasets.tables.use_table`. Returns what it returned, and what
    is to be said of the table and of its categories.
    """

    def with_features(table: Table) -> tuple[Result, list[str]]:
        table = _one_line_per_row(model, table)
        commas = table.delimiter != ","
        features = FeatureColumns.by_recipe(
            model.recipe, table.path, table.header, allow_comma=commas
        )
        result = use(table, features)
        return result, [*table.remarks, *features.unknown_remarks()]

    path = Path(file)
    if file == STANDARD:
        return use_table(standard_input(), with_features, sheet)
    if path_fault(path) is None and not path.exists() and file.lower() in available():
        return with_features(_BenchmarkTable(load(file)))
    return use_table(path, with_features, sheet)


def _one_line_per_row(model: TableModel, table: Table) -> Table:
    """Put the lines of each row together where a table has a line for each row and label."""
    fitted = fitted_table(model)
    if fitted.layout is not None and fitted.layout.name != "long":
        return table
    roles = {} if fitted.layout is None else dict(fitted.layout.roles)
    row, label = roles.get("row", "row"), roles.get("label", "label")
    used = {column.name for column in model.recipe.columns}
    if not {row, label} <= set(table.header) or label in used:
        return table
    amounts = {roles.get(role, role) for role in ("rank", "value")} | {"rank", "value"}
    return OneLinePerRow(table, row, [label, *amounts], ReadOptions(like=fitted))
