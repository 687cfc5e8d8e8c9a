"""A growing tree as flat arrays: making a child, when a node stays a leaf, drawing features for a cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit


class Nodes(NamedTuple):
    """One entry per node; the root is node 0 and every child comes after its parent.

    In memory for several trees each array has an axis more, in front: see `nodes_of`.
    """

    feature: np.ndarray  # the feature that cuts the node, -1 in a leaf
    left: np.ndarray  # the left child; the right one follows it
    parent: np.ndarray
    gain: np.ndarray  # increase of V_n by the cut, times the number of rows
    depth: np.ndarray
    totals: np.ndarray  # sums of the statistics over the node's rows, then the count of held rows
    segment: np.ndarray  # start and end among the rows, start and end among the held rows


class Rules(NamedTuple):
    """Where growing stops, and how many features compete for a cut."""

    min_leaf: int
    max_depth: int
    max_splits: int  # -1: no budget
    n_drawn: int
    stop_when_pure: bool = False  # honest trees: a node whose choosing rows agree stays a leaf
    shuffle: bool = (
        False  # of equal gains the first in an order drawn for the tree wins, not the lowest
    )


def new_nodes(n_trees: int, n_rows: int, stats: np.ndarray) -> Nodes:
    """Memory for the largest trees on so many rows.

    Not a kernel: the less a kernel allocates, the faster it compiles. Memory is not touched before a
    node is written: most trees are far smaller than the largest.
    """
    shape = n_trees, 2 * n_rows + 2
    return Nodes(
        feature=np.empty(shape, np.int32),
        left=np.empty(shape, np.int32),
        parent=np.empty(shape, np.int32),
        gain=np.empty(shape, np.float64),
        depth=np.empty(shape, np.int32),
        totals=np.empty((*shape, stats.shape[-1] + 1), stats.dtype),
        segment=np.empty((*shape, 4), np.int64),
    )


@jit(allocates=False, inner=True, forceinline=True)
def nodes_of(nodes, tree):
    """The nodes of one of several trees."""
    return Nodes(
        nodes.feature[tree],
        nodes.left[tree],
        nodes.parent[tree],
        nodes.gain[tree],
        nodes.depth[tree],
        nodes.totals[tree],
        nodes.segment[tree],
    )


@jit(allocates=False, inner=True)
def write_root(nodes, n_rows, n_held):
    """Leave the root alone, its totals 0."""
    nodes.feature[0] = nodes.left[0] = nodes.parent[0] = -1
    nodes.gain[0] = nodes.depth[0] = 0
    nodes.totals[0] = 0
    nodes.segment[0, 0] = nodes.segment[0, 2] = 0
    nodes.segment[0, 1], nodes.segment[0, 3] = n_rows, n_held


@jit(allocates=False, inner=True, forceinline=True)
def link(nodes, node, feature, gain, n_nodes):
    """Make `node` the parent of two new nodes at `n_nodes`; the totals of the second are written."""
    a, b = n_nodes, n_nodes + 1
    nodes.feature[node] = feature
    nodes.gain[node] = gain
    nodes.left[node] = a
    for child in range(a, b + 1):
        nodes.feature[child] = nodes.left[child] = -1
        nodes.parent[child] = node
        nodes.gain[child] = 0.0
        nodes.depth[child] = nodes.depth[node] + 1
    for column in range(nodes.totals.shape[1]):
        nodes.totals[a, column] = nodes.totals[node, column] - nodes.totals[b, column]


@jit(allocates=False, inner=True, forceinline=True)
def link_children(nodes, node, feature, gain, n_nodes, start, middle, end):
    """Make the children of a node, whose right one has its totals already."""
    a, b = n_nodes, n_nodes + 1
    link(nodes, node, feature, gain, n_nodes)
    nodes.segment[a, 0], nodes.segment[a, 1] = start, middle
    nodes.segment[b, 0], nodes.segment[b, 1] = middle, end


@jit(allocates=False, inner=True)
def sum_rows(stats, n_stats, rows, totals, first):
    """Write the sums of the first `n_stats` statistics over `rows` into the root's totals."""
    for a in range(n_stats):
        total = totals[0, first + a]
        for r in rows:
            # an index without a sign is not looked at for being negative
            total += stats[np.uint32(r), a]
        totals[0, first + a] = total


@jit(allocates=False, inner=True)
def same_kind(kind, rows, start, end):
    """Whether all rows of the segment carry the same target."""
    first = kind[rows[start]]
    for r in rows[start + 1 : end]:
        # an index without a sign is not looked at for being negative
        if kind[np.uint32(r)] != first:
            return False
    return True


@jit(allocates=False, inner=True)
def all_agree(totals, node, count_column):
    """Whether every comparison seen in the node came out the same way each time."""
    first = totals.shape[1] - 1 - count_column.shape[0]
    for o in range(count_column.shape[0]):
        if abs(totals[node, first + o]) != totals[node, count_column[o]]:
            return False
    return True


@jit(allocates=False, inner=True)
def is_final(nodes, node, rules, kind, rows, count_column, honest):
    """Whether a node stays a leaf, whatever the features."""
    start, end = nodes.segment[node, 0], nodes.segment[node, 1]
    n_valid = nodes.totals[node, nodes.totals.shape[1] - 1 if honest else 0]
    if end - start < 2 or nodes.depth[node] >= rules.max_depth or n_valid < 2 * rules.min_leaf:
        return True
    if kind.shape[0] > 0:
        return same_kind(kind, rows, start, end)
    return all_agree(nodes.totals, node, count_column)


@jit(allocates=False, inner=True)
def held_are_final(nodes, node, rules):
    """Whether a node stays a leaf because too few held rows are left to cut, or it is too deep."""
    n_held = nodes.totals[node, nodes.totals.shape[1] - 1]
    return nodes.depth[node] >= rules.max_depth or n_held < 2 * rules.min_leaf


@jit(allocates=False, inner=True)
def next_random(state):
    """The next number of a xorshift64* generator; `state` holds one uint64."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return (x * np.uint64(2685821657736338717)) >> np.uint64(11)


@jit(allocates=False, inner=True)
def order_features(features, shuffle, state):
    """Write the features in the order in which they are tried where all compete."""
    d = features.shape[0]
    for j in range(d):
        features[j] = j
    for i in range(d - 1 if shuffle else 0):
        swap = i + np.int64(next_random(state) % np.uint64(d - i))
        features[i], features[swap] = features[swap], features[i]


@jit(allocates=False, inner=True)
def draw_feature(features, i, n_drawn, state):
    """The i-th feature to try: in order where all compete, else drawn from those not yet tried."""
    if n_drawn < features.shape[0]:
        swap = i + np.int64(next_random(state) % np.uint64(features.shape[0] - i))
        features[i], features[swap] = features[swap], features[i]
    return features[i]
