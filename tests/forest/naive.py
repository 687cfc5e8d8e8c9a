"""Plain twins: votes of near rows and of a kernel, how near rows are, and shares of the votes."""

import math

import numpy as np
from scipy.linalg import sqrtm
from scipy.optimize import nnls


def votes(rows, rankings, weights, x, n_near):
    """(k, k) share of the nearest rows that put the row label strictly before the column label.

    Each counts by its weight and the inverse cube of its distance; features have mean 0 and variance
    1 over the rows, and are 0 where they are missing.
    """
    columns = [[v for v in column if not math.isnan(v)] for column in zip(*rows, strict=True)]
    means = [sum(c) / len(c) for c in columns]
    spreads = [
        0.0 if len({*c}) == 1 else math.sqrt(sum((v - m) ** 2 for v in c) / len(c))
        for c, m in zip(columns, means, strict=True)
    ]

    def scaled(row):
        return [
            0.0 if math.isnan(v) else (v - m) / (s or 1.0)
            for v, m, s in zip(row, means, spreads, strict=True)
        ]

    distances = [math.dist(scaled(x), scaled(row)) for row in rows]
    nearest = sorted(range(len(rows)), key=distances.__getitem__)[:n_near]
    amounts = [weights[i] / max(distances[i], 1e-6) ** 3 for i in nearest]
    k = len(rankings[0])
    return [
        [
            sum(w for w, i in zip(amounts, nearest, strict=True) if rankings[i][a] < rankings[i][b])
            / sum(amounts)
            for b in range(k)
        ]
        for a in range(k)
    ]


def metric(rows, outcomes, weights, importances):
    """(d, d) what products of differences of features count in a squared distance.

    Half of it is the root of the importances; half the root of the products of slopes, each by ridge
    regression of one outcome: least squares with rows more, one for each feature.
    """
    d = len(importances)
    share = np.array(weights) / sum(weights)
    centred = np.array(rows) - sum(w * np.array(row) for w, row in zip(share, rows, strict=True))
    products = np.zeros((d, d))
    for outcome in np.array(outcomes, dtype=float).T:
        rest = outcome - share @ outcome
        left = np.concatenate([centred * np.sqrt(share)[:, None], math.sqrt(0.1) * np.eye(d)])
        slopes = np.linalg.lstsq(left, np.concatenate([rest * np.sqrt(share), np.zeros(d)]))[0]
        products += np.outer(slopes, slopes)
    by_slopes, by_cuts = sqrtm(products).real, np.diag(np.sqrt(importances))
    return sum(part * d / np.trace(part) for part in (by_slopes, by_cuts)) / 2


def shares(votes, truth, weights, noise):
    """Shares of least squared error, drawn to equal ones: least squares that are not negative.

    Each row of the system is an outcome; then one for each voter that draws its share to equal ones, and
    one, of great weight, that makes them add up to 1. Noise counts against the first voter's square.
    """
    m = truth.shape[1]
    roots = np.sqrt(np.repeat(np.array(weights) / sum(weights) / m, m))
    square = np.array([[np.sum(roots**2 * (a * b).ravel()) for b in votes] for a in votes])
    square[0, 0] -= np.sum(roots**2 * np.repeat(noise, m))
    square += 0.01 * np.eye(len(votes)) + 1e6
    line = (
        np.array([np.sum(roots**2 * (a * truth).ravel()) for a in votes]) + 0.01 / len(votes) + 1e6
    )
    lower = np.linalg.cholesky(square)
    return nnls(lower.T, np.linalg.solve(lower, line))[0]


def kernel_prediction(places, outcomes, weights, place, width, ridge, mean=None):
    """What ridge regression on a Gaussian kernel predicts at a place, row by row of the weighed ones."""
    rows = [i for i, w in enumerate(weights) if w > 0]
    d = len(place)

    def kernel(x, y):
        return math.exp(-width * math.dist(x, y) ** 2 / d)

    if mean is None:
        mean = sum(weights[i] * outcomes[i] for i in rows) / sum(weights[i] for i in rows)
    system = np.array([[kernel(places[i], places[j]) for j in rows] for i in rows])
    system += np.diag([ridge / weights[i] for i in rows])
    coefficients = np.linalg.solve(system, np.array([outcomes[i] - mean for i in rows]))
    return np.array([kernel(place, places[i]) for i in rows]) @ coefficients + mean


def kernel_votes(*problem):
    """The same as outcomes, which lie from -1 to 1."""
    return np.clip(kernel_prediction(*problem), -1.0, 1.0)


def squares(said, ranks, weights):
    """Mean products of the scores that kinds give to labels, with each other and with the observed ones.

    `said[kind][tree][row][i][j]` is the share by which label i stands before label j; a kind with itself:
    the mean over any two of its trees that differ. A row counts by its weight over the
    number of its labels; means are over rows as often as a row has labels beside one.
    """
    square = [[0.0] * len(said) for _ in said]
    line = [0.0] * len(said)
    total = 0.0
    for row, weight in enumerate(weights):
        known = [i for i, rank in enumerate(ranks[row]) if not math.isnan(rank)]
        total += weight * (len(known) - 1)
        true = [sum(_sign(ranks[row][j] - ranks[row][i]) for j in known) for i in known]
        scores = [[_scores(tree[row], known) for tree in kind] for kind in said]
        for a, own in enumerate(scores):
            for label, exact in enumerate(true):
                mean = sum(tree[label] for tree in own) / len(own)
                line[a] += weight / len(known) * mean * exact
                for b, others in enumerate(scores):
                    products = [
                        own[s][label] * others[t][label]
                        for s in range(len(own))
                        for t in range(len(others))
                        if a != b or s != t
                    ]
                    square[a][b] += weight / len(known) * sum(products) / len(products)
    return np.array(square) / total, np.array(line) / total


def _sign(number):
    return int(number > 0) - int(number < 0)


def _scores(shares, known):
    """How far each of the labels stands before the others of them."""
    return [sum(shares[i][j] - shares[j][i] for j in known) for i in known]
