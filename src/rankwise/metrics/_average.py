"""From one value per row to their weighted mean."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.rankings import RankingWarning


def average_rows(
    per_row: NDArray[np.float64], average: bool, sample_weight: Any
) -> float | NDArray[np.float64]:
    """Return the mean over rows that have a value, or the rows themselves without `average`."""
    if not isinstance(average, (bool, np.bool_)):
        raise TypeError(
            f"average is {average!r}; give True for the mean over rows or False for one value each"
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
    return float(np.average(per_row[counts], weights=weights[counts]))


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return weights as floats of at most 1, or say which of them is wrong."""
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight) or np.iscomplexobj(sample_weight):
        raise TypeError("sample_weight has masked or complex cells; give one real number per row")
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"sample_weight: {error}; give one number per row") from error
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight has shape {weights.shape}; give a flat list of one number per row"
        )
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight has {len(weights)} numbers but there are {n_rows} rows; "
            "give one number per row"
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"row {i}: sample_weight is {weights[i]:g}; weights are finite and not negative, "
            "0 leaves a row out"
        )
    if not weights.any():
        raise ValueError("sample_weight is 0 in every row; give some row a weight above 0")
    # Scaled, because a sum of very large weights would overflow.
    return weights / weights.max()
