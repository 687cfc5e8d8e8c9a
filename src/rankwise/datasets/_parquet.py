"""Parquet tables, where pyarrow is installed; the columns are those of the CSV formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from rankwise._extras import require
from rankwise.datasets._cells import Cells
from rankwise.datasets._contents import Cell, Content, number_text
from rankwise.datasets._table import Chunk
from rankwise.datasets._text import DataFile, DataFileError

_ROWS_PER_CHUNK = 2000


class ParquetTable:
    """A Parquet file, so that every tabular reader takes it as it takes CSV; numbers stay numbers."""

    # With a comma here, texts are never taken for numbers with a decimal comma.
    delimiter = ","
    remarks: tuple[str, ...] = ()

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
        types = require("pyarrow.types", "reading Parquet files")
        for name, kind in zip(self.header, self._file.schema_arrow.types, strict=True):
            if types.is_nested(kind):
                raise DataFileError(
                    file.path,
                    f"column {name!r} holds {kind}, and cells are numbers or texts; write the table "
                    "without it",
                )

    def chunks(self) -> Iterator[Chunk]:
        """Yield row numbers and columns of cells; rows count as lines, from 1."""
        start = 1
        for batch in self._file.iter_batches(batch_size=_ROWS_PER_CHUNK):
            end = start + batch.num_rows
            yield list(range(start, end)), [_cells(column) for column in batch.columns]
            start = end


def write_parquet(content: Content, handle: BinaryIO) -> None:
    """Write a table; a column that holds a text holds texts, all others numbers."""
    pyarrow = require("pyarrow", "writing Parquet files")
    parquet = require("pyarrow.parquet", "writing Parquet files")
    columns = list(zip(*content.rows, strict=True)) or [()] * len(content.header)
    named = zip(content.header, map(_typed, columns), strict=True)
    parquet.write_table(pyarrow.table(dict(named)), handle)


def _typed(column: Sequence[Cell]) -> Any:
    """Return texts, empty where nothing is, or numbers."""
    if not any(isinstance(cell, str) for cell in column):
        return np.array(column, dtype=np.float64)
    return [cell if isinstance(cell, str) else number_text(cell) for cell in column]


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
