"""Borda's and Copeland's rules: score every label by its comparisons, then rank the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_number
from rankwise.consensus._kernels import TIE, borda_scores, copeland_ranks
from rankwise.consensus._support import check_support, like_labels, support_of_rankings


@check_arguments
def borda(
    Y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    tie_within: float = 0.0,
    ties_count: bool = False,
) -> Any:
    """Rank labels by their mean share of wins over the labels that they were compared with.

    On complete rankings without ties this is the order of mean positions.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each row.
    tie_within : float
        Labels whose shares are this close, one after the other, are tied.
    ties_count : bool
        Whether a row that ties two labels counts half for each; else it says nothing about them.

    Returns
    -------
    ndarray of shape (n_labels,), int64
        1 + number of labels with a higher score; equal scores share a rank. A Series where `Y` is
        a DataFrame. A label that is never compared scores one half, with a `RankingWarning`.

    Examples
    --------
    Tea, coffee and water:

    >>> borda([[1, 2, 3], [2, 1, 3], [1, 3, 2]])
    array([1, 2, 3])
    """
    support = support_of_rankings(Y, sample_weight, ties_count=ties_count)
    return like_labels(borda_ranks(support[None], _check_within(tie_within, 1.0))[0], Y)


@check_arguments
def copeland(
    Y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    tie_within: float = 0.0,
    ties_count: bool = False,
) -> Any:
    """Rank labels by the number of labels that beat them by majority.

    This is the paper's aggregation of pairwise votes: position of i = 1 + the number of labels
    that win more than half of their comparisons with i. An exact tie beats nobody.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each row.
    tie_within : float
        A label beats another only with more than this share above one half.
    ties_count : bool
        Whether a row that ties two labels counts half for each; else it says nothing about them.

    Returns
    -------
    ndarray of shape (n_labels,), int64
        Positions; labels that as many labels beat share one, so that three labels in a cycle all
        stand second. A Series where `Y` is a DataFrame. A label that is never compared stands in
        the middle, with a `RankingWarning`.

    Examples
    --------
    Tea, coffee and water:

    >>> copeland([[1, 2, 3], [2, 1, 3], [1, 3, 2]])
    array([1, 2, 3])
    """
    support = support_of_rankings(Y, sample_weight, ties_count=ties_count)
    return like_labels(_copeland(support[None], _check_within(tie_within, 0.5))[0], Y)


@check_arguments
def borda_batch(W: ArrayLike, *, tie_within: float = 0.0) -> NDArray[np.int64]:
    """Apply `borda` to many problems at once.

    Parameters
    ----------
    W : array-like of shape (n_problems, n_labels, n_labels)
        ``W[r, i, j]`` is the support for i before j: a count, a weight or a share; NaN in both
        cells of a pair = never compared. The diagonal is not read.
    tie_within : float
        As in `borda`.

    Returns
    -------
    ndarray of shape (n_problems, n_labels), int64
        Ranks, as `borda` gives them.

    Examples
    --------
    >>> borda_batch([[[0, 2, 3], [1, 0, 2], [0, 1, 0]]])
    array([[1, 2, 3]])
    """
    return borda_ranks(check_support(W), _check_within(tie_within, 1.0))


@check_arguments
def copeland_batch(W: ArrayLike, *, tie_within: float = 0.0) -> NDArray[np.int64]:
    """Apply `copeland` to many problems at once.

    Parameters
    ----------
    W : array-like of shape (n_problems, n_labels, n_labels)
        Supports, as in `borda_batch`.
    tie_within : float
        As in `copeland`.

    Returns
    -------
    ndarray of shape (n_problems, n_labels), int64
        Positions, as `copeland` gives them.

    Examples
    --------
    >>> copeland_batch([[[0, 2, 3], [1, 0, 2], [0, 1, 0]]])
    array([[1, 2, 3]])
    """
    return _copeland(check_support(W), _check_within(tie_within, 0.5))


def borda_ranks(support: NDArray[np.float64], tie_within: float = 0.0) -> NDArray[np.int64]:
    """Borda's ranks of checked supports (n, k, k)."""
    scores = np.empty(support.shape[:2])
    borda_scores(support, scores)
    return _ranks_of_scores(scores, max(TIE, tie_within))


def _copeland(support: NDArray[np.float64], tie_within: float) -> NDArray[np.int64]:
    ranks = np.empty(support.shape[:2], dtype=np.int64)
    copeland_ranks(support, tie_within, ranks)
    return ranks


def _check_within(tie_within: float, most: float) -> float:
    return check_number("tie_within", tie_within, 0.0, most)


def _ranks_of_scores(scores: NDArray[np.float64], tie_within: float) -> NDArray[np.int64]:
    """1 + number of higher scores; neighbours that are this close are one group."""
    order = np.argsort(-scores, axis=1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=1)
    position = np.arange(scores.shape[1]) * np.ones((scores.shape[0], 1), dtype=np.int64)
    position[:, 1:][falling[:, :-1] - falling[:, 1:] <= tie_within] = 0
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, 1 + np.maximum.accumulate(position, axis=1), axis=1)
    return ranks
