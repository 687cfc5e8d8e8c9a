"""Growing a label-ranking tree: of every cut, both sides' Borda ranking and their spread around it.

Pairs of labels i < j are numbered as two nested loops meet them. A row's comparisons are bits, so
that the number of those which contradict a ranking is a popcount. As a cut moves through the sorted
rows of a node, rows go from the right side to the left one by one:

    lists[j]:  [start ... left side | p, moving ... right side ... end)

Contradictions are counted along for the rankings that both sides have. Borda's scores are brought up
to date only where rows enough have moved to change the order of two labels, and where two labels
change places the sum of the rows' comparisons of that pair tells what becomes of the contradictions.

No cut is tried between rows of one and the same ranking, unless the size of leaves forbids the next:
with the best centre on either side the weighted theta is convex along such rows, so that a cut at
their ends is at least as good (as Fayyad and Irani showed for classes).
"""
# mypy: ignore-errors
# (kernels take arrays and scalars only; numba types them itself)

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit, popcount
from rankwise.tree._nodes_kernels import link
from rankwise.tree._sorted_kernels import partition_lists

# Two cuts whose goodness differs by less are equal; the first feature and threshold is taken.
SAME = 1e-9

# Sums over pairs are padded to a multiple of this, so that loops over them are vectors throughout.
LANES = 32

# Nodes of so few rows rank labels at every cut: hardly any two scores are far enough apart to wait.
FEW = 64

# The sums of Work.amount.
WEIGHT, COUNT, COMPARED, CONTRADICTED = range(4)


class Rows(NamedTuple):
    """What is known of each row."""

    kinds: np.ndarray  # (n,) int32, the same number for the same ranking
    bits: np.ndarray  # (n, n_words) uint64, 1 where i stands before j
    seen: np.ndarray  # (n, n_words) uint64, 1 where i and j were both observed
    signs: np.ndarray  # (n, n_padded_pairs) int8, 1: i before j, -1: behind, 0: not observed
    scores: np.ndarray  # (n, k) float64, labels behind it less labels before it
    weights: np.ndarray  # (n,) float64
    counts: np.ndarray  # (n,) int64, how many rows it stands for
    compared: np.ndarray  # (n,) float64, how many comparisons were observed


class Side(NamedTuple):
    """Borda's ranking of a set of rows."""

    order: np.ndarray  # (k,) labels by falling score
    scores: np.ndarray  # (k,) their sums of scores, in that order
    bits: np.ndarray  # (n_words,) the comparisons of that order


class Work(NamedTuple):
    """What growing a tree needs beside its rows."""

    nothing: Side  # the ranking of no rows, by the numbers of the labels
    whole: Side
    left: Side
    right: Side
    amount: np.ndarray  # (4,) sums over a node, by the names above
    whole_signs: np.ndarray  # (n_padded_pairs,) sums over a node
    left_signs: np.ndarray  # (n_padded_pairs,) sums over a left side
    pair: np.ndarray  # (k, k) int64, the number of the pair, -1 - number where i > j
    is_cut: np.ndarray  # (n,) uint8, whether a cut after this place is tried
    table: np.ndarray  # theta by the root of the share contradicted
    best: np.ndarray  # (3,) the best cut of a node: goodness, feature, place of the last row left
    goes_right: np.ndarray  # uint8, for every row of the data
    buffer: np.ndarray  # (n,) int32
    pending: np.ndarray  # nodes that wait to be cut


def new_work(k: int, n_rows: int, n_all: int, table: np.ndarray) -> Work:
    """Room for a tree of so many rows out of all."""
    n_pairs = k * (k - 1) // 2
    first, second = np.triu_indices(k, k=1)
    pair = np.zeros((k, k), dtype=np.int64)
    pair[first, second] = np.arange(n_pairs)
    pair[second, first] = -1 - np.arange(n_pairs)
    padded = -(-n_pairs // LANES) * LANES
    sides = [
        Side(np.arange(k), np.zeros(k), np.zeros(-(-n_pairs // 64), np.uint64)) for _ in range(4)
    ]
    return Work(
        *sides, np.zeros(4), np.zeros(padded), np.zeros(padded), pair,
        np.zeros(n_rows, np.uint8), table, np.zeros(3), np.zeros(n_all, np.uint8),
        np.empty(n_rows, np.int32), np.empty(2 * n_rows + 2, np.int32),
    )  # fmt: skip


@jit(allocates=False)
def rank_nothing(side, pair, tie):
    """Make it the ranking of no rows, by the numbers of the labels."""
    k = side.order.shape[0]
    for i in range(side.bits.shape[0]):
        side.bits[i] = np.uint64(0)
    for i in range(k):
        side.order[i] = i
        # far less than one row weighs: equal labels keep the order of their numbers
        side.scores[i] = -i * tie
        for j in range(i + 1, k):
            p = pair[i, j]
            side.bits[p >> 6] |= np.uint64(1) << np.uint64(p & 63)


@jit(allocates=False)
def take(source, side):
    """Copy a ranking."""
    for i in range(source.order.shape[0]):
        side.order[i] = source.order[i]
        side.scores[i] = source.scores[i]
    for i in range(source.bits.shape[0]):
        side.bits[i] = source.bits[i]


@jit(allocates=False)
def add_signs(sums, rows, r):
    """Add the comparisons of a row to the sums over pairs."""
    w = rows.weights[r]
    line = rows.signs[r]
    for p in range(sums.shape[0]):
        sums[p] += w * line[p]


@jit(allocates=False)
def contradictions(rows, r, bits):
    """How many comparisons of a row contradict a ranking."""
    n = np.uint64(0)
    for i in range(bits.shape[0]):
        n += popcount((rows.bits[r, i] ^ bits[i]) & rows.seen[r, i])
    return np.float64(n)


@jit(allocates=False)
def add_scores(side, rows, r, w):
    """Add w times the scores of a row."""
    line = rows.scores[r]
    for i in range(side.order.shape[0]):
        side.scores[i] += w * line[side.order[i]]


@jit(allocates=False)
def move_scores(left, right, rows, r):
    """Move the scores of a row from the right side to the left; tell which is out of order now."""
    w = rows.weights[r]
    left_before = right_before = np.inf
    left_broken = right_broken = False
    for i in range(left.order.shape[0]):
        a = left.scores[i] + w * rows.scores[r, left.order[i]]
        b = right.scores[i] - w * rows.scores[r, right.order[i]]
        left.scores[i] = a
        right.scores[i] = b
        left_broken |= left_before < a
        right_broken |= right_before < b
        left_before, right_before = a, b
    return left_broken, right_broken


@jit(allocates=False)
def slack_of(scores):
    """The least gap between neighbours; negative where they are not in order."""
    slack = np.inf
    for i in range(1, scores.shape[0]):
        slack = min(slack, scores[i - 1] - scores[i])
    return slack


@jit(allocates=False)
def sort(side, pair, signs, minus):
    """Bring the labels in order; return by how much the contradictions of the rows increase.

    The sums over pairs of those rows are `signs`, less `minus` where that is not empty. Two
    neighbours that change places are one pair: who agreed on it now contradicts.
    """
    order, scores = side.order, side.scores
    increase = 0.0
    for i in range(1, order.shape[0]):
        j, score = order[i], scores[i]
        place = i
        while place > 0 and scores[place - 1] < score:
            other = order[place - 1]
            p = pair[other, j]
            sign = 1.0
            if p < 0:
                p, sign = -1 - p, -1.0
            total = signs[p] - minus[p] if minus.shape[0] > 0 else signs[p]
            increase += sign * total
            side.bits[p >> 6] ^= np.uint64(1) << np.uint64(p & 63)
            order[place] = other
            scores[place] = scores[place - 1]
            place -= 1
        order[place] = j
        scores[place] = score
    return increase


@jit(allocates=False)
def theta_at(contradicted, compared, table):
    """Theta, read off a table by the root of the share contradicted.

    The last entry of the table belongs to a share of 1/2, that of rankings at random.
    """
    if contradicted <= 0.0:
        return table[0]
    n = table.shape[0] - 1
    x = np.sqrt(2.0 * contradicted / compared) * n
    if x >= n:
        return table[n]
    i = np.int64(x)
    return table[i] + (x - i) * (table[i + 1] - table[i])


@jit(allocates=False)
def mark_cuts(codes, line, rows, n_rows, min_leaf, is_cut):
    """Tell after which places of the sorted rows a cut is tried; return the last, -1 if there is none.

    Block by block of equal values: between two blocks of one and the same ranking there is no cut,
    except for the first and the last that the size of leaves allows.
    """
    n = line.shape[0]
    first = last = -1
    count = 0
    start, kind_before = 0, -1
    while start < n:
        count_before = count
        code, kind = codes[line[start]], rows.kinds[line[start]]
        end = start
        while end < n and codes[line[end]] == code:
            if rows.kinds[line[end]] != kind:
                kind = -1
            count += rows.counts[line[end]]
            is_cut[end] = 0
            end += 1
        if count_before >= min_leaf and n_rows - count_before >= min_leaf:
            last = start - 1
            if first < 0:
                first = last
            if kind < 0 or kind != kind_before:
                is_cut[last] = 1
        start, kind_before = end, kind
    if last >= 0:
        is_cut[first] = is_cut[last] = 1
    return last


@jit(allocates=False)
def scan(feature, codes, line, rows, min_leaf, work):
    """Try the thresholds of a feature in a node."""
    left, right, is_cut, best = work.left, work.right, work.is_cut, work.best
    last = mark_cuts(codes, line, rows, work.amount[COUNT], min_leaf, is_cut)
    take(work.nothing, left)
    take(work.whole, right)
    for p in range(work.left_signs.shape[0]):
        work.left_signs[p] = 0.0
    weight, compared = work.amount[WEIGHT], work.amount[COMPARED]
    left_weight = left_compared = left_contradicted = 0.0
    right_contradicted = work.amount[CONTRADICTED]
    # the scores of two labels move apart or together by at most this times the weight of the rows
    step = 2.0 * (left.order.shape[0] - 1)
    moved = slack = 0.0
    scored = summed = 0
    for p in range(last + 1):
        r = line[p]
        w = rows.weights[r]
        left_weight += w
        left_compared += w * rows.compared[r]
        left_contradicted += w * contradictions(rows, r, left.bits)
        right_contradicted -= w * contradictions(rows, r, right.bits)
        moved += step * w
        if is_cut[p] == 0:
            continue
        if moved >= slack:
            left_broken = right_broken = False
            for q in range(scored, p + 1):
                left_broken, right_broken = move_scores(left, right, rows, line[q])
            scored, moved = p + 1, 0.0
            if left_broken or right_broken:
                for q in range(summed, p + 1):
                    add_signs(work.left_signs, rows, line[q])
                summed = p + 1
            if left_broken:
                nothing = work.left_signs[:0]
                left_contradicted += sort(left, work.pair, work.left_signs, nothing)
            if right_broken:
                right_contradicted += sort(right, work.pair, work.whole_signs, work.left_signs)
            if line.shape[0] > FEW:
                slack = min(slack_of(left.scores), slack_of(right.scores))
        right_compared = compared - left_compared
        goodness = left_weight * theta_at(left_contradicted, left_compared, work.table)
        goodness += (weight - left_weight) * theta_at(
            right_contradicted, right_compared, work.table
        )
        if goodness > best[0] * (1.0 + SAME):
            best[0], best[1], best[2] = goodness, feature, p


@jit(allocates=False)
def sum_node(rows, members, work):
    """Sum over the rows of a node and rank its labels; return whether any comparison contradicts."""
    whole, amount, signs = work.whole, work.amount, work.whole_signs
    take(work.nothing, whole)
    for i in range(4):
        amount[i] = 0.0
    for p in range(signs.shape[0]):
        signs[p] = 0.0
    for r in members:
        w = rows.weights[r]
        amount[WEIGHT] += w
        amount[COUNT] += rows.counts[r]
        amount[COMPARED] += w * rows.compared[r]
        amount[CONTRADICTED] += w * contradictions(rows, r, whole.bits)
        add_scores(whole, rows, r, w)
        add_signs(signs, rows, r)
    amount[CONTRADICTED] += sort(whole, work.pair, signs, signs[:0])
    # sums of fractional weights may miss 0 by rounding
    return amount[CONTRADICTED] > 1e-9 * amount[COMPARED]


@jit(allocates=False)
def write_cut(nodes, sides, node, n_nodes, codes, lists, work):
    """Cut a node at its best place: write two children, partition its rows."""
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    feature = np.int64(work.best[1])
    last = start + np.int64(work.best[2])
    low, high = codes[feature, lists[feature, last]], codes[feature, lists[feature, last + 1]]
    for p in range(start, end):
        work.goes_right[lists[feature, p]] = p > last
    middle = partition_lists(lists, start, end, work.goes_right, work.buffer)
    a, b = n_nodes, n_nodes + 1
    for i in range(2):
        nodes.totals[b, i] = 0.0
    link(nodes, node, feature, work.best[0] / work.amount[WEIGHT], n_nodes)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
    for i in range(2, 4):
        nodes.segment[a, i] = nodes.segment[b, i] = 0
    sides[node, 0], sides[node, 1] = low, high


@jit(allocates=False)
def grow_mallows(codes, lists, rows, min_leaf, max_depth, tie, work, nodes, sides):
    """Grow one tree into `nodes`, return how many; `sides` gets the codes on both sides of each cut."""
    rank_nothing(work.nothing, work.pair, tie)
    work.pending[0] = 0
    tail, n_nodes = 1, 1
    while tail > 0:
        tail -= 1
        node = work.pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        is_mixed = sum_node(rows, lists[0, start:end], work)
        nodes.totals[node, 0] = work.amount[WEIGHT]
        if not is_mixed or nodes.depth[node] >= max_depth or work.amount[COUNT] < 2 * min_leaf:
            continue
        work.best[0], work.best[1] = -1.0, -1.0
        for j in range(lists.shape[0]):
            scan(j, codes[j], lists[j, start:end], rows, min_leaf, work)
        if work.best[1] < 0.0:
            continue
        write_cut(nodes, sides, node, n_nodes, codes, lists, work)
        work.pending[tail], work.pending[tail + 1] = n_nodes + 1, n_nodes
        tail += 2
        n_nodes += 2
    return n_nodes
