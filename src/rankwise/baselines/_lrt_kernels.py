"""Growing a label-ranking tree: of every cut, both sides' Borda ranking and their spread around it.

A ranking's comparisons are bits, so that the number of those which contradict another is a popcount.
As a cut moves through the sorted rows of a node, rows go from the right side to the left, a run of
equal rankings at a time:

    lists[j]:  [start ... left side | run, moving ... right side ... end)

Contradictions are counted along for the rankings that both sides have. The labels are brought in
order only where rows enough have moved to change the order of two, and where two labels change places
the sum of the comparisons of that pair says what becomes of the contradictions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._intrinsics import popcount
from rankwise._jit import jit
from rankwise.baselines._lrt_runs_kernels import Runs, find_runs, new_runs, outermost_cuts
from rankwise.engine.kernels import half_way, partition_lists

# Two cuts whose goodness differs by less are equal; the first feature and threshold is taken.
SAME = 1e-9

# The sums of Buffers.amount.
WEIGHT, COUNT, COMPARED, CONTRADICTED = range(4)


class Side(NamedTuple):
    """Borda's ranking of a set of rows."""

    order: np.ndarray  # (k,) uint64, labels by falling score
    bits: np.ndarray  # (n_words,) the comparisons of that order


class Buffers(NamedTuple):
    """What growing a tree needs beside its rows. Sums are over lines of rankings, (n_lanes,)."""

    whole: Side  # of the node looked at last: a start for the next
    left: Side
    right: Side
    amount: np.ndarray  # (4,) sums over a node, by the names above
    ties: np.ndarray  # far less than one row weighs: equal labels keep the order of their numbers
    whole_sums: np.ndarray  # over a node, and twice the ties
    left_sums: np.ndarray  # over a left side, and the ties; the difference is the right side
    lane: np.ndarray  # (k, k) int64, where the sums of a pair are; -1 - that where i > j
    runs: Runs
    table: np.ndarray  # theta by the root of the share contradicted
    best: np.ndarray  # (3,) the best cut of a node: goodness, feature, place of the last row left
    goes_right: np.ndarray  # uint8, for every row of the data
    buffer: np.ndarray  # (n,) int32
    pending: np.ndarray  # nodes that wait to be cut


class Nodes(NamedTuple):
    """A growing tree, one entry per node; the root is node 0 and every child comes after its parent."""

    feature: np.ndarray  # int32, the feature that cuts the node, -1 in a leaf
    threshold: np.ndarray  # float64, a value goes left if it is at most this; 0 in a leaf
    left: np.ndarray  # int32, the left child, -1 in a leaf; the right one follows it
    depth: np.ndarray  # int32
    segment: np.ndarray  # (n_nodes, 2) int64, where its rows start and end in the sorted lists


@jit(inner=True)
def new_nodes(n_rows):
    """Memory for the largest tree on so many rows; memory is not touched before a node is written."""
    n = 2 * n_rows + 2
    feature, left, depth = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    return Nodes(feature, np.empty(n), left, depth, np.empty((n, 2), np.int64))


@jit(inner=True)
def new_buffers(k, n_lanes, n_rows, n_all, tie, table):
    """Memory for a tree of so many rows out of all."""
    labels = np.arange(k).astype(np.uint64)
    n_pairs = k * (k - 1) // 2
    # the ranking of labels by their numbers: all pairs are 1
    bits = np.full(-(-n_pairs // 64), ~np.uint64(0))
    bits[-1] >>= np.uint64(-n_pairs % 64)
    lane = np.zeros((k, k), np.int64)
    p = k
    for i in range(k):
        for j in range(i + 1, k):
            lane[i, j], lane[j, i] = p, -1 - p
            p += 1
    sums = np.zeros((3, n_lanes))
    for j in range(k):
        sums[0, j] = -tie * j
    return Buffers(
        Side(labels.copy(), bits.copy()), Side(labels.copy(), bits.copy()), Side(labels, bits),
        np.zeros(4), sums[0], sums[1], sums[2], lane, new_runs(n_rows), table, np.zeros(3),
        np.zeros(n_all, np.uint8), np.empty(n_rows, np.int32), np.empty(2 * n_rows + 2, np.int32),
    )  # fmt: skip


@jit(allocates=False, forceinline=True, inner=True)
def take(source, side):
    """Copy a ranking."""
    for i in range(source.order.shape[0]):
        side.order[i] = source.order[i]
    for i in range(source.bits.shape[0]):
        side.bits[i] = source.bits[i]


# a product and a sum may be rounded once instead of twice; missing values are none here
@jit(allocates=False, forceinline=True, fastmath={"contract"}, inner=True)
def add_line(sums, kinds, kind, w):
    """Add w times the line of a ranking."""
    line = kinds.lines[kind]
    for i in range(sums.shape[0]):
        sums[i] += w * line[i]


@jit(allocates=False, forceinline=True, inner=True)
def contradictions(kinds, kind, bits):
    """How many comparisons of a ranking contradict another."""
    n = popcount((kinds.bits[kind, 0] ^ bits[0]) & kinds.seen[kind, 0])
    # one word is all that most have: no loop is entered for it
    for i in range(1, bits.shape[0]):
        n += popcount((kinds.bits[kind, i] ^ bits[i]) & kinds.seen[kind, i])
    return np.float64(np.int64(n))


@jit(allocates=False, forceinline=True, inner=True)
def sum_at(whole, sums, i):
    """A sum, or what is left of a whole."""
    if whole is None:
        return sums[i]
    return whole[i] - sums[i]


@jit(allocates=False, forceinline=True, inner=True)
def restore(side, whole, sums, lane):
    """Bring labels in order by their scores in `sums`, or in what these leave of a whole.

    Returns by how much the contradictions of the rows increase, and the least gap between two
    neighbours, 0 where any changed places. Those are one pair: who agreed on it now contradicts.
    """
    order, bits = side.order, side.bits
    k = np.uint64(order.shape[0])
    increase, slack = 0.0, np.inf
    before = sum_at(whole, sums, order[0])
    for i in range(1, order.shape[0]):
        j = order[i]
        score = sum_at(whole, sums, j)
        if score <= before:
            slack = min(slack, before - score)
            before = score
            continue
        slack = 0.0
        place = i
        while place > 0:
            other = order[place - 1]
            if sum_at(whole, sums, other) >= score:
                break
            p = lane[other, j]
            # -1 - p is what all bits of p turned over make
            turned = p >> 63
            p = np.uint64(p ^ turned)
            increase += sum_at(whole, sums, p) * (1 + 2 * turned)
            p -= k
            bits[p >> np.uint64(6)] ^= np.uint64(1) << (p & np.uint64(63))
            order[place] = other
            place -= 1
        order[place] = j
    return increase, slack


@jit(allocates=False, forceinline=True, inner=True)
def theta_at(contradicted, compared, table):
    """Theta, read off a table by the root of the share contradicted.

    The last entry of the table, which is there twice, belongs to a share of 1/2, that of rankings at
    random. No branches: whether rows agree cannot be guessed.
    """
    n = table.shape[0] - 2
    x = np.sqrt(2.0 * max(contradicted, 0.0) / compared) * n
    # also where weights are so small that nothing is left of them in a difference, and x is NaN
    x = x if x < n else n
    i = np.uint64(np.int64(x))
    return table[i] + (x - np.int64(x)) * (table[i + np.uint64(1)] - table[i])


@jit(allocates=False, inner=True)
def scan(feature, codes, line, rows, kinds, min_leaf, buffers):
    """Try the thresholds of a feature in a node."""
    first, last = outermost_cuts(codes, line, rows.counts, min_leaf)
    if last < 0:
        return
    left, right, runs, best, sums = (
        buffers.left,
        buffers.right,
        buffers.runs,
        buffers.best,
        buffers.left_sums,
    )
    n_runs = find_runs(codes, line, rows, first, last, 0, runs)
    # any order will do for no rows, and that of the node is near that of its first rows
    take(buffers.whole, left)
    take(buffers.whole, right)
    for i in range(sums.shape[0]):
        sums[i] = buffers.ties[i]
    weight, compared = buffers.amount[WEIGHT], buffers.amount[COMPARED]
    left_weight = left_compared = left_contradicted = 0.0
    right_contradicted = buffers.amount[CONTRADICTED]
    # the scores of two labels move apart or together by at most this times the weight of the rows
    step = 2.0 * (left.order.shape[0] - 1)
    left_slack = right_slack = 0.0
    for i in range(n_runs):
        kind, w = np.uint32(runs.kind[i]), runs.weight[i] - left_weight
        left_weight = runs.weight[i]
        left_compared += w * kinds.compared[kind]
        left_contradicted += w * contradictions(kinds, kind, left.bits)
        right_contradicted -= w * contradictions(kinds, kind, right.bits)
        add_line(sums, kinds, kind, w)
        left_slack -= step * w
        right_slack -= step * w
        if runs.cut[i] < 0:
            continue
        if left_slack <= 0.0:
            increase, left_slack = restore(left, None, sums, buffers.lane)
            left_contradicted += increase
        if right_slack <= 0.0:
            increase, right_slack = restore(right, buffers.whole_sums, sums, buffers.lane)
            right_contradicted += increase
        goodness = left_weight * theta_at(left_contradicted, left_compared, buffers.table)
        goodness += (weight - left_weight) * theta_at(
            right_contradicted, compared - left_compared, buffers.table
        )
        if goodness > best[0] * (1.0 + SAME):
            best[0], best[1], best[2] = goodness, feature, runs.cut[i]


@jit(allocates=False, inner=True)
def sum_node(rows, kinds, members, buffers):
    """Sum over the rows of a node and rank its labels; return whether any comparison contradicts."""
    whole, amount, sums = buffers.whole, buffers.amount, buffers.whole_sums
    for i in range(4):
        amount[i] = 0.0
    for i in range(sums.shape[0]):
        sums[i] = buffers.ties[i]
    for p in range(members.shape[0]):
        r = np.uint32(members[p])
        kind, w = np.uint32(rows.kind[r]), rows.weights[r]
        amount[WEIGHT] += w
        amount[COUNT] += rows.counts[r]
        amount[COMPARED] += w * kinds.compared[kind]
        amount[CONTRADICTED] += w * contradictions(kinds, kind, whole.bits)
        add_line(sums, kinds, kind, w)
    amount[CONTRADICTED] += restore(whole, None, sums, buffers.lane)[0]
    for i in range(sums.shape[0]):
        sums[i] += buffers.ties[i]
    # sums of fractional weights may miss 0 by rounding
    return amount[CONTRADICTED] > 1e-9 * amount[COMPARED]


@jit(allocates=False, forceinline=True, inner=True)
def write_node(nodes, node, depth, start, end):
    """Write a node that is not cut yet."""
    nodes.feature[node] = nodes.left[node] = -1
    nodes.threshold[node] = 0.0
    nodes.depth[node] = depth
    nodes.segment[node, 0], nodes.segment[node, 1] = start, end


@jit(allocates=False, inner=True)
def write_cut(nodes, node, n_nodes, columns, lists, buffers):
    """Cut a node at its best place: write two children, partition its rows."""
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    feature = np.int64(buffers.best[1])
    last = start + np.int64(buffers.best[2])
    low, high = columns[feature, lists[feature, last]], columns[feature, lists[feature, last + 1]]
    nodes.threshold[node] = half_way(low, high)
    for p in range(start, end):
        buffers.goes_right[lists[feature, p]] = p > last
    middle = partition_lists(lists, start, end, buffers.goes_right, buffers.buffer)
    nodes.feature[node], nodes.left[node] = feature, n_nodes
    write_node(nodes, n_nodes, nodes.depth[node] + 1, start, middle)
    write_node(nodes, n_nodes + 1, nodes.depth[node] + 1, middle, end)


@jit(allocates=False, inner=True)
def grow_mallows(columns, codes, lists, rows, kinds, min_leaf, max_depth, buffers, nodes):
    """Grow one tree into `nodes`; return how many there are."""
    write_node(nodes, 0, 0, 0, lists.shape[1])
    buffers.pending[0] = 0
    tail, n_nodes = 1, 1
    while tail > 0:
        tail -= 1
        node = buffers.pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        is_mixed = sum_node(rows, kinds, lists[0, start:end], buffers)
        if not is_mixed or nodes.depth[node] >= max_depth or buffers.amount[COUNT] < 2 * min_leaf:
            continue
        buffers.best[0], buffers.best[1] = -1.0, -1.0
        for j in range(lists.shape[0]):
            scan(j, codes[j], lists[j, start:end], rows, kinds, min_leaf, buffers)
        if buffers.best[1] < 0.0:
            continue
        write_cut(nodes, node, n_nodes, columns, lists, buffers)
        buffers.pending[tail], buffers.pending[tail + 1] = n_nodes + 1, n_nodes
        tail += 2
        n_nodes += 2
    return n_nodes
