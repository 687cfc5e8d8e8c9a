"""Plain twins of counting, Borda, Copeland and Kemeny: sums over rows, and every order tried."""

import itertools


def support(ranks, weights=None):
    """Weight of the rows in which i is observed strictly before j."""
    k = len(ranks[0])
    weights = [1.0] * len(ranks) if weights is None else weights
    return [
        [sum(w for row, w in zip(ranks, weights, strict=True) if row[i] < row[j]) for j in range(k)]
        for i in range(k)
    ]


def borda_scores(W):
    """Mean, over the labels that i was compared with, of the share of wins; one half if none."""
    k, scores = len(W), []
    for i in range(k):
        shares = [W[i][j] / (W[i][j] + W[j][i]) for j in range(k) if W[i][j] + W[j][i] > 0]
        scores.append(sum(shares) / len(shares) if shares else 0.5)
    return scores


def copeland_positions(W):
    """1 + the number of labels with more support against i than i has; the middle if unknown."""
    k, positions = len(W), []
    for i in range(k):
        others = [j for j in range(k) if j != i and W[i][j] + W[j][i] > 0]
        beaten = sum(W[j][i] > W[i][j] for j in others) if others else (k - 1) // 2
        positions.append(1 + beaten)
    return positions


def disagreement(W, order):
    """Support for comparisons that an order contradicts."""
    return sum(W[b][a] for a, b in itertools.combinations(order, 2))


def kemeny_order(W):
    """The first order, label by label, among those that disagree least."""
    return list(min(itertools.permutations(range(len(W))), key=lambda o: disagreement(W, o)))
