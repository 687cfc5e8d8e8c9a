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
def _add_numbers(typing: Any, sums: Any, block: Any, values: Any, first: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (sums, block, values, first) = signature.args, arguments
        sums = _Blocks(context, builder, kinds[0], sums)
        # from its first number on, `values` is a single block
        values = _Blocks(context, builder, kinds[2], values)
        values.data = builder.gep(values.data, [first])
        added = values.load(ir.IntType(64)(0))
        if added.type != sums.type:
            added = builder.fpext(added, sums.type)
        sums.store(builder.fadd(sums.load(block), added), block)
        return context.get_dummy_value()

    return numba.types.void(sums, _whole, values, _whole), codegen


def _place_of(builder: Any, line: Any, i: Any, mask: Any) -> Any:
    """The place in entry i of a sorted list."""
    entry = builder.load(builder.gep(line, [i]))
    if entry.type.width < 64:
        entry = builder.zext(entry, ir.IntType(64))
    return builder.and_(entry, mask)


def _number(builder: Any, array: Any, i: Any) -> Any:
    return builder.load(builder.gep(array, [i]))


def _sums(builder: Any, blocks: list[Any]) -> Any:
    """The sums of LANES blocks of floats, in a block: neighbours are added, two blocks into one."""
    width = 1
    while len(blocks) > 1:
        lower = [i + half for i in range(0, LANES, 2 * width) for half in (0, LANES)]
        places = [[first + w for first in lower for w in range(width)]]
        places.append([place + width for place in places[0]])
        kind = ir.VectorType(ir.IntType(32), LANES)
        blocks = [
            builder.fadd(*(builder.shuffle_vector(a, b, ir.Constant(kind, p)) for p in places))
            for a, b in zip(blocks[::2], blocks[1::2], strict=True)
        ]
        width *= 2
    return blocks[0]


def _add_sums(
    builder: Any, totals: Any, size: Any, body: Callable[..., list[Any]], start: tuple[Any, ...]
) -> None:
    """Emit a loop over positions, LANES at a time, that adds the sum of a block to the total of each.

    `body(i, *values)` returns the block of position i and what the values are behind it.
    """
    whole = ir.IntType(64)
    many = ir.VectorType(ir.DoubleType(), LANES).as_pointer()

    def together(i: Any, *values: Any) -> list[Any]:
        first, blocks = builder.mul(i, whole(LANES)), []
        for lane in range(LANES):
            block, *values = body(builder.add(first, whole(lane)), *values)  # type: ignore[assignment]
            blocks.append(block)
        place = builder.bitcast(builder.gep(totals, [first]), many)
        before = builder.load(place)
        before.align = 8
        builder.store(builder.fadd(before, _sums(builder, blocks)), place, align=8)
        return list(values)

    n_together = builder.sdiv(size, whole(LANES))
    values = _for_blocks(builder, n_together, together, start)
    first = builder.mul(n_together, whole(LANES))

    def alone(i: Any, *values: Any) -> list[Any]:
        i = builder.add(first, i)
        block, *values = body(i, *values)  # type: ignore[assignment]
        total = builder.fadd(_number(builder, totals, i), _sum(builder, block))
        builder.store(total, builder.gep(totals, [i]))
        return list(values)

    _for_blocks(builder, builder.sub(size, first), alone, tuple(values))


@intrinsic
def _add_squares(
    typing: Any, lanes: Any, base: Any, first: Any, sums: Any, block: Any, n: Any, weights: Any,
    squares: Any, size: Any,
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        lanes, base, first, sums, block, n, weights, squares, size = arguments
        weights, squares = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((kinds[6], weights), (kinds[7], squares))
        )
        lanes = _Blocks(context, builder, kinds[0], lanes)
        first = _Blocks(context, builder, kinds[2], first).load(ir.IntType(64)(0))
        sums = _Blocks(context, builder, kinds[3], sums).load(block)
        n = _splat(builder, n)

        def body(i: Any, left: Any) -> list[Any]:
            left = builder.add(left, lanes.load(builder.add(base, i)))
            part = _splat(builder, _number(builder, weights, i))
            difference = builder.fsub(
                builder.fmul(n, builder.sitofp(left, sums.type)), builder.fmul(part, sums)
            )
            return [builder.fmul(difference, difference), left]

        _add_sums(builder, squares, size, body, (first,))
        return context.get_dummy_value()

    return (
        numba.types.void(lanes, _whole, first, sums, _whole, _real, weights, squares, _whole),
        codegen,
    )


@intrinsic
def _centre_lanes(
    typing: Any, line: Any, mask: Any, lanes: Any, base: Any, weights: Any, sums: Any, block: Any,
    n: Any, centred: Any, size: Any,
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        line, mask, lanes, base, weights, sums, block, n, centred, size = arguments
        line, weights = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((kinds[0], line), (kinds[4], weights))
        )
        lanes = _Blocks(context, builder, kinds[2], lanes)
        sums = _Blocks(context, builder, kinds[5], sums).load(block)
        centred = _Blocks(context, builder, kinds[8], centred)
        n = _splat(builder, n)

        def body(i: Any) -> list[Any]:
            place = _place_of(builder, line, i, mask)
            weight = builder.sitofp(_number(builder, weights, place), sums.type.element)
            weight = _splat(builder, weight)
            place = builder.add(base, place)
            lane = builder.sitofp(lanes.load(place), sums.type)
            centred.store(builder.fsub(builder.fmul(n, lane), builder.fmul(weight, sums)), place)
            return []

        _for_blocks(builder, size, body)
        return context.get_dummy_value()

    return (
        numba.types.void(
            line, numba.types.uint64, lanes, _whole, weights, sums, _whole, _real, centred, _whole
        ),
        codegen,
    )  # fmt: skip


def _adding_centred_squares(n_blocks: int) -> Any:
    """An intrinsic that adds the squares of the targets of so many blocks at once."""

    def add_centred_squares(
        typing: Any, line: Any, mask: Any, centred: Any, base: Any, stride: Any, first: Any,
        squares: Any, size: Any,
    ) -> Any:  # fmt: skip
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds, (line, mask, centred, base, stride, first, squares, size) = (
                signature.args,
                arguments,
            )
            line, squares = (
                context.make_array(kind)(context, builder, array).data
                for kind, array in ((kinds[0], line), (kinds[6], squares))
            )
            centred = _Blocks(context, builder, kinds[2], centred)
            first = _Blocks(context, builder, kinds[5], first)
            start = tuple(first.load(ir.IntType(64)(b)) for b in range(n_blocks))

            def body(i: Any, *lefts: Any) -> list[Any]:
                place = builder.add(base, _place_of(builder, line, i, mask))
                results, square = [], None
                for left in lefts:
                    left = builder.fadd(left, centred.load(place))
                    own = builder.fmul(left, left)
                    square = own if square is None else builder.fadd(square, own)
                    results.append(left)
                    place = builder.add(place, stride)
                return [square, *results]

            _add_sums(builder, squares, size, body, start)
            return context.get_dummy_value()

        return (
            numba.types.void(
                line, numba.types.uint64, centred, _whole, _whole, first, squares, _whole
            ),
            codegen,
        )

    return intrinsic(add_centred_squares)


@intrinsic
def _add_own_gains(
    typing: Any, line: Any, mask: Any, lanes: Any, base: Any, first: Any, sums: Any, weights: Any,
    shares: Any, block: Any, gains: Any, size: Any,
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, whole = signature.args, ir.IntType(64)
        line, mask, lanes, base, first, sums, weights, shares, block, gains, size = arguments
        line, gains = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((kinds[0], line), (kinds[9], gains))
        )
        lanes = _Blocks(context, builder, kinds[2], lanes)
        first = _Blocks(context, builder, kinds[4], first)
        start = first.load(whole(0)), first.load(whole(1))
        sums, weights, shares = (
            _Blocks(context, builder, kind, array).load(block)
            for kind, array in ((kinds[5], sums), (kinds[6], weights), (kinds[7], shares))
        )
        tiny = _constant(sums.type, 1e-300)

        def body(i: Any, left: Any, seen: Any) -> list[Any]:
            place = builder.mul(_place_of(builder, line, i, mask), whole(2))
            place = builder.add(base, place)
            left = builder.add(left, lanes.load(place))
            seen = builder.add(seen, lanes.load(builder.add(place, whole(1))))
            s1, n1 = builder.sitofp(left, sums.type), builder.sitofp(seen, sums.type)
            difference = builder.fsub(builder.fmul(weights, s1), builder.fmul(n1, sums))
            product = builder.fadd(builder.fmul(n1, builder.fsub(weights, n1)), tiny)
            square = builder.fmul(builder.fmul(difference, difference), shares)
            return [builder.fdiv(square, product), left, seen]

        _add_sums(builder, gains, size, body, start)
        return context.get_dummy_value()

    return (
        numba.types.void(
            line, numba.types.uint64, lanes, _whole, first, sums, weights, shares, _whole, gains,
            _whole,
        ),
        codegen,
    )  # fmt: skip


def _row_of(builder: Any, rows: Any, i: Any, n: Any) -> Any:
    """The first of n things of each row, for row number i of a list of rows."""
    row = builder.sext(builder.load(builder.gep(rows, [i])), ir.IntType(64))
    return builder.mul(row, n)


@intrinsic
def _find_range(
    typing: Any, values: Any, width: Any, block: Any, rows: Any, low: Any, high: Any, gaps: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (values, width, block, rows, *found) = signature.args, arguments
        values = _Blocks(context, builder, kinds[0], values)
        rows = context.make_array(kinds[3])(context, builder, rows)
        found = [_Blocks(context, builder, kinds[4 + i], array) for i, array in enumerate(found)]
        start = (
            _constant(values.type, float("inf")),
            _constant(values.type, float("-inf")),
            _constant(found[2].type, 0),
        )

        def body(i: Any, low: Any, high: Any, gaps: Any) -> list[Any]:
            x = values.load(builder.add(_row_of(builder, rows.data, i, width), block))
            return [
                builder.select(builder.fcmp_ordered("<", x, low), x, low),
                builder.select(builder.fcmp_ordered(">", x, high), x, high),
                builder.or_(gaps, builder.zext(builder.fcmp_unordered("uno", x, x), gaps.type)),
            ]

        results = _for_blocks(builder, builder.extract_value(rows.shape, 0), body, start)
        for array, result in zip(found, results, strict=True):
            array.store(result, block)
        return context.get_dummy_value()

    return numba.types.void(values, _whole, _whole, rows, low, high, gaps), codegen


def _summing_above(n_words: int) -> Any:
    """An intrinsic that sums so many words of each row, for the features of a block."""

    def sum_above(
        typing: Any, values: Any, width: Any, block: Any, rows: Any, words: Any, stride: Any,
        first: Any, threshold: Any, gaps_right: Any, sums: Any,
    ) -> Any:  # fmt: skip
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds, whole = signature.args, ir.IntType(64)
            values, width, block, rows, words, stride, first, threshold, gaps_right, sums = (
                arguments
            )
            values = _Blocks(context, builder, kinds[0], values)
            rows = context.make_array(kinds[3])(context, builder, rows)
            words = context.make_array(kinds[4])(context, builder, words).data
            threshold = _Blocks(context, builder, kinds[7], threshold).load(block)
            gaps = _Blocks(context, builder, kinds[8], gaps_right).load(block)
            sums = _Blocks(context, builder, kinds[9], sums)
            nothing = _constant(sums.type, 0)
            with_gaps = builder.icmp_signed("!=", gaps, nothing)

            def body(i: Any, *totals: Any) -> list[Any]:
                x = values.load(builder.add(_row_of(builder, rows.data, i, width), block))
                right = builder.select(
                    with_gaps,
                    builder.fcmp_unordered(">", x, threshold),
                    builder.fcmp_ordered(">", x, threshold),
                )
                place = builder.add(_row_of(builder, rows.data, i, stride), first)
                results = []
                for q, total in enumerate(totals):
                    word = _number(builder, words, builder.add(place, whole(q)))
                    word = builder.select(right, _splat(builder, word), nothing)
                    results.append(builder.add(total, word))
                return results

            n = builder.extract_value(rows.shape, 0)
            results = _for_blocks(builder, n, body, (nothing,) * n_words)
            for q, result in enumerate(results):
                at = builder.add(builder.mul(builder.add(first, whole(q)), width), block)
                sums.store(result, at)
            return context.get_dummy_value()

        return (
            numba.types.void(
                values, _whole, _whole, rows, words, _whole, _whole, threshold, gaps_right, sums
            ),
            codegen,
        )

    return intrinsic(sum_above)


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


def _plain_add_numbers(sums: Any, block: int, values: Any, first: int) -> None:
    _blocks_of(sums)[block] += values.reshape(-1)[first : first + LANES]


def _plain_add_squares(
    lanes: Any, base: int, first: Any, sums: Any, block: int, n: float, weights: Any, squares: Any,
    size: int,
) -> None:  # fmt: skip
    left = _blocks_of(first)[0] + np.cumsum(_blocks_of(lanes)[base : base + size], axis=0)
    difference = n * left - weights[:size, None] * _blocks_of(sums)[block]
    squares[:size] += (difference**2).sum(axis=1)


def _plain_centre_lanes(
    line: Any, mask: Any, lanes: Any, base: int, weights: Any, sums: Any, block: int, n: float,
    centred: Any, size: int,
) -> None:  # fmt: skip
    places = (line[:size].astype(np.uint64) & np.uint64(mask)).astype(np.int64)
    taken = weights[places, None] * _blocks_of(sums)[block]
    _blocks_of(centred)[base + places] = n * _blocks_of(lanes)[base + places] - taken


def _plain_adding_centred_squares(n_blocks: int) -> Any:
    def add_centred_squares(
        line: Any,
        mask: Any,
        centred: Any,
        base: int,
        stride: int,
        first: Any,
        squares: Any,
        size: int,
    ) -> None:
        places = base + (line[:size].astype(np.uint64) & np.uint64(mask)).astype(np.int64)
        for b in range(n_blocks):
            added = _blocks_of(centred)[places + b * stride]
            left = _blocks_of(first)[b] + np.cumsum(added, axis=0)
            squares[:size] += (left**2).sum(axis=1)

    return add_centred_squares


def _plain_add_own_gains(
    line: Any, mask: Any, lanes: Any, base: int, first: Any, sums: Any, weights: Any, shares: Any,
    block: int, gains: Any, size: int,
) -> None:  # fmt: skip
    places = base + 2 * (line[:size].astype(np.uint64) & np.uint64(mask)).astype(np.int64)
    left, seen = (
        _blocks_of(first)[i] + np.cumsum(_blocks_of(lanes)[places + i], axis=0) for i in range(2)
    )
    n, s, share = (_blocks_of(array)[block] for array in (weights, sums, shares))
    squares = share * (n * left - seen * s) ** 2
    gains[:size] += (squares / (seen * (n - seen) + 1e-300)).sum(axis=1)


def _plain_find_range(
    values: Any, width: int, block: int, rows: Any, low: Any, high: Any, gaps: Any
) -> None:
    x = _blocks_of(values)[rows.astype(np.int64) * width + block]
    seen = ~np.isnan(x)
    _blocks_of(low)[block] = np.where(seen, x, np.inf).min(axis=0, initial=np.inf)
    _blocks_of(high)[block] = np.where(seen, x, -np.inf).max(axis=0, initial=-np.inf)
    _blocks_of(gaps)[block] = ~seen.all(axis=0)


def _plain_summing_above(n_words: int) -> Any:
    def sum_above(
        values: Any, width: int, block: int, rows: Any, words: Any, stride: int, first: int,
        threshold: Any, gaps_right: Any, sums: Any,
    ) -> None:  # fmt: skip
        rows = rows.astype(np.int64)
        x = _blocks_of(values)[rows * width + block]
        right = (x > _blocks_of(threshold)[block]) | (
            np.isnan(x) & (_blocks_of(gaps_right)[block] != 0)
        )
        for q in range(first, first + n_words):
            added = np.where(right, words[rows * stride + q][:, None], 0)
            _blocks_of(sums)[q * width + block] = added.sum(axis=0)

    return sum_above


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
# add_numbers(sums, block, values, first): add LANES numbers from place `first` on to a block of sums
add_numbers = _plain_add_numbers if _plain else _add_numbers
# add_squares(lanes, base, first, sums, block, n, weights, squares, size): add the squares of
# (n * left - weight * sum) over the targets of a block, for each of `size` codes; `lanes` has the block of
# each code from `base` on, `first` is what is left before the first
add_squares = _plain_add_squares if _plain else _add_squares
# centre_lanes(line, mask, lanes, base, weights, sums, block, n, centred, size): write n * lane - weight *
# sum for the targets of a block, for the places of a list; `lanes` and `centred` have them from `base` on
centre_lanes = _plain_centre_lanes if _plain else _centre_lanes
# add_centred_squares(line, mask, centred, base, stride, first, squares, size): add the squares of what is
# left of each of `size` positions of a sorted list, of one block of centred lanes or of two, `stride` apart
add_centred_squares, add_two_centred_squares = (
    _plain_adding_centred_squares(n) if _plain else _adding_centred_squares(n) for n in (1, 2)
)
# add_own_gains(line, mask, lanes, base, first, sums, weights, shares, block, gains, size): the same with
# gains of targets that have their own weights, whose lanes follow those of the sums
add_own_gains = _plain_add_own_gains if _plain else _add_own_gains
# find_range(values, width, block, rows, low, high, gaps): the lowest and the highest value of each feature
# of a block over some rows, of `width` blocks each, and whether any of them misses it
find_range = _plain_find_range if _plain else _find_range
# sum_above(values, width, block, rows, words, stride, first, threshold, gaps_right, sums): the sums of one
# word, or of four from `first` on, over the rows that go right at each feature of a block
sum_word_above, sum_words_above = (
    _plain_summing_above(n) if _plain else _summing_above(n) for n in (1, 4)
)
# draw_lanes(states, shares, coins, n): draw a share from 0 to 1 and a coin for each feature
draw_lanes = _plain_draw_lanes if _plain else _draw_lanes
