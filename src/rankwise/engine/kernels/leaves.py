"""What the leaves of a tree hold, and the sums of it over many trees."""

from __future__ import annotations

import numpy as np

from rankwise._blocks import LANES
from rankwise._jit import jit
from rankwise._lanes import add_numbers
from rankwise.engine.kernels.nodes import nodes_of


@jit
def held_totals(left, segment, stats, held):
    """Sums of the statistics over the held rows of every node, a segment of which each has."""
    totals = np.zeros((left.shape[0], stats.shape[1]), stats.dtype)
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] < 0:
            for p in range(segment[node, 0], segment[node, 1]):
                for a in range(stats.shape[1]):
                    totals[node, a] += stats[held[p], a]
        else:
            for a in range(stats.shape[1]):
                totals[node, a] = totals[left[node], a] + totals[left[node] + 1, a]
    return totals


@jit(allocates=False, inner=True)
def mean_of(totals, parent, node, count, column):
    """The mean of a target in a node; what it never saw it takes from the nodes above it.

    NaN where the root never saw it either.
    """
    while totals[node, count] <= 0:
        node = np.int64(parent[node])
        if node < 0:
            return np.nan
    return totals[node, column] / totals[node, count]


@jit(allocates=False, inner=True, forceinline=True)
def explained(totals, node, count, column):
    """What the mean of a node explains of the squared targets of its rows."""
    n, s = float(totals[node, count]), float(totals[node, column])
    return s * s / n if n > 0 else 0.0


@jit(inlined=True)
def finish_tree(nodes, n_nodes, filled, count_column, first_output, lowest, scale, keep_inner, feature,
                left, larger, weight, means, gains, amounts):  # fmt: skip
    """Write a grown tree, whose cells hold the sums `filled`, and return its depth.

    A mean m is written as (m + lowest) / scale.

    `larger` says whether the left child is the larger one. `means` has a row for each leaf, or for each
    node with `keep_inner`; then `weight` and `gains` have one too.
    What each cut explains of each target is added to the amount of its feature. Where there is one
    target that is the gain of the cut, unless growing left it at 0.
    """
    totals = nodes.totals
    known = count_column.shape[0] == 1 and nodes.gain[0] > 0
    depth, row = np.int64(0), 0
    for node in range(n_nodes):
        f, a = np.int64(nodes.feature[node]), np.int64(nodes.left[node])
        feature[node], left[node] = f, a
        depth = max(depth, np.int64(nodes.depth[node]))
        for o in range(count_column.shape[0]):
            c, column = count_column[o], first_output + o
            gain = 0.0
            if f >= 0 and known:
                gain = nodes.gain[node]
            elif f >= 0:
                parts = explained(totals, a, c, column) + explained(totals, a + 1, c, column)
                gain = max(0.0, parts - explained(totals, node, c, column))
            if f >= 0:
                amounts[o, f] += gain
            if keep_inner:
                gains[node, o] = gain
            if keep_inner or f < 0:
                mean = mean_of(filled, nodes.parent, np.int64(node), c, column)
                means[row, o] = (mean + lowest) / scale
        if keep_inner:
            weight[node] = filled[node, 0]
        row += keep_inner or f < 0
    for node in range(n_nodes):
        # which nodes are leaves no processor foresees: without a branch, a leaf is held against the root
        inner, child = np.uint64(left[node] >= 0), np.uint64(max(left[node], np.int32(0)))
        larger[node] = np.uint8(filled[child, 0] >= filled[child + inner, 0]) & np.uint8(inner)
    return depth


@jit(allocates=False)
def finish(nodes, n_nodes, filled, count_column, first_output, lowest, scale, keep_inner, feature,
           left, larger, weight, means, gains, amounts, depths):  # fmt: skip
    """Write several grown trees, one behind the other."""
    node = row = 0
    for t in range(n_nodes.shape[0]):
        # a binary tree has one leaf more than inner nodes
        end, n_rows = node + n_nodes[t], n_nodes[t] if keep_inner else (n_nodes[t] + 1) // 2
        depths[t] = finish_tree(
            nodes_of(nodes, t), n_nodes[t], filled[t], count_column, first_output, lowest, scale,
            keep_inner, feature[node:end], left[node:end], larger[node:end], weight[node:end],
            means[row : row + n_rows], gains[node:end], amounts[t],
        )  # fmt: skip
        node, row = end, row + n_rows


@jit(allocates=False)
def place(sizes, feature, left, root, leaf, out_left, value_row):
    """Write trees of these sizes behind others: nodes from `root` on, the values of leaves from `leaf` on.

    Which nodes are leaves no processor foresees: loops are short, and choose without a branch.
    """
    row, start = np.int32(leaf), 0
    for i in range(feature.shape[0]):
        value_row[root + i] = np.int32(-1) if feature[i] >= 0 else row
        row += np.int32(feature[i] < 0)
    for size in sizes:
        first = root + start
        own, lefts = left[start : start + size], out_left[first : first + size]
        for i in range(size):
            lefts[i] = np.int32(first) + own[i] if own[i] >= 0 else np.int32(-1)
        start += size


@jit(allocates=False)
def place_compact(feature, to_left, root, leaf, out_left, value_row):
    """Write where compact trees go behind others: nodes from `root` on, values from `leaf` on.

    `to_left` is how many nodes lie between each and its left child. Every leaf has a row of its own.
    """
    row = np.int32(leaf)
    for i in range(feature.shape[0]):
        node = np.int32(root + i)
        out_left[root + i] = node + to_left[i] if feature[i] >= 0 else np.int32(-1)
        value_row[root + i] = np.int32(-1) if feature[i] >= 0 else row
        row += np.int32(feature[i] < 0)


@jit(allocates=False)
def add_values(leaves, first, value_row, values, out):
    """Add the value of each row's leaves to `out`, which has a row for each target.

    Tree t is about target t % n_targets; the first tree is number `first`.
    """
    for t in range(leaves.shape[0]):
        line, sums = leaves[t], out[(first + t) % out.shape[0]]
        for r in range(line.shape[0]):
            sums[r] += values[np.uint64(value_row[np.uint64(line[r])]), 0]


@jit(allocates=False)
def add_lanes_of_values(leaves, value_row, values, n_values, out):
    """The same for leaves of several values, at most LANES, a block of which `out` has for each row.

    LANES numbers are added whatever follows the values of a leaf, as long as any numbers do.
    """
    last = (values.shape[0] - LANES) // n_values
    for t in range(leaves.shape[0]):
        line = leaves[t]
        for r in range(line.shape[0]):
            v = np.int64(value_row[np.uint64(line[r])])
            if v <= last:
                add_numbers(out, r, values, v * n_values)
            else:
                for o in range(n_values):
                    out[r, o] += values[v * n_values + o]


@jit(allocates=False)
def add_rows_of_values(leaves, value_row, values, out):
    """The same for leaves of many values; `out` has a row for each of `leaves`."""
    for t in range(leaves.shape[0]):
        line = leaves[t]
        for r in range(line.shape[0]):
            v = np.uint64(value_row[np.uint64(line[r])])
            for o in range(values.shape[1]):
                out[r, o] += values[v, o]


@jit(allocates=False)
def add_votes(positions, votes, tie):
    """Count for each pair of labels where the first stands before the second; a tie counts `tie`.

    `positions` are (n_rankings, n_rows, n_labels): the votes of a row stay near while all rankings
    give theirs.
    """
    k, before = positions.shape[2], 1.0 - tie
    for r in range(positions.shape[1]):
        for q in range(positions.shape[0]):
            p = positions[q, r]
            for i in range(k):
                own, row = p[i], votes[r, i]
                for j in range(k):
                    row[j] += (before if own < p[j] else 0.0) + (tie if own <= p[j] else 0.0)
