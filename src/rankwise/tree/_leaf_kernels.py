"""What leaves hold, and which leaf a new row falls into."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit

# Rows sent down a tree together: while one waits for memory the others go on.
TOGETHER = 8


@jit
def held_totals(left, segment, stats, held):
    """Sums of the statistics over the held rows of every node."""
    totals = np.zeros((left.shape[0], stats.shape[1]), stats.dtype)
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] < 0:
            for p in range(segment[node, 2], segment[node, 3]):
                for a in range(stats.shape[1]):
                    totals[node, a] += stats[held[p], a]
        else:
            for a in range(stats.shape[1]):
                totals[node, a] = totals[left[node], a] + totals[left[node] + 1, a]
    return totals


@jit(allocates=False)
def copy_links(feature, left, totals, out_feature, out_left, out_weight):
    """Copy the links of the nodes, and how many rows fill each."""
    for i in range(out_feature.shape[0]):
        out_feature[i] = feature[i]
        out_left[i] = left[i]
        out_weight[i] = totals[i, 0]


@jit(allocates=False)
def write_means(totals, parent, count_column, first_output, means):
    """Write the mean of each target in each node; what a node never saw it takes from its parent.

    NaN where the root never saw it either.
    """
    for node in range(parent.shape[0]):
        for o in range(count_column.shape[0]):
            n = totals[node, count_column[o]]
            if n > 0:
                means[node, o] = totals[node, first_output + o] / n
            elif parent[node] >= 0:
                means[node, o] = means[parent[node], o]
            else:
                means[node, o] = np.nan


@jit(allocates=False)
def copy_leaves(feature, means, out):
    """Copy the means of the leaves."""
    leaf = 0
    for node in range(feature.shape[0]):
        if feature[node] < 0:
            for o in range(means.shape[1]):
                out[leaf, o] = means[node, o]
            leaf += 1


@jit(allocates=False)
def place(
    feature, left, weight, means, root, leaf, out_feature, out_left, out_larger, value_row, values
):
    """Write a tree behind others: its nodes from `root` on, the means of its leaves from `leaf` on.

    `out_larger` tells whether the left child is the larger one. Returns the next free leaf.
    """
    first = leaf
    for i in range(feature.shape[0]):
        out_feature[root + i] = feature[i]
        if feature[i] < 0:
            out_left[root + i] = -1
            out_larger[root + i] = 0
            value_row[root + i] = leaf
            for o in range(means.shape[1]):
                values[leaf, o] = means[leaf - first, o]
            leaf += 1
        else:
            out_left[root + i] = left[i] + root
            out_larger[root + i] = weight[left[i]] >= weight[left[i] + 1]
            value_row[root + i] = -1
    return leaf


@jit(allocates=False)
def step_down(packed, node, cells, row_start):
    """The child of a node that a row falls into; a leaf stays where it is."""
    word = packed[node]
    feature = (word >> np.uint64(32)) & np.uint64(0x7FFFFFFF)
    is_inner = np.uint64(1) - (word >> np.uint64(63))
    one = np.uint64(cells[row_start + feature * is_inner]) & is_inner
    return (word & np.uint64(0xFFFFFFFF)) + one


@jit
def leaves_boolean(cells, n_features, packed, roots, depths, leaves):
    """Write the leaf of every row in every tree; `cells` are the rows, one after the other.

    Packed nodes hold feature << 32 | left child; a leaf holds the bit 63 and its own number. Unsigned
    numbers throughout: an index that may be negative costs a test.
    """
    n, d = np.uint64(leaves.shape[1]), np.uint64(n_features)
    cursor = np.empty(TOGETHER, np.uint64)
    for t in range(roots.shape[0]):
        line = leaves[t]
        root, depth = np.uint64(roots[t]), depths[t]
        first = np.uint64(0)
        while first + np.uint64(TOGETHER) <= n:
            for i in range(TOGETHER):
                cursor[i] = root
            for _ in range(depth):
                row_start = first * d
                for i in range(TOGETHER):
                    cursor[i] = step_down(packed, cursor[i], cells, row_start)
                    row_start += d
            for i in range(TOGETHER):
                line[first + np.uint64(i)] = cursor[i]
            first += np.uint64(TOGETHER)
        while first < n:
            node = root
            for _ in range(depth):
                node = step_down(packed, node, cells, first * d)
            line[first] = node
            first += np.uint64(1)


@jit(allocates=False)
def leaves_any(X, feature, threshold, left, missing_left, roots, leaves):
    """Write the leaf of every row in every tree, for features of any kind."""
    for t in range(roots.shape[0]):
        for r in range(X.shape[0]):
            node = roots[t]
            while feature[node] >= 0:
                x = X[r, feature[node]]
                if np.isnan(x):
                    goes_left = missing_left[node] != 0
                else:
                    goes_left = x <= threshold[node]
                node = left[node] + (0 if goes_left else 1)
            leaves[t, r] = node


@jit(allocates=False)
def add_gains(feature, gain, amounts):
    """Add what each cut explains of each target to its feature's amount."""
    for node in range(feature.shape[0]):
        if feature[node] >= 0:
            for o in range(gain.shape[1]):
                amounts[o, feature[node]] += gain[node, o]


@jit(allocates=False)
def add_values(leaves, value_row, values, out):
    """Add the values of each row's leaves; tree t adds to target t % n of n targets if each has one."""
    n_outputs = values.shape[1]
    n_targets = out.shape[1]
    for t in range(leaves.shape[0]):
        target = t % n_targets
        for r in range(leaves.shape[1]):
            v = value_row[leaves[t, r]]
            if n_outputs == 1:
                out[r, target] += values[v, 0]
            else:
                for o in range(n_outputs):
                    out[r, o] += values[v, o]


@jit(allocates=False)
def add_votes(positions, votes):
    """Count for each pair of labels where the first stands before the second; a tie is half a vote."""
    k = positions.shape[1]
    for r in range(positions.shape[0]):
        for i in range(k):
            for j in range(k):
                if positions[r, i] < positions[r, j]:
                    votes[r, i, j] += 1.0
                elif positions[r, i] == positions[r, j]:
                    votes[r, i, j] += 0.5
