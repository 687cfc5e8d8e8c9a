"""Files of columns, Parquet and Arrow, where pyarrow is installed; columns are those of the CSV formats."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from rankwise._extras import require
from rankwise.datasets._cells import Cells
from rankwise.datasets._contents import Cell, Content, number_text
from rankwise.datasets._table import Chunk
from rankwise.datasets._text import DataFile, DataFileError

_ROWS_PER_CHUNK = 2000
# Rows that are written together: others read so many at a time.
_ROWS_PER_BATCH = 1 << 16
# Cells that a file may hold, and more for each byte: a column of one value takes no bytes for its rows.
_FEW_CELLS, _CELLS_PER_BYTE = 50_000_000, 100

# How each kind of file is called, and how files of it end.
PARQUET, ARROW = "parquet", "arrow"
NAMES = {PARQUET: "Parquet", ARROW: "Arrow"}
ENDINGS = {".parquet": PARQUET, ".pq": PARQUET, ".arrow": ARROW, ".feather": ARROW}

# What Arrow files start with, and what an older kind does.
ARROW_START, _FEATHER_1 = b"ARROW1", b"FEA1"


class ColumnFile(Protocol):
    """A file of columns: groups of rows, read in batches."""

    schema: Any  # of Arrow

    @property
    def sizes(self) -> list[int]:
        """The rows of each group."""

    def batches(
        self, size: int, names: Sequence[str] | None = None, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Yield batches of so many rows at most, of some columns and groups, or of all."""

    def null_counts(self, names: Sequence[str]) -> Iterator[tuple[str, int | None, int]]:
        """Yield columns, how many cells they lack (None: not said) and how many they have, by group."""

    @property
    def is_plain(self) -> bool:
        """Whether columns lie in it as in memory, as far as its size says: rows can be passed over."""


@contextmanager
def open_columns(path: str, is_plain: bool | None = None) -> Iterator[ColumnFile]:
    """Open a file of columns; one of Arrow is mapped, and is plain if somebody found so before."""
    kind = ENDINGS[Path(path).suffix.lower()]
    arrow = require("pyarrow", f"reading {NAMES[kind]} files")
    with reading_columns(path, kind):
        source = arrow.memory_map(path) if kind == ARROW else arrow.OSFile(path)
    with source:
        yield columns_of(path, source, kind, is_plain)


def columns_of(
    path: Path | str, source: Any, kind: str, is_plain: bool | None = None
) -> ColumnFile:
    """A file of columns that is open already."""
    is_arrow = kind == ARROW
    found = _ArrowFile(path, source, is_plain) if is_arrow else _ParquetFile(path, source)
    with reading_columns(path, kind):
        names = found.schema.names
    if len(set(names)) < len(names):
        raise DataFileError(path, "two columns have the same name; rename one of them")
    return found


class _ParquetFile:
    """Parquet: a group is a row group."""

    is_plain = False

    def __init__(self, path: Path | str, source: Any) -> None:
        parquet = require("pyarrow.parquet", "reading Parquet files")
        self._path, n_bytes = path, _size(source)
        with reading_columns(path, PARQUET):
            self._file = parquet.ParquetFile(source)
        self.schema, self._metadata = self._file.schema_arrow, self._file.metadata
        _check_cells(path, self._metadata.num_rows, self._metadata.num_columns, n_bytes)

    @property
    def sizes(self) -> list[int]:
        groups = range(self._metadata.num_row_groups)
        return [self._metadata.row_group(i).num_rows for i in groups]

    def batches(
        self, size: int, names: Sequence[str] | None = None, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        batches = self._file.iter_batches(size, groups, names, use_threads=False)
        while True:
            with reading_columns(self._path, PARQUET):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def null_counts(self, names: Sequence[str]) -> Iterator[tuple[str, int | None, int]]:
        for i, size in ((i, size) for i, size in enumerate(self.sizes) if size and names):
            # where what a file says of a column is damaged, pyarrow ends the process if it is asked,
            # and raises an error if a row is read
            next(self.batches(1, names, [i]), None)
            group, leaves = self._metadata.row_group(i), self._metadata.schema
            for j in (j for j in range(len(leaves)) if leaves.column(j).path in names):
                column = group.column(j)
                known = column.statistics if column.is_stats_set else None
                n = None if known is None or not known.has_null_count else known.null_count
                yield leaves.column(j).path, n, size


class _ArrowFile:
    """Arrow's own files, as Feather files are: a group is a batch as it was written.

    A stream, which has no list of its batches at the end, is one group.
    """

    def __init__(self, path: Path | str, source: Any, is_plain: bool | None = None) -> None:
        self._path, self._source, self._n_bytes = path, source, _size(source)
        start = bytes(source.read(len(ARROW_START)))
        if start.startswith(_FEATHER_1):
            raise DataFileError(path, "is Feather of version 1; write it anew, as version 2")
        self._is_stream = start != ARROW_START
        self.schema = self._opened([]).schema
        if is_plain is not None:
            self.is_plain = is_plain

    @cached_property
    def sizes(self) -> list[int]:
        sizes = [batch.num_rows for batch in self._written([0], None)]
        return [sum(sizes)] if self._is_stream else sizes

    @cached_property
    def is_plain(self) -> bool:
        types = require("pyarrow.types", "reading Arrow files")
        widths = [kind.bit_width for kind in self.schema.types if types.is_primitive(kind)]
        return 8 * self._n_bytes >= sum(self.sizes) * sum(widths)

    def batches(
        self, size: int, names: Sequence[str] | None = None, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        for batch in self._of_columns(names, groups):
            for start in range(0, batch.num_rows, size):
                yield batch.slice(start, size)

    def null_counts(self, names: Sequence[str]) -> Iterator[tuple[str, int | None, int]]:
        for batch in self._of_columns(names, None) if names else ():
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                yield name, column.null_count, batch.num_rows

    def _of_columns(
        self, names: Sequence[str] | None, groups: Sequence[int] | None
    ) -> Iterator[Any]:
        if names is None:
            yield from self._written([], groups)
        elif self.is_plain:
            # nothing is read but what is looked at: where columns are chosen, pyarrow copies them
            for batch in self._written([], groups, names):
                yield batch.select(names)
        else:
            yield from self._written(sorted(map(self.schema.names.index, names)), groups)

    def _written(
        self,
        places: list[int],
        groups: Sequence[int] | None,
        looked_at: Sequence[str] | None = None,
    ) -> Iterator[Any]:
        """Yield batches as they were written, of some columns, or of all."""
        reader, n_rows = self._opened(places), 0
        if self._is_stream:
            batches = reader
        else:
            numbers = range(reader.num_record_batches) if groups is None else groups
            batches = map(reader.get_batch, numbers)
        while True:
            with reading_columns(self._path, ARROW):
                batch = next(batches, None)
                if batch is None:
                    return
                # a damaged file may say that a text ends behind the file
                (batch if looked_at is None else batch.select(looked_at)).validate(full=True)
            n_rows += batch.num_rows
            _check_cells(self._path, n_rows, len(self.schema.names), self._n_bytes)
            yield batch

    def _opened(self, places: list[int]) -> Any:
        ipc = require("pyarrow.ipc", "reading Arrow files")
        self._source.seek(0)
        options = ipc.IpcReadOptions(included_fields=places, use_threads=False)
        opened = ipc.open_stream if self._is_stream else ipc.open_file
        with reading_columns(self._path, ARROW):
            return opened(self._source, options=options)


class ColumnsTable:
    """A file of columns, so that every tabular reader takes it as it takes CSV; numbers stay numbers."""

    # With a comma here, texts are never taken for numbers with a decimal comma.
    delimiter = ","
    remarks: tuple[str, ...] = ()

    def __init__(self, file: DataFile, kind: str) -> None:
        self.path, self._kind = file.path, kind
        self._file = columns_of(file.path, file.handle, kind)
        self.header = list(self._file.schema.names)
        types = require("pyarrow.types", f"reading {NAMES[kind]} files")
        for name, of_cells in zip(self.header, self._file.schema.types, strict=True):
            if types.is_nested(of_cells):
                raise DataFileError(
                    file.path,
                    f"column {name!r} holds {of_cells}, and cells are numbers or texts; write the table "
                    "without it",
                )

    def chunks(self) -> Iterator[Chunk]:
        """Yield row numbers and columns of cells; rows count as lines, from 1."""
        start = 1
        for batch in self._file.batches(_ROWS_PER_CHUNK):
            with reading_columns(self.path, self._kind):
                columns = [_cells(column) for column in batch.columns]
            end = start + batch.num_rows
            yield list(range(start, end)), columns
            start = end


@contextmanager
def reading_columns(path: Path | str, kind: str | None = None) -> Iterator[None]:
    """Name the file that pyarrow cannot read, whatever it raises."""
    try:
        yield
    except DataFileError:
        raise
    # NotImplementedError: an encoding that it does not know; OverflowError: a day that no calendar has;
    # MemoryError: a damaged file may say that it unpacks to any size
    except (
        OSError, ValueError, TypeError, NotImplementedError, OverflowError, LookupError, MemoryError
    ) as error:  # fmt: skip
        reason = " ".join(str(error).split())[:200]
        name = NAMES[kind or ENDINGS[Path(path).suffix.lower()]]
        raise DataFileError(
            path, f"cannot be read as {name} ({reason or type(error).__name__}); write it anew"
        ) from error


def _size(source: Any) -> int:
    size: int = source.seek(0, os.SEEK_END)
    source.seek(0)
    return size


def _check_cells(path: Path | str, n_rows: int, n_columns: int, n_bytes: int) -> None:
    """Refuse a small file that says it has a table which no memory holds."""
    if n_rows * n_columns > _FEW_CELLS + _CELLS_PER_BYTE * n_bytes:
        raise DataFileError(
            path,
            f"holds {n_rows:,} rows and {n_columns:,} columns in {n_bytes:,} bytes, so that nearly all "
            "cells are the same; leave out columns that say nothing, or rows that are repeated",
        )


def write_parquet(content: Content, handle: BinaryIO) -> None:
    """Write a table; a column that holds a text holds texts, all others numbers."""
    table = _table_of(content, "writing Parquet files")
    require("pyarrow.parquet", "writing Parquet files").write_table(table, handle)


def write_arrow(content: Content, handle: BinaryIO) -> None:
    """The same as a file of Arrow, not compressed, so that it can be mapped."""
    table = _table_of(content, "writing Arrow files")
    ipc = require("pyarrow.ipc", "writing Arrow files")
    with ipc.new_file(handle, table.schema) as file:
        file.write_table(table, _ROWS_PER_BATCH)


def _table_of(content: Content, purpose: str) -> Any:
    columns = list(zip(*content.rows, strict=True)) or [()] * len(content.header)
    named = zip(content.header, map(_typed, columns), strict=True)
    return require("pyarrow", purpose).table(dict(named))


def _typed(column: Sequence[Cell]) -> Any:
    """Return texts, empty where nothing is, or numbers."""
    if not any(isinstance(cell, str) for cell in column):
        return np.array(column, dtype=np.float64)
    return [cell if isinstance(cell, str) else number_text(cell) for cell in column]


def _cells(column: Any) -> Cells:
    types = require("pyarrow.types", "reading files of columns")
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
