"""Lanes of targets: what trees add up of a row, and what cuts gain by it, block by block (`_blocks`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from rankwise._blocks import (
    LANES,
    PLAIN,
    REAL,
    WHOLE,
    Blocks,
    blocks_of,
    constant,
    for_blocks,
    number_at,
    splat,
    sum_of,
)


@intrinsic
def _add_lanes(typing: Any, target: Any, t: Any, source: Any, s: Any, n: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (into, t, of, s, n) = signature.args, arguments
        into = Blocks(context, builder, kinds[0], into)
        of = Blocks(context, builder, kinds[2], of)

        def body(i: Any) -> list[Any]:
            place = builder.add(t, i)
            into.store(builder.add(into.load(place), of.load(builder.add(s, i))), place)
            return []

        for_blocks(builder, n, body)
        return context.get_dummy_value()

    return numba.types.void(target, WHOLE, source, WHOLE, WHOLE), codegen


@intrinsic
def _copy_lanes(typing: Any, target: Any, t: Any, source: Any, s: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (into, t, of, s) = signature.args, arguments
        block = Blocks(context, builder, kinds[2], of).load(s)
        Blocks(context, builder, kinds[0], into).store(block, t)
        numbers = builder.sitofp(block, ir.VectorType(ir.DoubleType(), LANES))
        return sum_of(builder, builder.fmul(numbers, numbers))

    return REAL(target, WHOLE, source, WHOLE), codegen


@intrinsic
def _add_to_bins(
    typing: Any, bins: Any, first: Any, step: Any, offsets: Any, codes: Any, row: Any, lanes: Any,
    block: Any,
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (bins, first, step, offsets, codes, row, lanes, block) = signature.args, arguments
        bins = Blocks(context, builder, kinds[0], bins)
        offsets = context.make_array(kinds[3])(context, builder, offsets).data
        codes = context.make_array(kinds[4])(context, builder, codes)
        added = Blocks(context, builder, kinds[6], lanes).load(block)
        n_features = builder.extract_value(codes.shape, 1)
        codes = builder.gep(codes.data, [builder.mul(row, n_features)])

        def body(j: Any) -> list[Any]:
            code = number_at(builder, codes, j)
            if code.type.width < 64:
                code = builder.zext(code, ir.IntType(64))
            place = builder.mul(builder.add(number_at(builder, offsets, j), code), step)
            place = builder.add(first, place)
            bins.store(builder.add(bins.load(place), added), place)
            return []

        for_blocks(builder, n_features, body)
        return context.get_dummy_value()

    return (
        numba.types.void(bins, WHOLE, WHOLE, offsets, codes, WHOLE, lanes, WHOLE),
        codegen,
    )


@intrinsic
def _add_numbers(typing: Any, sums: Any, block: Any, values: Any, first: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (sums, block, values, first) = signature.args, arguments
        sums = Blocks(context, builder, kinds[0], sums)
        # from its first number on, `values` is a single block
        values = Blocks(context, builder, kinds[2], values)
        values.data = builder.gep(values.data, [first])
        added = values.load(ir.IntType(64)(0))
        if added.type != sums.type:
            added = builder.fpext(added, sums.type)
        sums.store(builder.fadd(sums.load(block), added), block)
        return context.get_dummy_value()

    return numba.types.void(sums, WHOLE, values, WHOLE), codegen


def _place_of(builder: Any, line: Any, i: Any, mask: Any) -> Any:
    """The place in entry i of a sorted list."""
    entry = builder.load(builder.gep(line, [i]))
    if entry.type.width < 64:
        entry = builder.zext(entry, ir.IntType(64))
    return builder.and_(entry, mask)


def _sums(builder: Any, blocks: list[Any]) -> Any:
    """The sums of 4 or of LANES blocks of floats: neighbours are added, two blocks into one."""
    kind, width = ir.IntType(32), 1
    while len(blocks) > 1:
        lower = [i + half for i in range(0, LANES, 2 * width) for half in (0, LANES)]
        places = [[first + w for first in lower for w in range(width)]]
        places.append([place + width for place in places[0]])
        masks = [ir.Constant(ir.VectorType(kind, LANES), p) for p in places]
        blocks = [
            builder.fadd(*(builder.shuffle_vector(a, b, mask) for mask in masks))
            for a, b in zip(blocks[::2], blocks[1::2], strict=True)
        ]
        width *= 2
    sums = blocks[0]
    while sums.type.count > width:
        half = ir.VectorType(kind, sums.type.count // 2)
        places = [[i + first for i in range(half.count)] for first in (0, half.count)]
        masks = [ir.Constant(half, p) for p in places]
        sums = builder.fadd(*(builder.shuffle_vector(sums, sums, mask) for mask in masks))
    return sums


def _add_sums(
    builder: Any, totals: Any, size: Any, body: Callable[..., list[Any]], start: tuple[Any, ...],
    overruns: bool = False,
) -> None:  # fmt: skip
    """Emit a loop over positions, LANES at a time, that adds the sum of a block to the total of each.

    `body(i, *values)` returns the block of position i and what the values are behind it. Positions that
    are left over go one by one, unless `overruns`: then a few of nothing follow them.
    """
    whole = ir.IntType(64)

    def together(n: int, first: Any, *values: Any) -> list[Any]:
        blocks = []
        for lane in range(n):
            block, *values = body(builder.add(first, whole(lane)), *values)  # type: ignore[assignment]
            blocks.append(block)
        many = ir.VectorType(ir.DoubleType(), n).as_pointer()
        place = builder.bitcast(builder.gep(totals, [first]), many)
        before = builder.load(place)
        before.align = 8
        builder.store(builder.fadd(before, _sums(builder, blocks)), place, align=8)
        return list(values)

    def whole_block(i: Any, *values: Any) -> list[Any]:
        return together(LANES, builder.mul(i, whole(LANES)), *values)

    # half a block is enough for the last ones if they are that few
    rounding = whole(LANES // 2 - 1 if overruns else 0)
    n_together = builder.sdiv(builder.add(size, rounding), whole(LANES))
    values = for_blocks(builder, n_together, whole_block, start)
    first = builder.mul(n_together, whole(LANES))
    if overruns:
        is_left = builder.zext(builder.icmp_signed("<", first, size), whole)
        for_blocks(builder, is_left, lambda _, *v: together(LANES // 2, first, *v), tuple(values))
        return

    def alone(i: Any, *values: Any) -> list[Any]:
        i = builder.add(first, i)
        block, *values = body(i, *values)  # type: ignore[assignment]
        total = builder.fadd(number_at(builder, totals, i), sum_of(builder, block))
        builder.store(total, builder.gep(totals, [i]))
        return list(values)

    for_blocks(builder, builder.sub(size, first), alone, tuple(values))


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
        lanes = Blocks(context, builder, kinds[0], lanes)
        first = Blocks(context, builder, kinds[2], first).load(ir.IntType(64)(0))
        sums = Blocks(context, builder, kinds[3], sums).load(block)
        n = splat(builder, n)

        def body(i: Any, left: Any) -> list[Any]:
            left = builder.add(left, lanes.load(builder.add(base, i)))
            part = splat(builder, number_at(builder, weights, i))
            difference = builder.fsub(
                builder.fmul(n, builder.sitofp(left, sums.type)), builder.fmul(part, sums)
            )
            return [builder.fmul(difference, difference), left]

        _add_sums(builder, squares, size, body, (first,))
        return context.get_dummy_value()

    return (
        numba.types.void(lanes, WHOLE, first, sums, WHOLE, REAL, weights, squares, WHOLE),
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
        lanes = Blocks(context, builder, kinds[2], lanes)
        sums = Blocks(context, builder, kinds[5], sums).load(block)
        centred = Blocks(context, builder, kinds[8], centred)
        n = splat(builder, n)

        def body(i: Any) -> list[Any]:
            place = _place_of(builder, line, i, mask)
            weight = builder.sitofp(number_at(builder, weights, place), sums.type.element)
            weight = splat(builder, weight)
            place = builder.add(base, place)
            lane = builder.sitofp(lanes.load(place), sums.type)
            centred.store(builder.fsub(builder.fmul(n, lane), builder.fmul(weight, sums)), place)
            return []

        for_blocks(builder, size, body)
        return context.get_dummy_value()

    return (
        numba.types.void(
            line, numba.types.uint64, lanes, WHOLE, weights, sums, WHOLE, REAL, centred, WHOLE
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
            centred = Blocks(context, builder, kinds[2], centred)
            first = Blocks(context, builder, kinds[5], first)
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

            _add_sums(builder, squares, size, body, start, overruns=True)
            return context.get_dummy_value()

        return (
            numba.types.void(
                line, numba.types.uint64, centred, WHOLE, WHOLE, first, squares, WHOLE
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
        lanes = Blocks(context, builder, kinds[2], lanes)
        first = Blocks(context, builder, kinds[4], first)
        start = first.load(whole(0)), first.load(whole(1))
        sums, weights, shares = (
            Blocks(context, builder, kind, array).load(block)
            for kind, array in ((kinds[5], sums), (kinds[6], weights), (kinds[7], shares))
        )
        tiny = constant(sums.type, 1e-300)

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
            line, numba.types.uint64, lanes, WHOLE, first, sums, weights, shares, WHOLE, gains,
            WHOLE,
        ),
        codegen,
    )  # fmt: skip


@intrinsic
def _write_left_weights(
    typing: Any, line: Any, mask: Any, weights: Any, size: Any, left: Any
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, whole = signature.args, ir.IntType(64)
        line, mask, weights, size, left = arguments
        line, weights = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((kinds[0], line), (kinds[2], weights))
        )
        left = Blocks(context, builder, kinds[4], left)
        entries = ir.VectorType(line.type.pointee, LANES)
        lanes = ir.VectorType(whole, LANES)
        highest = splat(
            builder, builder.trunc(mask, entries.element) if entries.element.width < 64 else mask
        )
        numbers = ir.Constant(lanes, list(range(LANES)))

        def block_at(first: Any) -> Any:
            loaded = builder.load(builder.bitcast(builder.gep(line, [first]), entries.as_pointer()))
            loaded.align = 1
            return loaded

        def body(i: Any, total: Any) -> list[Any]:
            first = builder.mul(i, whole(LANES))
            totals = ir.Constant(lanes, ir.Undefined)
            for lane in range(LANES):
                place = _place_of(builder, line, builder.add(first, whole(lane)), mask)
                total = builder.add(total, number_at(builder, weights, place))
                totals = builder.insert_element(totals, total, ir.IntType(32)(lane))
            after = block_at(builder.add(first, whole(1)))
            differ = builder.icmp_unsigned(">", builder.xor(block_at(first), after), highest)
            inside = builder.icmp_signed(
                "<", builder.add(splat(builder, first), numbers), splat(builder, size)
            )
            nowhere = constant(left.type, float("nan"))
            found = builder.sitofp(totals, left.type)
            left.store(builder.select(builder.and_(differ, inside), found, nowhere), i)
            return [total]

        n = builder.sdiv(builder.add(size, whole(LANES - 1)), whole(LANES))
        for_blocks(builder, n, body, (whole(0),))
        return context.get_dummy_value()

    return numba.types.void(line, numba.types.uint64, weights, WHOLE, left), codegen


@intrinsic
def _places_above(
    typing: Any, gains: Any, weights: Any, block: Any, n: Any, shared: Any, own: Any, best: Any
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, (gains, weights, block, n, shared, own, best) = signature.args, arguments
        gains = Blocks(context, builder, kinds[0], gains).load(block)
        weights = Blocks(context, builder, kinds[1], weights).load(block)
        n, shared, own, best = (splat(builder, number) for number in (n, shared, own, best))
        product = builder.fmul(shared, builder.fmul(weights, builder.fsub(n, weights)))
        product = builder.fadd(product, own)
        nothing = constant(gains.type, 0.0)
        above = builder.or_(
            builder.fcmp_ordered(">", gains, builder.fmul(best, product)),
            builder.and_(
                builder.fcmp_ordered("<=", product, nothing),
                builder.fcmp_ordered("<", best, nothing),
            ),
        )
        return builder.zext(builder.bitcast(above, ir.IntType(LANES)), ir.IntType(64))

    return WHOLE(gains, weights, WHOLE, REAL, REAL, REAL, REAL), codegen


def _plain_add_lanes(target: Any, t: int, source: Any, s: int, n: int) -> None:
    blocks_of(target)[t : t + n] += blocks_of(source)[s : s + n]


def _plain_copy_lanes(target: Any, t: int, source: Any, s: int) -> float:
    blocks_of(target)[t] = blocks_of(source)[s]
    return float((blocks_of(source)[s].astype(np.float64) ** 2).sum())


def _plain_add_to_bins(
    bins: Any, first: int, step: int, offsets: Any, codes: Any, row: int, lanes: Any, block: int
) -> None:
    places = offsets[: codes.shape[1]].astype(np.int64) + codes[row]
    blocks_of(bins)[first + places * step] += blocks_of(lanes)[block]


def _plain_add_numbers(sums: Any, block: int, values: Any, first: int) -> None:
    blocks_of(sums)[block] += values.reshape(-1)[first : first + LANES]


def _plain_add_squares(
    lanes: Any, base: int, first: Any, sums: Any, block: int, n: float, weights: Any, squares: Any,
    size: int,
) -> None:  # fmt: skip
    left = blocks_of(first)[0] + np.cumsum(blocks_of(lanes)[base : base + size], axis=0)
    difference = n * left - weights[:size, None] * blocks_of(sums)[block]
    squares[:size] += (difference**2).sum(axis=1)


def _plain_centre_lanes(
    line: Any, mask: Any, lanes: Any, base: int, weights: Any, sums: Any, block: int, n: float,
    centred: Any, size: int,
) -> None:  # fmt: skip
    places = (line[:size].astype(np.uint64) & np.uint64(mask)).astype(np.int64)
    taken = weights[places, None] * blocks_of(sums)[block]
    blocks_of(centred)[base + places] = n * blocks_of(lanes)[base + places] - taken


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
            added = blocks_of(centred)[places + b * stride]
            left = blocks_of(first)[b] + np.cumsum(added, axis=0)
            squares[:size] += (left**2).sum(axis=1)

    return add_centred_squares


def _plain_write_left_weights(line: Any, mask: Any, weights: Any, size: int, left: Any) -> None:
    left[: -(-size // LANES) * LANES] = np.nan
    entries = line[: size + 1].astype(np.uint64)
    total = np.cumsum(weights[(entries[:size] & np.uint64(mask)).astype(np.int64)])
    left[:size] = np.where(entries[:size] ^ entries[1:] > np.uint64(mask), total, np.nan)


def _plain_places_above(
    gains: Any, weights: Any, block: int, n: float, shared: float, own: float, best: float
) -> int:
    gain, weight = blocks_of(gains)[block], blocks_of(weights)[block]
    product = shared * (weight * (n - weight)) + own
    above = (gain > best * product) | ((product <= 0) & (best < 0))
    return int((above << np.arange(LANES)).sum())


def _plain_add_own_gains(
    line: Any, mask: Any, lanes: Any, base: int, first: Any, sums: Any, weights: Any, shares: Any,
    block: int, gains: Any, size: int,
) -> None:  # fmt: skip
    places = base + 2 * (line[:size].astype(np.uint64) & np.uint64(mask)).astype(np.int64)
    left, seen = (
        blocks_of(first)[i] + np.cumsum(blocks_of(lanes)[places + i], axis=0) for i in range(2)
    )
    n, s, share = (blocks_of(array)[block] for array in (weights, sums, shares))
    squares = share * (n * left - seen * s) ** 2
    gains[:size] += (squares / (seen * (n - seen) + 1e-300)).sum(axis=1)


# add_lanes(target, t, source, s, n): add n blocks of `source` from s on to those of `target` from t on
add_lanes = _plain_add_lanes if PLAIN else _add_lanes
# copy_lanes(target, t, source, s): copy a block and return the sum of its squares
copy_lanes = _plain_copy_lanes if PLAIN else _copy_lanes
# add_to_bins(bins, first, step, offsets, codes, row, lanes, block): add a block of lanes to those of
# `bins`, a `step` apart from `first` on, of the codes of a row, where feature j starts at offsets[j]
add_to_bins = _plain_add_to_bins if PLAIN else _add_to_bins
# add_numbers(sums, block, values, first): add LANES numbers from place `first` on to a block of sums
add_numbers = _plain_add_numbers if PLAIN else _add_numbers
# add_squares(lanes, base, first, sums, block, n, weights, squares, size): add the squares of
# (n * left - weight * sum) over the targets of a block, for each of `size` codes; `lanes` has the block of
# each code from `base` on, `first` is what is left before the first
add_squares = _plain_add_squares if PLAIN else _add_squares
# centre_lanes(line, mask, lanes, base, weights, sums, block, n, centred, size): write n * lane - weight *
# sum for the targets of a block, for the places of a list; `lanes` and `centred` have them from `base` on
centre_lanes = _plain_centre_lanes if PLAIN else _centre_lanes
# add_centred_squares(line, mask, centred, base, stride, first, squares, size): add the squares of what is
# left of each of `size` positions of a sorted list, of one block of centred lanes or of two, `stride` apart
add_centred_squares, add_two_centred_squares = (
    _plain_adding_centred_squares(n) if PLAIN else _adding_centred_squares(n) for n in (1, 2)
)
# write_left_weights(line, mask, weights, size, left): write the weight left of each of `size` positions of
# a sorted list, nan where the code does not change behind it, and behind the last up to a whole block
write_left_weights = _plain_write_left_weights if PLAIN else _write_left_weights
# places_above(gains, weights, block, n, shared, own, best): a bit for each position of a block whose gain
# beats `best`, or that has all on one side while that is negative; see `target_slots.pick`
places_above = _plain_places_above if PLAIN else _places_above
# add_own_gains(line, mask, lanes, base, first, sums, weights, shares, block, gains, size): the same with
# gains of targets that have their own weights, whose lanes follow those of the sums
add_own_gains = _plain_add_own_gains if PLAIN else _add_own_gains
