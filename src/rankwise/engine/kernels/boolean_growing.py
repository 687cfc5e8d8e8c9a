"""Breiman's algorithm on Boolean features.

A node is a segment of an array of row numbers. Sums over the rows where each feature is 1 are kept
for the nodes that wait, so that those of one child follow from its parent's and its sibling's.
Nodes whose sums fit 16 bits are handed to `small_growing`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._blocks import zeros_in_lines
from rankwise._intrinsics import BLOCK
from rankwise._jit import jit
from rankwise.engine.kernels.boolean_cuts import (
    best_allowed,
    best_of_all,
    split_gains,
    subtract,
    sum_packed,
    sum_stats,
)
from rankwise.engine.kernels.nodes import (
    held_are_final,
    is_final,
    link,
    nodes_of,
    sum_rows,
    write_root,
)
from rankwise.engine.kernels.partition import partition_bits
from rankwise.engine.kernels.small_growing import grow_small


@jit(allocates=False, inner=True)
def sum_node(bits, stats, packed, most_weight, rows, held, segment, node, lanes, pool, slot):
    """Write the sums of a node where each feature is 1; the last row counts held rows, if any."""
    n_stats = stats.shape[1]
    start, end = segment[node, 0], segment[node, 1]
    if packed.shape[0] > 0:
        sum_packed(bits, packed, most_weight, n_stats, rows, start, end, lanes, pool, slot)
    else:
        sum_stats(bits, stats, n_stats, rows, start, end, pool, slot, np.int64(0))
    if held.shape[0] > 0:
        start, end = segment[node, 2], segment[node, 3]
        sum_stats(bits, stats, np.int64(1), held, start, end, pool, slot, n_stats)


class BooleanBuffers(NamedTuple):
    """Memory to grow in; the last slot of the pool is scratch, for a node that found no other."""

    pool: np.ndarray  # [slot, statistic, block, feature]: sums over the rows where the feature is 1
    free: np.ndarray  # the number of free slots, then the slots
    slots: np.ndarray  # of each node that waits, -1: not summed yet
    pending: np.ndarray  # nodes that wait
    gains: np.ndarray
    gain_bits: np.ndarray  # the gains seen as integers
    lanes: np.ndarray
    features: np.ndarray
    buffer: np.ndarray


def new_boolean_buffers(
    n_rows: int, n_held: int, n_features: int, n_blocks: int, stats: np.ndarray
) -> BooleanBuffers:
    """Memory for trees on so many rows."""
    n_slots = 4 + 2 * n_rows.bit_length()
    most_nodes = 2 * max(n_rows, n_held) + 2
    # one more to work in
    gains = zeros_in_lines((n_blocks + 1) * BLOCK).reshape(n_blocks + 1, BLOCK)
    return BooleanBuffers(
        pool=np.empty((n_slots, stats.shape[-1] + (n_held > 0), n_blocks, BLOCK), stats.dtype),
        free=zeros_in_lines(n_slots, np.int64),
        slots=np.empty(most_nodes, np.int64),
        pending=np.empty(most_nodes, np.int32),
        gains=gains,
        gain_bits=gains.view(np.int64),
        lanes=zeros_in_lines(BLOCK, np.uint16),
        features=np.arange(n_features),
        buffer=np.empty(max(n_rows, n_held), np.int32),
    )


@jit(allocates=False, inner=True)
def clear(buffers):
    """Leave the root waiting, and every slot free."""
    n = buffers.free.shape[0] - 1
    buffers.free[0] = n
    for i in range(n):
        buffers.free[i + 1] = i
    buffers.pending[0] = 0
    buffers.slots[0] = -1
    for j in range(buffers.features.shape[0]):
        buffers.features[j] = j


@jit(allocates=False, inner=True)
def take_slot(free):
    """Take a free slot of the pool; -1 where there is none."""
    if free[0] == 0:
        return -1
    free[0] -= 1
    return free[free[0] + 1]


@jit(allocates=False, inner=True)
def give_slot(buffers, slot):
    """Give a slot of the pool back; scratch, or none, is not of it."""
    if 0 <= slot < buffers.pool.shape[0] - 1:
        buffers.free[0] += 1
        buffers.free[buffers.free[0]] = slot


@jit(allocates=False, inner=True)
def cut(nodes, node, feature, gain, n_nodes, bits, rows, held, buffer):
    """Make the two children of `node`; the totals of the right one (feature is 1) are there already."""
    a, b = n_nodes, n_nodes + 1
    start, end, held_start, held_end = nodes.segment[node]
    middle = partition_bits(bits, feature, rows, start, end, buffer)
    held_middle = partition_bits(bits, feature, held, held_start, held_end, buffer)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
    nodes.segment[a, 2], nodes.segment[a, 3] = held_start, held_middle
    nodes.segment[b, 2], nodes.segment[b, 3] = held_middle, held_end
    link(nodes, node, feature, gain, n_nodes)


@jit(allocates=False, inner=True)
def best_split(nodes, node, buffers, slot, count_column, rules, state):
    """The best feature of a node whose sums are in the pool, or -1."""
    split_gains(buffers.pool, slot, nodes.totals, node, count_column, buffers.gains)
    n_rows, n_held = nodes.totals[node, 0], nodes.totals[node, nodes.totals.shape[1] - 1]
    min_rows = rules.min_leaf
    if n_held > 0:
        min_rows = 1 if rules.stop_when_pure else 0
    if rules.n_drawn >= buffers.features.shape[0]:
        return best_of_all(
            buffers.gain_bits, buffers.pool, slot, n_rows, min_rows, n_held, rules.min_leaf
        )
    return best_allowed(
        buffers.gain_bits, buffers.pool, slot, n_rows, min_rows, n_held, rules.min_leaf, buffers.features,
        rules.n_drawn, state,
    )  # fmt: skip


@jit(allocates=False, inner=True)
def stays_a_leaf(nodes, node, rules, kind, rows, count_column, honest):
    """Whether a node stays a leaf, whatever the features.

    The held rows of an honest tree are cut on where those that choose have nothing left to choose by.
    """
    if honest and not rules.stop_when_pure:
        return held_are_final(nodes, node, rules)
    return is_final(nodes, node, rules, kind, rows, count_column, honest)


@jit(allocates=False, inner=True, forceinline=True)
def slot_for_smaller(nodes, smaller, larger, slot, most_small, buffers):
    """A slot for the sums of the smaller of two children, or -1 where its sibling needs none.

    Children without a slot (small ones, or where none is free) are summed when their turn comes.
    """
    buffers.slots[smaller] = buffers.slots[larger] = -1
    other = -1
    if slot < buffers.pool.shape[0] - 1 and nodes.totals[larger, 0] > most_small:
        other = take_slot(buffers.free)
    if other < 0:
        give_slot(buffers, slot)
        return other
    buffers.slots[larger] = slot
    if nodes.totals[smaller, 0] > most_small:
        buffers.slots[smaller] = other
    return other


@jit(inlined=True)
def grow_tree(
    bits, stats, packed, most_weight, kind, count_column, rows, held, rules, state, nodes,
    small, buffers,
):  # fmt: skip
    """Grow one tree into `nodes` and return how many there are.

    Reorders `rows` and `held` so that each node is a segment of them (but below small nodes).
    Without a budget the node made last is taken first, the smaller of two before the larger: then no
    more nodes wait than n_rows can be halved, and their sums stay in the cache. With a budget
    (`rules.max_splits` >= 0) they are taken breadth first, as the paper does; the two orders grow
    the same nodes otherwise.
    """
    n_stats = stats.shape[1]
    honest = held.shape[0] > 0
    breadth_first = rules.max_splits >= 0
    plain = not honest and rules.min_leaf <= 1 and rules.n_drawn >= buffers.features.shape[0]
    # -1: none is small, not even a node that no row reaches that chooses
    fits = packed.shape[0] > 0 and not honest and not breadth_first
    most_small = most_weight if fits else -1
    write_root(nodes, rows.shape[0], held.shape[0])
    sum_rows(stats, n_stats, rows, nodes.totals, np.int64(0))
    sum_rows(stats, np.int64(1), held, nodes.totals, n_stats)
    clear(buffers)
    pending, scratch = buffers.pending, buffers.pool.shape[0] - 1
    head, tail = 0, 1
    # typed at once: numba would compile what it is given to for the constant as well
    n_nodes = np.int64(1)
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            node = np.int64(pending[head])
            head += 1
        else:
            tail -= 1
            node = np.int64(pending[tail])
        slot = buffers.slots[node]
        if stays_a_leaf(nodes, node, rules, kind, rows, count_column, honest):
            give_slot(buffers, slot)
            continue
        if nodes.totals[node, 0] <= most_small:
            n_nodes = grow_small(
                bits, packed, most_weight, kind, rows, buffers.buffer, rules, buffers.features, state,
                plain, node, n_nodes, nodes, small,
            )  # fmt: skip
            continue
        if slot < 0:
            slot = take_slot(buffers.free)
            slot = scratch if slot < 0 else slot
            sum_node(
                bits, stats, packed, most_weight, rows, held, nodes.segment, node, buffers.lanes,
                buffers.pool, slot,
            )  # fmt: skip
        best = best_split(nodes, node, buffers, slot, count_column, rules, state)
        if best < 0:
            give_slot(buffers, slot)
            continue
        b, j = best // BLOCK, best % BLOCK
        nodes.totals[n_nodes + 1, n_stats] = 0
        for a in range(buffers.pool.shape[1]):
            nodes.totals[n_nodes + 1, a] = buffers.pool[slot, a, b, j]
        cut(nodes, node, best, buffers.gains[b, j], n_nodes, bits, rows, held, buffers.buffer)
        smaller, larger = n_nodes, n_nodes + 1
        if nodes.totals[smaller, 0] > nodes.totals[larger, 0]:
            smaller, larger = larger, smaller
        other = slot_for_smaller(nodes, smaller, larger, slot, most_small, buffers)
        if other >= 0:
            # the larger child's sums are what is left of the parent's
            sum_node(
                bits, stats, packed, most_weight, rows, held, nodes.segment, smaller, buffers.lanes,
                buffers.pool, other,
            )  # fmt: skip
            subtract(buffers.pool, slot, other)
            if buffers.slots[smaller] < 0:
                give_slot(buffers, other)
        pending[tail] = n_nodes if breadth_first else larger
        pending[tail + 1] = n_nodes + 1 if breadth_first else smaller
        tail += 2
        n_nodes += 2
    return n_nodes


@jit(allocates=False)
def grow_boolean(
    bits, stats, packed, most_weight, kind, count_column, rows, held, rules, states, nodes,
    small, buffers, n_nodes,
):  # fmt: skip
    """Grow several trees of one sample into `nodes`, and write how many each has.

    Each has its own statistics, rows and state: between two trees nothing waits for Python.
    """
    for t in range(stats.shape[0]):
        n_nodes[t] = grow_tree(
            bits, stats[t], packed[t], most_weight, kind[t], count_column, rows[t], held[t], rules,
            states[t], nodes_of(nodes, t), small, buffers,
        )  # fmt: skip
