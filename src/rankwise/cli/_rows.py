"""Rows that can teach something: the others are left out, and that is said once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankwise._messages import IDLE_ROWS
from rankwise.cli._console import note
from rankwise.datasets import Dataset
from rankwise.validation import FoldPlan


def useful_rows(data: Dataset) -> np.ndarray:
    """Say which rows order at least two labels."""
    rising = np.sort(data.Y, axis=1)
    return np.asarray((rising[:, 1:] > rising[:, :-1]).any(axis=1))


def note_idle_rows(data: Dataset, n_useful: int) -> None:
    """Say how many rows are left out, unless reading the file has said so."""
    is_said = any(getattr(remark, "code", "") == IDLE_ROWS for remark in data.notes)
    if n_useful < len(data) and not is_said:
        n_idle = len(data) - n_useful
        note(f"{n_idle} of {len(data)} rows order no two labels; they are left out")


def named_frames(data: Dataset) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return features and rankings with their names, for models and reports to speak of."""
    return (
        pd.DataFrame(data.X, columns=list(data.feature_names)),
        pd.DataFrame(data.Y, columns=list(data.label_names)),
    )


def usable_rows(data: Dataset) -> Dataset:
    """Leave out rows that order no two labels, and say so; refuse data without features."""
    if data.n_features == 0:
        raise ValueError(
            "the file has no column to learn from; name some in --features, or see `rankwise audit` "
            "for the consensus"
        )
    useful = useful_rows(data)
    n = int(useful.sum())
    note_idle_rows(data, n)
    if n < 2:
        raise ValueError(
            f"rows that order two labels or more: {n}, too few to learn from; add rows"
        )
    return data if n == len(data) else data.take(useful)


def check_enough_rows(data: Dataset, plan: FoldPlan) -> None:
    """Refuse data that cannot be divided into so many folds."""
    n, what = len(data), "rows that order two labels or more"
    if plan.n_groups is not None:
        n, what = plan.n_groups, "groups of such rows"
    if n < plan.sizes[0]:
        raise ValueError(
            f"{what}: {n}, too few for {plan.sizes[0]} folds; add rows or choose fewer --folds"
        )
