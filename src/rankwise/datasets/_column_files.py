"""Parquet tables, where pyarrow is installed; the columns are those of the CSV formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rankwise._extras import require
from rankwise.datasets._cells import Cells
from rankwise.datasets._contents import Cell, Content, number_text
from rankwise.datasets._table import Chunk
from rankwise.datasets._text import DataFile, DataFileError

_ROWS_PER_CHUNK = 2000
# Cells that a file may hold, and more for each byte: a column of one value takes no bytes for its rows.
_FEW_CELLS, _CELLS_PER_BYTE = 50_000_000, 100


class ParquetTable:
    """A Parquet file, so that every tabular reader takes it as it takes CSV; numbers stay numbers."""

    # With a comma here, texts are never taken for numbers with a decimal comma.
    delimiter = ","
    remarks: tuple[str, ...] = ()

    def __init__(self, file: DataFile) -> None:
        self.path = file.path
        parquet = require("pyarrow.parquet", "reading Parquet files")
        size = file.size()
        with reading_parquet(file.path):
            self._file = parquet.ParquetFile(file.handle)
        check_cells(file.path, self._file.metadata, size)
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
        start, batches = 1, self._file.iter_batches(batch_size=_ROWS_PER_CHUNK)
        while True:
            with reading_parquet(self.path):
                batch = next(batches, None)
                if batch is None:
                    return
                columns = [_cells(column) for column in batch.columns]
            end = start + batch.num_rows
            yield list(range(start, end)), columns
            start = end


@contextmanager
def reading_parquet(path: Path | str) -> Iterator[None]:
    """Name the file that pyarrow cannot read, whatever it raises."""
    try:
        yield
    except DataFileError:
        raise
    # NotImplementedError: an encoding that it does not know; OverflowError: a day that no calendar has
    except (OSError, ValueError, TypeError, NotImplementedError, OverflowError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataFileError(
            path, f"cannot be read as Parquet ({reason or type(error).__name__}); write it anew"
        ) from error


def check_cells(path: Path | str, metadata: Any, n_bytes: int) -> None:
    """Refuse a small file that says it has a table which no memory holds."""
    n_rows, n_columns = metadata.num_rows, metadata.num_columns
    if n_rows * n_columns > _FEW_CELLS + _CELLS_PER_BYTE * n_bytes:
        raise DataFileError(
            path,
            f"holds {n_rows:,} rows and {n_columns:,} columns in {n_bytes:,} bytes, so that nearly all "
            "cells are the same; leave out columns that say nothing, or rows that are repeated",
        )


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
