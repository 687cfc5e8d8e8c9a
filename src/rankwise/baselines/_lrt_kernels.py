"""Growing a label-ranking tree: of every cut, both sides' Borda ranking and their spread around it.

``signs[r, p]`` says for the p-th pair of labels i < j, in the order of two nested loops, whether row
r puts i before j (1), behind it (-1) or leaves it open (0), and ``scores[r, j]`` is the sum of the
signs of label j. With their sums S over a set of rows, Borda's ranking sorts labels by the sum of
scores, and the comparisons that agree with it less those that do not are S summed with the signs of
that ranking. A cut moves rows from the right side to the left one by one, so each costs one pass
over the pairs.
"""
# mypy: ignore-errors
# (kernels take arrays and scalars only; numba types them itself)

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.tree._nodes_kernels import link
from rankwise.tree._sorted_kernels import partition_lists

# Two cuts whose goodness differs by less are equal; the first feature and threshold is taken.
SAME = 1e-9


class Side(NamedTuple):
    """Sums over the rows on one side of a cut, and Borda's ranking of the labels by them."""

    signs: np.ndarray  # (n_pairs,)
    scores: np.ndarray  # (k,)
    amount: np.ndarray  # (3,) weight, number of rows, weight of the observed comparisons
    order: np.ndarray  # (k,) labels by falling score
    agree: np.ndarray  # (n_pairs,) the signs of that order


class Rows(NamedTuple):
    """What is known of each row."""

    signs: np.ndarray  # (n, n_pairs) int8
    scores: np.ndarray  # (n, k) float64
    weights: np.ndarray  # (n,) float64
    counts: np.ndarray  # (n,) int64, how many rows it stands for
    compared: np.ndarray  # (n,) float64, how many comparisons were observed


def new_side(k: int) -> Side:
    """Sums of nothing, and labels in the order of their numbers."""
    return Side(
        np.zeros(k * (k - 1) // 2),
        np.zeros(k),
        np.zeros(3),
        np.arange(k),
        np.ones(k * (k - 1) // 2),
    )


@jit
def clear(side):
    """Forget all rows."""
    for p in range(side.signs.shape[0]):
        side.signs[p] = 0.0
    for j in range(side.scores.shape[0]):
        side.scores[j] = 0.0
    for i in range(3):
        side.amount[i] = 0.0


@jit
def add(side, rows, r):
    """Add row r to the sums."""
    w = rows.weights[r]
    for p in range(side.signs.shape[0]):
        side.signs[p] += w * rows.signs[r, p]
    for j in range(side.scores.shape[0]):
        side.scores[j] += w * rows.scores[r, j]
    side.amount[0] += w
    side.amount[1] += rows.counts[r]
    side.amount[2] += w * rows.compared[r]


@jit
def take_rest(whole, left, right):
    """Make `right` what is left of the whole."""
    for p in range(whole.signs.shape[0]):
        right.signs[p] = whole.signs[p] - left.signs[p]
    for j in range(whole.scores.shape[0]):
        right.scores[j] = whole.scores[j] - left.scores[j]
    for i in range(3):
        right.amount[i] = whole.amount[i] - left.amount[i]


@jit
def rank(side):
    """Sort the labels by falling score, equal ones by number; mostly little has changed."""
    order, scores = side.order, side.scores
    k = order.shape[0]
    is_new = False
    for i in range(1, k):
        j = order[i]
        p = i
        while p > 0 and (
            scores[order[p - 1]] < scores[j]
            or (scores[order[p - 1]] == scores[j] and order[p - 1] > j)
        ):
            order[p] = order[p - 1]
            p -= 1
        if p < i:
            order[p] = j
            is_new = True
    return is_new


@jit
def sign_order(side, place):
    """Write the signs of the order."""
    k = side.order.shape[0]
    for p in range(k):
        place[side.order[p]] = p
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            side.agree[p] = 1.0 if place[i] < place[j] else -1.0
            p += 1


@jit(fastmath={"reassoc"})
def agreement(signs, agree):
    """Comparisons that agree with an order less those that do not; no value here is ever NaN."""
    total = 0.0
    for p in range(signs.shape[0]):
        total += signs[p] * agree[p]
    return total


@jit
def mean_distance(side, place):
    """Mean Kendall distance from Borda's ranking, as the observed comparisons tell it."""
    if rank(side):
        sign_order(side, place)
    compared = side.amount[2]
    if compared <= 0.0:
        return 0.0
    share = 0.5 - 0.5 * agreement(side.signs, side.agree) / compared
    # sums of fractional weights may miss 0 by rounding
    return share * side.signs.shape[0] if share > 1e-12 else 0.0


@jit
def value_at(distance, knots, values):
    """Read the value at a distance off a table of falling knots, linear between them."""
    n = knots.shape[0]
    if distance >= knots[0]:
        return values[0]
    if distance <= knots[n - 1]:
        return values[n - 1]
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] >= distance:
            low = middle
        else:
            high = middle
    share = (knots[low] - distance) / (knots[low] - knots[high])
    return values[low] + share * (values[high] - values[low])


@jit
def scan(feature, codes, lists, start, end, rows, min_leaf, knots, values, whole, left, right,
         place, best):  # fmt: skip
    """Try every threshold of a feature; `best` holds goodness, feature, last code left, first right."""
    clear(left)
    for p in range(start, end - 1):
        r = lists[feature, p]
        add(left, rows, r)
        low, high = codes[feature, r], codes[feature, lists[feature, p + 1]]
        if low == high or left.amount[1] < min_leaf:
            continue
        if whole.amount[1] - left.amount[1] < min_leaf:
            break
        take_rest(whole, left, right)
        goodness = left.amount[0] * value_at(mean_distance(left, place), knots, values)
        goodness += right.amount[0] * value_at(mean_distance(right, place), knots, values)
        goodness /= whole.amount[0]
        if best[1] < 0.0 or goodness > best[0] + SAME * (1.0 + abs(best[0])):
            best[0], best[1], best[2], best[3] = goodness, feature, low, high


@jit
def grow_mallows(
    codes, lists, rows, min_leaf, max_depth, knots, values, whole, left, right, nodes, sides
):  # fmt: skip
    """Grow one tree into `nodes`, return how many; `sides` gets the codes on both sides of each cut."""
    d, n = lists.shape
    place = np.empty(whole.order.shape[0], np.int64)
    best = np.empty(4)
    goes_right = np.zeros(codes.shape[1], np.uint8)
    buffer = np.empty(n, np.int32)
    pending = np.empty(2 * n + 2, np.int32)
    pending[0] = 0
    tail, n_nodes = 1, 1
    while tail > 0:
        tail -= 1
        node = pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        clear(whole)
        for p in range(start, end):
            add(whole, rows, lists[0, p])
        nodes.totals[node, 0] = whole.amount[0]
        if (
            nodes.depth[node] >= max_depth
            or whole.amount[1] < 2 * min_leaf
            or mean_distance(whole, place) == 0.0
        ):
            continue
        best[1] = -1.0
        for j in range(d):
            scan(
                j, codes, lists, start, end, rows, min_leaf, knots, values, whole, left, right,
                place, best,
            )  # fmt: skip
        feature = np.int64(best[1])
        if feature < 0:
            continue
        for p in range(start, end):
            r = lists[feature, p]
            goes_right[r] = codes[feature, r] > best[2]
        middle = partition_lists(lists, start, end, goes_right, buffer)
        a, b = n_nodes, n_nodes + 1
        for i in range(2):
            nodes.totals[b, i] = 0.0
        link(nodes, node, feature, best[0], n_nodes)
        nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
        nodes.segment[b, 0], nodes.segment[b, 1] = middle, end
        for i in range(2, 4):
            nodes.segment[a, i] = nodes.segment[b, i] = 0
        sides[node, 0], sides[node, 1] = np.int64(best[2]), np.int64(best[3])
        pending[tail], pending[tail + 1] = b, a
        tail += 2
        n_nodes += 2
    return n_nodes
