"""What a choice costs, in the user's own units: yield lost, seconds wasted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import read_numbers
from rankwise._naming import first_fault, label_text, row_text
from rankwise._parameters import check_flag, check_integer
from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, align, check_covered
from rankwise.metrics._kernels import expected_regret
from rankwise.rankings import check_rankings, label_names


def regret(
    values: Any,
    Y_pred: Any,
    *,
    higher_is_better: bool = True,
    top: int = 1,
    average: bool = True,
    sample_weight: Any = None,
) -> float | NDArray[np.float64]:
    """Best value of a row minus the best value among the first `top` predicted labels.

    It is 0 where the best label is chosen, and never negative.

    Parameters
    ----------
    values : array-like of shape (n_samples, n_labels)
        What each label is worth in the user's own units (yields, runtimes), NaN = unknown. A label
        without a value is passed over, so the first `top` are taken among labels with one.
    Y_pred : array-like of shape (n_samples, n_labels)
        Predicted ranks, of every label that has a value.
    higher_is_better : bool
        False for costs such as runtimes.
    top : int
        How many labels may be tried before the best of them is kept. Where predicted ties leave
        open which labels are the first `top`, the result is the expectation with the ties broken
        at random; with ``top=1`` that is the mean over the labels tied in front.
    average : bool
        As in `kendall_tau`; a row without any value is left out.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    Coffee is predicted first at a yield of 70; tea would have given 90.

    >>> regret([[90.0, 70.0, 20.0]], [[2, 1, 3]])
    20.0
    >>> regret([[90.0, 70.0, 20.0]], [[2, 1, 3]], top=2)
    0.0
    """
    _, per_row = _best_and_regret(values, Y_pred, higher_is_better, top)
    return average_rows(per_row, average, sample_weight)


def chosen_value(
    values: Any,
    Y_pred: Any,
    *,
    higher_is_better: bool = True,
    top: int = 1,
    average: bool = True,
    sample_weight: Any = None,
) -> float | NDArray[np.float64]:
    """Value of what is chosen: of the first predicted label, or of the best of the first `top`.

    Where failed runs count as a multiple of a cutoff, the mean is the penalised mean (PAR10).

    Parameters
    ----------
    values, Y_pred : array-like of shape (n_samples, n_labels)
        As for `regret`.
    higher_is_better : bool
        False for costs such as runtimes.
    top : int
        How many labels may be tried before the best of them is kept.
    average : bool
        As in `kendall_tau`; a row without any value is left out.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    Coffee is predicted first at a yield of 70; tea would have given 90.

    >>> chosen_value([[90.0, 70.0, 20.0]], [[2, 1, 3]])
    70.0
    >>> chosen_value([[90.0, 70.0, 20.0]], [[2, 1, 3]], top=2)
    90.0
    """
    best, per_row = _best_and_regret(values, Y_pred, higher_is_better, top)
    return average_rows(
        best - per_row if higher_is_better else per_row - best, average, sample_weight
    )


def gap_closed(
    values: Any,
    Y_pred: Any,
    Y_single: Any,
    *,
    higher_is_better: bool = True,
    sample_weight: Any = None,
) -> float:
    """Share of the gap between the single best and the virtual best label that a choice closes.

    It is 1 where the best label of every row is chosen, as by a virtual best that knows it, 0 where
    the choice is no better than one label for all rows, and negative where it is worse.

    Parameters
    ----------
    values, Y_pred : array-like of shape (n_samples, n_labels)
        As for `regret`.
    Y_single : array-like of shape (n_labels,) or (n_samples, n_labels)
        The ranking that stands for a single best label; chosen on other rows than these.
    higher_is_better : bool
        False for costs such as runtimes.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the means.

    Returns
    -------
    float
        NaN where the single best label is the best in every row.

    Examples
    --------
    Always coffee costs 20 and 0, what is predicted 0 and 5:

    >>> gap_closed([[90, 70], [40, 45]], [[1, 2], [1, 2]], [2, 1])
    0.75
    """
    known = {"higher_is_better": higher_is_better, "sample_weight": sample_weight}
    lost = float(regret(values, Y_pred, **known))
    single = Y_single
    if _is_one_row(Y_single):
        row = check_rankings([list(Y_single)], name="Y_single", warn=False)
        single = np.tile(row, (len(values), 1))
    gap = float(regret(values, single, **known))
    return 1.0 - lost / gap if gap else float("nan")


def _is_one_row(Y: Any) -> bool:
    """Whether this is a ranking and not a table of them."""
    plain = isinstance(Y, (list, tuple)) and not any(hasattr(cell, "__len__") for cell in Y)
    return plain or getattr(Y, "ndim", None) == 1


def _best_and_regret(
    values: Any, Y_pred: Any, higher_is_better: bool, top: int
) -> tuple[Matrix, Matrix]:
    """Return of each row the best worth, costs being negative, and the regret."""
    top = check_integer("top", top, 1)
    higher_is_better = check_flag("higher_is_better", higher_is_better)
    worth = _check_values(values)
    pred = check_rankings(Y_pred, name="Y_pred", warn=False)
    names = ("values", "Y_pred")
    worth, pred = align(worth if higher_is_better else -worth, pred, values, Y_pred, names)
    check_covered(worth, pred, values, names)
    best_first = np.argsort(-worth, axis=1)
    per_row = np.empty(len(worth))
    expected_regret(worth, best_first, pred, min(top, worth.shape[1]), per_row)
    return np.take_along_axis(worth, best_first[:, :1], axis=1)[:, 0], per_row


def _check_values(values: Any) -> Matrix:
    labels = label_names(values)
    numbers = read_numbers(values, name="values", column_text=lambda j: label_text(j, labels))
    worth = np.ascontiguousarray(numbers, dtype=np.float64)
    fault = first_fault(np.isinf(worth))
    if fault is not None:
        i, j, more = fault
        raise ValueError(
            f"values, {row_text(values, i)}: {label_text(j, labels)} has the value {worth[i, j]}; "
            "a regret needs finite values: put the cutoff or a penalty (such as ten cutoffs) for a "
            f"timeout, NaN for an unknown value{more}"
        )
    return worth
