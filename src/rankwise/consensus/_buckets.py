"""Bucket orders: rankings with ties that come nearest to how often each label stands before each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._messages import warn_caller
from rankwise._parameters import check_choice, check_number, check_seconds, deadline_in
from rankwise.consensus._bucket_kernels import (
    AMONG_ALL,
    FIRST,
    WITHIN,
    all_pivot_buckets,
    all_subset_buckets,
    pair_shares,
)
from rankwise.consensus._support import check_support, like_labels, support_of_rankings
from rankwise.rankings import RankingWarning

# Every set of labels, and every bucket of it, is looked at: 3^k steps, about half a million here.
SUBSET_LABELS = 12
# Of each method by pivots: how a pivot is chosen, whether a label is compared with all of its bucket,
# and whether that is done a second time.
PIVOTS = {
    "pivot": (FIRST, False, False),
    "decided pivot": (WITHIN, False, False),
    "several pivots": (WITHIN, True, False),
    "several pivots twice": (AMONG_ALL, True, True),
}
METHODS = ("auto", "exact", *PIVOTS)


@check_arguments
def bucket_order(
    Y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    method: str = "auto",
    tie_within: float = 0.25,
    time_limit: float | None = 60.0,
) -> Any:
    """Return the ranking with ties that is nearest to the shares of the rankings.

    The share of i before j counts rows that tie them half. The ranking says 1, 1/2 (a tie) or 0, and
    its distance is the sum of the differences over all pairs: the optimal bucket order problem.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each row.
    method : {"auto", "exact", "pivot", "decided pivot", "several pivots", "several pivots twice"}
        "exact" looks at all bucket orders, up to 12 labels; beyond, an integer program finds the
        nearest, for most of 40 labels in less than a second. The others compare labels with a pivot:
        the first label, the one whose shares are nearest to 0, 1/2 or 1 ("decided pivot", also in the
        next), or all of the pivot's bucket so far ("several pivots"). "several pivots twice" then
        compares the labels beside a bucket with all of it once more, and chooses pivots by their shares
        with all labels: LIA-G-MP2 in the literature; labels that nobody compares are tied last. "auto"
        is "exact" up to 12 labels, and "several pivots" beyond.
    tie_within : float
        A label is tied with its pivot where its share is within 1/2 ± this; "exact" needs no such
        number.
    time_limit : float, optional
        Seconds for the integer program; None: no limit. Where they are over, a warning says so and the
        answer is that of "several pivots twice".

    Returns
    -------
    ndarray of shape (n_labels,), int64
        1 + number of labels in earlier buckets: tied labels share a rank. A Series where `Y` is a
        DataFrame.

    References
    ----------
    Ukkonen, Puolamaki, Gionis and Mannila, A randomized approximation algorithm for computing bucket
    orders, Information Processing Letters 109, 2009. Aledo, Gamez and Rosete, Utopia in the solution
    of the bucket order problem, Decision Support Systems 97, 2017.

    Examples
    --------
    Tea first; coffee and water are tied by most:

    >>> bucket_order([[1, 2, 2], [1, 2, 2], [1, 2, 3]])
    array([1, 2, 2])
    """
    support = support_of_rankings(Y, sample_weight, ties_count=True)
    return like_labels(_buckets(support[None], method, tie_within, time_limit)[0], Y)


@check_arguments
def bucket_order_batch(
    W: ArrayLike,
    *,
    method: str = "auto",
    tie_within: float = 0.25,
    time_limit: float | None = 60.0,
) -> NDArray[np.int64]:
    """Apply `bucket_order` to many problems at once.

    Parameters
    ----------
    W : array-like of shape (n_problems, n_labels, n_labels)
        Supports, as in `borda_batch`; what ties two labels counts half on both sides.
    method : {"auto", "exact", "pivot", "decided pivot", "several pivots", "several pivots twice"}
        As in `bucket_order`.
    tie_within : float
        As in `bucket_order`.
    time_limit : float, optional
        As in `bucket_order`, for all problems together.

    Returns
    -------
    ndarray of shape (n_problems, n_labels), int64
        Ranks, as `bucket_order` gives them.

    Examples
    --------
    >>> bucket_order_batch([[[0, 1, 1], [0, 0, 0.6], [0, 0.4, 0]]])
    array([[1, 2, 2]])
    """
    return _buckets(check_support(W), method, tie_within, time_limit)


def _buckets(
    support: NDArray[np.float64], method: str, tie_within: float, time_limit: float | None
) -> NDArray[np.int64]:
    n, k = support.shape[:2]
    check_choice("method", method, METHODS)
    check_seconds("time_limit", time_limit, allow_zero=False)
    within = check_number("tie_within", tie_within, 0.0, 0.5)
    if method == "auto":
        method = "exact" if k <= SUBSET_LABELS else "several pivots"
    ranks, shares = np.empty((n, k), dtype=np.int64), np.empty((k, k))
    if method != "exact":
        all_pivot_buckets(support, within, *PIVOTS[method], shares, ranks)
        return ranks
    if k > SUBSET_LABELS:
        return _by_program(support, time_limit)
    least, together = np.zeros(1 << k), np.zeros(1 << k)
    last, after = np.zeros(1 << k, dtype=np.int64), np.zeros((k, 1 << k))
    all_subset_buckets(support, shares, least, last, after, together, ranks)
    return ranks


def _by_program(support: NDArray[np.float64], time_limit: float | None) -> NDArray[np.int64]:
    # few problems come this far, and the optimisation part of scipy loads slowly
    from rankwise.consensus._bucket_program import solve_buckets

    deadline, shares = deadline_in(time_limit), np.empty(support.shape[1:])
    # what stands where time runs out; tie_within is the default
    ranks = _buckets(support, "several pivots twice", 0.25, None)
    for r, own in enumerate(support):
        pair_shares(own, shares)
        found = solve_buckets(shares, deadline)
        if found is None:
            warn_caller(
                f"bucket order: the integer program did not end within {time_limit:g} s; the answer is "
                "that of method='several pivots twice', which may be further away: raise time_limit",
                RankingWarning,
            )
            break
        ranks[r] = found
    return ranks
