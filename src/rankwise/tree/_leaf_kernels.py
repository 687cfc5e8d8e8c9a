"""What the leaves of a tree hold, and the sums of it over many trees."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit


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


@jit(allocates=False, forceinline=True, inner=True)
def explained(totals, node, count, column):
    """What the mean of a node explains of the squared targets of its rows."""
    n, s = float(totals[node, count]), float(totals[node, column])
    return s * s / n if n > 0 else 0.0


@jit(allocates=False)
def write_gains(feature, left, gain, totals, count_column, first_output, gains):
    """Write what each cut explains of each target; where there is one target, the gain is known."""
    known = count_column.shape[0] == 1 and gain[0] > 0
    for node in range(feature.shape[0]):
        for o in range(count_column.shape[0]):
            c, column = count_column[o], first_output + o
            if feature[node] < 0:
                gains[node, o] = 0.0
            elif known:
                gains[node, o] = gain[node]
            else:
                a = np.int64(left[node])
                parts = explained(totals, a, c, column) + explained(totals, a + 1, c, column)
                gains[node, o] = max(0.0, parts - explained(totals, node, c, column))


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

    `out_larger` tells whether the left child is the larger one.
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


@jit(allocates=False)
def add_gains(feature, gain, amounts):
    """Add what each cut explains of each target to its feature's amount."""
    for node in range(feature.shape[0]):
        if feature[node] >= 0:
            for o in range(gain.shape[1]):
                amounts[o, feature[node]] += gain[node, o]


@jit(allocates=False)
def add_values(leaves, value_row, values, out):
    """Add the values of each row's leaves to `out`, which has a row for each.

    Where a leaf holds one value, tree t is about target t % n of n, and `out` has a row for each target:
    then memory is read and written in order.
    """
    n_outputs = values.shape[1]
    for t in range(leaves.shape[0]):
        line = leaves[t]
        if n_outputs == 1:
            sums = out[t % out.shape[0]]
            for r in range(line.shape[0]):
                sums[r] += values[np.uint64(value_row[np.uint64(line[r])]), 0]
        else:
            for r in range(line.shape[0]):
                v = np.uint64(value_row[np.uint64(line[r])])
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
