"""Plain twins: the slow, obviously right version of every kernel and algorithm."""

import itertools
import math

import numpy as np

# metrics: one row of truth and prediction at a time


def counted_pairs(true):
    """Pairs (i, j) with i strictly before j in the truth; comparisons with NaN are false."""
    return [(i, j) for i, j in itertools.permutations(range(len(true)), 2) if true[i] < true[j]]


def pair_counts(true, pred):
    pairs = counted_pairs(true)
    concordant = sum(pred[i] < pred[j] for i, j in pairs)
    discordant = sum(pred[i] > pred[j] for i, j in pairs)
    return len(pairs), concordant, discordant


def kendall_tau(true, pred):
    counted, concordant, discordant = pair_counts(true, pred)
    return (concordant - discordant) / counted if counted else math.nan


def kendall_distance(true, pred):
    counted, concordant, discordant = pair_counts(true, pred)
    tied = counted - concordant - discordant
    return discordant + tied / 2 if counted else math.nan


def exact_match(true, pred):
    counted, concordant, _ = pair_counts(true, pred)
    return float(concordant == counted) if counted else math.nan


def paired_positions(true, pred):
    """Positions of the observed labels in truth and prediction; ties in the truth are halves."""
    observed = [i for i in range(len(true)) if not math.isnan(true[i])]
    in_truth, in_prediction = [], []
    for i in observed:
        others = [j for j in observed if j != i]
        in_truth.append(1 + sum(_share(true[j], true[i]) for j in others))
        in_prediction.append(
            1 + sum(0.5 if true[j] == true[i] else _share(pred[j], pred[i]) for j in others)
        )
    return np.array(in_truth), np.array(in_prediction)


def _share(other, own):
    return 1.0 if other < own else 0.5 if other == own else 0.0


def spearman_distance(true, pred):
    a, b = paired_positions(true, pred)
    return float(((a - b) ** 2).sum()) if counted_pairs(true) else math.nan


def footrule_distance(true, pred):
    a, b = paired_positions(true, pred)
    return float(np.abs(a - b).sum()) if counted_pairs(true) else math.nan


def spearman_rho(true, pred):
    if not counted_pairs(true):
        return math.nan
    a, b = paired_positions(true, pred)
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(b) > 0 else 0.0


def best_position(true, pred):
    """Position of each best label among the labels that are worse; the smallest of them."""
    if not counted_pairs(true):
        return math.nan
    best = [i for i in range(len(true)) if true[i] == np.nanmin(true)]
    worse = [j for j in range(len(true)) if true[j] > np.nanmin(true)]
    return min(1 + sum(_share(pred[j], pred[i]) for j in worse) for i in best)


def top_k_accuracy(true, pred, k=1):
    position = best_position(true, pred)
    return math.nan if math.isnan(position) else float(position <= k)


def reciprocal_rank(true, pred):
    return 1 / best_position(true, pred)


def regret(values, pred, top=1):
    """Mean regret over every order of the labels with a value that the prediction allows."""
    valued = [i for i in range(len(values)) if not math.isnan(values[i])]
    if not valued:
        return math.nan
    allowed = [
        order
        for order in itertools.permutations(valued)
        if all(pred[a] <= pred[b] for a, b in itertools.pairwise(order))
    ]
    best = max(values[i] for i in valued)
    return sum(best - max(values[i] for i in order[:top]) for order in allowed) / len(allowed)


# rankings


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


# consensus


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
