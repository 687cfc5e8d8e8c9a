"""Parts of Arrow tables: in memory, or mapped from files that are larger than it; read by columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankwise._extras import require
from rankwise.parts._block import (
    Block,
    Part,
    Place,
    check_block_weights,
    check_features,
    in_blocks,
    positions_of,
)
from rankwise.parts._column_files import block_type, is_number, label_type, matrix_of

_PURPOSE = "Arrow tables"


def is_arrow(table: Any) -> bool:
    """Whether it is a table or batch of Arrow."""
    return type(table).__module__.partition(".")[0] == "pyarrow" and hasattr(table, "schema")


@dataclass(frozen=True)
class ArrowPart(Part):
    """Some rows of Arrow tables."""

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    weights: Any = field(repr=False)  # of these rows
    start: int
    n_rows: int
    dtype: Any

    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""
        features, labels = self.X.column_names, self.y.column_names

        def block(start: int, stop: int) -> Block:
            first, n = self.start + start, stop - start
            X, y = self.X.slice(start, n), self.y.slice(start, n)
            ranks = matrix_of(y, labels, label_type(y, labels))
            weights = None if self.weights is None else self.weights[start:stop]
            return Block(
                check_features(matrix_of(X, features, self.dtype), features, Place("X", first)),
                positions_of(ranks, labels, Place("y", first)),
                None
                if weights is None
                else check_block_weights(weights, Place("sample_weight", first)),
            )

        return in_blocks(self.n_rows, len(features), block)

    # A slice that is pickled takes its whole table along; one that is written does not.

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "X": _written(self.X), "y": _written(self.y)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ipc = require("pyarrow.ipc", _PURPOSE)
        tables = {name: ipc.open_stream(state[name]).read_all() for name in ("X", "y")}
        self.__dict__.update({**state, **tables})


def arrow_table(table: Any, name: str) -> Any:
    """A table of Arrow whose columns hold numbers, each with a name of its own."""
    arrow = require("pyarrow", _PURPOSE)
    if not is_arrow(table):
        raise TypeError(
            f"{name} is a {type(table).__name__}, and the other is an Arrow table; give both alike"
        )
    if isinstance(table, arrow.RecordBatch):
        table = arrow.Table.from_batches([table])
    names = table.column_names
    for j, (column, kind) in enumerate(zip(names, table.schema.types, strict=True)):
        if column in names[:j]:
            raise ValueError(f"{name} has two columns called {column!r}; rename one of them")
        if not is_number(kind):
            raise ValueError(
                f"{name}: column {column!r} holds {kind}, and parts of Arrow tables hold numbers; write "
                "the table to a file and give it to open_parts, which makes features of texts"
            )
    return table


def arrow_type(table: Any) -> np.dtype[Any]:
    """The type of blocks of a table."""
    found = {str(kind) for kind in table.schema.types}
    return block_type(found, lambda: any(column.null_count for column in table.columns))


def _written(table: Any) -> bytes:
    arrow, ipc = require("pyarrow", _PURPOSE), require("pyarrow.ipc", _PURPOSE)
    sink = arrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())
