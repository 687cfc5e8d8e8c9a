"""Numbers beside each other, LANES to a block: what is done to a block is done by vector instructions.

Loops of so few numbers the compiler unrolls before it looks for vectors, so that these are written out
for it. A block is given by its array, of any number of dimensions, and its place among the array's
blocks. What is done with blocks stands in `_lanes` and `_feature_lanes`; each function there has a plain
stand-in, for ``NUMBA_DISABLE_JIT=1`` (`make coverage`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.cgutils import get_or_insert_function

LANES = 8

WHOLE = numba.types.int64
REAL = numba.types.float64
ANY_ORDER = ("reassoc", "nsz", "contract")


# Bytes of a line of the cache.
LINE = 64


def zeros_in_lines(n: int, dtype: Any = np.float64) -> np.ndarray:
    """So many numbers of 0 in lines of the cache of their own.

    A block that stands in two lines takes longer, and so does what threads write to the same line.
    """
    size = n * np.dtype(dtype).itemsize
    raw = np.zeros((size // LINE + 2) * LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(dtype)


def empty_together(*wanted: tuple[tuple[int, ...], Any]) -> list[np.ndarray]:
    """Arrays of these shapes and types, one behind the other in one piece of memory.

    The system gives a large piece in large pages, and takes time for each page that is first touched:
    several pieces of a few megabytes take longer than it takes to fill them.
    """
    sizes = [np.dtype(dtype).itemsize * int(np.prod(shape)) for shape, dtype in wanted]
    in_lines = [(size // LINE + 1) * LINE for size in sizes]
    ends = np.cumsum(in_lines).tolist()
    raw = np.empty(ends[-1], dtype=np.uint8)
    return [
        raw[end - line : end - line + size].view(dtype).reshape(shape)
        for end, line, size, (shape, dtype) in zip(ends, in_lines, sizes, wanted, strict=True)
    ]


class Blocks:
    """An array of a kernel as blocks that can be loaded and stored."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        self.builder = builder
        self.data = context.make_array(kind)(context, builder, array).data
        self.type = ir.VectorType(context.get_value_type(kind.dtype), LANES)

    def _at(self, block: Any) -> Any:
        first = self.builder.mul(block, ir.IntType(64)(LANES))
        pointer = self.builder.gep(self.data, [first])
        return self.builder.bitcast(pointer, self.type.as_pointer())

    def load(self, block: Any) -> Any:
        loaded = self.builder.load(self._at(block))
        loaded.align = 1
        return loaded

    def store(self, value: Any, block: Any) -> None:
        self.builder.store(value, self._at(block), align=1)


def for_blocks(
    builder: Any, n: Any, body: Callable[..., list[Any]], start: tuple[Any, ...] = ()
) -> list[Any]:
    """Emit a loop over n blocks; `body(i, *values)` returns what the values are after block i."""
    whole = ir.IntType(64)
    before, loop, after = (
        builder.block,
        builder.append_basic_block("block"),
        builder.append_basic_block("done"),
    )
    builder.cbranch(builder.icmp_signed("<", whole(0), n), loop, after)
    builder.position_at_end(loop)
    place = builder.phi(whole)
    place.add_incoming(whole(0), before)
    values = [builder.phi(value.type) for value in start]
    for value, first in zip(values, start, strict=True):
        value.add_incoming(first, before)
    results = body(place, *values)
    end = builder.block
    following = builder.add(place, whole(1))
    place.add_incoming(following, end)
    for value, result in zip(values, results, strict=True):
        value.add_incoming(result, end)
    builder.cbranch(builder.icmp_signed("<", following, n), loop, after)
    builder.position_at_end(after)
    finals = [builder.phi(value.type) for value in start]
    for final, first, result in zip(finals, start, results, strict=True):
        final.add_incoming(first, before)
        final.add_incoming(result, end)
    return finals


def splat(builder: Any, value: Any) -> Any:
    """A block of one and the same number."""
    kind = ir.VectorType(value.type, LANES)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.IntType(32)(0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, places)


def constant(kind: Any, number: Any) -> Any:
    return ir.Constant(kind, [ir.Constant(kind.element, number)] * LANES)


def sum_of(builder: Any, block: Any) -> Any:
    """The sum of a block of floats."""
    real = ir.DoubleType()
    function = get_or_insert_function(
        builder.module,
        ir.FunctionType(real, [real, block.type]),
        f"llvm.vector.reduce.fadd.v{LANES}f64",
    )
    return builder.call(function, [real(0.0), block], fastmath=ANY_ORDER)


def number_at(builder: Any, array: Any, i: Any) -> Any:
    """Entry i of an array of numbers."""
    return builder.load(builder.gep(array, [i]))


def blocks_of(array: np.ndarray) -> np.ndarray:
    """An array as a table of its blocks, for the plain stand-ins."""
    return array.reshape(-1, LANES)


# Whether kernels run as plain Python.
PLAIN = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
