"""Positions of labels, ties and gaps included: 1 + the number of labels strictly before."""

from __future__ import annotations

import numpy as np

from rankwise.oracles._checks import check_matrices
from rankwise.oracles._kernels import count_before


def positions(ranks: np.ndarray) -> np.ndarray:
    """Return 1 + the number of labels strictly before each label; NaN stays NaN."""
    out = np.empty(ranks.shape)
    count_before(np.ascontiguousarray(ranks, dtype=np.float64), out)
    return out


def by_position(values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return for each label what `values` holds at its position; NaN where it is missing."""
    place = positions(ranks)
    missing = np.isnan(place)
    index = np.where(missing, 1, place).astype(np.int64) - 1
    return np.where(missing, np.nan, np.take_along_axis(values, index, axis=1))


def strict_positions(scores: np.ndarray, *, needed_by: str) -> np.ndarray:
    """Return the position of each label by falling score, refusing tied scores."""
    check_matrices(scores=scores)
    out = positions(-scores)
    n_labels = scores.shape[1]
    tied = out.sum(axis=1) != n_labels * (n_labels + 1) / 2
    if tied.any():
        row = int(np.argmax(tied))
        _, value, count = np.unique(scores[row], return_inverse=True, return_counts=True)
        first, second = np.flatnonzero(value == np.argmax(count > 1))[:2].tolist()
        raise ValueError(
            f"row {row}: labels {first} and {second} both have score {scores[row, first]:g}; "
            f"{needed_by} needs a clean ranking without ties (make the scores of a row distinct)"
        )
    return out
