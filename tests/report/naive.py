"""Plain twins of what a report counts: pair by pair, row by row."""

import math

import numpy as np


def pairs_right(Y, ranks):
    """From (i, j) to how many rows order the two, and how many were put right; ties are half right."""
    found = {}
    for i in range(Y.shape[1]):
        for j in range(i + 1, Y.shape[1]):
            n, right = 0, 0.0
            for truth, told in zip(Y, ranks, strict=True):
                if math.isnan(truth[i]) or math.isnan(truth[j]) or truth[i] == truth[j]:
                    continue
                n += 1
                if told[i] == told[j]:
                    right += 0.5
                elif (truth[i] < truth[j]) == (told[i] < told[j]):
                    right += 1
            if n:
                found[i, j] = n, right
    return found


def chances_and_outcomes(Y, chances):
    """Of every pair that a row orders: the chance of the likelier order, and whether it came true."""
    found = []
    for truth, told in zip(Y, chances, strict=True):
        for i in range(len(truth)):
            for j in range(i + 1, len(truth)):
                if truth[i] < truth[j] or truth[i] > truth[j]:
                    a, b = (i, j) if told[i, j] >= 0.5 else (j, i)
                    chance = told[i, j] if (a, b) == (i, j) else 1 - told[i, j]
                    found.append((chance, truth[a] < truth[b]))
    return found


def effects(positions_of, X, columns, donors):
    """How far labels move on average where each row gets the cells of a column from its donors."""
    before = positions_of(X)
    moved = np.zeros((before.shape[1], len(columns)))
    for c, column in enumerate(columns):
        for donor in donors:
            for i, row in enumerate(X):
                changed = row.copy()
                for f in column:
                    changed[f] = X[donor[i], f]
                moved[:, c] += abs(positions_of(changed[None])[0] - before[i])
    return moved / (len(donors) * len(X))
