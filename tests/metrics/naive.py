"""Plain twins of the metrics: one row of truth and prediction at a time."""

import itertools
import math

import numpy as np
from scipy import stats

from rankings.naive import counted_pairs, is_before


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


def compatible_match(true, pred):
    counted, concordant, _ = pair_counts(true, pred)
    return float(concordant == counted) if counted else math.nan


def observed_pairs(true):
    observed = [i for i in range(len(true)) if not math.isnan(true[i])]
    return list(itertools.permutations(observed, 2))


def tau_x(true, pred):
    """Emond and Mason's matrices: 1 where i is before j or tied with it, else -1."""
    pairs = observed_pairs(true)
    agree = [
        (1 if true[i] <= true[j] else -1) * (1 if pred[i] <= pred[j] else -1) for i, j in pairs
    ]
    return sum(agree) / len(pairs) if pairs else math.nan


def tau_b(true, pred):
    if not counted_pairs(true):
        return math.nan
    observed = [i for i in range(len(true)) if not math.isnan(true[i])]
    tau = stats.kendalltau([true[i] for i in observed], [pred[i] for i in observed]).statistic
    return 0.0 if math.isnan(tau) else tau


def exact_match(true, pred):
    pairs = observed_pairs(true)
    same = all((true[i] < true[j]) == (pred[i] < pred[j]) for i, j in pairs)
    return float(same) if pairs else math.nan


def paired_positions(true, pred):
    """Positions of the observed labels in truth and prediction; ties in the truth are halves."""
    observed = [i for i in range(len(true)) if not math.isnan(true[i])]
    in_truth, in_prediction = [], []
    for i in observed:
        others = [j for j in observed if j != i]
        in_truth.append(1 + sum(is_before(true[j], true[i]) for j in others))
        in_prediction.append(
            1 + sum(0.5 if true[j] == true[i] else is_before(pred[j], pred[i]) for j in others)
        )
    return np.array(in_truth), np.array(in_prediction)


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
    return min(1 + sum(is_before(pred[j], pred[i]) for j in worse) for i in best)


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
