"""Rows that fall down a tree together, by instructions that numba has no name for.

The first levels of a tree are the same few tests for all rows. Each is made for every row, as a bit or a
number of a vector, and of two tests that stand side by side a row takes the one that its way at the level
above says. Below, some rows go down at a time, each in a register: while one waits for memory the others
go on. The left child of a leaf is the leaf, so that all can take equally many steps. The plain stand-ins
run where ``NUMBA_DISABLE_JIT=1`` turns kernels into plain Python (`make coverage`).
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

# Rows that go down together below the first levels, by bits and by codes.
EIGHT, TWELVE = 8, 12

# Their steps, once some have not come to a leaf by the usual ones, before they are looked at again.
STRIDE = 2

_WHOLE = ir.IntType(64)


@intrinsic
def _decide(typing_context: Any, words: Any, columns: Any, places: Any) -> Any:
    """Write the place of each row below the first TOP levels of a tree: a bit for each, 1 is right.

    The tests of those levels are rows of `words`, of ROW_WORDS each, given by `columns` level by level.
    """
    return numba.types.void(words, columns, places), _write_decided


def _write_decided(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words, columns, places = _data_of(context, builder, signature, arguments)
    vector = ir.VectorType(_WHOLE, ROW_WORDS)

    def test(number: int) -> Any:
        column = builder.load(builder.gep(columns, [_WHOLE(number)]))
        first = builder.mul(builder.zext(column, _WHOLE), _WHOLE(ROW_WORDS))
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
    code = ir.IntType(16)
    vector = ir.VectorType(code, CODE_ROWS)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), CODE_ROWS), [0] * CODE_ROWS)
    subtract = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector, vector]),
        f"llvm.usub.sat.v{CODE_ROWS}i{CODE_BITS}",
    )

    def test(number: int) -> Any:
        word = builder.load(builder.gep(tests, [_WHOLE(number)]))
        start = builder.and_(word, _WHOLE((1 << COLUMN_BITS) - 1))
        address = builder.bitcast(builder.gep(cells, [start]), vector.as_pointer())
        own = builder.not_(builder.trunc(builder.lshr(word, _WHOLE(COLUMN_BITS)), code))
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


@intrinsic
def _fall(
    typing_context: Any, bits: Any, nodes: Any, shift: Any, first: Any, usual: Any, line: Any
) -> Any:
    """Take EIGHT rows from `first` on down from the nodes of `line` to their leaves.

    A node is a word: left child << shift | first byte of a column of `bits`. All take the usual steps, and
    then some more till all are there.
    """
    whole = numba.types.int64
    return numba.types.void(bits, nodes, numba.types.uint64, whole, whole, line), _write_fall


def _write_fall(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    bits, nodes, line = _data_of(context, builder, signature, arguments, (0, 1, 5))
    shift, first, usual = arguments[2:5]
    bits = builder.gep(bits, [builder.lshr(first, _WHOLE(3))])
    mask = builder.sub(builder.shl(_WHOLE(1), shift), _WHOLE(1))

    def word_of(node: Any) -> Any:
        word = builder.load(builder.gep(nodes, [node]))
        return word if word.type.width == 64 else builder.zext(word, _WHOLE)

    def left_of(node: Any) -> Any:
        return builder.lshr(word_of(node), shift)

    def child_of(node: Any, row: int) -> Any:
        word = word_of(node)
        eight = builder.load(builder.gep(bits, [builder.and_(word, mask)]))
        right = builder.and_(builder.lshr(builder.zext(eight, _WHOLE), _WHOLE(row)), _WHOLE(1))
        return builder.add(builder.lshr(word, shift), right)

    line = builder.gep(line, [first])
    starts = [builder.load(builder.gep(line, [_WHOLE(row)])) for row in range(EIGHT)]
    _write_leaves(builder, starts, usual, child_of, left_of, line)
    return context.get_dummy_value()


@intrinsic
def _fall_by_codes(
    typing_context: Any, cells: Any, nodes: Any, first: Any, usual: Any, line: Any
) -> Any:
    """The same for TWELVE rows, of features in codes."""
    whole = numba.types.int64
    return numba.types.void(cells, nodes, whole, whole, line), _write_fall_by_codes


def _write_fall_by_codes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    cells, nodes, line = _data_of(context, builder, signature, arguments, (0, 1, 4))
    first, usual = arguments[2:4]
    cells = builder.gep(cells, [first])

    def left_of(node: Any) -> Any:
        word = builder.load(builder.gep(nodes, [node]))
        return builder.lshr(word, _WHOLE(COLUMN_BITS + CODE_BITS))

    def child_of(node: Any, row: int) -> Any:
        word = builder.load(builder.gep(nodes, [node]))
        column = builder.and_(word, _WHOLE((1 << COLUMN_BITS) - 1))
        cell = builder.load(builder.gep(builder.gep(cells, [column]), [_WHOLE(row)]))
        sum_ = builder.add(builder.lshr(word, _WHOLE(COLUMN_BITS)), builder.zext(cell, _WHOLE))
        return builder.lshr(sum_, _WHOLE(CODE_BITS))

    line = builder.gep(line, [first])
    starts = [builder.load(builder.gep(line, [_WHOLE(row)])) for row in range(TWELVE)]
    _write_leaves(builder, starts, usual, child_of, left_of, line)
    return context.get_dummy_value()


def _write_leaves(
    builder: Any,
    starts: list[Any],
    usual: Any,
    child_of: Callable[[Any, int], Any],
    left_of: Callable[[Any], Any],
    line: Any,
) -> None:
    """Emit the loops that take rows from where they start to their leaves, and write these to `line`."""
    at = [cgutils.alloca_once_value(builder, builder.zext(start, _WHOLE)) for start in starts]
    steps = cgutils.alloca_once_value(builder, usual)
    again, there = (builder.append_basic_block(name) for name in ("again", "there"))
    builder.branch(again)
    builder.position_at_end(again)
    with cgutils.for_range(builder, builder.load(steps)):
        for row, node in enumerate(at):
            builder.store(child_of(builder.load(node), row), node)
    builder.store(_WHOLE(STRIDE), steps)
    way = _WHOLE(0)
    for node in at:
        here = builder.load(node)
        way = builder.or_(way, builder.xor(left_of(here), here))
    builder.cbranch(builder.icmp_unsigned("==", way, _WHOLE(0)), there, again)
    builder.position_at_end(there)
    for row, node in enumerate(at):
        leaf = builder.trunc(builder.load(node), starts[row].type)
        builder.store(leaf, builder.gep(line, [_WHOLE(row)]))


def _data_of(
    context: Any, builder: Any, signature: Any, arguments: Any, which: tuple[int, ...] = (0, 1, 2)
) -> list[Any]:
    """Where the data of some arguments, all of them arrays, begins."""
    return [
        context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in which
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


def _plain_fall(bits: Any, nodes: Any, shift: Any, first: int, usual: int, line: Any) -> None:
    for row in range(first, first + EIGHT):
        node = -1
        while node != line[row]:
            node = int(line[row])
            word = int(nodes[node])
            byte = int(bits[first // 8 + (word & ((1 << int(shift)) - 1))])
            line[row] = (word >> int(shift)) + (byte >> row % 8 & 1)


def _plain_fall_by_codes(cells: Any, nodes: Any, first: int, usual: int, line: Any) -> None:
    for row in range(first, first + TWELVE):
        node = -1
        while node != line[row]:
            node = int(line[row])
            word = int(nodes[node])
            cell = int(cells[(word & ((1 << COLUMN_BITS) - 1)) + row])
            line[row] = (word >> COLUMN_BITS) + cell >> CODE_BITS


_plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
decide = _plain_decide if _plain else _decide
decide_codes = _plain_decide_codes if _plain else _decide_codes
fall = _plain_fall if _plain else _fall
fall_by_codes = _plain_fall_by_codes if _plain else _fall_by_codes
