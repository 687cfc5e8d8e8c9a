"""Plain twins of the baselines, one row at a time.

Embeddings of rankings and their decoding, neighbours and their models; for label-ranking trees, Mallows
models by enumeration and cuts one by one.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np

from consensus.naive import pivot_order
from rankings.naive import counted_pairs


def kemeny_vector(ranks):
    pairs = itertools.combinations(range(len(ranks)), 2)
    return [float(ranks[i] < ranks[j]) - float(ranks[i] > ranks[j]) for i, j in pairs]


def hamming_vector(ranks):
    k = len(ranks)
    return [float(ranks[label] == p) for p in range(1, k + 1) for label in range(k)]


def lehmer_vector(ranks):
    return [float(sum(ranks[i] >= ranks[j] for i in range(j))) for j in range(len(ranks))]


def nearest_rankings(vector, embed, n_labels):
    """All rankings whose own vector is nearest to `vector`, by trying every one."""
    rankings = list(itertools.permutations(range(1, n_labels + 1)))
    away = [sum((a - b) ** 2 for a, b in zip(vector, embed(r), strict=True)) for r in rankings]
    return [r for r, d in zip(rankings, away, strict=True) if d <= min(away) + 1e-9]


def nearest_rows(X, x, count, without=None):
    """Rows by distance; on ties the answer is not unique, so callers keep distances apart."""
    rows = [r for r in range(len(X)) if r != without]
    return sorted(rows, key=lambda r: sum((a - b) ** 2 for a, b in zip(X[r], x, strict=True)))[
        :count
    ]


def position_probability(place, n_observed, n_labels, position):
    """Chance of the label at `place` of those observed, over all sets that may be observed."""
    sets = list(itertools.combinations(range(1, n_labels + 1), n_observed))
    return Fraction(sum(s[place - 1] == position for s in sets), len(sets))


def plackett_luce_log_likelihood(strengths, orders, prior):
    """Log-likelihood of orders, plus `prior` wins and losses in each pair of labels."""
    total = 0.0
    for order in orders:
        for p in range(len(order) - 1):
            total += math.log(strengths[order[p]] / sum(strengths[i] for i in order[p:]))
    for i, j in itertools.permutations(range(len(strengths)), 2):
        total += prior * math.log(strengths[i] / (strengths[i] + strengths[j]))
    return total


def plackett_luce_strengths(orders, n_labels, prior, rounds=3000):
    """Hunter's MM algorithm (2004), choice by choice, on orders without missing labels at the end."""
    v = [1.0] * n_labels
    for _ in range(rounds):
        new = []
        for i in range(n_labels):
            wins, faced = prior * (n_labels - 1), 0.0
            faced += sum(2 * prior / (v[i] + v[j]) for j in range(n_labels) if j != i)
            for order in orders:
                for p in range(len(order) - 1):
                    wins += order[p] == i
                    faced += (i in order[p:]) / sum(v[j] for j in order[p:])
            new.append(wins / faced)
        v = new
    mean = math.exp(sum(map(math.log, v)) / n_labels)
    return [x / mean for x in v]


def ridge_errors_left_out(kernel, targets, alpha):
    """Fit kernel ridge regression without each row in turn; the errors on that row."""
    errors = []
    for i in range(len(kernel)):
        kept = [r for r in range(len(kernel)) if r != i]
        inner = kernel[np.ix_(kept, kept)] + alpha * np.eye(len(kept))
        errors.append(targets[i] - kernel[i, kept] @ np.linalg.solve(inner, targets[kept]))
    return np.array(errors)


def kendall(a, b):
    """Number of pairs that two position vectors order differently."""
    return sum(
        (a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in itertools.combinations(range(len(a)), 2)
    )


def completions(ranks):
    """All complete position vectors that keep the order of the observed labels."""
    seen = [j for j in range(len(ranks)) if not math.isnan(ranks[j])]
    for positions in itertools.permutations(range(1, len(ranks) + 1)):
        if all(
            (ranks[i] < ranks[j]) == (positions[i] < positions[j])
            for i, j in itertools.combinations(seen, 2)
        ):
            yield positions


@functools.cache
def mallows_theta(distance, k):
    """The theta with this expected distance, by enumerating all rankings and halving an interval."""
    distances = [kendall(range(k), p) for p in itertools.permutations(range(k))]
    if distance <= 0:
        return math.inf
    low, high = 0.0, 50.0
    for _ in range(50):
        middle = (low + high) / 2
        probabilities = [math.exp(-middle * d) for d in distances]
        mean = sum(c * d for c, d in zip(probabilities, distances, strict=True)) / sum(
            probabilities
        )
        low, high = (middle, high) if mean > distance else (low, middle)
    return low


def borda_of_comparisons(rows, weights):
    """Positions by wins less losses; equal labels in the order of their numbers."""
    k = len(rows[0])
    scores = [0.0] * k
    for ranks, w in zip(rows, weights, strict=True):
        for i, j in counted_pairs(ranks):
            scores[i] += w
            scores[j] -= w
    order = sorted(range(k), key=lambda j: (-scores[j], j))
    return [order.index(j) + 1 for j in range(k)]


def lrt_theta(rows, weights, largest=10.0):
    """Theta of one side of a cut, from the share of comparisons that contradict its ranking."""
    center = borda_of_comparisons(rows, weights)
    wrong = total = 0.0
    for ranks, w in zip(rows, weights, strict=True):
        for i, j in counted_pairs(ranks):
            total += w
            wrong += w * (center[i] > center[j])
    k = len(center)
    return min(largest, mallows_theta(wrong / total * k * (k - 1) / 2, k))


def lrt_goodness(rows, weights, left):
    """Mean theta of both sides of a cut, weighted by their rows."""
    result = 0.0
    for side in (True, False):
        members = [i for i in range(len(rows)) if left[i] == side]
        w = [weights[i] for i in members]
        result += sum(w) * lrt_theta([rows[i] for i in members], w)
    return result / sum(weights)


def lrt_cuts(x, rows, weights, min_leaf, every=False):
    """The cuts of a feature that are tried, as lists of who goes left."""
    values = sorted(set(x))
    allowed = []
    for a, b in itertools.pairwise(values):
        left = [v <= a for v in x]
        n_left = sum(w for w, goes in zip(weights, left, strict=True) if goes)
        kinds = {tuple(counted_pairs(r)) for r, v in zip(rows, x, strict=True) if v in (a, b)}
        if n_left >= min_leaf and sum(weights) - n_left >= min_leaf:
            allowed.append((left, len(kinds) > 1))
    return [
        left
        for i, (left, differs) in enumerate(allowed)
        if differs or every or i in (0, len(allowed) - 1)
    ]


def plr_pairs(rows, weights):
    """Of each pair that is compared, the weights of rankings that put i ahead, tie the two, and j ahead."""
    found = {}
    for i, j in itertools.combinations(range(len(rows[0])), 2):
        told = [(r[j] - r[i], w) for r, w in zip(rows, weights, strict=True)]
        told = [(difference, w) for difference, w in told if not math.isnan(difference)]
        if told:
            found[i, j] = (
                sum(w for difference, w in told if difference > 0),
                sum(w for difference, w in told if difference == 0),
                sum(w for difference, w in told if difference < 0),
            )
    return found


def plr_shares(rows, weights):
    """The share of i before j among the rankings that compare the two; 1/2 where none does."""
    k = len(rows[0])
    shares = [[0.5] * k for _ in range(k)]
    for (i, j), (ahead, tied, behind) in plr_pairs(rows, weights).items():
        shares[i][j] = (ahead + tied / 2) / (ahead + tied + behind)
        shares[j][i] = 1 - shares[i][j]
    return shares


def strict_shares(rows):
    """The share of the rankings that compare i and j which put i strictly before j; 1/2 where none does."""
    k = len(rows[0])
    shares = [[0.5] * k for _ in range(k)]
    for (i, j), (ahead, tied, behind) in plr_pairs(rows, [1] * len(rows)).items():
        shares[i][j], shares[j][i] = (n / (ahead + tied + behind) for n in (ahead, behind))
    return shares


def plr_consensus(rows, weights):
    """Ranks of the bucket order by several pivots in two looks; labels not compared come last."""
    known = sorted({label for pair in plr_pairs(rows, weights) for label in pair})
    buckets = pivot_order(plr_shares(rows, weights), known, 0.25, True, True, True)
    buckets.append([label for label in range(len(rows[0])) if label not in known])
    ranks = [0] * len(rows[0])
    for place, bucket in enumerate(buckets):
        for label in bucket:
            ranks[label] = 1 + sum(len(earlier) for earlier in buckets[:place])
    return ranks


def plr_impurity(rows, weights, criterion):
    """How much rankings disagree, over the pairs that some compare; 0 where none contradict each other."""
    pairs = plr_pairs(rows, weights)
    if all(sum(w > 0 for w in pair) == 1 for pair in pairs.values()):
        return 0.0
    ranks, total = plr_consensus(rows, weights), 0.0
    for (i, j), pair in pairs.items():
        shares = [w / sum(pair) for w in pair]
        if criterion == "entropy":
            total -= sum(q * math.log2(q) for q in shares if q > 0)
            continue
        said = 0 if ranks[i] < ranks[j] else 1 if ranks[i] == ranks[j] else 2
        away = [abs(said - r) if criterion == "distance" else said != r for r in range(3)]
        total += sum(q * d for q, d in zip(shares, away, strict=True))
    return total


def plr_tree(X, rows, weights, criterion, min_leaf=1, max_depth=99):
    """A tree as (feature, who goes left, left, right), or in a leaf the ranks and the shares."""
    leaf = (plr_consensus(rows, weights), plr_shares(rows, weights))
    own = sum(weights) * plr_impurity(rows, weights, criterion)
    if max_depth == 0 or plr_impurity(rows, weights, criterion) == 0:
        return leaf
    best = None
    for feature in range(len(X[0])):
        for value in sorted({x[feature] for x in X})[:-1]:
            left = [x[feature] <= value for x in X]
            sides = [
                ([r for r, a in zip(rows, left, strict=True) if a == side],
                 [w for w, a in zip(weights, left, strict=True) if a == side])
                for side in (True, False)
            ]  # fmt: skip
            smaller = min(sum(w) for _, w in sides)
            if smaller < min_leaf:
                continue
            cost = sum(sum(w) * plr_impurity(r, w, criterion) for r, w in sides)
            if criterion != "entropy" and cost > own + 1e-6:
                continue
            if (
                best is None
                or cost < best[0] - 1e-6
                or (cost < best[0] + 1e-6 and smaller > best[1])
            ):
                best = cost, smaller, feature, left
    if best is None:
        return leaf
    _, _, feature, left = best
    below = []
    for side in (True, False):
        at = [i for i, a in enumerate(left) if a == side]
        below.append(
            plr_tree(*([part[i] for i in at] for part in (X, rows, weights)), criterion, min_leaf,
                     max_depth - 1)
        )  # fmt: skip
    return feature, left, *below
