"""The first levels of a tree, decided for many rows at once by vector instructions.

They are the same few tests for all rows. Each is made for every row, as a bit, and of two tests that stand
side by side a row takes the one that its way at the level above says. The plain stand-ins run where
``NUMBA_DISABLE_JIT=1`` turns kernels into plain Python (`make coverage`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

# Words of 64 bits that `decide` handles at once, a row of them to a test.
ROW_WORDS = 4

# Levels of a tree that `decide` looks at: a place below them fits a byte.
TOP = 8

# The same of `decide_codes`, where each test is a comparison, and the rows that it handles at once.
ENTRY = 6
CODE_ROWS = 128

# Nodes that look at codes are words: left child << 40 | CODES - code << COLUMN_BITS | first cell of the
# column. A cell that is added to them, without the column, carries 1 into the child where a row goes right.
COLUMN_BITS, CODE_BITS = 24, 16
CODES = (1 << CODE_BITS) - 1


@intrinsic
def _decide(typing_context: Any, words: Any, columns: Any, places: Any) -> Any:
    """Write the place of each row below the first TOP levels of a tree: a bit for each, 1 is right.

    The tests of those levels are rows of `words`, of ROW_WORDS each, given by `columns` level by level.
    """
    return numba.types.void(words, columns, places), _write_decided


def _write_decided(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words, columns, places = _data_of(context, builder, signature, arguments)
    whole = ir.IntType(64)
    vector = ir.VectorType(whole, ROW_WORDS)

    def test(number: int) -> Any:
        column = builder.load(builder.gep(columns, [whole(number)]))
        first = builder.mul(builder.zext(column, whole), whole(ROW_WORDS))
        address = builder.bitcast(builder.gep(words, [first]), vector.as_pointer())
        return builder.load(address, align=8)

    def choose(way: Any, left: Any, right: Any) -> Any:
        return builder.xor(left, builder.and_(way, builder.xor(left, right)))

    ways = _ways(TOP, test, choose, lambda found: found)
    _write_places(builder, ways, 64 * ROW_WORDS, places)
    return context.get_dummy_value()


@intrinsic
def _decide_codes(typing_context: Any, cells: Any, tests: Any, places: Any) -> Any:
    """The same for the first ENTRY levels and CODE_ROWS rows, of features in codes.

    The tests are nodes as words, level by level.
    """
    return numba.types.void(cells, tests, places), _write_decided_codes


def _write_decided_codes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    cells, tests, places = _data_of(context, builder, signature, arguments)
    whole, code = ir.IntType(64), ir.IntType(16)
    vector = ir.VectorType(code, CODE_ROWS)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), CODE_ROWS), [0] * CODE_ROWS)
    subtract = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector, vector]),
        f"llvm.usub.sat.v{CODE_ROWS}i{CODE_BITS}",
    )

    def test(number: int) -> Any:
        word = builder.load(builder.gep(tests, [whole(number)]))
        start = builder.and_(word, whole((1 << COLUMN_BITS) - 1))
        address = builder.bitcast(builder.gep(cells, [start]), vector.as_pointer())
        own = builder.not_(builder.trunc(builder.lshr(word, whole(COLUMN_BITS)), code))
        own = builder.insert_element(ir.Constant(vector, ir.Undefined), own, ir.IntType(32)(0))
        own = builder.shuffle_vector(own, own, everywhere)
        return builder.call(subtract, [builder.load(address, align=2), own])

    def way(found: Any) -> Any:
        return builder.icmp_unsigned("!=", found, ir.Constant(vector, [0] * CODE_ROWS))

    # what is left above a code is chosen, not whether it is: masks are slower to choose between
    ways = _ways(ENTRY, test, lambda way, left, right: builder.select(way, right, left), way)
    _write_places(builder, ways, CODE_ROWS, places)
    return context.get_dummy_value()


def _ways(
    n_levels: int,
    test: Callable[[int], Any],
    choose: Callable[[Any, Any, Any], Any],
    way: Callable[[Any], Any],
) -> list[Any]:
    """Which way rows go at each level, by what tests find.

    Of two tests that stand side by side a row takes the one that its way at the level above says.
    """

    def outcome(number: int, level: int, last: int) -> Any:
        """What the rows that come to a test at some level will find at the last one."""
        if level == last:
            return test((1 << last) - 1 + number)
        left, right = (outcome(2 * number + side, level + 1, last) for side in (0, 1))
        return choose(ways[level], left, right)

    ways: list[Any] = []
    for level in range(n_levels):
        ways.append(way(outcome(0, 0, level)))
    return ways


def _write_places(builder: Any, ways: list[Any], n_rows: int, places: Any) -> None:
    """Write a byte for each row: a bit for each level, the last one lowest."""
    lanes, bits = ir.VectorType(ir.IntType(8), n_rows), ir.VectorType(ir.IntType(1), n_rows)
    place: Any = ir.Constant(lanes, [0] * n_rows)
    for way in ways:
        right = builder.zext(builder.bitcast(way, bits), lanes)
        place = builder.add(builder.add(place, place), right)
    builder.store(place, builder.bitcast(places, lanes.as_pointer()), align=1)


def _data_of(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Where the data of arguments, all of them arrays, begins."""
    return [
        context.make_array(kind)(context, builder, argument).data
        for kind, argument in zip(signature.args, arguments, strict=True)
    ]


def _plain_decide(words: Any, columns: Any, places: Any) -> None:
    rows = np.arange(64 * ROW_WORDS)
    place = np.zeros(len(rows), dtype=np.int64)
    for level in range(TOP):
        column = columns[(1 << level) - 1 + place].astype(np.int64)
        right = words[column, rows // 64] >> (rows % 64).astype(np.uint64) & np.uint64(1)
        place = 2 * place + right.astype(np.int64)
    places[rows] = place


def _plain_decide_codes(cells: Any, tests: Any, places: Any) -> None:
    rows = np.arange(CODE_ROWS)
    place = np.zeros(len(rows), dtype=np.int64)
    for level in range(ENTRY):
        word = tests[(1 << level) - 1 + place].astype(np.int64)
        cell = cells[(word & ((1 << COLUMN_BITS) - 1)) + rows].astype(np.int64)
        place = 2 * place + (cell + (word >> COLUMN_BITS & CODES) > CODES)
    places[rows] = place


_plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
decide = _plain_decide if _plain else _decide
decide_codes = _plain_decide_codes if _plain else _decide_codes
