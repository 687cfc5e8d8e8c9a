"""Growing a partial-label-ranking tree: of every cut, how much the rankings of both sides disagree.

Of each pair of labels a side knows the weight of the rankings that put the first ahead, tie the two,
put the second ahead, or do not compare them: four *lanes*, of which the last is never read.

    side:  [pair 0: ahead, tied, behind, unknown | pair 1: ... | ...]

As a cut moves through the sorted rows of a node, a run of equal rankings at a time goes from the right
side to the left:

    lists[j]:  [start ... left side | run, moving ... right side ... end)

Pairs on which all rankings of a node agree add nothing to the entropy of either side, and are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._jit import jit
from rankwise.baselines._lrt_kernels import write_cut, write_node
from rankwise.baselines._lrt_runs_kernels import Runs, find_runs, new_runs, outermost_cuts
from rankwise.baselines._plr_consensus_kernels import (
    DUST,
    ENTROPY,
    Consensus,
    cost_by_consensus,
    find_consensus,
    least_cost,
    new_consensus,
)
from rankwise.engine.kernels import draw_feature, order_features

# Two cuts whose costs differ by less than this share of the node's are equal; then that of the more even
# sides is taken, and of equal ones again the first feature and threshold.
SAME = 1e-10


class Rules(NamedTuple):
    """How a tree is grown."""

    criterion: int
    complete: bool  # whether every ranking compares all pairs
    min_leaf: int
    max_depth: int
    n_drawn: int  # how many features compete for a cut
    shuffle: bool  # whether chance decides between equal cuts of different features
    scale: float  # what entropies are multiplied by before they are rounded


class Buffers(NamedTuple):
    """What growing a tree needs beside its rows."""

    kind_weight: np.ndarray  # (n_kinds,) of the node's rows; 0 for all kinds between two nodes
    present: np.ndarray  # (n_kinds,) int32, the kinds that the node has
    lanes: np.ndarray  # (n_kinds, n_pairs) int32, where a kind adds its weight, of the pairs in use
    pairs: np.ndarray  # (n_pairs,) int32, the pairs in use
    whole: np.ndarray  # (4 * n_pairs,) sums over the node, of the pairs in use
    left: np.ndarray  # the same over the left side
    other: np.ndarray  # the same over the right side, where the consensus of it is looked for
    consensus: Consensus
    entropies: (
        np.ndarray
    )  # c * log2(c) of every whole weight c, or nothing where weights are fractions
    runs: Runs
    best: np.ndarray  # (4,) the best cut of a node: cost, feature, last row left, smaller side
    goes_right: np.ndarray  # uint8, for every row of the data
    buffer: np.ndarray  # (n,) int32
    pending: np.ndarray  # nodes that wait to be cut
    features: np.ndarray  # (d,) int64, in the order in which they are tried


@jit(inner=True)
def new_buffers(k, n_kinds, n_rows, n_all, n_features, entropies):
    """Memory for a tree of so many rows out of all."""
    n_pairs = k * (k - 1) // 2
    sums = np.empty((3, 4 * n_pairs))
    return Buffers(
        np.zeros(n_kinds), np.empty(n_kinds, np.int32), np.empty((n_kinds, n_pairs), np.int32),
        np.empty(n_pairs, np.int32), sums[0], sums[1], sums[2], new_consensus(k), entropies,
        new_runs(n_rows), np.zeros(4), np.zeros(n_all, np.uint8), np.empty(n_rows, np.int32),
        np.empty(2 * n_rows + 2, np.int32), np.arange(n_features),
    )  # fmt: skip


@jit(allocates=False, forceinline=True, inner=True)
def entropy_of(c, entropies, scale):
    """Return c * log2(c), as a whole number: sums of such are the same in any order."""
    if entropies.shape[0] > 1:
        return entropies[np.uint64(np.int64(c))]
    return np.rint(scale * c * np.log2(c)) if c > 0.0 else 0.0


@jit(allocates=False, inner=True)
def entropy_cost(n_pairs, weight, whole_weight, rules, buffers):
    """Weights of both sides times the sums of their pairs' entropies."""
    left, whole, table, scale = buffers.left, buffers.whole, buffers.entropies, rules.scale
    rest = whole_weight - weight
    cost = 0.0
    if rules.complete:
        for i in range(n_pairs):
            for r in range(3):
                c = left[4 * i + r]
                cost -= entropy_of(c, table, scale) + entropy_of(whole[4 * i + r] - c, table, scale)
        both = entropy_of(weight, table, scale) + entropy_of(rest, table, scale)
        return cost + n_pairs * both
    for i in range(n_pairs):
        known = all_known = on_left = on_right = 0.0
        for r in range(3):
            c, all_of_it = left[4 * i + r], whole[4 * i + r]
            known += c
            all_known += all_of_it
            on_left -= entropy_of(c, table, scale)
            on_right -= entropy_of(max(0.0, all_of_it - c), table, scale)
        other = max(0.0, all_known - known)
        if known > 0.0:
            cost += weight / known * (on_left + entropy_of(known, table, scale))
        if other > SAME * whole_weight:
            cost += rest / other * (on_right + entropy_of(other, table, scale))
    return cost


@jit(allocates=False, inner=True)
def cut_cost(n_pairs, weight, whole_weight, rules, buffers, floor):
    """The cost of a cut; infinite where it cannot be below the floor."""
    if rules.criterion == ENTROPY:
        return entropy_cost(n_pairs, weight, whole_weight, rules, buffers)
    rest = whole_weight - weight
    left, other, whole = buffers.left, buffers.other, buffers.whole
    for i in range(left.shape[0]):
        other[i] = max(0.0, whole[i] - left[i])
    least = least_cost(left, weight, rules.complete, rules.criterion)
    rest_least = least_cost(other, rest, rules.complete, rules.criterion)
    if least + rest_least >= floor:
        return np.inf
    # rankings that agree cost nothing, also where no bucket order has all that they say
    cost = 0.0
    if least > DUST:
        cost = cost_by_consensus(left, weight, rules.complete, rules.criterion, buffers.consensus)
    if cost + rest_least >= floor:
        return np.inf
    if rest_least > DUST:
        cost += cost_by_consensus(other, rest, rules.complete, rules.criterion, buffers.consensus)
    return cost


@jit(allocates=False, inner=True)
def scan(feature, codes, line, rows, n_pairs, whole_weight, rules, buffers, slack):
    """Try the thresholds of a feature in a node; say whether there are any."""
    first, last = outermost_cuts(codes, line, rows.counts, rules.min_leaf)
    if last < 0:
        return False
    runs, best, left, lanes = buffers.runs, buffers.best, buffers.left, buffers.lanes
    # the entropy of complete rankings is concave along rows of one ranking: least at their ends
    every = rules.criterion != ENTROPY or not rules.complete
    n_runs = find_runs(codes, line, rows, first, last, every, runs)
    for i in range(4 * n_pairs):
        left[i] = 0.0
    weight = 0.0
    for i in range(n_runs):
        w = runs.weight[i] - weight
        weight = runs.weight[i]
        own = lanes[np.uint32(runs.kind[i])]
        for p in range(n_pairs):
            left[np.uint32(own[p])] += w
        if runs.cut[i] < 0:
            continue
        smaller = min(weight, whole_weight - weight)
        floor = best[0] + slack if smaller > best[3] * (1.0 + SAME) else best[0] - slack
        cost = cut_cost(n_pairs, weight, whole_weight, rules, buffers, floor)
        if cost < floor:
            best[0], best[1], best[2], best[3] = cost, feature, runs.cut[i], smaller
    return True


@jit(allocates=False, forceinline=True, inner=True)
def differ(sums, p):
    """Whether rankings say different things of a pair."""
    n = 0
    for r in range(3):
        n += sums[4 * p + r] > 0
    return n > 1


@jit(allocates=False, inner=True)
def sum_node(rows, relations, members, buffers):
    """Sum over the rows of a node, of all pairs.

    Returns their count and weight, how many kinds they are of, and whether they agree.
    """
    weights, present, whole = buffers.kind_weight, buffers.present, buffers.whole
    count, weight, n_present = 0, 0.0, 0
    for p in range(members.shape[0]):
        r = np.uint32(members[p])
        kind = np.uint32(rows.kind[r])
        if weights[kind] == 0.0:
            present[n_present] = kind
            n_present += 1
        weights[kind] += rows.weights[r]
        weight += rows.weights[r]
        count += rows.counts[r]
    for i in range(whole.shape[0]):
        whole[i] = 0.0
    for i in range(n_present):
        kind = np.uint32(present[i])
        for p in range(relations.shape[1]):
            whole[4 * p + np.int64(relations[kind, p])] += weights[kind]
        weights[kind] = 0.0
    agree = True
    for p in range(relations.shape[1]):
        agree &= not differ(whole, p)
    return count, weight, n_present, agree


@jit(allocates=False, inner=True)
def choose_pairs(relations, n_present, rules, buffers):
    """Choose the pairs in use and write the lanes of the node's kinds; returns how many pairs.

    The entropy needs those alone on which rankings of the node differ, a consensus needs all.
    """
    whole, pairs, n_pairs = buffers.whole, buffers.pairs, 0
    for p in range(relations.shape[1]):
        if differ(whole, p) or rules.criterion != ENTROPY:
            for r in range(4):
                whole[4 * n_pairs + r] = whole[4 * p + r]
            pairs[n_pairs] = p
            n_pairs += 1
    for i in range(n_present):
        kind = np.uint32(buffers.present[i])
        for p in range(n_pairs):
            buffers.lanes[kind, p] = 4 * p + np.int64(relations[kind, np.uint32(pairs[p])])
    return n_pairs


@jit(allocates=False, inner=True)
def cost_of_node(n_pairs, weight, rules, buffers):
    """What no cut may make worse; without limit by entropy, which none does."""
    if rules.criterion == ENTROPY:
        return np.inf
    return cost_by_consensus(
        buffers.whole, weight, rules.complete, rules.criterion, buffers.consensus
    )


@jit(allocates=False, inner=True)
def best_cut(data, lists, start, end, rows, n_pairs, weight, rules, state, buffers):
    """Look for the best cut of a node."""
    best = buffers.best
    best[0], best[1], best[3] = np.inf, -1.0, 0.0
    worst = cost_of_node(n_pairs, weight, rules, buffers)
    # rounded entropies are off by a half at most: eight of them for each pair, in either of two costs
    slack = SAME * rules.scale * weight * n_pairs
    if rules.criterion == ENTROPY:
        slack += 8.0 * n_pairs
    if worst < np.inf:
        # a cut may leave the cost as it is
        best[0] = worst
    if rules.shuffle:
        order_features(buffers.features, True, state)
    n_tried = 0
    for i in range(lists.shape[0]):
        if n_tried >= rules.n_drawn:
            break
        j = draw_feature(buffers.features, i, rules.n_drawn, state)
        line = lists[j, start:end]
        n_tried += scan(j, data.codes[j], line, rows, n_pairs, weight, rules, buffers, slack)


@jit(allocates=False, inner=True)
def grow_pairs(data, lists, rows, rules, state, buffers, nodes, ranks, shares):
    """Grow one tree into `nodes`; returns how many there are. A leaf gets a row of ranks and shares."""
    write_node(nodes, 0, 0, 0, lists.shape[1])
    buffers.pending[0] = 0
    tail, n_nodes = 1, 1
    while tail > 0:
        tail -= 1
        node = buffers.pending[tail]
        start, end = nodes.segment[node, 0], nodes.segment[node, 1]
        count, weight, n_present, agree = sum_node(
            rows, data.relations, lists[0, start:end], buffers
        )
        if agree or nodes.depth[node] >= rules.max_depth or count < 2 * rules.min_leaf:
            write_leaf(buffers, ranks[node], shares[node])
            continue
        n_pairs = choose_pairs(data.relations, n_present, rules, buffers)
        best_cut(data, lists, start, end, rows, n_pairs, weight, rules, state, buffers)
        if buffers.best[1] < 0.0:
            sum_node(rows, data.relations, lists[0, start:end], buffers)
            write_leaf(buffers, ranks[node], shares[node])
            continue
        write_cut(nodes, node, n_nodes, data.columns, lists, buffers)
        buffers.pending[tail], buffers.pending[tail + 1] = n_nodes + 1, n_nodes
        tail += 2
        n_nodes += 2
    return n_nodes


@jit(allocates=False, inner=True)
def write_leaf(buffers, ranks, shares):
    """Write the ranks of a leaf's consensus, and the shares of pairs that there is room for."""
    consensus, k = buffers.consensus, ranks.shape[0]
    find_consensus(buffers.whole, consensus)
    for i in range(k):
        ranks[i] = consensus.ranks[i]
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            if p < shares.shape[0]:
                shares[p] = consensus.shares[i, j]
            p += 1
