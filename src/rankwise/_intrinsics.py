"""Instructions that numba has no name for: on bits, and adding where a bit is set.

Each has a plain stand-in, which runs where ``NUMBA_DISABLE_JIT=1`` turns kernels into plain Python
(`make coverage`).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

# Features that `sum_where` handles at once: so many sums stay in registers.
BLOCK = 128

# Bits of a word of features; the compiler cuts vectors of so many numbers as the machine needs them.
WORD_BITS = 32

# A product and the sum it is added to may be rounded once instead of twice.
FUSED = ("contract",)


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the ones of an unsigned word: one instruction, and a vector of them in a loop."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), codegen


@intrinsic
def _sum_where(
    typing_context: Any, bits: Any, b: Any, values: Any, rows: Any, start: Any, end: Any, sums: Any
) -> Any:
    """Write sums of values[r] over rows[start:end], one for each feature of block b that is 1 in r."""
    whole = numba.types.int64
    signature = numba.types.void(bits, whole, values, rows, whole, whole, sums)
    return signature, _write_sums


def _write_sums(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """One loop over the rows; the words of a row are the masks of vector additions."""
    b, start, end = arguments[1], arguments[4], arguments[5]
    bits, values, rows, sums = (
        context.make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 2, 3, 6)
    )
    number, whole = context.get_value_type(signature.args[2].dtype), ir.IntType(64)
    vector = ir.VectorType(number, WORD_BITS)
    n_words = BLOCK // WORD_BITS
    add = builder.add if isinstance(number, ir.IntType) else builder.fadd
    zero = ir.Constant(vector, [ir.Constant(number, 0)] * WORD_BITS)
    words_of_row = builder.extract_value(bits.shape, 1)
    step = builder.extract_value(values.strides, 0)
    first = builder.mul(b, whole(n_words))
    before, loop, after = (
        builder.block,
        builder.append_basic_block("row"),
        builder.append_basic_block("summed"),
    )
    builder.cbranch(builder.icmp_signed("<", start, end), loop, after)

    builder.position_at_end(loop)
    place = builder.phi(whole)
    place.add_incoming(start, before)
    totals = [builder.phi(vector) for _ in range(n_words)]
    row = builder.sext(builder.load(builder.gep(rows.data, [place])), whole)
    value = _splat(builder, builder.load(_at_byte(builder, values.data, builder.mul(row, step))))
    word = builder.add(builder.mul(row, words_of_row), first)
    for i, total in enumerate(totals):
        mask = builder.load(builder.gep(bits.data, [builder.add(word, whole(i))]))
        chosen = builder.bitcast(mask, ir.VectorType(ir.IntType(1), WORD_BITS))
        total.add_incoming(zero, before)
        total.add_incoming(builder.select(chosen, add(total, value), total), loop)
    following = builder.add(place, whole(1))
    place.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)

    builder.position_at_end(after)
    results = [builder.phi(vector) for _ in totals]
    for total, result in zip(totals, results, strict=True):
        for value, origin in total.incomings:
            result.add_incoming(value, origin)
    out = builder.bitcast(sums.data, vector.as_pointer())
    for i, result in enumerate(results):
        builder.store(result, builder.gep(out, [whole(i)]), align=1)
    return context.get_dummy_value()


@intrinsic
def _packed_gains(typing_context: Any, sums: Any, totals: Any, low_bits: Any, gains: Any) -> Any:
    """Write the gain of each lane of `sums`, two statistics to a lane; return the largest gain.

    With count n1 and sums s1 in a lane, of n and s in `totals`, the gain is the sum of
    (n s1 - n1 s)^2 over the targets, divided by n1 (n - n1); 0 where that is 0. Gains have single
    precision; the largest is returned as bits, which order as the numbers do.
    """
    signature = numba.types.int32(sums, totals, numba.types.int64, gains)
    return signature, _write_gains


def _write_gains(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """One loop over vectors of lanes, in it one over the packed statistics."""
    sums, totals, gains = (
        context.make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 1, 3)
    )
    whole, word, single = ir.IntType(64), ir.IntType(32), ir.FloatType()
    words, singles = ir.VectorType(word, WORD_BITS), ir.VectorType(single, WORD_BITS)
    packed = ir.VectorType(ir.IntType(16), WORD_BITS)
    n_packed, n_lanes = (builder.extract_value(sums.shape, i) for i in (0, 1))
    low_bits = builder.trunc(arguments[2], word)
    shift = _splat(builder, low_bits)
    mask = _splat(builder, builder.sub(builder.shl(word(1), low_bits), word(1)))

    def total(column: Any) -> Any:
        value = builder.load(builder.gep(totals.data, [column]))
        return _splat(builder, builder.sitofp(value, single))

    def statistics(pair: Any, lane: Any) -> tuple[Any, Any]:
        place = builder.gep(sums.data, [builder.add(builder.mul(pair, n_lanes), lane)])
        both = builder.load(builder.bitcast(place, packed.as_pointer()), align=2)
        both = builder.zext(both, words)
        low, high = builder.and_(both, mask), builder.lshr(both, shift)
        return builder.sitofp(low, singles), builder.sitofp(high, singles)

    def times(a: Any, b: Any) -> Any:
        return builder.fmul(a, b, flags=FUSED)

    def plus_square(squares: Any, n1: Any, s1: Any, s: Any) -> Any:
        difference = builder.fsub(times(n, s1), times(n1, s), flags=FUSED)
        return builder.fadd(squares, times(difference, difference), flags=FUSED)

    n, first = total(whole(0)), total(whole(1))
    nothing = ir.Constant(singles, [single(0)] * WORD_BITS)
    tiny = ir.Constant(singles, [single(1e-30)] * WORD_BITS)
    top = cgutils.alloca_once_value(builder, ir.Constant(words, [word(0)] * WORD_BITS))
    squares = cgutils.alloca_once(builder, singles)
    one, two = whole(1), whole(2)
    lanes = cgutils.for_range_slice(builder, whole(0), n_lanes, whole(WORD_BITS), whole)
    with lanes as (lane, _):
        n1, s1 = statistics(whole(0), lane)
        builder.store(plus_square(nothing, n1, s1, first), squares)
        with cgutils.for_range_slice(builder, one, n_packed, one, whole) as (pair, _):
            column = builder.mul(pair, two)
            low, high = statistics(pair, lane)
            partial = plus_square(builder.load(squares), n1, low, total(column))
            following = total(builder.add(column, one))
            builder.store(plus_square(partial, n1, high, following), squares)
        product = builder.fadd(builder.fmul(n1, builder.fsub(n, n1)), tiny)
        gain = builder.fdiv(builder.load(squares), product)
        place = builder.bitcast(builder.gep(gains.data, [lane]), singles.as_pointer())
        builder.store(gain, place, align=4)
        bits, largest = builder.bitcast(gain, words), builder.load(top)
        larger = builder.icmp_signed(">", bits, largest)
        builder.store(builder.select(larger, bits, largest), top)
    largest_of = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(word, [words]), f"llvm.vector.reduce.smax.v{WORD_BITS}i32"
    )
    return builder.call(largest_of, [builder.load(top)])


def _splat(builder: Any, value: Any) -> Any:
    """A vector of one and the same number."""
    vector = ir.VectorType(value.type, WORD_BITS)
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.IntType(32)(0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), WORD_BITS), [0] * WORD_BITS)
    return builder.shuffle_vector(first, nothing, places)


def _at_byte(builder: Any, pointer: Any, offset: Any) -> Any:
    """The pointer so many bytes further."""
    bytes_ = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(bytes_, [offset]), pointer.type)


def _plain_popcount(word: Any) -> Any:
    return type(word)(int(word).bit_count())


def _plain_sum_where(
    bits: Any, b: int, values: Any, rows: Any, start: int, end: int, sums: Any
) -> None:
    sums[:] = 0
    for r in rows[start:end]:
        for j in range(BLOCK):
            feature = b * BLOCK + j
            if int(bits[r, feature // WORD_BITS]) >> feature % WORD_BITS & 1:
                sums[j] += values[r]


def _plain_packed_gains(sums: Any, totals: Any, low_bits: int, gains: Any) -> Any:
    both = sums.astype(np.int64)
    columns = np.empty((2 * len(sums), sums.shape[1]))
    columns[::2], columns[1::2] = both & ((1 << low_bits) - 1), both >> low_bits
    n, n1 = float(totals[0]), columns[0]
    differences = n * columns - n1 * totals[: len(columns), None]
    gains[:] = (differences**2).sum(axis=0) / (n1 * (n - n1) + 1e-30)
    return gains.view(np.int32).max()


_plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
popcount = _plain_popcount if _plain else _popcount
sum_where = _plain_sum_where if _plain else _sum_where
packed_gains = _plain_packed_gains if _plain else _packed_gains
