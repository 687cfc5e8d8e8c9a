"""Rows that can teach something: the others are left out, and that is said once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankwise._messages import IDLE_ROWS
from rankwise.cli._console import note
from rankwise.datasets import Dataset


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


def usable_rows(data: Dataset, folds: int) -> Dataset:
    """Leave out rows that order no two labels, and say so; refuse data that cannot be split."""
    if data.n_features == 0:
        raise ValueError(
            "the file has no column to learn from; name some in --features, or see `rankwise audit` "
            "for the consensus"
        )
    useful = useful_rows(data)
    n = int(useful.sum())
    note_idle_rows(data, n)
    if n < max(2, folds):
        raise ValueError(
            f"rows that order two labels or more: {n}, too few for {folds} folds; add rows or choose "
            "fewer --folds"
        )
    if n == len(data):
        return data
    return data.take(useful)
