"""Lanes of features: ranges, draws and sums for random cuts, eight features at a time (`_blocks`)."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from rankwise._blocks import PLAIN, WHOLE, Blocks, blocks_of, constant, for_blocks, number_at, splat


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
        values = Blocks(context, builder, kinds[0], values)
        rows = context.make_array(kinds[3])(context, builder, rows)
        found = [Blocks(context, builder, kinds[4 + i], array) for i, array in enumerate(found)]
        start = (
            constant(values.type, float("inf")),
            constant(values.type, float("-inf")),
            constant(found[2].type, 0),
        )

        def body(i: Any, low: Any, high: Any, gaps: Any) -> list[Any]:
            x = values.load(builder.add(_row_of(builder, rows.data, i, width), block))
            return [
                builder.select(builder.fcmp_ordered("<", x, low), x, low),
                builder.select(builder.fcmp_ordered(">", x, high), x, high),
                builder.or_(gaps, builder.zext(builder.fcmp_unordered("uno", x, x), gaps.type)),
            ]

        results = for_blocks(builder, builder.extract_value(rows.shape, 0), body, start)
        for array, result in zip(found, results, strict=True):
            array.store(result, block)
        return context.get_dummy_value()

    return numba.types.void(values, WHOLE, WHOLE, rows, low, high, gaps), codegen


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
            values = Blocks(context, builder, kinds[0], values)
            rows = context.make_array(kinds[3])(context, builder, rows)
            words = context.make_array(kinds[4])(context, builder, words).data
            threshold = Blocks(context, builder, kinds[7], threshold).load(block)
            gaps = Blocks(context, builder, kinds[8], gaps_right).load(block)
            sums = Blocks(context, builder, kinds[9], sums)
            nothing = constant(sums.type, 0)
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
                    word = number_at(builder, words, builder.add(place, whole(q)))
                    word = builder.select(right, splat(builder, word), nothing)
                    results.append(builder.add(total, word))
                return results

            n = builder.extract_value(rows.shape, 0)
            results = for_blocks(builder, n, body, (nothing,) * n_words)
            for q, result in enumerate(results):
                at = builder.add(builder.mul(builder.add(first, whole(q)), width), block)
                sums.store(result, at)
            return context.get_dummy_value()

        return (
            numba.types.void(
                values, WHOLE, WHOLE, rows, words, WHOLE, WHOLE, threshold, gaps_right, sums
            ),
            codegen,
        )

    return intrinsic(sum_above)


@intrinsic
def _draw_lanes(typing: Any, states: Any, shares: Any, coins: Any, n: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (states, shares, coins, n) = signature.args, arguments
        states = Blocks(context, builder, kinds[0], states)
        shares = Blocks(context, builder, kinds[1], shares)
        coins = Blocks(context, builder, kinds[2], coins)
        whole = states.type

        def body(i: Any) -> list[Any]:
            x = states.load(i)
            x = builder.xor(x, builder.lshr(x, constant(whole, 12)))
            x = builder.xor(x, builder.shl(x, constant(whole, 25)))
            x = builder.xor(x, builder.lshr(x, constant(whole, 27)))
            states.store(x, i)
            drawn = builder.lshr(
                builder.mul(x, constant(whole, 2685821657736338717)), constant(whole, 11)
            )
            coins.store(builder.and_(drawn, constant(whole, 1)), i)
            share = builder.fmul(
                builder.sitofp(drawn, shares.type), constant(shares.type, 2.0**-53)
            )
            shares.store(share, i)
            return []

        for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(states, shares, coins, WHOLE), codegen


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
        threshold: Any, gaps_right: Any, sums: Any,
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


def _plain_draw_lanes(states: Any, shares: Any, coins: Any, n: int) -> None:
    x = states.view(np.uint64)
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    drawn = (x * np.uint64(2685821657736338717)) >> np.uint64(11)
    shares[:] = drawn * 2.0**-53
    coins[:] = drawn & np.uint64(1)


# find_range(values, width, block, rows, low, high, gaps): the lowest and the highest value of each feature
# of a block over some rows, of `width` blocks each, and whether any of them misses it
find_range = _plain_find_range if PLAIN else _find_range
# sum_above(values, width, block, rows, words, stride, first, threshold, gaps_right, sums): the sums of one
# word, or of four from `first` on, over the rows that go right at each feature of a block
sum_word_above, sum_words_above = (
    _plain_summing_above(n) if PLAIN else _summing_above(n) for n in (1, 4)
)
# draw_lanes(states, shares, coins, n): draw a share from 0 to 1 and a coin for each feature
draw_lanes = _plain_draw_lanes if PLAIN else _draw_lanes
