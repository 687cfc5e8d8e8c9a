"""Rows that can teach something, or tell what a choice costs: others are left out, which is said once."""

from __future__ import annotations

import numpy as np

from rankwise._messages import IDLE_ROWS
from rankwise.cli._console import note
from rankwise.datasets import Dataset
from rankwise.validation import FoldPlan


def useful_rows(data: Dataset) -> np.ndarray:
    """Say which rows order at least two labels."""
    rising = np.sort(data.ranks, axis=1)
    return np.asarray((rising[:, 1:] > rising[:, :-1]).any(axis=1))


def counted_rows(data: Dataset) -> np.ndarray:
    """Say which rows compare two labels or know what a choice costs, and tell how many do not.

    A tie is a comparison: a row that ties all its labels teaches that they are equally good. Costs are
    means over every row with values, as in the literature of algorithm selection: also where all
    runs were stopped.
    """
    counted = np.asarray((~np.isnan(data.ranks)).sum(axis=1) > 1)
    n_tied = int((counted & ~useful_rows(data)).sum())
    if data.has_costs and data.values is not None:
        counted |= (~np.isnan(data.values)).any(axis=1)
    is_said = any(getattr(remark, "code", "") == IDLE_ROWS for remark in data.notes)
    n_left_out = int((~counted).sum())
    if n_left_out and not is_said:
        note(f"{n_left_out} of {len(data)} rows rank fewer than two labels; they are left out")
    if n_tied and data.has_costs:
        note(f"{n_tied} of {len(data)} rows order no two labels; they count in what a choice costs")
    return counted


def usable_rows(data: Dataset) -> Dataset:
    """Leave out rows that tell nothing, and say so; refuse data without features."""
    if data.n_features == 0:
        raise ValueError(
            "the file has no column to learn from; name some in --features, or see `rankwise audit` "
            "for the consensus"
        )
    n, counted = int(useful_rows(data).sum()), counted_rows(data)
    if n < 2:
        raise ValueError(
            f"rows that order two labels or more: {n}, too few to learn from; add rows"
        )
    return data if counted.all() else data.take(counted)


def check_enough_rows(data: Dataset, plan: FoldPlan) -> None:
    """Refuse data that cannot be divided into so many folds."""
    n, what = len(data), "rows that compare two labels or more"
    if plan.n_groups is not None:
        n, what = plan.n_groups, "groups of such rows"
    if n < plan.sizes[0]:
        raise ValueError(
            f"{what}: {n}, too few for {plan.sizes[0]} folds; add rows or choose fewer --folds"
        )
