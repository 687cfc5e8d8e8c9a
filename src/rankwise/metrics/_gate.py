"""The gate of the metrics: two tables in, two matrices out with the same rows and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import first_fault, label_text, row_text
from rankwise.rankings import check_rankings, check_row_order, label_names

Matrix = NDArray[np.float64]


def check_pair(
    Y_true: Any, Y_pred: Any, *, names: tuple[str, str] = ("Y_true", "Y_pred"), covered: bool = True
) -> tuple[Matrix, Matrix]:
    """Return truth and prediction as matrices with the same rows and labels, ready for kernels.

    `covered` asks that every label observed in the truth is predicted.
    """
    true = check_rankings(Y_true, name=names[0], warn=False)
    pred = check_rankings(Y_pred, name=names[1], warn=False)
    true, pred = align(true, pred, Y_true, Y_pred, names)
    if covered:
        check_covered(true, pred, Y_true, names)
    return true, pred


def align(
    first: Matrix, second: Matrix, table: Any, other: Any, names: tuple[str, str]
) -> tuple[Matrix, Matrix]:
    """Put the labels of `second` in the order of `first`; `table` and `other` carry their names."""
    if len(first) != len(second):
        raise ValueError(
            f"{names[1]} has {len(second)} rows but {names[0]} has {len(first)}; "
            "give one row per sample in both"
        )
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"{names[1]} has {second.shape[1]} labels (columns) but {names[0]} has "
            f"{first.shape[1]}; give one column per label in both"
        )
    check_row_order(table, other, names)
    labels, others = label_names(table), label_names(other)
    if labels is not None and others is not None and labels != others:
        _check_same_labels(labels, others, names)
        place = {label: j for j, label in enumerate(others)}
        second = np.ascontiguousarray(second[:, [place[label] for label in labels]])
    return _read_only(first), _read_only(second)


def check_covered(true: Matrix, pred: Matrix, table: Any, names: tuple[str, str]) -> None:
    """Raise where a label that `true` holds is missing in `pred`."""
    fault = first_fault(np.isnan(pred) & ~np.isnan(true))
    if fault is not None:
        i, j, more = fault
        raise ValueError(
            f"{names[1]}, {row_text(table, i)}: {label_text(j, label_names(table))} is missing but "
            f"{names[0]} has it; rank every label that {names[0]} has{more}"
        )


def _check_same_labels(labels: list[str], others: list[str], names: tuple[str, str]) -> None:
    lacking = [label for label in labels if label not in set(others)]
    if lacking:
        extra = [label for label in others if label not in set(labels)]
        raise ValueError(
            f"{names[1]} has no label {lacking[0]!r} but a label {extra[0]!r} that {names[0]} has "
            "not; give both the same column names, in any order"
        )


def _read_only(matrix: Matrix) -> Matrix:
    """Return a read-only view: a mix of writable inputs would compile every kernel anew."""
    view = matrix.view(np.ndarray)
    view.flags.writeable = False
    return view
