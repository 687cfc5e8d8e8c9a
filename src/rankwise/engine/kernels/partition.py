"""Rows of a node brought to the side of the cut on which they lie, in the order that they have.

A node is a segment of a list of rows, or the same segment of several lists, each sorted by another
feature:

    list:  [start ... left child | right child ... end)
"""

from __future__ import annotations

import numpy as np

from rankwise._intrinsics import WORD_BITS
from rankwise._jit import jit


@jit
def filtered(order, weight):
    """The sorted lists of the rows of positive weight."""
    n = 0
    for w in weight:
        n += w > 0
    lists = np.empty((order.shape[0], n), np.int32)
    for j in range(order.shape[0]):
        p = 0
        for r in order[j]:
            if weight[r] > 0:
                lists[j, p] = r
                p += 1
    return lists


@jit(allocates=False, inner=True, forceinline=True)
def partition(segment, goes_right, buffer):
    """Move the rows that go left to the front of the segment, stably; return how many they are."""
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for item in segment:
        right = np.uint64(goes_right[np.uint64(item)])
        segment[n_left] = item
        buffer[n_right] = item
        n_left += np.uint64(1) - right
        n_right += right
    after = segment[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return np.int64(n_left)


@jit(allocates=False, inner=True)
def partition_lists(lists, start, end, goes_right, buffer):
    """Partition the segment of every list; return where the right child starts."""
    n_left = np.int64(0)
    for j in range(lists.shape[0]):
        n_left = partition(lists[j, start:end], goes_right, buffer)
    return start + n_left


@jit(allocates=False, inner=True)
def partition_codes(codes, feature, low, gap_code, rows, start, end, buffer):
    """Move the rows whose code is at most `low`, or a gap that goes left, to the front, stably.

    Returns where the rest starts. `gap_code` is -1 where gaps go right.
    """
    line = rows[start:end]
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    for r in line:
        code = np.int64(codes[r, feature])
        right = np.uint64((code > low) & (code != gap_code))
        line[n_left] = r
        buffer[n_right] = r
        n_left += np.uint64(1) - right
        n_right += right
    after = line[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)


@jit(allocates=False, inner=True)
def partition_bits(bits, feature, rows, start, end, buffer):
    """Move the rows where a feature is 0 to the front, stably; return where the others start."""
    word, shift = np.uint32(feature // WORD_BITS), np.uint32(feature % WORD_BITS)
    segment = rows[start:end]
    n_left, n_right = np.uint64(0), np.uint64(0)
    for r in segment:
        right = np.uint64((bits[np.uint32(r), word] >> shift) & np.uint32(1))
        segment[n_left] = r
        buffer[n_right] = r
        n_right += right
        n_left += np.uint64(1) - right
    after = segment[n_left:]
    for i in range(after.shape[0]):
        after[i] = buffer[i]
    return start + np.int64(n_left)
