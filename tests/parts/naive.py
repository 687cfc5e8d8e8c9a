"""Plain twins: what is known of rows, their positions and the rows of a sample, one row at a time."""

import numpy as np


def positions(ranks):
    """Twice the mean position of each label that a row ranks, 0 for the others."""
    result = np.zeros(ranks.shape)
    for row, own in zip(ranks, result, strict=True):
        seen = [j for j in range(len(row)) if not np.isnan(row[j])]
        for j in seen:
            before = sum(row[i] < row[j] for i in seen)
            tied = sum(row[i] == row[j] for i in seen)
            places = range(before + 1, before + tied + 1)
            own[j] = 2 * sum(places) / tied
    return result


def summary(X, ranks):
    """Distinct values of each feature, whether one is missing, and rows that rank or order each pair."""
    k = ranks.shape[1]
    values = [sorted({float(v) for v in column if not np.isnan(v)}) for column in X.T]
    missing = [any(np.isnan(column)) for column in X.T]
    together, ordered = np.zeros((k, k)), np.zeros((k, k))
    for row in ranks:
        for i in range(k):
            for j in range(k):
                if not np.isnan(row[i] + row[j]):
                    together[i, j] += 1
                    ordered[i, j] += row[i] != row[j]
    return values, missing, together, ordered


def sample(bag):
    """The rows of a bag and how often each is there."""
    rows = [i for i, times in enumerate(bag) if times]
    return rows, [int(bag[i]) for i in rows]
