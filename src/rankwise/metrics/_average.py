"""From one value per row to their weighted mean."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import shown
from rankwise._parameters import check_weights
from rankwise.rankings import RankingWarning


def average_rows(
    per_row: NDArray[np.float64], average: bool, sample_weight: Any
) -> float | NDArray[np.float64]:
    """Return the mean over rows that have a value, or the rows themselves without `average`."""
    if not isinstance(average, (bool, np.bool_)):
        raise TypeError(
            f"average is {shown(average)}; give True for the mean over rows or False for one value each"
        )
    weights = check_weights(sample_weight, len(per_row))
    if not average:
        return per_row
    counts = ~np.isnan(per_row)
    if weights is not None:
        counts &= weights > 0
    if not counts.any():
        warnings.warn(
            "no row has anything to measure and a weight above 0, so the mean is NaN; "
            "look at the rows with average=False",
            RankingWarning,
            stacklevel=3,
        )
        return float("nan")
    if weights is None:
        return float(per_row.mean() if counts.all() else per_row[counts].mean())
    # Scaled, because a sum of very large weights would overflow.
    return float(np.average(per_row[counts], weights=(weights / weights.max())[counts]))
