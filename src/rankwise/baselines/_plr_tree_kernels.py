"""A partial-label-ranking tree in two calls: rankings as relations of pairs, and growing.

Pairs of labels i < j are numbered as two nested loops meet them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.baselines._lrt_coding_kernels import code_columns, sort_by_kind
from rankwise.baselines._lrt_kernels import new_nodes
from rankwise.baselines._lrt_runs_kernels import Rows
from rankwise.baselines._plr_kernels import grow_pairs, new_buffers
from rankwise.engine.kernels import filtered

# What a ranking may say of a pair.
AHEAD, TIED, BEHIND, UNKNOWN = range(4)


class PartialData(NamedTuple):
    """Features and rankings as the kernels want them; one for all trees of an ensemble."""

    columns: np.ndarray  # (d, n) float64, the values of each feature
    codes: np.ndarray  # (d, n) int32, the place of a value among those of its feature
    order: np.ndarray  # (d, n) int32, rows by rising value, then by kind
    kind: np.ndarray  # (n,) int32, which of the distinct rankings a row has
    relations: np.ndarray  # (n_kinds, n_pairs) uint8, what each of them says of each pair
    complete: bool  # whether each of them compares all labels


@jit
def code_partial(columns, by_value, ranks):
    """Code features and rankings; `by_value` (d, n) lists the rows of each feature by rising value.

    Returns all that `PartialData` holds beside the columns.
    """
    n, k = ranks.shape
    kind = np.empty(n, np.int32)
    relations = np.empty((n, k * (k - 1) // 2), np.uint8)
    n_slots = 2
    while n_slots < 2 * n:
        n_slots *= 2
    n_kinds = code_relations(ranks, kind, relations, np.full(n_slots, np.int32(-1)))
    complete = True
    for i in range(n_kinds):
        for p in range(relations.shape[1]):
            complete &= relations[i, p] != UNKNOWN
    codes, order = np.empty(by_value.shape, np.int32), np.empty(by_value.shape, np.int32)
    starts, by_kind = np.zeros(n + 1, np.int32), np.empty(n, np.int32)
    sort_by_kind(kind, starts, by_kind)
    code_columns(columns, by_value, codes, by_kind, starts, order)
    return codes, order, kind, relations[:n_kinds], complete


@jit(allocates=False, inner=True)
def code_relations(ranks, kind, relations, slots):
    """Write the number of each row's kind, and what the kinds say of pairs; return how many there are.

    `slots` is a hash table, all -1, whose length is a power of 2 and twice the number of rows at least.
    """
    n_kinds, k = 0, ranks.shape[1]
    for r in range(ranks.shape[0]):
        line, p, mixed = relations[n_kinds], 0, np.uint64(0)
        for i in range(k):
            for j in range(i + 1, k):
                a, b = ranks[r, i], ranks[r, j]
                # NaN is neither ahead nor tied nor behind
                said = AHEAD if a < b else TIED if a == b else BEHIND if a > b else UNKNOWN
                line[p] = said
                mixed = (mixed ^ np.uint64(said + 1)) * np.uint64(0x9E3779B97F4A7C15)
                mixed ^= mixed >> np.uint64(29)
                p += 1
        slot = mixed & np.uint64(slots.shape[0] - 1)
        while slots[slot] >= 0 and not same_line(relations[slots[slot]], line):
            slot = (slot + np.uint64(1)) & np.uint64(slots.shape[0] - 1)
        if slots[slot] < 0:
            slots[slot] = n_kinds
            n_kinds += 1
        kind[r] = slots[slot]
    return n_kinds


@jit(allocates=False, forceinline=True, inner=True)
def same_line(one, other):
    """Whether two rankings say the same of all pairs."""
    for p in range(one.shape[0]):
        if one[p] != other[p]:
            return False
    return True


@jit
def grow_partial(data, counts, weights, rules, entropies, state, keep_shares):
    """Grow a tree on the rows of positive count.

    Returns of every node the feature, threshold and left child; of every leaf the ranks and, if
    they are kept, the shares of pairs; and the depth of the deepest.
    """
    lists = filtered(data.order, counts)
    n_rows, n_all = lists.shape[1], counts.shape[0]
    n_kinds, n_pairs = data.relations.shape
    k = 2
    while k * (k - 1) // 2 < n_pairs:
        k += 1
    nodes = new_nodes(n_rows)
    n_kept = n_pairs if keep_shares else 0
    ranks, shares = np.empty((2 * n_rows + 2, k)), np.empty((2 * n_rows + 2, n_kept))
    buffers = new_buffers(k, n_kinds, n_rows, n_all, lists.shape[0], entropies)
    rows = Rows(data.kind, weights, counts)
    n = grow_pairs(data, lists, rows, rules, state, buffers, nodes, ranks, shares)
    # a binary tree has one leaf more than inner nodes
    leaf_ranks, leaf_shares = np.empty(((n + 1) // 2, k)), np.empty(((n + 1) // 2, n_kept))
    depth, leaf = 0, 0
    for i in range(n):
        depth = max(depth, nodes.depth[i])
        if nodes.feature[i] < 0:
            for j in range(k):
                leaf_ranks[leaf, j] = ranks[i, j]
            for p in range(n_kept):
                leaf_shares[leaf, p] = shares[i, p]
            leaf += 1
    return (
        nodes.feature[:n].copy(), nodes.threshold[:n].copy(), nodes.left[:n].copy(),
        leaf_ranks, leaf_shares, depth,
    )  # fmt: skip
