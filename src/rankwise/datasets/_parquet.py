"""Parquet tables, where pyarrow is installed; the columns are those of the CSV formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from rankwise._extras import require
from rankwise.datasets._column_roles import RANKING
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import Cells
from rankwise.datasets._row_facts import row_fact_columns
from rankwise.datasets._table import Chunk
from rankwise.datasets._text import DataFile, DataFileError
from rankwise.rankings import format_rankings

_ROWS_PER_CHUNK = 2000


class ParquetTable:
    """A Parquet file, so that every tabular reader takes it as it takes CSV; numbers stay numbers."""

    # With a comma here, texts are never taken for numbers with a decimal comma.
    delimiter = ","

    def __init__(self, file: DataFile) -> None:
        self.path = file.path
        parquet = require("pyarrow.parquet", "reading Parquet files")
        try:
            self._file = parquet.ParquetFile(file.handle)
        except (OSError, ValueError) as error:
            raise DataFileError(file.path, f"cannot be read as Parquet ({error})") from error
        self.header = [str(name) for name in self._file.schema_arrow.names]
        if len(set(self.header)) < len(self.header):
            raise DataFileError(file.path, "two columns have the same name; rename one of them")

    def chunks(self) -> Iterator[Chunk]:
        """Yield row numbers and columns of cells; rows count as lines, from 1."""
        start = 1
        for batch in self._file.iter_batches(batch_size=_ROWS_PER_CHUNK):
            end = start + batch.num_rows
            yield list(range(start, end)), [_cells(column) for column in batch.columns]
            start = end


def write_parquet(dataset: Dataset, handle: TextIO) -> None:
    """Write features as numbers and the ranking as a text column."""
    pyarrow = require("pyarrow", "writing Parquet files")
    parquet = require("pyarrow.parquet", "writing Parquet files")
    columns: dict[str, Any] = dict(zip(dataset.feature_names, dataset.X.T, strict=True))
    columns |= row_fact_columns(dataset)
    if RANKING in columns:
        raise ValueError("two columns would be called 'ranking'; rename the feature")
    columns[RANKING] = list(format_rankings(dataset.Y, labels=list(dataset.label_names)))
    parquet.write_table(pyarrow.table(columns), handle.buffer)


def _cells(column: Any) -> Cells:
    types = require("pyarrow.types", "reading Parquet files")
    if types.is_boolean(column.type):
        column = column.cast("int8")
    if types.is_decimal(column.type):
        column = column.cast("float64")
    if types.is_floating(column.type) or (types.is_integer(column.type) and not column.null_count):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if types.is_integer(column.type):
        # As objects, whole numbers stay whole beside None.
        return np.array(column.to_pylist(), dtype=object)
    return ["" if value is None else str(value).strip() for value in column.to_pylist()]
