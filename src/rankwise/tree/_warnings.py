"""What a user must be told about labels that never meet."""

from __future__ import annotations

import warnings

import numpy as np

from rankwise.rankings import RankingWarning

# Pairs named in a warning.
NAMED = 5


def warn_of_missing_pairs(compared: np.ndarray, labels: np.ndarray) -> None:
    """Warn of the pairs of labels that no row compares; pairs in the order of `np.triu_indices`."""
    first, second = (index[~compared] for index in np.triu_indices(len(labels), k=1))
    if not len(first):
        return
    named = [f"{labels[i]} and {labels[j]}" for i, j in zip(first[:NAMED], second, strict=False)]
    more = f" and {len(first) - NAMED} more pairs" if len(first) > NAMED else ""
    warnings.warn(
        f"{len(first)} of {len(compared)} pairs of labels are never compared in "
        f"y: {'; '.join(named)}{more}. Their share is taken as 1/2, and their order follows from how "
        "each does against the others; collect rows that rank them together to learn it.",
        RankingWarning,
        stacklevel=6,
    )
