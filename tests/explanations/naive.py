"""Plain twins of credits along a path and of Shapley values; trees as in engine/naive.py."""

import itertools

import numpy as np

from engine.naive import nodes_passed


def leaf_values_below(tree, number):
    node = tree[number]
    if node[0] is None:
        return [node[1]]
    return leaf_values_below(tree, node[2]) + leaf_values_below(tree, node[3])


def path_credits(tree, x, rows):
    """The root's value and what each cut on x's path adds; a node's value is the mean prediction of the
    rows that pass it, or of the leaves below it where none does."""

    def value(number):
        passing = [nodes_passed(tree, row) for row in rows]
        seen = [tree[passed[-1]][1] for passed in passing if number in passed]
        return np.mean(seen or leaf_values_below(tree, number))

    credits = [0.0] * len(x)
    passed = nodes_passed(tree, x)
    for above, below in itertools.pairwise(passed):
        credits[tree[above][0]] += value(below) - value(above)
    return value(0), credits


def shapley_values(worth, n):
    """What each of n players adds to worth(set of players), averaged over all orders of joining."""
    values = [0.0] * n
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        for p, player in enumerate(order):
            gain = worth(set(order[: p + 1])) - worth(set(order[:p]))
            values[player] += gain / len(orders)
    return values
