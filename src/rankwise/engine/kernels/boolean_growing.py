"""Breiman's algorithm on Boolean features.

A node is a segment of an array of row numbers. Sums over the rows where each feature is 1 are kept
for the nodes that wait, so that those of one child follow from its parent's and its sibling's.
Nodes that fit one word are handed to the word kernels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._intrinsics import BLOCK
from rankwise._jit import jit
from rankwise.engine.kernels.bitset_growing import WORD, grow_word, transpose
from rankwise.engine.kernels.boolean_splitting import (
    best_allowed,
    best_separating,
    split_gains,
    subtract,
    sum_packed,
    sum_stats,
)
from rankwise.engine.kernels.nodes import link, sum_rows


@jit(allocates=False, inner=True)
def partition(columns, feature, rows, start, end, buffer):
    """Move the rows whose feature is 0 to the front of the segment, stably; return where 1 starts.

    rows:  [start ... 0 0 0 0 | 1 1 1 ... end)
                               ^ returned
    """
    column, line = columns[feature], rows[start:end]
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for r in line:
        one = np.uint64(column[np.uint64(r)])
        line[n_left] = r
        buffer[n_right] = r
        n_left += np.uint64(1) - one
        n_right += one
    after = line[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)


@jit(allocates=False, inner=True)
def same_kind(kind, rows, start, end):
    """Whether all rows of the segment carry the same target."""
    first = kind[rows[start]]
    for p in range(start + 1, end):
        if kind[rows[p]] != first:
            return False
    return True


@jit(allocates=False, inner=True)
def all_agree(totals, node, count_column):
    """Whether every comparison seen in the node came out the same way each time."""
    first = totals.shape[1] - 1 - count_column.shape[0]
    for o in range(count_column.shape[0]):
        if abs(totals[node, first + o]) != totals[node, count_column[o]]:
            return False
    return True


@jit(allocates=False, inner=True)
def sum_node(bits, stats, packed, rows, held, segment, node, lanes, pool, slot):
    """Write the sums of a node where each feature is 1; the last row counts held rows, if any."""
    n_stats = stats.shape[1]
    start, end = segment[node, 0], segment[node, 1]
    if packed.shape[0] > 0:
        sum_packed(bits, packed, rows, start, end, lanes, pool, slot)
    else:
        sum_stats(bits, stats, n_stats, rows, start, end, pool, slot, np.int64(0))
    if held.shape[0] > 0:
        start, end = segment[node, 2], segment[node, 3]
        sum_stats(bits, stats, np.int64(1), held, start, end, pool, slot, n_stats)


class Desk(NamedTuple):
    """Room to work in; the last slot of the pool is scratch, for a node that found no other."""

    pool: np.ndarray  # [slot, statistic, block, feature]: sums over the rows where the feature is 1
    free: np.ndarray  # the number of free slots, then the slots
    slots: np.ndarray  # of each node that waits, -1: not summed yet
    pending: np.ndarray  # nodes that wait
    gains: np.ndarray
    gain_bits: np.ndarray  # the gains seen as integers
    lanes: np.ndarray
    features: np.ndarray
    buffer: np.ndarray


def new_desk(n_rows: int, n_held: int, n_features: int, n_blocks: int, stats: np.ndarray) -> Desk:
    """Room for trees on so many rows."""
    n_slots = 4 + 2 * n_rows.bit_length()
    gains = np.zeros((n_blocks, BLOCK))
    return Desk(
        pool=np.empty((n_slots, stats.shape[1] + (n_held > 0), n_blocks, BLOCK), stats.dtype),
        free=np.empty(n_slots, np.int64),
        slots=np.empty(2 * n_rows + 2, np.int64),
        pending=np.empty(2 * n_rows + 2, np.int32),
        gains=gains,
        gain_bits=gains.view(np.int64),
        lanes=np.zeros(BLOCK, np.uint16),
        features=np.arange(n_features),
        buffer=np.empty(max(n_rows, n_held), np.int32),
    )


@jit(allocates=False, inner=True)
def clear(desk):
    """Leave the root waiting, and every slot free."""
    n = desk.free.shape[0] - 1
    desk.free[0] = n
    for i in range(n):
        desk.free[i + 1] = i
    desk.pending[0] = 0
    desk.slots[0] = -1
    for j in range(desk.features.shape[0]):
        desk.features[j] = j


@jit(allocates=False, inner=True)
def take_slot(free):
    """Take a free slot of the pool; -1 where there is none."""
    if free[0] == 0:
        return -1
    free[0] -= 1
    return free[free[0] + 1]


@jit(allocates=False, inner=True)
def give_slot(desk, slot):
    """Give a slot of the pool back; scratch, or none, is not of it."""
    if 0 <= slot < desk.pool.shape[0] - 1:
        desk.free[0] += 1
        desk.free[desk.free[0]] = slot


@jit(allocates=False, inner=True)
def cut(nodes, node, feature, gain, n_nodes, columns, rows, held, buffer):
    """Make the two children of `node`; the totals of the right one (feature is 1) are there already."""
    a, b = n_nodes, n_nodes + 1
    start, end, held_start, held_end = nodes.segment[node]
    middle = partition(columns, feature, rows, start, end, buffer)
    held_middle = partition(columns, feature, held, held_start, held_end, buffer)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
    nodes.segment[a, 2], nodes.segment[a, 3] = held_start, held_middle
    nodes.segment[b, 2], nodes.segment[b, 3] = held_middle, held_end
    link(nodes, node, feature, gain, n_nodes)


@jit(allocates=False, inner=True)
def best_feature(nodes, node, desk, slot, count_column, plain, rules, state):
    """The best feature of a node whose sums are in the pool, or -1."""
    split_gains(desk.pool, slot, nodes.totals, node, count_column, desk.gains)
    n_rows = nodes.totals[node, 0]
    if plain:
        return best_separating(desk.gain_bits, desk.pool, slot, n_rows)
    n_held = nodes.totals[node, nodes.totals.shape[1] - 1]
    min_rows = 1 if n_held > 0 else rules.min_leaf
    return best_allowed(
        desk.gain_bits, desk.pool, slot, n_rows, min_rows, n_held, rules.min_leaf, desk.features,
        rules.n_drawn, state,
    )  # fmt: skip


@jit(allocates=False, inner=True)
def is_final(nodes, node, rules, kind, rows, count_column, honest):
    """Whether a node stays a leaf, whatever the features."""
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    n_valid = nodes.totals[node, nodes.totals.shape[1] - 1 if honest else 0]
    if end - start < 2 or nodes.depth[node] >= rules.max_depth or n_valid < 2 * rules.min_leaf:
        return True
    if kind.shape[0] > 0:
        return same_kind(kind, rows, start, end)
    return all_agree(nodes.totals, node, count_column)


@jit(allocates=False, inner=True)
def sum_children(bits, stats, packed, rows, held, nodes, smaller, larger, slot, small_node, desk):
    """Sum the smaller child; the larger one's sums are what is left of the parent's.

    Children without a slot (small ones, or where none is free) are summed when their turn comes.
    """
    desk.slots[smaller] = desk.slots[larger] = -1
    other = -1
    if slot < desk.pool.shape[0] - 1 and nodes.totals[larger, 0] > small_node:
        other = take_slot(desk.free)
    if other < 0:
        give_slot(desk, slot)
        return
    sum_node(bits, stats, packed, rows, held, nodes.segment, smaller, desk.lanes, desk.pool, other)
    subtract(desk.pool, slot, other)
    desk.slots[larger] = slot
    if nodes.totals[smaller, 0] > small_node:
        desk.slots[smaller] = other
    else:
        give_slot(desk, other)


@jit(allocates=False)
def grow(
    bits, columns, stats, packed, kind, count_column, rows, held, rules, state, nodes, word, desk
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
    plain = not honest and rules.min_leaf <= 1 and rules.n_drawn >= columns.shape[0]
    small_node = WORD if plain and word.words.shape[0] > 0 and not breadth_first else 0
    sum_rows(stats, n_stats, rows, nodes.totals, np.int64(0))
    sum_rows(stats, np.int64(1), held, nodes.totals, n_stats)
    clear(desk)
    pending, scratch = desk.pending, desk.pool.shape[0] - 1
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
        slot = desk.slots[node]
        if is_final(nodes, node, rules, kind, rows, count_column, honest):
            give_slot(desk, slot)
            continue
        if nodes.totals[node, 0] <= small_node:
            start, end = nodes.segment[node, 0], nodes.segment[node, 1]
            transpose(bits, packed, kind, rows, start, end, word)
            n_nodes = grow_word(word, node, n_nodes, rules.max_depth, nodes)
            continue
        if slot < 0:
            slot = take_slot(desk.free)
            slot = scratch if slot < 0 else slot
            sum_node(
                bits, stats, packed, rows, held, nodes.segment, node, desk.lanes, desk.pool, slot
            )
        best = best_feature(nodes, node, desk, slot, count_column, plain, rules, state)
        if best < 0:
            give_slot(desk, slot)
            continue
        b, j = best // BLOCK, best % BLOCK
        nodes.totals[n_nodes + 1, n_stats] = 0
        for a in range(desk.pool.shape[1]):
            nodes.totals[n_nodes + 1, a] = desk.pool[slot, a, b, j]
        cut(nodes, node, best, desk.gains[b, j], n_nodes, columns, rows, held, desk.buffer)
        smaller, larger = n_nodes, n_nodes + 1
        if nodes.totals[smaller, 0] > nodes.totals[larger, 0]:
            smaller, larger = larger, smaller
        sum_children(
            bits, stats, packed, rows, held, nodes, smaller, larger, slot, small_node, desk
        )
        pending[tail] = n_nodes if breadth_first else larger
        pending[tail + 1] = n_nodes + 1 if breadth_first else smaller
        tail += 2
        n_nodes += 2
    return n_nodes
