"""Many rows going down a tree at once, a row to a lane of vectors.

What a lane reads depends on where its row stands: the vectors are gathered. Machines that have no such
instruction read lane by lane. The plain stand-ins run where ``NUMBA_DISABLE_JIT=1`` turns kernels into
plain Python (`make coverage`).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

# Rows that go down together: several vectors, so that one goes on while another waits for memory.
WALKERS = 64

# Lanes of a vector that is scattered; longer ones would be cut into shorter.
SCATTERED = 16

# Levels that `enter` looks at, where every row is held against every test.
ENTRY = 4

_INT, _LONG, _BIT = ir.IntType(32), ir.IntType(64), ir.IntType(1)
_whole = numba.types.int64


@intrinsic
def _enter(
    typing_context: Any, cells: Any, first: Any, columns: Any, thresholds: Any, ends: Any,
    standing: Any,
) -> Any:  # fmt: skip
    """Write where the rows from `first` on stand below the first ENTRY levels of a tree.

    The tests of those levels are a column of `cells` and a threshold each, level by level; `ends` are
    the nodes below them.
    """
    return numba.types.void(cells, _whole, columns, thresholds, ends, standing), _write_enter


def _write_enter(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """At each level every row picks its cell and its threshold by the ways it took before."""
    first = arguments[1]
    cells, columns, thresholds, ends, standing = _pointers(
        context, builder, signature, arguments, (0, 2, 3, 4, 5)
    )
    number = context.get_value_type(signature.args[0].dtype)
    lanes, numbers = ir.VectorType(_INT, WALKERS), ir.VectorType(number, WALKERS)
    place: Any = ir.Constant(lanes, [0] * WALKERS)
    ways: list[Any] = []
    for level in range(ENTRY):
        choices = []
        for test in range((1 << level) - 1, (2 << level) - 1):
            column = builder.load(builder.gep(columns, [_LONG(test)]))
            start = builder.add(builder.zext(column, _LONG), first)
            address = builder.bitcast(builder.gep(cells, [start]), numbers.as_pointer())
            cell = builder.load(address, align=4)
            threshold = builder.load(builder.gep(thresholds, [_LONG(test)]))
            choices.append((cell, _splat(builder, threshold)))
        for way in reversed(ways):
            choices = [
                tuple(builder.select(way, b, a) for a, b in zip(left, right, strict=True))
                for left, right in zip(choices[::2], choices[1::2], strict=True)
            ]
        ways.append(builder.fcmp_unordered(">", *choices[0]))
        place = builder.add(builder.add(place, place), builder.zext(ways[-1], lanes))
    address = builder.bitcast(builder.gep(standing, [first]), lanes.as_pointer())
    builder.store(_gather(builder, ends, place, _INT), address, align=4)
    return context.get_dummy_value()


@intrinsic
def _walk(
    typing_context: Any, cells: Any, nodes: Any, shift: Any, steps: Any, root: Any, rows: Any,
    standing: Any, first: Any, n: Any, kept: Any, leaves: Any,
) -> Any:  # fmt: skip
    """Take rows[first : first + WALKERS] some steps down from the nodes where they are `standing`.

    A node is two words of `nodes`: left child << shift | first cell of the column that it looks at, and
    the bits of the threshold; what is not at most the threshold goes right. A row that has come to a
    leaf, which is its own left child, has it written to `leaves`, counted from -root; the others are put
    at rows[kept:], and where they stand. Only the first n rows count. Returns how many are kept then.
    """
    arrays = (rows, standing, _whole, _whole, _whole, leaves)
    return _whole(cells, nodes, _whole, _whole, _whole, *arrays), _write_walk


def _write_walk(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    shift, steps, root, first, n, kept = (arguments[i] for i in (2, 3, 4, 7, 8, 9))
    cells, nodes, rows, standing, leaves = _pointers(
        context, builder, signature, arguments, (0, 1, 5, 6, 10)
    )
    number, word = (context.get_value_type(signature.args[i].dtype) for i in (0, 1))
    lanes, links = ir.VectorType(_INT, WALKERS), ir.VectorType(word, WALKERS)
    n, root, start = (_splat(builder, builder.trunc(value, _INT)) for value in (n, root, first))
    shift = _splat(builder, builder.trunc(shift, word) if word.width < 64 else shift)
    one = ir.Constant(links, [1] * WALKERS)
    mask = builder.sub(builder.shl(one, shift), one)

    def lane(value: Any) -> Any:
        return builder.trunc(value, lanes) if word.width > 32 else value

    def words_of(node: Any) -> tuple[Any, Any]:
        """Both words of the node of each lane."""
        if word.width == 32:
            pairs = _gather(builder, builder.bitcast(nodes, _LONG.as_pointer()), node, _LONG)
            halves = builder.bitcast(pairs, ir.VectorType(_INT, 2 * WALKERS))
            return tuple(_part(builder, halves, range(i, 2 * WALKERS, 2)) for i in (0, 1))
        even = builder.add(node, node)
        odd = builder.add(even, ir.Constant(lanes, [1] * WALKERS))
        return _gather(builder, nodes, even, word), _gather(builder, nodes, odd, word)

    own, node = (
        builder.load(builder.bitcast(builder.gep(x, [first]), lanes.as_pointer()), align=4)
        for x in (rows, standing)
    )
    at = cgutils.alloca_once_value(builder, node)
    with cgutils.for_range(builder, steps):
        link, bits = words_of(builder.load(at))
        threshold = builder.bitcast(bits, ir.VectorType(number, WALKERS))
        column = lane(builder.and_(link, mask))
        cell = _gather(builder, cells, builder.add(own, column), number)
        right = builder.zext(builder.fcmp_unordered(">", cell, threshold), lanes)
        builder.store(builder.add(lane(builder.lshr(link, shift)), right), at)

    node = builder.load(at)
    is_leaf = builder.icmp_unsigned("==", lane(builder.lshr(words_of(node)[0], shift)), node)
    number_of = builder.add(start, ir.Constant(lanes, list(range(WALKERS))))
    counts = builder.icmp_signed("<", number_of, n)
    _scatter(builder, builder.add(node, root), leaves, own, builder.and_(counts, is_leaf))
    goes_on = builder.and_(counts, builder.not_(is_leaf))
    for values, array in ((own, rows), (node, standing)):
        parts = [values, builder.gep(array, [kept]), goes_on]
        _call(builder, "llvm.masked.compressstore", ir.VoidType(), parts, f"v{WALKERS}i32")
    return builder.add(kept, builder.ctpop(builder.bitcast(goes_on, ir.IntType(WALKERS))))


def _pointers(
    context: Any, builder: Any, signature: Any, arguments: Any, which: tuple[int, ...]
) -> list[Any]:
    """Where the data of some arguments, all of them arrays, begins."""
    return [
        context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in which
    ]


def _splat(builder: Any, value: Any) -> Any:
    vector = ir.VectorType(value.type, WALKERS)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, _INT(0))
    return _part(builder, one, [0] * WALKERS)


def _part(builder: Any, vector: Any, lanes: Any) -> Any:
    chosen = list(lanes)
    return builder.shuffle_vector(
        vector, vector, ir.Constant(ir.VectorType(_INT, len(chosen)), chosen)
    )


def _gather(builder: Any, data: Any, places: Any, kind: Any) -> Any:
    """The elements of an array at the places of each lane."""
    vector = ir.VectorType(kind, WALKERS)
    name = {"float": "f32", "double": "f64"}.get(str(kind), str(kind))
    everywhere = ir.Constant(ir.VectorType(_BIT, WALKERS), [1] * WALKERS)
    addresses = _addresses(builder, _splat(builder, _untyped(builder, data)), places, kind)
    arguments = [addresses, _INT(4), everywhere, ir.Constant(vector, ir.Undefined)]
    name = f"v{WALKERS}{name}.v{WALKERS}p0"
    return _call(builder, "llvm.masked.gather", vector, arguments, name)


def _scatter(builder: Any, values: Any, data: Any, places: Any, where: Any) -> None:
    """Write the chosen lanes, of 32 bits, to their places in an array."""
    start = _splat(builder, _untyped(builder, data))
    for first in range(0, WALKERS, SCATTERED):
        value, base, place, chosen = (
            _part(builder, x, range(first, first + SCATTERED))
            for x in (values, start, places, where)
        )
        arguments = [value, _addresses(builder, base, place, _INT), _INT(4), chosen]
        name = f"v{SCATTERED}i32.v{SCATTERED}p0"
        _call(builder, "llvm.masked.scatter", ir.VoidType(), arguments, name)


def _untyped(builder: Any, data: Any) -> Any:
    return builder.bitcast(data, ir.PointerType())


def _addresses(builder: Any, starts: Any, places: Any, kind: Any) -> Any:
    return builder.gep(starts, [places], source_etype=kind)


def _call(builder: Any, name: str, result: Any, arguments: list[Any], kinds: str) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, f"{name}.{kinds}")
    return builder.call(function, arguments)


def _plain_enter(
    cells: Any, first: int, columns: Any, thresholds: Any, ends: Any, standing: Any
) -> None:
    rows, place = first + np.arange(WALKERS), np.zeros(WALKERS, dtype=np.int64)
    for level in range(ENTRY):
        test = (1 << level) - 1 + place
        right = ~(cells[columns[test] + rows] <= thresholds[test])
        place = 2 * place + right
    standing[rows] = ends[place]


def _plain_walk(
    cells: Any, nodes: Any, shift: int, steps: int, root: int, rows: Any, standing: Any,
    first: int, n: int, kept: int, leaves: Any,
) -> int:  # fmt: skip
    own, node = (x[first : first + WALKERS].astype(np.int64) for x in (rows, standing))
    links, thresholds = nodes[::2].astype(np.int64), nodes.view(cells.dtype)[1::2]
    for _ in range(steps):
        cell = cells[own + (links[node] & ((1 << shift) - 1))]
        node = (links[node] >> shift) + ~(cell <= thresholds[node])
    is_leaf, counts = links[node] >> shift == node, first + np.arange(WALKERS) < n
    leaves[own[is_leaf & counts]] = node[is_leaf & counts] + root
    goes_on = counts & ~is_leaf
    end = kept + int(goes_on.sum())
    rows[kept:end], standing[kept:end] = own[goes_on], node[goes_on]
    return end


_plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
enter = _plain_enter if _plain else _enter
walk = _plain_walk if _plain else _walk
