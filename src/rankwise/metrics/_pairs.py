"""Metrics that count the pairs of labels that the truth orders: Kendall's tau and distance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import shown
from rankwise._parameters import check_flag
from rankwise.metrics._average import average_rows
from rankwise.metrics._gate import Matrix, align, check_pair
from rankwise.metrics._kernels import count_pairs
from rankwise.rankings import check_rankings


def kendall_tau(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: bool = True,
    sample_weight: Any = None,
    on: Literal["ranks", "orders"] = "ranks",
) -> float | NDArray[np.float64]:
    """Kendall's tau: (concordant - discordant) / counted pairs, from -1 (reversed) to 1 (equal).

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Only pairs that are observed and strictly ordered in `Y_true` count; a pair tied in
        `Y_pred` speaks neither for nor against it.
    average : bool
        Return the mean over rows that have a counted pair, or one value per row (NaN without one).
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.
    on : {"ranks", "orders"}
        "orders" correlates the two label sequences instead of the two position vectors, as the
        programs behind the paper's result tables do. It takes complete rankings without ties only,
        and its value depends on how the labels are numbered: use it to compare with those tables,
        and for nothing else.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    Tea before coffee before water; predicted coffee before tea before water.

    >>> kendall_tau([[1, 2, 3]], [[2, 1, 3]])
    0.3333333333333333
    >>> kendall_tau([[1, 2, None], [1, 1, 1]], [[1, 2, 3], [1, 2, 3]], average=False)
    array([ 1., nan])
    """
    if not isinstance(on, str) or on not in ("ranks", "orders"):
        raise ValueError(f"on is {shown(on)}; give 'ranks', or 'orders' as in the paper's programs")
    check = check_pair if on == "ranks" else _check_sequences
    true, pred = check(Y_true, Y_pred)
    counted, concordant, discordant = pair_counts(true, pred)
    return average_rows((concordant - discordant) / counted, average, sample_weight)


def kendall_distance(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: bool = True,
    sample_weight: Any = None,
    normalize: bool = False,
) -> float | NDArray[np.float64]:
    """Kendall's distance: discordant pairs, plus half of those that the prediction ties.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Only pairs that are observed and strictly ordered in `Y_true` count.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.
    normalize : bool
        Divide by the number of counted pairs: from 0 (equal) to 1 (reversed).

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> kendall_distance([[1, 2, 3]], [[3, 2, 1]])
    3.0
    >>> kendall_distance([[1, 2, 3]], [[1, 2, 2]])
    0.5
    """
    counted, concordant, discordant = pair_counts(*check_pair(Y_true, Y_pred))
    distance = (counted - concordant + discordant) / 2
    shown = distance / counted if check_flag("normalize", normalize) else distance
    return average_rows(shown, average, sample_weight)


def compatible_match(
    Y_true: Any, Y_pred: Any, *, average: bool = True, sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """Fraction of rows whose every strictly ordered pair is predicted in the true order.

    What the truth ties may be predicted in any order: ``a>b>c`` is compatible with ``a>b~c``. See
    `exact_match` for the strict reading.

    Parameters
    ----------
    Y_true, Y_pred : array-like of shape (n_samples, n_labels)
        Ranks. Only pairs that are observed and strictly ordered in `Y_true` count; one that
        `Y_pred` ties is not matched.
    average : bool
        As in `kendall_tau`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the mean.

    Returns
    -------
    float or ndarray of shape (n_samples,)

    Examples
    --------
    >>> compatible_match([[1, 2, 3], [1, 2, 2]], [[2, 1, 3], [1, 2, 3]])
    0.5
    """
    counted, concordant, _ = pair_counts(*check_pair(Y_true, Y_pred))
    return average_rows(all_concordant(counted, concordant), average, sample_weight)


def pair_counts(true: Matrix, pred: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return counted (NaN where there are none), concordant and discordant pairs of each row."""
    counts = np.empty((3, len(true)), dtype=np.int64)
    count_pairs(true, pred, counts[0], counts[1], counts[2])
    counted, concordant, discordant = counts.astype(np.float64)
    counted[counted == 0] = np.nan
    return counted, concordant, discordant


def all_concordant(counted: Matrix, concordant: Matrix) -> Matrix:
    """Return 1.0 where every counted pair is concordant, else 0.0, NaN without a pair."""
    return np.where(np.isnan(counted), np.nan, concordant == counted)


def _check_sequences(Y_true: Any, Y_pred: Any) -> tuple[Matrix, Matrix]:
    names = ("Y_true", "Y_pred")
    ranks = []
    for Y, name in zip((Y_true, Y_pred), names, strict=True):
        try:
            ranks.append(check_rankings(Y, allow_missing=False, allow_ties=False, name=name))
        except ValueError as error:
            raise ValueError(
                f"{error}; on='orders' takes complete rankings without ties only, "
                "on='ranks' takes all"
            ) from error
    true, pred = align(ranks[0], ranks[1], Y_true, Y_pred, names)
    return _sequence(true), _sequence(pred)


def _sequence(ranks: Matrix) -> Matrix:
    # Label numbers as if they were ranks: that is what the paper's programs correlate.
    sequence = np.argsort(ranks, axis=1).astype(np.float64)
    sequence.flags.writeable = False
    return sequence
