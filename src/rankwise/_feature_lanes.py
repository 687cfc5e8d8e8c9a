"""Lanes of features: ranges, draws and sums for random cuts, eight features at a time (`_blocks`)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from rankwise._blocks import (
    LANES,
    PLAIN,
    WHOLE,
    Blocks,
    blocks_of,
    constant,
    for_blocks,
    number_at,
    splat,
)


def _row_of(builder: Any, rows: Any, i: Any, n: Any) -> Any:
    """The first of n things of each row, for row number i of a list of rows."""
    row = builder.sext(builder.load(builder.gep(rows, [i])), ir.IntType(64))
    return builder.mul(row, n)


def _double(builder: Any, block: Any) -> Any:
    """A block of floats in double precision."""
    kind = ir.VectorType(ir.DoubleType(), LANES)
    return block if block.type == kind else builder.fpext(block, kind)


@intrinsic
def _find_range(
    typing: Any, values: Any, width: Any, block: Any, rows: Any, low: Any, high: Any, gaps: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (values, width, block, rows, *found) = signature.args, arguments
        values = Blocks(context, builder, kinds[0], values)
        rows = context.make_array(kinds[3])(context, builder, rows)
        found = [Blocks(context, builder, kinds[4 + i], array) for i, array in enumerate(found)]
        start = (
            constant(values.type, float("inf")),
            constant(values.type, float("-inf")),
            constant(ir.VectorType(ir.IntType(1), LANES), 0),
        )

        def body(i: Any, low: Any, high: Any, gaps: Any) -> list[Any]:
            x = values.load(builder.add(_row_of(builder, rows.data, i, width), block))
            return [
                builder.select(builder.fcmp_ordered("<", x, low), x, low),
                builder.select(builder.fcmp_ordered(">", x, high), x, high),
                builder.or_(gaps, builder.fcmp_unordered("uno", x, x)),
            ]

        *ends, gaps = for_blocks(builder, builder.extract_value(rows.shape, 0), body, start)
        for array, end in zip(found, ends, strict=False):
            array.store(_double(builder, end), block)
        found[2].store(builder.zext(gaps, found[2].type), block)
        return context.get_dummy_value()

    return numba.types.void(values, WHOLE, WHOLE, rows, low, high, gaps), codegen


def _summing_above(n_words: int) -> Any:
    """An intrinsic that sums so many words of each row, for the features of a block."""

    def sum_above(
        typing: Any, values: Any, width: Any, block: Any, rows: Any, words: Any, stride: Any,
        first: Any, threshold: Any, gaps: Any, gaps_right: Any, sums: Any,
    ) -> Any:  # fmt: skip
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds, whole = signature.args, ir.IntType(64)
            values, width, block, rows, words, stride, first, *of_features, sums = arguments
            values = Blocks(context, builder, kinds[0], values)
            rows = context.make_array(kinds[3])(context, builder, rows)
            words = context.make_array(kinds[4])(context, builder, words).data
            threshold, gaps, gaps_right = (
                Blocks(context, builder, kind, array).load(block)
                for kind, array in zip(kinds[7:10], of_features, strict=True)
            )
            sums = Blocks(context, builder, kinds[10], sums)
            nothing = constant(sums.type, 0)
            gaps_go_right = builder.icmp_signed("!=", gaps_right, nothing)

            def is_right(x: Any, with_gaps: bool) -> Any:
                right = builder.fcmp_ordered(">", x, threshold)
                if not with_gaps:
                    return right
                unless_left = builder.fcmp_unordered(">", x, threshold)
                return builder.select(gaps_go_right, unless_left, right)

            def body(with_gaps: bool, i: Any, *totals: Any) -> list[Any]:
                x = values.load(builder.add(_row_of(builder, rows.data, i, width), block))
                right = is_right(_double(builder, x), with_gaps)
                place = builder.add(_row_of(builder, rows.data, i, stride), first)
                results = []
                for q, total in enumerate(totals):
                    word = number_at(builder, words, builder.add(place, whole(q)))
                    word = builder.select(right, splat(builder, word), nothing)
                    results.append(builder.add(total, word))
                return results

            n = builder.extract_value(rows.shape, 0)
            found = builder.bitcast(builder.icmp_signed("!=", gaps, nothing), ir.IntType(LANES))
            with builder.if_else(builder.icmp_signed("!=", found, found.type(0))) as branches:
                for with_gaps, branch in zip((True, False), branches, strict=True):
                    with branch:
                        results = for_blocks(
                            builder, n, partial(body, with_gaps), (nothing,) * n_words
                        )
                        for q, result in enumerate(results):
                            at = builder.add(
                                builder.mul(builder.add(first, whole(q)), width), block
                            )
                            sums.store(result, at)
            return context.get_dummy_value()

        return (
            numba.types.void(
                values, WHOLE, WHOLE, rows, words, WHOLE, WHOLE, threshold, gaps, gaps_right, sums
            ),
            codegen,
        )

    return intrinsic(sum_above)


@intrinsic
def _draw_cuts(
    typing: Any, states: Any, low: Any, high: Any, threshold: Any, gaps_right: Any, n: Any
) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (*arrays, n) = signature.args, arguments
        states, low, high, threshold, gaps_right = (
            Blocks(context, builder, kind, array)
            for kind, array in zip(kinds[:5], arrays, strict=True)
        )
        whole, real = states.type, low.type

        def body(i: Any) -> list[Any]:
            x = states.load(i)
            x = builder.xor(x, builder.lshr(x, constant(whole, 12)))
            x = builder.xor(x, builder.shl(x, constant(whole, 25)))
            x = builder.xor(x, builder.lshr(x, constant(whole, 27)))
            states.store(x, i)
            drawn = builder.lshr(
                builder.mul(x, constant(whole, 2685821657736338717)), constant(whole, 11)
            )
            share = builder.fmul(builder.sitofp(drawn, real), constant(real, 2.0**-53))
            least, most = low.load(i), high.load(i)
            t = builder.fadd(
                builder.fmul(least, builder.fsub(constant(real, 1.0), share)),
                builder.fmul(most, share),
            )
            inside = builder.and_(
                builder.fcmp_ordered("<=", least, t), builder.fcmp_ordered("<", t, most)
            )
            varies = builder.fcmp_ordered("<", least, most)
            t = builder.select(inside, t, least)
            threshold.store(builder.select(varies, t, constant(real, float("inf"))), i)
            coin = builder.and_(drawn, constant(whole, 1))
            gaps_right.store(builder.select(varies, coin, constant(whole, 1)), i)
            return []

        for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(states, low, high, threshold, gaps_right, WHOLE), codegen


def _plain_find_range(
    values: Any, width: int, block: int, rows: Any, low: Any, high: Any, gaps: Any
) -> None:
    x = blocks_of(values)[rows.astype(np.int64) * width + block]
    seen = ~np.isnan(x)
    blocks_of(low)[block] = np.where(seen, x, np.inf).min(axis=0, initial=np.inf)
    blocks_of(high)[block] = np.where(seen, x, -np.inf).max(axis=0, initial=-np.inf)
    blocks_of(gaps)[block] = ~seen.all(axis=0)


def _plain_summing_above(n_words: int) -> Any:
    def sum_above(
        values: Any, width: int, block: int, rows: Any, words: Any, stride: int, first: int,
        threshold: Any, gaps: Any, gaps_right: Any, sums: Any,
    ) -> None:  # fmt: skip
        rows = rows.astype(np.int64)
        x = blocks_of(values)[rows * width + block]
        right = (x > blocks_of(threshold)[block]) | (
            np.isnan(x) & (blocks_of(gaps_right)[block] != 0)
        )
        for q in range(first, first + n_words):
            added = np.where(right, words[rows * stride + q][:, None], 0)
            blocks_of(sums)[q * width + block] = added.sum(axis=0)

    return sum_above


def _plain_draw_cuts(
    states: Any, low: Any, high: Any, threshold: Any, gaps_right: Any, n: int
) -> None:
    x = states.view(np.uint64)
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    drawn = (x * np.uint64(2685821657736338717)) >> np.uint64(11)
    varies = low < high
    share = np.where(varies, drawn * 2.0**-53, 0.0)
    least, most = np.where(varies, low, 0.0), np.where(varies, high, 0.0)
    t = least * (1.0 - share) + most * share
    t = np.where((least <= t) & (t < most), t, least)
    threshold[:] = np.where(varies, t, np.inf)
    gaps_right[:] = np.where(varies, drawn & np.uint64(1), 1)


# find_range(values, width, block, rows, low, high, gaps): the lowest and the highest value of each feature
# of a block over some rows, of `width` blocks each, and whether any of them misses it
find_range = _plain_find_range if PLAIN else _find_range
# sum_above(values, width, block, rows, words, stride, first, threshold, gaps, gaps_right, sums): the sums
# of one word, or of four from `first` on, over the rows that go right at each feature of a block
sum_word_above, sum_words_above = (
    _plain_summing_above(n) if PLAIN else _summing_above(n) for n in (1, 4)
)
# draw_cuts(states, low, high, threshold, gaps_right, n): draw a threshold for each feature of n blocks,
# uniform in low <= t < high, and whether its gaps go right; +inf and 1 where low is not below high
draw_cuts = _plain_draw_cuts if PLAIN else _draw_cuts
