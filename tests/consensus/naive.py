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


def support_with_ties(ranks):
    """The same where a row that ties two labels counts half for each."""
    k, W = len(ranks[0]), support(ranks)
    return [
        [W[i][j] + sum(0.5 for row in ranks if i != j and row[i] == row[j]) for j in range(k)]
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


def shares(W):
    """Share of i before j; one half where nothing is known."""
    k = len(W)
    return [
        [
            W[i][j] / (W[i][j] + W[j][i]) if i != j and W[i][j] + W[j][i] > 0 else 0.5
            for j in range(k)
        ]
        for i in range(k)
    ]


def bucket_distance(P, ranks):
    """Sum over ordered pairs of the difference between what a bucket order says and the share."""
    said = {-1: 1.0, 0: 0.5, 1: 0.0}
    pairs = itertools.permutations(range(len(ranks)), 2)
    return sum(
        abs(said[int(ranks[i] > ranks[j]) - int(ranks[i] < ranks[j])] - P[i][j]) for i, j in pairs
    )


def all_bucket_orders(k):
    """Every ranking of k labels with ties, as levels 0, 1, ... without a gap."""
    for levels in itertools.product(range(k), repeat=k):
        if set(levels) == set(range(max(levels) + 1)):
            yield levels


def pivot_order(P, labels, within, decided=False, several=False, again=False, ranked=None):
    """Buckets by pivots, recursively, as a list of lists of labels.

    With `again` a second look follows, and pivots are decided by their shares with all labels.
    """
    if not labels:
        return []
    ranked = labels if ranked is None else ranked

    def far(i):
        others = ranked if again else labels
        return sum(min(abs(P[i][j] - x) for x in (0, 0.5, 1)) for j in others)

    def side(i, bucket):
        share = round(sum(P[i][j] for j in bucket) / len(bucket), 9)
        return "before" if share > 0.5 + within else "after" if share < 0.5 - within else "tied"

    # rounded, so that the first of equals is taken
    pivot = min(labels, key=lambda i: round(far(i), 9)) if decided else labels[0]
    parts = {"before": [], "tied": [pivot], "after": []}
    for i in labels:
        if i != pivot:
            parts[side(i, parts["tied"] if several else [pivot])].append(i)
    if again:
        first, beside = list(parts["tied"]), sorted(parts["before"] + parts["after"])
        parts = {"before": [], "tied": list(first), "after": []}
        for i in beside:
            parts[side(i, first)].append(i)
    rest = (within, decided, several, again, ranked)
    return [
        *pivot_order(P, parts["before"], *rest),
        sorted(parts["tied"]),
        *pivot_order(P, parts["after"], *rest),
    ]
