"""Plain twins of scores, noise and mechanisms: one row at a time, all rankings enumerated."""

import itertools
import math

import numpy as np

from metrics.naive import kendall_distance


def sparse_linear(X, supports, weights, intercepts):
    return np.array(
        [
            [
                intercepts[j] + sum(weights[j][f] * x[f] for f in supports[j])
                for j in range(len(supports))
            ]
            for x in X
        ]
    )


def insert_repeatedly(centre, uniforms, theta):
    """One Mallows draw, as 1-based positions per label: each label of `centre` enters in turn."""
    order = []
    for u, label in zip(uniforms, centre, strict=True):
        weights = [math.exp(-theta * jump) for jump in range(len(order) + 1)]
        passed, jump = weights[0] / sum(weights), 0
        while passed <= u and jump < len(order):
            jump += 1
            passed += weights[jump] / sum(weights)
        order.insert(len(order) - jump, label)
    return [order.index(label) + 1 for label in range(len(order))]


def mallows_distribution(centre, theta):
    """Every ranking (as positions) of a few labels with its probability, by enumerating all."""
    rankings = list(itertools.permutations(range(1, len(centre) + 1)))
    weights = np.array([math.exp(-theta * kendall_distance(centre, r)) for r in rankings])
    return rankings, weights / weights.sum()


def pairwise_of(rankings, probabilities):
    """P(i before j) in a distribution over rankings without ties."""
    k = len(rankings[0])
    p = np.full((k, k), 0.5)
    for i, j in itertools.permutations(range(k), 2):
        p[i, j] = sum(q for r, q in zip(rankings, probabilities, strict=True) if r[i] < r[j])
    return p


def plackett_luce_distribution(scores, scale):
    """Every ranking with its probability: pick the first label, then the next among the rest."""
    rankings, probabilities = [], []
    for order in itertools.permutations(range(len(scores))):
        chance = 1.0
        for place, label in enumerate(order):
            rest = sum(math.exp(scores[other] / scale) for other in order[place:])
            chance *= math.exp(scores[label] / scale) / rest
        rankings.append(tuple(order.index(label) + 1 for label in range(len(scores))))
        probabilities.append(chance)
    return rankings, np.array(probabilities)


def positions(ranks):
    """1 + number of labels strictly before; comparisons with NaN are false."""
    return [math.nan if math.isnan(r) else 1 + sum(other < r for other in ranks) for r in ranks]


def partial_rank(ranks, sizes):
    """The paper's PartialRank: labels whose positions fall into one interval are tied."""
    interval = [i for i, size in enumerate(sizes, start=1) for _ in range(size)]
    return [interval[int(r) - 1] for r in ranks]
