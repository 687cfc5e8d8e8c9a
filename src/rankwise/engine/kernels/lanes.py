"""Numbers beside each other, LANES to a block: what is done to a block is done by vector instructions.

Loops of so few numbers the compiler unrolls before it looks for vectors, so that these are written out
for it. A block is given by its array, of any number of dimensions, and its place among the array's
blocks. Each function has a plain stand-in, for ``NUMBA_DISABLE_JIT=1`` (`make coverage`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

LANES = 8

_whole = numba.types.int64
_real = numba.types.float64
_ANY_ORDER = ("reassoc", "nsz", "contract")


class _Blocks:
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


def _for_blocks(
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


def _splat(builder: Any, value: Any) -> Any:
    """A block of one and the same number."""
    kind = ir.VectorType(value.type, LANES)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.IntType(32)(0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, places)


def _constant(kind: Any, number: Any) -> Any:
    return ir.Constant(kind, [ir.Constant(kind.element, number)] * LANES)


def _sum(builder: Any, block: Any) -> Any:
    """The sum of a block of floats."""
    real = ir.DoubleType()
    function = get_or_insert_function(
        builder.module,
        ir.FunctionType(real, [real, block.type]),
        f"llvm.vector.reduce.fadd.v{LANES}f64",
    )
    return builder.call(function, [real(0.0), block], fastmath=_ANY_ORDER)


@intrinsic
def _add_lanes(typing: Any, target: Any, t: Any, source: Any, s: Any, n: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (into, t, of, s, n) = signature.args, arguments
        into = _Blocks(context, builder, kinds[0], into)
        of = _Blocks(context, builder, kinds[2], of)

        def body(i: Any) -> list[Any]:
            place = builder.add(t, i)
            into.store(builder.add(into.load(place), of.load(builder.add(s, i))), place)
            return []

        _for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(target, _whole, source, _whole, _whole), codegen


@intrinsic
def _shared_square(typing: Any, left: Any, at: Any, sums: Any, n: Any, whole: Any, part: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (left, at, sums, n, whole, part) = signature.args, arguments
        left = _Blocks(context, builder, kinds[0], left)
        sums = _Blocks(context, builder, kinds[2], sums)
        whole, part = _splat(builder, whole), _splat(builder, part)

        def body(i: Any, total: Any) -> list[Any]:
            own = builder.sitofp(left.load(builder.add(at, i)), sums.type)
            difference = builder.fsub(
                builder.fmul(whole, own), builder.fmul(part, sums.load(i))
            )
            return [builder.fadd(total, builder.fmul(difference, difference))]

        (total,) = _for_blocks(builder, n, body, (_constant(sums.type, 0.0),))
        return _sum(builder, total)

    return _real(left, _whole, sums, _whole, _real, _real), codegen


@intrinsic
def _own_gain(
    typing: Any, left: Any, at: Any, sums: Any, weights: Any, shares: Any, n: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (left, at, sums, weights, shares, n) = signature.args, arguments
        left = _Blocks(context, builder, kinds[0], left)
        sums = _Blocks(context, builder, kinds[2], sums)
        weights = _Blocks(context, builder, kinds[3], weights)
        shares = _Blocks(context, builder, kinds[4], shares)
        tiny = _constant(sums.type, 1e-300)

        def body(i: Any, total: Any) -> list[Any]:
            place = builder.add(at, i)
            s1 = builder.sitofp(left.load(place), sums.type)
            n1 = builder.sitofp(left.load(builder.add(place, n)), sums.type)
            whole = weights.load(i)
            difference = builder.fsub(
                builder.fmul(whole, s1), builder.fmul(n1, sums.load(i))
            )
            product = builder.fadd(builder.fmul(n1, builder.fsub(whole, n1)), tiny)
            square = builder.fmul(builder.fmul(difference, difference), shares.load(i))
            return [builder.fadd(total, builder.fdiv(square, product))]

        (total,) = _for_blocks(builder, n, body, (_constant(sums.type, 0.0),))
        return _sum(builder, total)

    return _real(left, _whole, sums, weights, shares, _whole), codegen


@intrinsic
def _widen_ranges(
    typing: Any, low: Any, high: Any, gaps: Any, values: Any, at: Any, n: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (low, high, gaps, values, at, n) = signature.args, arguments
        low = _Blocks(context, builder, kinds[0], low)
        high = _Blocks(context, builder, kinds[1], high)
        gaps = _Blocks(context, builder, kinds[2], gaps)
        values = _Blocks(context, builder, kinds[3], values)

        def body(i: Any) -> list[Any]:
            x = values.load(builder.add(at, i))
            lowest, highest, found = low.load(i), high.load(i), gaps.load(i)
            low.store(builder.select(builder.fcmp_ordered("<", x, lowest), x, lowest), i)
            high.store(builder.select(builder.fcmp_ordered(">", x, highest), x, highest), i)
            missing = builder.zext(builder.fcmp_unordered("uno", x, x), gaps.type)
            gaps.store(builder.or_(found, missing), i)
            return []

        _for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(low, high, gaps, values, _whole, _whole), codegen


@intrinsic
def _add_above(
    typing: Any, sums: Any, word: Any, values: Any, at: Any, threshold: Any, gaps_right: Any, n: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (sums, word, values, at, threshold, gaps_right, n) = signature.args, arguments
        sums = _Blocks(context, builder, kinds[0], sums)
        values = _Blocks(context, builder, kinds[2], values)
        threshold = _Blocks(context, builder, kinds[4], threshold)
        gaps_right = _Blocks(context, builder, kinds[5], gaps_right)
        word, nothing = _splat(builder, word), _constant(sums.type, 0)

        def body(i: Any) -> list[Any]:
            x, t = values.load(builder.add(at, i)), threshold.load(i)
            with_gaps = builder.icmp_signed("!=", gaps_right.load(i), nothing)
            right = builder.select(
                with_gaps, builder.fcmp_unordered(">", x, t), builder.fcmp_ordered(">", x, t)
            )
            sums.store(builder.add(sums.load(i), builder.select(right, word, nothing)), i)
            return []

        _for_blocks(builder, n, body)
        return context.get_dummy_value()

    return (
        numba.types.void(sums, _whole, values, _whole, threshold, gaps_right, _whole),
        codegen,
    )


@intrinsic
def _draw_lanes(typing: Any, states: Any, shares: Any, coins: Any, n: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (states, shares, coins, n) = signature.args, arguments
        states = _Blocks(context, builder, kinds[0], states)
        shares = _Blocks(context, builder, kinds[1], shares)
        coins = _Blocks(context, builder, kinds[2], coins)
        whole = states.type

        def body(i: Any) -> list[Any]:
            x = states.load(i)
            x = builder.xor(x, builder.lshr(x, _constant(whole, 12)))
            x = builder.xor(x, builder.shl(x, _constant(whole, 25)))
            x = builder.xor(x, builder.lshr(x, _constant(whole, 27)))
            states.store(x, i)
            drawn = builder.lshr(
                builder.mul(x, _constant(whole, 2685821657736338717)), _constant(whole, 11)
            )
            coins.store(builder.and_(drawn, _constant(whole, 1)), i)
            share = builder.fmul(
                builder.sitofp(drawn, shares.type), _constant(shares.type, 2.0**-53)
            )
            shares.store(share, i)
            return []

        _for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(states, shares, coins, _whole), codegen


def _blocks_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, LANES)


def _plain_add_lanes(target: Any, t: int, source: Any, s: int, n: int) -> None:
    _blocks_of(target)[t : t + n] += _blocks_of(source)[s : s + n]


def _plain_shared_square(left: Any, at: int, sums: Any, n: int, whole: float, part: float) -> float:
    return float(((whole * _blocks_of(left)[at : at + n] - part * sums) ** 2).sum())


def _plain_own_gain(left: Any, at: int, sums: Any, weights: Any, shares: Any, n: int) -> float:
    s1, n1 = _blocks_of(left)[at : at + n], _blocks_of(left)[at + n : at + 2 * n].astype(float)
    squares = shares * (weights * s1 - n1 * sums) ** 2
    return float((squares / (n1 * (weights - n1) + 1e-300)).sum())


def _plain_widen_ranges(low: Any, high: Any, gaps: Any, values: Any, at: int, n: int) -> None:
    x = _blocks_of(values)[at : at + n]
    low[:], high[:] = np.where(x < low, x, low), np.where(x > high, x, high)
    gaps |= np.isnan(x)


def _plain_add_above(
    sums: Any, word: int, values: Any, at: int, threshold: Any, gaps_right: Any, n: int
) -> None:
    x = _blocks_of(values)[at : at + n]
    sums += np.where((x > threshold) | (np.isnan(x) & (gaps_right != 0)), word, 0)


def _plain_draw_lanes(states: Any, shares: Any, coins: Any, n: int) -> None:
    x = states.view(np.uint64)
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    drawn = (x * np.uint64(2685821657736338717)) >> np.uint64(11)
    shares[:] = drawn * 2.0**-53
    coins[:] = drawn & np.uint64(1)


_plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]

# add_lanes(target, t, source, s, n): add n blocks of `source` from s on to those of `target` from t on
add_lanes = _plain_add_lanes if _plain else _add_lanes
# shared_square(left, at, sums, n, whole, part): the sum of (whole * left - part * sums) ** 2
shared_square = _plain_shared_square if _plain else _shared_square
# own_gain(left, at, sums, weights, shares, n): the gain of n blocks of target sums and, behind them, of
# weights, each target by its own weight
own_gain = _plain_own_gain if _plain else _own_gain
# widen_ranges(low, high, gaps, values, at, n): take a row into the range of each feature
widen_ranges = _plain_widen_ranges if _plain else _widen_ranges
# add_above(sums, word, values, at, threshold, gaps_right, n): add the word where a row goes right
add_above = _plain_add_above if _plain else _add_above
# draw_lanes(states, shares, coins, n): draw a share from 0 to 1 and a coin for each feature
draw_lanes = _plain_draw_lanes if _plain else _draw_lanes
