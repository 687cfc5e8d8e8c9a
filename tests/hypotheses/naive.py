"""Plain twins of the searches for the fewest mistakes: try everything."""

import itertools
from fractions import Fraction

import numpy as np


def fewest_mistakes_of_boxes(X, y):
    """Boxes with faces at coordinates of rows, and the empty box."""
    X = np.asarray(X)
    faces = [list(itertools.combinations_with_replacement(sorted(set(c)), 2)) for c in X.T]
    fewest = sum(y)
    for box in itertools.product(*faces):
        inside = [all(a <= x <= b for x, (a, b) in zip(row, box, strict=True)) for row in X]
        fewest = min(fewest, sum(i != bool(t) for i, t in zip(inside, y, strict=True)))
    return fewest


def fewest_mistakes_of_thresholds(x, y):
    """Half-lines of either direction on one feature."""
    cuts = [min(x) - 1, *[(a + b) / 2 for a, b in itertools.pairwise(sorted(set(x)))], max(x) + 1]
    return min(
        sum((side * (value - cut) > 0) != bool(t) for value, t in zip(x, y, strict=True))
        for cut in cuts
        for side in (1, -1)
    )


def fewest_rows_to_drop(rows, y, is_separable):
    """Smallest number of rows without which `is_separable(positive, negative)`."""
    for size in range(len(rows) + 1):
        for dropped in itertools.combinations(range(len(rows)), size):
            kept = [r for r in range(len(rows)) if r not in dropped]
            if is_separable([rows[r] for r in kept if y[r]], [rows[r] for r in kept if not y[r]]):
                return size
    raise AssertionError("no rows at all can be separated")


def fewest_mistakes_of_lines(X, y):
    """Lines through two of the points, no three on one, in fractions: the two may go either way."""
    points = [[Fraction(float(value)) for value in row] for row in X]
    fewest = min(sum(y), len(y) - sum(y))
    for (a, b), (c, d) in itertools.combinations(points, 2):
        others = [
            (x, z, t) for (x, z), t in zip(points, y, strict=True) if [x, z] not in ([a, b], [c, d])
        ]
        for side in (1, -1):
            wrong = [side * ((z - b) * (c - a) - (x - a) * (d - b)) > 0 for x, z, _ in others]
            fewest = min(
                fewest, sum(w != bool(t) for w, (_, _, t) in zip(wrong, others, strict=True))
            )
    return int(fewest)
