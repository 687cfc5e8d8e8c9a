"""Several measurements of one label in one row: their mean or median, and their spread."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg, Message
from rankwise._naming import shown
from rankwise._parameters import is_real

HOW = ("mean", "median")
_BY_DEVIATION = re.compile(r"(\d+(?:\.\d+)?)?\s*sd")


class Cells(NamedTuple):
    """One entry per cell of a table that was measured: its number, value, spread and count."""

    cells: NDArray[np.int64]
    values: NDArray[np.float64]
    spread: NDArray[np.float64]
    counts: NDArray[np.float64]


def merge_replicates(
    cells: NDArray[np.int64], measured: NDArray[np.float64], how: str = "mean"
) -> Cells:
    """Merge the measurements of each cell; NaN is no measurement.

    Examples
    --------
    >>> merge_replicates(np.array([4, 7, 4]), np.array([70.0, 20.0, 74.0])).values.tolist()
    [72.0, 20.0]
    """
    found, which = np.unique(cells, return_inverse=True)
    known = ~np.isnan(measured)
    order = np.flatnonzero(known)[np.lexsort((measured[known], which[known]))]
    rising, owner = measured[order], which[order]
    counts = np.bincount(owner, minlength=len(found)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.bincount(owner, rising, len(found)) / counts
        squares = np.bincount(owner, (rising - mean[owner]) ** 2, len(found))
        spread = np.where(counts > 1, np.sqrt(squares / (counts - 1)), np.nan)
    values = np.where(counts > 0, mean, np.nan)
    if how == "median" and len(rising):
        start = np.cumsum(counts) - counts
        middle = [start + (counts - 1) // 2, start + counts // 2]
        low, high = (rising[np.minimum(m, len(rising) - 1).astype(np.intp)] for m in middle)
        values = np.where(counts > 0, (low + high) / 2, np.nan)
    return Cells(found, values, spread, counts)


def pooled_deviation(spread: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """Return the root of the mean variance within cells, each counted by its n - 1.

    Examples
    --------
    >>> pooled_deviation(np.array([3.0, 1.0, np.nan]), np.array([2, 2, 1]))
    2.23606797749979
    """
    several = ~np.isnan(spread) & (counts > 1)
    free = counts[several] - 1
    if not free.sum():
        return float("nan")
    return float(np.sqrt((free * spread[several] ** 2).sum() / free.sum()))


def check_within(within: Any) -> float | str | None:
    """Return `within` if it is of a type that `tolerance` takes."""
    if within is None or is_real(within) or isinstance(within, str):
        return within
    raise TypeError(
        f"within is {shown(within)}; give a difference in the unit of the values, or a text such as '2sd'"
    )


def tolerance(within: float | str | None, pooled: float) -> float:
    """Return the difference up to which values are tied: a number, or so many deviations.

    Examples
    --------
    >>> tolerance("2sd", 1.5), tolerance(0.5, float("nan"))
    (3.0, 0.5)
    """
    if within is None:
        return 0.0
    match = _BY_DEVIATION.fullmatch(str(within).strip().lower())
    if match is None:
        try:
            number = float(within)
        except (TypeError, ValueError, OverflowError):
            number = -1.0
        if not 0 <= number < np.inf:
            raise ValueError(
                Message(
                    f"{Arg.WITHIN} is {within!r}; give a difference in the unit of the values, or "
                    "'sd' for the pooled standard deviation of replicates ('2sd' for twice that)"
                )
            )
        return number
    if np.isnan(pooled):
        raise ValueError(
            Message(
                f"{Arg.WITHIN} is {within!r}, and no label was measured twice in a row, so that "
                "nothing says how large the noise is; give a number"
            )
        )
    reach = float(match[1] or 1) * pooled
    if not np.isfinite(reach):
        raise ValueError(
            Message(
                f"{Arg.WITHIN} is {within!r}, and the replicates are so far apart that their "
                "deviation is no number; correct them, or give a number"
            )
        )
    return reach
