"""Ties in predictions by their definition: every way to cut a strict ranking into buckets is tried."""

import itertools

import numpy as np


def coarsenings(strict):
    """All rankings with ties that keep the order of a strict one, as 1 + the number of labels before."""
    order = np.argsort(strict)
    k = len(order)
    for cuts in itertools.product([False, True], repeat=k - 1):
        ranks, start = np.empty(k, dtype=int), 0
        for p, label in enumerate(order):
            if p and cuts[p - 1]:
                start = p
            ranks[label] = start + 1
        yield ranks


def gain(strict, ranks, before, threshold):
    """What a ranking with ties gains over the strict one: threshold minus share, over tied pairs."""
    return sum(
        threshold - before[i, j]
        for i, j in itertools.permutations(range(len(ranks)), 2)
        if ranks[i] == ranks[j] and strict[i] < strict[j]
    )


def strict_shares(rankings):
    """The share of rankings that put the row label strictly before the column label."""
    return np.mean([r[:, None] < r[None, :] for r in rankings], axis=0)


def tied_outcomes(row):
    """For pairs (i, j), then for pairs (j, i): 1 before or tied, -1 behind, 0 where one is missing."""
    pairs = list(itertools.combinations(range(len(row)), 2))

    def outcome(i, j):
        if np.isnan(row[i]) or np.isnan(row[j]):
            return 0
        return 1 if row[i] <= row[j] else -1

    return [outcome(i, j) for i, j in pairs] + [outcome(j, i) for i, j in pairs]
