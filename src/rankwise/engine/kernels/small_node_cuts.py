"""Small nodes of one integer target on features of any kind, exactly: every threshold is tried.

For each feature a node has a list of its rows, sorted by value, that holds all a scan needs, so that
it streams through memory:

    entry:  | count * target : 10 | count : 6 | code of the value : 16 | row : 32 |

Count and target are packed as in the Boolean kernels. A node is the same segment of all lists, and
cutting it is a stable partition of each, so nothing is sorted again below it:

    entries[j]:  [start ... left child, sorted | right child, sorted ... end)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.engine.kernels.nodes import draw_feature, link
from rankwise.engine.kernels.partition import ROW_MASK, keep_left, keep_right, partition_lists
from rankwise.engine.kernels.row_statistics import COUNT_BITS, COUNT_MASK

CODE_SHIFT = np.uint64(32)
CODE_MASK = np.uint64(0xFFFF)
COUNT_SHIFT = np.uint64(48)
TARGET_SHIFT = np.uint64(48 + COUNT_BITS)

# Sums of entries are those of a bin:  | target sum : 32 | count : 32 |
SUM_SHIFT = 32
BIN_MASK = (1 << SUM_SHIFT) - 1

# Positions looked at together: one loop of vector instructions.
STRETCH = 32

# Lists so short are scanned one entry at a time.
SHORT = 16

# Two gains that differ by less than this share are one gain rounded in two ways.
SAME = 1.0 + 1e-12


class LeftSums(NamedTuple):
    """Sums left of each position of a sorted list, as in a histogram; 0 where no cut may be made."""

    sums: np.ndarray
    stretches: np.ndarray  # the same memory, STRETCH to a row


def new_left_sums(n: int) -> LeftSums:
    """Memory for `n` positions."""
    sums = np.zeros((n // STRETCH + 1) * STRETCH, np.int64)
    return LeftSums(sums, sums.reshape((-1, STRETCH)))


@jit(allocates=False, inner=True, forceinline=True)
def bin_of(entry):
    """Count and target sum of an entry as those of a bin."""
    count = np.int64((entry >> COUNT_SHIFT) & np.uint64(COUNT_MASK))
    return count | (np.int64(entry >> TARGET_SHIFT) << SUM_SHIFT)


@jit(allocates=False, inner=True, forceinline=True)
def is_allowed(sums, n, min_leaf):
    """Whether both sides of a position have rows enough."""
    n1 = sums & BIN_MASK
    return (n1 >= min_leaf) & (n1 <= n - min_leaf)


@jit(allocates=False, inner=True, forceinline=True)
def best_position(left_sums, size, n, s, floor):
    """The best cut that beats `floor`: its gain times n, and its position + 1 (0: none).

    Gains are compared as fractions, so that only a better cut costs a division.
    """
    stretches = left_sums.stretches
    best = floor
    cut = 0
    for b in range((size + STRETCH - 1) // STRETCH):
        hits = np.int32(0)
        for i in range(STRETCH):
            n1 = np.float64(np.int32(stretches[b, i] & BIN_MASK))
            difference = n * np.float64(np.int32(stretches[b, i] >> SUM_SHIFT)) - n1 * s
            hits |= np.int32(difference * difference > best * (n1 * (n - n1)))
        if hits == 0 and best >= 0.0:
            continue
        for i in range(min(STRETCH, size - b * STRETCH)):
            n1 = np.float64(np.int32(stretches[b, i] & BIN_MASK))
            difference = n * np.float64(np.int32(stretches[b, i] >> SUM_SHIFT)) - n1 * s
            square, product = difference * difference, n1 * (n - n1)
            if product > 0.0 and square > best * product:
                best = square / product * SAME
                cut = b * STRETCH + i + 1
    return best, cut


@jit(allocates=False, inner=True)
def sort_entries(codes, packed, rows, start, end, n_codes, places, entries):
    """Fill the lists of a segment of rows: a counting sort for each feature."""
    for j in range(codes.shape[1]):
        for c in range(n_codes[j] + 1):
            places[c] = 0
        for p in range(start, end):
            places[codes[rows[p], j] + 1] += 1
        for c in range(n_codes[j]):
            places[c + 1] += places[c]
        for p in range(start, end):
            r = rows[p]
            code = codes[r, j]
            entries[j, places[code]] = (
                np.uint64(r)
                | (np.uint64(code) << CODE_SHIFT)
                | (np.uint64(packed[r]) << COUNT_SHIFT)
            )
            places[code] += 1


@jit(allocates=False, inner=True, forceinline=True)
def cumulate(line, n, min_leaf, left_sums):
    """Write the sums left of each position of a sorted list."""
    sums = left_sums.sums
    last = line.shape[0] - 1
    total = 0
    entry = line[0]
    for i in range(last):
        after = line[i + 1]
        total += bin_of(entry)
        sums[i] = total if (((entry ^ after) >> CODE_SHIFT) & CODE_MASK) != 0 else 0
        entry = after
    if min_leaf > 1:
        for i in range(last):
            if not is_allowed(sums[i], n, min_leaf):
                sums[i] = 0


@jit(allocates=False, inner=True, forceinline=True)
def scan_short(line, n, s, min_leaf, floor):
    """What `cumulate` and `best_position` find, in one pass that pays for short lists."""
    best = floor
    cut = 0
    total = 0
    entry = line[0]
    for i in range(line.shape[0] - 1):
        after = line[i + 1]
        total += bin_of(entry)
        differs = (((entry ^ after) >> CODE_SHIFT) & CODE_MASK) != 0
        entry = after
        n1 = np.float64(np.int32(total & BIN_MASK))
        difference = n * np.float64(np.int32(total >> SUM_SHIFT)) - n1 * s
        square, product = difference * difference, n1 * (n - n1)
        if differs & (square > best * product) & is_allowed(total, n, min_leaf):
            best = square / product * SAME
            cut = i + 1
    return best, cut


@jit(allocates=False, inner=True, forceinline=True)
def best_cut(entries, start, end, n, s, bound, rules, features, state, left_sums):
    """The best feature of a segment (-1: none), how many rows it sends left, and its gain times n."""
    d = entries.shape[0]
    best, best_feature, best_size = -1.0, -1, 0
    for i in range(d):
        if i >= rules.n_drawn and best_feature >= 0:
            break
        j = draw_feature(features, i, rules.n_drawn, state)
        # a lower feature drawn later wins a draw
        floor = best / (SAME * SAME) if j < best_feature else best
        line = entries[j, start:end]
        if line.shape[0] <= SHORT:
            gain, size = scan_short(line, n, s, rules.min_leaf, floor)
        else:
            cumulate(line, n, rules.min_leaf, left_sums)
            gain, size = best_position(left_sums, line.shape[0] - 1, n, s, floor)
        if size > 0:
            best, best_feature, best_size = gain, j, size
            if rules.n_drawn >= d and best >= bound:
                break
    return best_feature, best_size, best / SAME


@jit(allocates=False, inner=True, forceinline=True)
def spread(line):
    """N times the squared error of the entries about their mean: 0 where the targets are all equal.

    Nothing that is cut off can gain more.
    """
    n = 0
    s = 0
    squares = 0
    for entry in line:
        count = np.int64((entry >> COUNT_SHIFT) & np.uint64(COUNT_MASK))
        total = np.int64(entry >> TARGET_SHIFT)
        n += count
        s += total
        squares += total * total // count
    return float(n) * float(squares) - float(s) * float(s)


@jit(allocates=False, inner=True, forceinline=True)
def mark(line, size, goes_right):
    """Write for each row of a sorted list whether it comes after the first `size`."""
    for i in range(line.shape[0]):
        goes_right[line[i] & ROW_MASK] = i >= size


@jit(allocates=False, inner=True, forceinline=True)
def write_children(right, low, high, feature, gain, nodes, node, n_nodes, sides):
    """Write the children of a node, the right one of these sums, and the codes beside the cut."""
    a, b = n_nodes, n_nodes + 1
    nodes.totals[b, 0], nodes.totals[b, 1] = right & BIN_MASK, right >> SUM_SHIFT
    nodes.totals[b, 2] = 0
    link(nodes, node, feature, gain, n_nodes)
    sides[node, 0], sides[node, 1] = low, high
    sides[node, 2] = nodes.totals[a, 0] >= nodes.totals[b, 0]


@jit(allocates=False, inner=True, forceinline=True)
def write_cut(line, size, start, nodes, node, feature, gain, n_nodes, sides):
    """The same, read off the sorted list, and the segments of the children."""
    a, b = n_nodes, n_nodes + 1
    right = 0
    for entry in line[size:]:
        right += bin_of(entry)
    low, high = (line[size - 1] >> CODE_SHIFT) & CODE_MASK, (line[size] >> CODE_SHIFT) & CODE_MASK
    nodes.segment[a, 0], nodes.segment[a, 1] = start, start + size
    nodes.segment[b, 0], nodes.segment[b, 1] = start + size, start + line.shape[0]
    write_children(right, low, high, feature, gain, nodes, node, n_nodes, sides)


@jit(allocates=False, inner=True)
def grow_entries(entries, size, node, n_nodes, rules, features, state, left_sums,
                 goes_right, buffer, pending, bounds, nodes, sides):  # fmt: skip
    """Grow everything below a node whose rows fill the first `size` places of the lists.

    Segments below it are places in these lists, which are kept for children that are not pure.
    Returns the number of nodes.
    """
    breadth_first = rules.max_splits >= 0
    nodes.segment[node, 0], nodes.segment[node, 1] = 0, size
    pending[0], bounds[0] = node, spread(entries[0, :size])
    head, tail = 0, 1
    while head < tail and (not breadth_first or n_nodes // 2 < rules.max_splits):
        if breadth_first:
            place = head
            head += 1
        else:
            tail -= 1
            place = tail
        node, bound = np.int64(pending[place]), bounds[place]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        n, s = float(nodes.totals[node, 0]), float(nodes.totals[node, 1])
        if nodes.depth[node] >= rules.max_depth or n < 2 * rules.min_leaf or bound == 0.0:
            continue
        best, left_size, gain = best_cut(
            entries, start, end, n, s, bound, rules, features, state, left_sums
        )
        if best < 0:
            continue
        line = entries[best, start:end]
        write_cut(line, left_size, start, nodes, node, best, gain / n, n_nodes, sides)
        left, right = spread(line[:left_size]), spread(line[left_size:])
        n_nodes += 2
        if left == 0.0 and right == 0.0:
            continue
        mark(line, left_size, goes_right)
        if right == 0.0:
            keep_left(entries, start, end, goes_right)
        elif left == 0.0:
            keep_right(entries, start, end, goes_right)
        else:
            partition_lists(entries, start, end, goes_right, buffer)
        # what is taken last goes first
        side = 0 if breadth_first else 1
        for child in (side, 1 - side):
            child_bound = right if child == 1 else left
            if child_bound > 0.0:
                pending[tail], bounds[tail] = n_nodes - 2 + child, child_bound
                tail += 1
    return n_nodes
