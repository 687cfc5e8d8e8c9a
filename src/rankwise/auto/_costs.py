"""Values behind the rankings: which are better, and what members expect of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.ranker import ExpectsValues

Floats = NDArray[np.float64]


def higher_is_better(values: Floats, ranks: Floats) -> bool:
    """Whether the labels in front have the larger values.

    Examples
    --------
    >>> higher_is_better(np.array([[90.0, 70.0, np.nan]]), np.array([[1.0, 2.0, np.nan]]))
    True
    """
    known = ~np.isnan(values) & ~np.isnan(ranks)
    rows = known.any(axis=1)
    parts = (np.where(known, part, np.nan)[rows] for part in (values, ranks))
    value, rank = (part - np.nanmean(part, axis=1, keepdims=True) for part in parts)
    # rows count alike, whatever their unit
    largest = np.nanmax(abs(value), axis=1, keepdims=True, initial=0.0)
    return bool(np.nansum(value / np.where(largest > 0, largest, 1.0) * rank) <= 0)


def knows_values(ranker: Any) -> bool:
    """Whether a fitted ranker can tell what to expect of each label."""
    return isinstance(ranker, ExpectsValues) and ranker._knows_values


def expected_by(members: Sequence[tuple[float, Any, np.ndarray]]) -> tuple[Floats, Floats]:
    """What to expect of each label, and the spread, by members with their weights and rows."""
    weights = np.array([weight for weight, _, _ in members])
    found = [ranker._expected_values(ranker._check_predict(rows)) for _, ranker, rows in members]
    means, spreads = (np.array(part) for part in zip(*found, strict=True))
    expected = mean_of_known(means, weights)
    variance = mean_of_known(spreads**2 + (means - expected) ** 2, weights)
    return expected, np.sqrt(variance)


def mean_of_known(parts: Floats, weights: Floats) -> Floats:
    """The mean over the first axis by weights, of those that are known; NaN where none is.

    Examples
    --------
    >>> mean_of_known(np.array([[1.0, np.nan], [4.0, np.nan]]), np.array([2.0, 1.0]))
    array([ 2., nan])
    """
    weighed = np.where(np.isnan(parts), 0.0, weights.reshape(-1, *[1] * (parts.ndim - 1)))
    total = weighed.sum(axis=0)
    found: Floats = np.divide(
        (weighed * np.nan_to_num(parts)).sum(axis=0), total, out=np.full(total.shape, np.nan),
        where=total > 0,
    )  # fmt: skip
    return found
