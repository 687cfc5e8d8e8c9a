"""Breiman's algorithm on Boolean features.

A node is a segment of an array of row numbers. Sums over the rows where each feature is 1 are kept
for the nodes that wait, so that those of one child follow from its parent's and its sibling's.
Nodes that fit one word are handed to the word kernels.
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit
from rankwise.tree._nodes_kernels import link, sum_rows
from rankwise.tree._sums_kernels import (
    BLOCK,
    best_allowed,
    best_separating,
    split_gains,
    subtract,
    sum_packed,
    sum_stats,
)
from rankwise.tree._word_kernels import WORD, grow_word, transpose


@jit
def partition(columns, feature, rows, start, end, buffer):
    """Move the rows whose feature is 0 to the front of the segment, stably; return where 1 starts.

    rows:  [start ... 0 0 0 0 | 1 1 1 ... end)
                               ^ returned
    """
    middle = start
    n_right = 0
    for p in range(start, end):
        r = rows[p]
        one = np.int64(columns[feature, r])
        rows[middle] = r
        buffer[n_right] = r
        middle += 1 - one
        n_right += one
    for i in range(n_right):
        rows[middle + i] = buffer[i]
    return middle


@jit
def same_kind(kind, rows, start, end):
    """Whether all rows of the segment carry the same target."""
    first = kind[rows[start]]
    for p in range(start + 1, end):
        if kind[rows[p]] != first:
            return False
    return True


@jit
def all_agree(totals, node, count_column):
    """Whether every comparison seen in the node came out the same way each time."""
    first = totals.shape[1] - 1 - count_column.shape[0]
    for o in range(count_column.shape[0]):
        if abs(totals[node, first + o]) != totals[node, count_column[o]]:
            return False
    return True


@jit
def sum_node(blocks, stats, packed, rows, held, segment, node, lanes, pool, slot):
    """Write the sums of a node where each feature is 1; the last row counts held rows, if any."""
    n_stats = stats.shape[1]
    start, end = segment[node, 0], segment[node, 1]
    if packed.shape[0] > 0:
        sum_packed(blocks, packed, rows, start, end, lanes, pool, slot)
    else:
        sum_stats(blocks, stats, n_stats, rows, start, end, pool, slot, 0)
    if held.shape[0] > 0:
        sum_stats(blocks, stats, 1, held, segment[node, 2], segment[node, 3], pool, slot, n_stats)


@jit
def with_free_slot(pool, free):
    """The pool and the list of its free slots, enlarged where none is free; free[0] is their number."""
    n = pool.shape[0]
    if free[0] > 0:
        return pool, free
    larger = np.empty((2 * n, pool.shape[1], pool.shape[2], pool.shape[3]), pool.dtype)
    free = np.empty(2 * n + 1, np.int64)
    free[0] = n
    # loops, because an assignment of slices takes seconds to compile
    for i in range(n):
        free[i + 1] = n + i
        for a in range(pool.shape[1]):
            for b in range(pool.shape[2]):
                for j in range(pool.shape[3]):
                    larger[i, a, b, j] = pool[i, a, b, j]
    return larger, free


@jit
def take_slot(free):
    """Take a free slot of the pool."""
    free[0] -= 1
    return free[free[0] + 1]


@jit
def give_slot(free, slot):
    """Give a slot of the pool back."""
    free[0] += 1
    free[free[0]] = slot


@jit
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


@jit
def best_feature(nodes, node, pool, slot, count_column, gains, bits, plain, rules, features, state):
    """The best feature of a node whose sums are in the pool, or -1."""
    split_gains(pool, slot, nodes.totals, node, count_column, gains)
    n_rows = nodes.totals[node, 0]
    if plain:
        return best_separating(bits, pool, slot, n_rows)
    n_held = nodes.totals[node, nodes.totals.shape[1] - 1]
    min_rows = 1 if n_held > 0 else rules.min_leaf
    return best_allowed(
        bits, pool, slot, n_rows, min_rows, n_held, rules.min_leaf, features, rules.n_drawn, state
    )


@jit
def grow(blocks, columns, stats, packed, kind, count_column, rows, held, rules, state, nodes, word):
    """Grow one tree into `nodes` and return how many there are.

    Reorders `rows` and `held` so that each node is a segment of them (but below small nodes).
    Without a budget nodes are taken last in, first out: few of them wait at any time, and their
    sums stay in the cache. With a budget (`rules.max_splits` >= 0) they are taken breadth first, as
    the paper does; the two orders grow the same nodes otherwise.
    """
    n_stats = stats.shape[1]
    n_blocks = blocks.shape[0]
    honest = held.shape[0] > 0
    breadth_first = rules.max_splits >= 0
    plain = not honest and rules.min_leaf <= 1 and rules.n_drawn >= columns.shape[0]
    small_node = WORD if plain and word.words.shape[0] > 0 and not breadth_first else 0
    sum_rows(stats, n_stats, rows, nodes.totals, 0)
    sum_rows(stats, 1, held, nodes.totals, n_stats)
    slots = np.empty(nodes.feature.shape[0], np.int64)
    slots[0] = -1
    pending = np.empty(nodes.feature.shape[0], np.int32)
    pending[0] = 0
    head, tail = 0, 1
    n_nodes = 1
    pool = np.empty((8, n_stats + honest, n_blocks, BLOCK), stats.dtype)
    free = np.empty(9, np.int64)
    for i in range(9):
        free[i] = 8 - i
    gains = np.zeros((n_blocks, BLOCK), np.float64)
    bits = gains.view(np.int64)
    lanes = np.zeros(BLOCK, np.uint16)
    features = np.arange(columns.shape[0])
    buffer = np.empty(max(rows.shape[0], held.shape[0]), rows.dtype)
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            node = pending[head]
            head += 1
        else:
            tail -= 1
            node = pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        slot = slots[node]
        n_valid = nodes.totals[node, n_stats if honest else 0]
        best = -1
        if (
            end - start >= 2
            and nodes.depth[node] < rules.max_depth
            and n_valid >= 2 * rules.min_leaf
            and not (
                same_kind(kind, rows, start, end)
                if kind.shape[0] > 0
                else all_agree(nodes.totals, node, count_column)
            )
        ):
            if nodes.totals[node, 0] <= small_node:
                transpose(blocks, packed, rows, start, end, word)
                n_nodes = grow_word(word, node, n_nodes, rules.max_depth, nodes)
            else:
                if slot < 0:
                    pool, free = with_free_slot(pool, free)
                    slot = take_slot(free)
                    sum_node(
                        blocks, stats, packed, rows, held, nodes.segment, node, lanes, pool, slot
                    )
                best = best_feature(
                    nodes,
                    node,
                    pool,
                    slot,
                    count_column,
                    gains,
                    bits,
                    plain,
                    rules,
                    features,
                    state,
                )
        if best >= 0:
            b, j = best // BLOCK, best % BLOCK
            nodes.totals[n_nodes + 1, n_stats] = 0
            for a in range(pool.shape[1]):
                nodes.totals[n_nodes + 1, a] = pool[slot, a, b, j]
            cut(nodes, node, best, gains[b, j], n_nodes, columns, rows, held, buffer)
            slots[n_nodes] = slots[n_nodes + 1] = -1
            pending[tail] = n_nodes if breadth_first else n_nodes + 1
            pending[tail + 1] = n_nodes + 1 if breadth_first else n_nodes
            tail += 2
            # child = parent - sibling: only the smaller child is summed
            a, b = n_nodes, n_nodes + 1
            if nodes.totals[a, 0] > nodes.totals[b, 0]:
                a, b = b, a
            if nodes.totals[b, 0] > small_node:
                pool, free = with_free_slot(pool, free)
                other = take_slot(free)
                sum_node(blocks, stats, packed, rows, held, nodes.segment, a, lanes, pool, other)
                subtract(pool, slot, other)
                slots[b] = slot
                slots[a] = slot = other
                if nodes.totals[a, 0] > small_node:
                    slot = -1
                else:
                    slots[a] = -1
            n_nodes += 2
        if slot >= 0:
            give_slot(free, slot)
    return n_nodes
