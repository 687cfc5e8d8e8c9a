"""Plain twins of learning by pairs and by positions: a double loop over pairs, one row at a time."""

import itertools
import math


def pair_problem(X, ranks, i, j):
    """Rows that order labels i and j, and whether i stands before j."""
    rows = [r for r in range(len(X)) if ranks[r][i] < ranks[r][j] or ranks[r][i] > ranks[r][j]]
    return [X[r] for r in rows], [int(ranks[r][i] < ranks[r][j]) for r in rows]


def pairwise_shares(classifier, X, ranks, x):
    """Chance of i before j for one new row; None where the pair was never compared."""
    k = len(ranks[0])
    shares = [[0.5 if i == j else None for j in range(k)] for i in range(k)]
    for i, j in itertools.combinations(range(k), 2):
        rows, before = pair_problem(X, ranks, i, j)
        if not rows:
            continue
        if len(set(before)) == 1:
            p = (sum(before) + 1) / (len(before) + 2)
        else:
            p = classifier().fit(rows, before).predict_proba([x])[0][1]
        shares[i][j], shares[j][i] = p, 1 - p
    return shares


def transitive_shares(shares):
    """Fill None by the mean log-odds through labels in between, nearest links first."""
    k = len(shares)

    def log_odds(p):
        p = min(max(p, 1e-6), 1 - 1e-6)
        return math.log(p) - math.log(1 - p)

    while True:
        filled = [list(row) for row in shares]
        for i, j in itertools.permutations(range(k), 2):
            between = [
                m
                for m in range(k)
                if m not in (i, j) and shares[i][m] is not None and shares[m][j] is not None
            ]
            if shares[i][j] is None and between:
                odds = [log_odds(shares[i][m]) + log_odds(shares[m][j]) for m in between]
                filled[i][j] = 1 / (1 + math.exp(-sum(odds) / len(odds)))
        if filled == shares:
            return shares
        shares = filled


def copeland_by_shares(shares):
    """1 + number of labels predicted to beat i; ties by the sum of shares, then lower label.

    A share that only rounding keeps from one half beats nobody.
    """
    k = len(shares)
    beaten = [1 + sum(shares[i][j] < 0.5 - 1e-12 for j in range(k) if j != i) for i in range(k)]
    order = sorted(range(k), key=lambda i: (beaten[i], -round(sum(shares[i]), 9), i))
    return [1 + order.index(i) for i in range(k)]


def likeliest_assignment(probabilities):
    """Greatest product of probabilities[p][label] over all ways to put labels at positions."""
    k = len(probabilities)
    orders = itertools.permutations(range(k))
    return max(math.prod(probabilities[p][order[p]] for p in range(k)) for order in orders)


def before_by_positions(table):
    """Chance of i before j if each draws its position by table[p][label], anew where they meet."""
    k = len(table)
    probabilities = [[0.5] * k for _ in range(k)]
    for i, j in itertools.permutations(range(k), 2):
        pairs = [(p, q) for p in range(k) for q in range(k) if p != q]
        before = sum(table[p][i] * table[q][j] for p, q in pairs if p < q)
        probabilities[i][j] = before / sum(table[p][i] * table[q][j] for p, q in pairs)
    return probabilities
