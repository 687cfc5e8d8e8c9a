"""Plain twins of conversions between ranks, orders, scores, texts and pairs."""

import itertools
import math


def counted_pairs(true):
    """Pairs (i, j) with i strictly before j in the truth; comparisons with NaN are false."""
    return [(i, j) for i, j in itertools.permutations(range(len(true)), 2) if true[i] < true[j]]


def is_before(other, own):
    """1 where one rank is before another, 0.5 where they are tied, else 0."""
    return 1.0 if other < own else 0.5 if other == own else 0.0


def dense_ranks(scores, higher_is_better=True):
    """Rank of a score: one more than the number of distinct better scores in its row."""
    ranks = []
    for row in scores:
        seen = {s for s in row if s == s}
        ranks.append(
            [
                1 + sum(t > s if higher_is_better else t < s for t in seen) if s == s else math.nan
                for s in row
            ]
        )
    return ranks


def ranks_within(row, within):
    """Ranks of costs: take the best that is left with all that it reaches, and so on."""
    left, ranks, place = {j for j, cost in enumerate(row) if cost == cost}, {}, 0
    while left:
        best, place = min(row[j] for j in left), place + 1
        group = {j for j in left if row[j] == best or row[j] - best <= within}
        ranks |= dict.fromkeys(group, place)
        left -= group
    return [ranks.get(j, math.nan) for j in range(len(row))]


def ranks_from_orders(orders, n_labels):
    """Position of each label: where it stands in its row, from 1; NaN where it does not."""
    return [
        [row.index(j) + 1 if j in row else math.nan for j in range(n_labels)]
        for row in map(list, orders)
    ]


def orders_from_ranks(ranks):
    """Observed labels by rank, ties by index, then -1 for every missing label."""
    orders = []
    for row in ranks:
        observed = sorted((rank, j) for j, rank in enumerate(row) if rank == rank)
        orders.append([j for _, j in observed] + [-1] * (len(row) - len(observed)))
    return orders


def parse_plain_ranking(text):
    """Rank of each label of a text that has no quotes and no commas."""
    groups = text.replace("=", "~").split(">")
    return {label.strip(): p + 1 for p, g in enumerate(groups) for label in g.split("~")}


def ranking_of_pairs(pairs):
    """The one ranking with ties that orders exactly the pairs that follow from `pairs`, or None.

    Every way to give levels 1, 2, ... to the labels is tried, so keep them few.
    """
    labels = sorted({label for pair in pairs for label in pair})
    follows = set(pairs)
    for _ in labels:
        follows |= {(a, d) for a, b in follows for c, d in follows if b == c}
    for levels in itertools.product(range(1, len(labels) + 1), repeat=len(labels)):
        rank = dict(zip(labels, levels, strict=True))
        ordered = {(a, b) for a in labels for b in labels if rank[a] < rank[b]}
        if ordered == follows and set(levels) == set(range(1, max(levels) + 1)):
            return rank
    return None
