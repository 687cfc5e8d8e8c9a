"""Parquet tables, where pyarrow is installed; the columns are those of the CSV formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankwise._extras import require
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._table import Chunk
from rankwise.datasets._tabular import RANKING, WEIGHT
from rankwise.datasets._text import DataFileError
from rankwise.rankings import format_rankings

_ROWS_PER_CHUNK = 2000


class ParquetTable:
    """A Parquet file as rows of text, so that every tabular reader takes it as it takes CSV."""

    # Not a comma: decimal commas are looked for in text columns of numbers only.
    delimiter = ","

    def __init__(self, path: Path) -> None:
        self.path = path
        parquet = require("pyarrow.parquet", "reading Parquet files")
        try:
            self._file = parquet.ParquetFile(path)
        except (OSError, ValueError) as error:
            raise DataFileError(path, f"cannot be read as Parquet ({error})") from error
        self.header = [str(name) for name in self._file.schema_arrow.names]
        if len(set(self.header)) < len(self.header):
            raise DataFileError(path, "two columns have the same name; rename one of them")

    def chunks(self) -> Iterator[Chunk]:
        """Yield ``(row numbers, rows of cells)``; rows count as lines, from 1."""
        start = 1
        for batch in self._file.iter_batches(batch_size=_ROWS_PER_CHUNK):
            columns = [[_text(value) for value in column.to_pylist()] for column in batch.columns]
            rows = [list(row) for row in zip(*columns, strict=True)]
            yield list(range(start, start + len(rows))), rows
            start += len(rows)


def write_parquet(dataset: Dataset, path: Path) -> None:
    """Write features as numbers and the ranking as a text column."""
    pyarrow = require("pyarrow", "writing Parquet files")
    parquet = require("pyarrow.parquet", "writing Parquet files")
    columns: dict[str, Any] = {
        name: dataset.X[:, j] for j, name in enumerate(dataset.feature_names)
    }
    if dataset.weights is not None:
        columns[WEIGHT] = dataset.weights
    if RANKING in columns:
        raise ValueError("two columns would be called 'ranking'; rename the feature")
    columns[RANKING] = list(format_rankings(dataset.Y, labels=list(dataset.label_names)))
    parquet.write_table(pyarrow.table(columns), path)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value).strip()
