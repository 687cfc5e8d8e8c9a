"""The warning about labels that never meet."""

from __future__ import annotations

import numpy as np

from rankwise._messages import warn_caller
from rankwise._naming import list_some
from rankwise.rankings import RankingWarning


def warn_of_missing_pairs(ranks: np.ndarray, labels: np.ndarray, ties_count: bool) -> None:
    """Warn of the pairs of labels that no row compares; with `ties_count` a tie is a comparison."""
    pairs = np.column_stack(np.triu_indices(len(labels), k=1))
    difference = ranks[:, pairs[:, 0]] - ranks[:, pairs[:, 1]]
    compared = ~np.isnan(difference) if ties_count else np.nan_to_num(difference) != 0
    warn_of_uncompared(compared.any(axis=0), labels)


def warn_of_uncompared(compared: np.ndarray, labels: np.ndarray) -> None:
    """Warn of pairs of labels, in the order of `triu_indices`, unless all were compared."""
    pairs = np.column_stack(np.triu_indices(len(labels), k=1))[~compared]
    if not len(pairs):
        return
    named = list_some((f"{labels[i]} and {labels[j]}" for i, j in pairs), separator="; ")
    more = " pairs" if len(pairs) > 5 else ""
    warn_caller(
        f"{len(pairs)} of {len(compared)} pairs of labels are never compared in y: {named}{more}. "
        "Their share is taken as 1/2, and their order follows from how each does against the "
        "others; collect rows that rank them together to learn it.",
        RankingWarning,
    )
