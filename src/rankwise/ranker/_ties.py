"""Ties in predictions: labels that follow one another in a strict ranking, put into one bucket.

For tau_X of Emond and Mason a pair that is ordered right counts 1, one that is ordered wrong -1, and
one that is tied counts the share that ties it. So two labels are best tied where no more than half
speaks for the one strictly before the other: a threshold of 1/2. What is learned is not certain, and
other measures ask for more or fewer ties, so that the threshold is fitted to rows left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankwise._naming import shown
from rankwise._parameters import check_choice, check_integer, check_number
from rankwise.metrics import exact_match, kendall_tau, spearman_rho, tau_b, tau_x
from rankwise.ranker._kernels import merge_neighbours

# What the threshold can be fitted to.
MEASURES: dict[str, Callable[..., Any]] = {
    "tau_x": tau_x,
    "tau_b": tau_b,
    "exact_match": exact_match,
    "kendall_tau": kendall_tau,
    "spearman_rho": spearman_rho,
}
HALF = 0.5
# An average over trees, or neighbours, is less sure than it could be, so that less than half is enough.
LIKELY = 0.45
# Where fewer pairs than this share are tied, predictions have ties only if rows show that it serves.
RARE = 0.1
CANDIDATES = np.linspace(0.0, 1.0, 41)

# More rows do not tell the candidates apart better.
MOST_ROWS = 4096

# Numbers that rows which are predicted together may need between them: 8 MB.
MOST_NUMBERS = 1 << 20


class HeldOut(NamedTuple):
    """Rows predicted by what was learned without them."""

    rows: np.ndarray  # which
    ranks: np.ndarray  # (n, k) strict ranks
    before: (
        np.ndarray
    )  # (n, k, k) the share that puts the row label strictly before the column label


def check_ties(ties: Any, ties_for: Any) -> None:
    """Raise an error unless `ties` is "never", "auto" or a share, and `ties_for` a known measure."""
    if isinstance(ties, str):
        if ties not in ("never", "auto"):
            raise ValueError(f"ties is {shown(ties)}; use 'never', 'auto' or a share from 0 to 1")
    else:
        check_number("ties", ties, 0.0, 1.0)
    check_choice("ties_for", ties_for, tuple(MEASURES))


def ranks_with_ties(strict: np.ndarray, before: np.ndarray, threshold: float) -> np.ndarray:
    """Tie labels that follow one another where too little speaks for their order.

    Two labels are tied where no more than `threshold` speaks for the one strictly before the other; of
    more than two, where that holds on the mean over the pairs of the bucket. Of all rankings with ties
    that keep the order of the strict ones, those are returned whose pairs gain most by that rule.

    Parameters
    ----------
    strict : ndarray of shape (n, k)
        Ranks without ties.
    before : ndarray of shape (n, k, k)
        The share that puts the row label strictly before the column label.
    threshold : float
        From 0 (tied only where nothing speaks for an order) to 1 (everything tied).

    Returns
    -------
    ndarray of shape (n, k)
        Of a label 1 + the number of labels before it, so that tied labels share a rank.

    Examples
    --------
    >>> before = np.array([[[0.5, 0.9, 0.9], [0.1, 0.5, 0.6], [0.1, 0.4, 0.5]]])
    >>> strict = np.array([[1, 2, 3]])
    >>> ranks_with_ties(strict, before, 0.75), ranks_with_ties(strict, before, 0.5)
    (array([[1, 2, 2]]), array([[1, 2, 3]]))
    """
    n, k = strict.shape
    ranks = np.empty((n, k), dtype=np.int64)
    merge_neighbours(
        np.ascontiguousarray(strict, dtype=np.int64),
        np.ascontiguousarray(before, dtype=np.float64),
        float(threshold),
        np.empty(k, dtype=np.int64),
        np.empty(k),
        np.empty(k + 1),
        np.empty(k + 1, dtype=np.int64),
        ranks,
    )
    return ranks


def before_by_position(positions: np.ndarray) -> np.ndarray:
    """Shares (n, k, k) from positions: from 1/2 where they are equal to 1 where one is a position ahead.

    Examples
    --------
    >>> before_by_position(np.array([[1.0, 1.5, 3.0]]))
    array([[[0.5 , 0.75, 1.  ],
            [0.25, 0.5 , 1.  ],
            [0.  , 0.  , 0.5 ]]])
    """
    lead = positions[:, None, :] - positions[:, :, None]
    return 0.5 + np.clip(lead, -1.0, 1.0) / 2


def top_places(ranks: np.ndarray, top: Any) -> np.ndarray:
    """Ranks with all labels behind the first `top` places tied there.

    Examples
    --------
    >>> top_places(np.array([[4, 1, 3, 2], [1, 2, 2, 4]]), 2)
    array([[3, 1, 3, 2],
           [1, 2, 2, 4]])
    """
    behind = ranks > check_integer("top", top, 1)
    return np.where(behind, 1 + (~behind).sum(axis=1, keepdims=True), ranks)


def best_threshold(
    truth: np.ndarray, held: HeldOut, measure: str, weights: np.ndarray | None
) -> float | None:
    """Return the threshold that serves rows that were held out, None where ties do not serve them.

    Few rows tell thresholds apart badly. So of all thresholds that are within one standard error of the
    best the one nearest to `LIKELY` is taken, and where ties are rare the best must gain more than two
    standard errors over the strict ranking. 1/2, which theory gives for tau_X, where no row can be
    measured.
    """
    strict, measured, share = _measure_all(truth, held, measure, weights)
    if not len(share):
        return HALF
    best = measured[(measured @ share).argmax()]
    rare = tied_share(truth[held.rows]) < RARE
    if not is_more(best - strict, share, errors=2 if rare else 0):
        return None
    near = [
        t
        for t, own in zip(CANDIDATES, measured, strict=True)
        if not is_more(best - own, share, errors=1)
    ]
    return float(min(near, key=lambda t: abs(t - LIKELY)))


def best_values(
    truth: np.ndarray, held: HeldOut, measure: str, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return what rows that were held out reach by the best threshold, and the share of each.

    There are none where no row can be measured.
    """
    _, measured, share = _measure_all(truth, held, measure, weights)
    return measured[(measured @ share).argmax()], share


def _measure_all(
    truth: np.ndarray, held: HeldOut, measure: str, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that can be measured: strict ranks, ranks by each threshold, and the share of each row."""
    truth = truth[held.rows]
    value = MEASURES[measure]
    strict = value(truth, held.ranks, average=False)
    counts = np.ones(len(truth)) if weights is None else weights[held.rows]
    known = ~np.isnan(strict) & (counts > 0)
    if not known.any():
        return np.empty(0), np.empty((len(CANDIDATES), 0)), np.empty(0)
    truth, ranks, before = truth[known], held.ranks[known], held.before[known]
    measured = np.array(
        [value(truth, ranks_with_ties(ranks, before, t), average=False) for t in CANDIDATES]
    )
    counts = counts[known]
    return strict[known], measured, counts / counts.sum()


def tied_share(ranks: np.ndarray) -> float:
    """The share of the pairs that rankings compare which they tie.

    Examples
    --------
    >>> tied_share(np.array([[1.0, 2.0, 2.0], [1.0, 2.0, np.nan]]))
    0.25
    """
    first, second = np.triu_indices(ranks.shape[1], k=1)
    lead = ranks[:, first] - ranks[:, second]
    return float((lead == 0).sum() / max(1, (~np.isnan(lead)).sum()))


def is_more(gains: np.ndarray, share: np.ndarray, errors: int) -> bool:
    """Whether the mean of what rows gain, each by its share, is above so many standard errors."""
    mean = gains @ share
    return bool(mean > max(1e-9, errors * np.sqrt((gains - mean) ** 2 @ share**2)))


def some_rows(n: int) -> np.ndarray:
    """All rows, or `MOST_ROWS` of them at even distances."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.int64))
