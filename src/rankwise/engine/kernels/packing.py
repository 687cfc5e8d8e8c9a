"""The nodes of trees as words that look at codes; what a word is `_first_levels` says."""

from __future__ import annotations

import numpy as np

from rankwise._first_levels import CODES
from rankwise._jit import jit
from rankwise.engine.kernels.walking import COLUMN, HEIGHT, LEFT

# Bits by which thresholds are sorted at a time.
DIGIT = np.uint64(11)

U64 = np.uint64
ONE, SIGN = U64(1), U64(1) << U64(63)
LOW = (ONE << DIGIT) - ONE


@jit(allocates=False)
def pack_children(feature, left, bits, bounds, words, keys, nodes, counts):
    """Write the children of all nodes to their words, a key for each inner node, and count their features.

    Trees stand between `bounds`. Keys are in the order of the thresholds, of which `bits` are those.
    """
    n = 0
    for t in range(bounds.shape[0] - 1):
        root = bounds[t]
        for node in range(root, bounds[t + 1]):
            child, f = np.int64(left[node]), feature[node]
            if f < 0:
                # a leaf is its own left child
                child = node
            else:
                # -0 is the same threshold as 0
                b = U64(0) if bits[node] == SIGN else bits[node]
                keys[n] = ~b if b & SIGN else b | SIGN
                nodes[n] = node
                counts[f] += 1
                n += 1
            words[node] = U64(child - root) << LEFT


@jit(allocates=False)
def pack_codes(keys, nodes, more_keys, more_nodes, feature, ends, digits, columns, bits, words):
    """Write what nodes look at to their words, and what columns hold; returns how many of these there are.

    Nodes are sorted by their keys, one digit after the other, the lowest first, and then by features, back
    and forth between the arrays. Those of feature f begin at ends[f], which is moved on to their end.
    `columns` are the feature of each column and where its thresholds begin, at most CODES, of which `bits`
    are those; `digits` is memory to count digits.
    """
    n = keys.shape[0]
    for digit in range(U64(0), U64(64), DIGIT):
        for i in range(digits.shape[0]):
            digits[i] = 0
        for i in range(n):
            digits[(keys[i] >> digit) & LOW] += 1
        if n == 0 or digits[(keys[0] >> digit) & LOW] == n:
            continue
        total = 0
        for i in range(digits.shape[0]):
            total += digits[i]
            digits[i] = total - digits[i]
        for i in range(n):
            place = digits[(keys[i] >> digit) & LOW]
            digits[(keys[i] >> digit) & LOW] = place + 1
            more_keys[place], more_nodes[place] = keys[i], nodes[i]
        keys, more_keys, nodes, more_nodes = more_keys, keys, more_nodes, nodes
    for i in range(n):
        place = ends[feature[nodes[i]]]
        ends[feature[nodes[i]]] = place + 1
        more_keys[place], more_nodes[place] = keys[i], nodes[i]
    return number_thresholds(more_keys, more_nodes, ends, columns, bits, words)


@jit(allocates=False, inner=True)
def number_thresholds(keys, nodes, ends, columns, bits, words):
    """The same for nodes in order."""
    column, n, start = 0, 0, 0
    for f in range(ends.shape[0]):
        code = CODES
        for i in range(start, ends[f]):
            key = keys[i]
            if i == start or key != keys[i - 1]:
                bits[n] = key ^ SIGN if key & SIGN else ~key
                code += 1
                if code >= CODES:
                    columns[0, column], columns[1, column] = f, n
                    column, code = column + 1, 0
                n += 1
            # the first column of all is that of leaves
            words[nodes[i]] |= U64(CODES - code) << COLUMN | U64(column * HEIGHT)
        start = ends[f]
    columns[1, column] = n
    return column
