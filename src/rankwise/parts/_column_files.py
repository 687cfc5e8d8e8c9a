"""Parts of Parquet and Arrow files that hold numbers: read a batch at a time, column by column."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankwise._extras import require
from rankwise._naming import name_some
from rankwise.datasets import DataFileError
from rankwise.datasets.tables import open_columns, reading_columns
from rankwise.parts._block import (
    Block,
    Part,
    Place,
    check_block_weights,
    check_features,
    positions_of,
)
from rankwise.rankings import ranks_from_scores

# Row groups, or batches, of a file are put together up to so many rows.
ROWS_PER_PART = 1 << 18

# Numbers that are read at a time, over all columns: a column of them stays in the cache.
BATCH_CELLS = 1 << 22
MOST_ROWS, LEAST_ROWS = 1 << 16, 1 << 10

_PURPOSE = "reading files of columns"


class Columns(NamedTuple):
    """Which columns of a table are what."""

    features: tuple[str, ...]
    labels: tuple[str, ...]
    weight: str | None = None
    higher_is_better: bool | None = None  # None: the cells of labels are ranks


@dataclass(frozen=True)
class Stamp:
    """What tells that a file has changed."""

    size: int
    modified: int

    @classmethod
    def of(cls, path: str) -> Stamp:
        """The stamp of a file as it is now."""
        try:
            found = Path(path).stat()
        except OSError as error:
            raise DataFileError(path, f"cannot be read ({error.strerror})") from error
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise DataFileError(
                path, "is a pipe or a device, which is read only once; save it first"
            )
        return cls(found.st_size, found.st_mtime_ns)

    def check(self, path: str) -> None:
        """Refuse a file that has changed."""
        if Stamp.of(path) != self:
            raise DataFileError(
                path, "has changed while it was in use; start again when nobody writes to it"
            )


@dataclass(frozen=True)
class ColumnFilePart(Part):
    """Some row groups of a Parquet file, or batches of an Arrow file."""

    path: str
    groups: tuple[int, ...]
    skipped: int  # rows of these groups
    first: int  # row of the file
    n_rows: int
    columns: Columns = field(repr=False)
    dtype: Any = field(repr=False)
    is_plain: bool = field(repr=False)
    stamp: Stamp = field(repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""
        self.stamp.check(self.path)
        wanted, first, skipped, end = (
            self.columns,
            self.first,
            self.skipped,
            self.first + self.n_rows,
        )
        names = [*wanted.features, *wanted.labels, *([wanted.weight] if wanted.weight else [])]
        size = min(MOST_ROWS, max(LEAST_ROWS, BATCH_CELLS // len(names)))
        with open_columns(self.path, self.is_plain) as file:
            for batch in file.batches(size, names, self.groups):
                if skipped >= batch.num_rows:
                    skipped -= batch.num_rows
                    continue
                own, skipped = batch.slice(skipped, end - first), 0
                yield self._block(own, first)
                first += own.num_rows
                if first == end:
                    return

    def _block(self, batch: Any, first: int) -> Block:
        wanted, place = self.columns, Place(self.path, first, is_file=True)
        with reading_columns(self.path):
            X = matrix_of(batch, wanted.features, self.dtype)
            Y = matrix_of(batch, wanted.labels, label_type(batch, wanted.labels))
            own = numbers_of(batch.column(wanted.weight), np.float64) if wanted.weight else None
        if wanted.higher_is_better is not None:
            Y = ranks_from_scores(Y, higher_is_better=wanted.higher_is_better)
        weights = None if own is None else check_block_weights(own, place)
        features = check_features(X, wanted.features, place)
        return Block(features, positions_of(Y, wanted.labels, place), weights)


def matrix_of(batch: Any, names: Sequence[str], dtype: Any) -> np.ndarray:
    """Columns of Arrow as a matrix that lies in memory column by column."""
    matrix = np.empty((len(names), batch.num_rows), dtype=dtype)
    for j, name in enumerate(names):
        matrix[j] = numbers_of(batch.column(name), dtype)
    return matrix.T


def numbers_of(column: Any, dtype: Any) -> np.ndarray:
    """A column of Arrow as numbers, NaN where it has a gap."""
    if column.null_count or np.dtype(dtype).kind == "f":
        # whole numbers above 2**53 are rounded, as anywhere else
        column = column.cast("float32" if dtype == np.float32 else "float64", safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def label_type(batch: Any, names: Sequence[str]) -> Any:
    """The type of ranks: whole numbers stay what they are, where none is missing."""
    types = require("pyarrow.types", _PURPOSE)
    columns = [batch.column(name) for name in names]
    whole = all(types.is_integer(own.type) and not own.null_count for own in columns)
    return np.int64 if whole else np.float64


class FileFacts(NamedTuple):
    """What a file of columns says of itself."""

    path: str
    types: dict[str, Any]
    sizes: list[int]  # rows of each group
    is_plain: bool
    stamp: Stamp

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.sizes)


def file_facts(path: str) -> FileFacts:
    """Ask a file what it holds."""
    stamp = Stamp.of(path)
    with open_columns(path) as file:
        schema: Any = file.schema
        types = dict(zip(schema.names, schema.types, strict=True))
        return FileFacts(path, types, file.sizes, file.is_plain, stamp)


def may_have_gaps(facts: FileFacts, names: Sequence[str]) -> bool:
    """Whether a cell of some columns may be missing, as far as the file says."""
    with open_columns(facts.path, facts.is_plain) as file:
        return any(n is None or n > 0 for _, n, _ in file.null_counts(names))


def empty_columns(files: Sequence[FileFacts], names: Sequence[str]) -> list[str]:
    """The columns of no value in any file, as far as the files say; the first file mostly settles it."""
    if not any(facts.n_rows for facts in files):
        return []
    for facts in files:
        named = [name for name in names if str(facts.types[name]) != "null"]
        with open_columns(facts.path, facts.is_plain) as file:
            full = {name for name, n, size in file.null_counts(named) if n != size}
        names = [name for name in names if name not in full]
        if not names:
            break
    return list(names)


def holds_numbers(files: Sequence[FileFacts], names: Sequence[str]) -> bool:
    """Whether some columns of files hold numbers or Booleans, or nothing at all in some of them."""
    return all(is_number(facts.types[name]) for facts in files for name in names)


def check_alike(files: Sequence[FileFacts], names: Sequence[str], only_these: bool) -> None:
    """Refuse a file that lacks a column of the first, or holds texts there where others hold numbers.

    With `only_these` also one that has a column more.
    """
    for facts in files:
        lost = [name for name in names if name not in facts.types]
        if lost:
            raise DataFileError(
                facts.path,
                f"lacks the column{'s' * (len(lost) > 1)} {name_some(lost, 8)}, which "
                f"{files[0].path} has; all files need the same columns",
            )
        more = [name for name in facts.types if name not in files[0].types]
        if more and only_these:
            raise DataFileError(
                facts.path,
                f"has the column{'s' * (len(more) > 1)} {name_some(more, 8)}, unlike "
                f"{files[0].path}; all files need the same columns",
            )
    for name in names:
        known = [facts for facts in files if str(facts.types[name]) != "null"]
        for facts in known:
            kind, usual = facts.types[name], known[0].types[name]
            if is_number(kind) != is_number(usual):
                raise DataFileError(
                    facts.path,
                    f"column {name!r} holds {kind} here and {usual} in {known[0].path}; write both "
                    "alike",
                )


def feature_type(files: Sequence[FileFacts], names: Sequence[str]) -> np.dtype[Any]:
    """The type of blocks: bytes where all columns are and none has a gap, else floats."""
    found = {str(facts.types[name]) for facts in files for name in names}
    return block_type(found, lambda: any(may_have_gaps(facts, names) for facts in files))


def block_type(found: set[str], has_gaps: Callable[[], bool]) -> np.dtype[Any]:
    """The type of blocks of columns whose types are these."""
    if found == {"float"}:
        return np.dtype(np.float32)
    byte = {"bool": np.dtype(bool), "uint8": np.dtype(np.uint8), "int8": np.dtype(np.int8)}
    if not found <= {*byte} or has_gaps():
        return np.dtype(np.float64)
    if len(found) == 1:
        return byte[found.pop()]
    both_signs = {"int8", "uint8"} <= found
    return np.dtype(np.float64) if both_signs else byte[(found - {"bool"}).pop()]


def parts_of_file(facts: FileFacts, columns: Columns, dtype: Any) -> Iterator[ColumnFilePart]:
    """Yield the parts of a file: groups put together, or one that is large by itself.

    That is divided where rows can be passed over.
    """
    first, groups, n = 0, [], 0
    for group, size in enumerate(facts.sizes):
        groups.append(group)
        n += size
        if n < ROWS_PER_PART and group < len(facts.sizes) - 1:
            continue
        step = ROWS_PER_PART if facts.is_plain else max(n, 1)
        for start in range(0, n, step):
            rows, own = min(step, n - start), tuple(groups)
            yield ColumnFilePart(
                facts.path, own, start, first + start, rows, columns, dtype, facts.is_plain, facts.stamp
            )  # fmt: skip
        first, groups, n = first + n, [], 0


def is_number(kind: Any) -> bool:
    """Whether a column of this type of Arrow holds numbers or Booleans, or nothing at all."""
    types = require("pyarrow.types", _PURPOSE)
    checks = (
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_null,
    )
    return any(check(kind) for check in checks)
