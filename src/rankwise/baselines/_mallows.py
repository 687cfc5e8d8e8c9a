"""The Mallows model fitted to groups of rankings: leaves of a tree, neighbours of a row.

P(ranking) is proportional to exp(-theta * d), d the Kendall distance from the centre. As in Cheng,
Hühn and Hüllermeier (2009) the centre is Borda's ranking, which approximates the likeliest one, and
theta solves "expected distance = mean distance". For incomplete rankings that paper has an EM
algorithm whose first step takes the most probable extension of a ranking in place of all of them;
that is done here, from the start that it proposes: the i-th of m observed labels counts as position
i (k + 1) / (m + 1), a missing one as the middle. The paper leaves open when to stop (here: when the
sum of distances falls no more), where a label goes that fits several gaps equally (the first) and
what becomes of equal Borda sums (the lower label goes first). Completions are as near to the centre
as can be, so theta comes out too large where much is missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._cells import for_kernels
from rankwise.baselines._mallows_kernels import fit_groups, spread_of_distances

# Below this theta the first terms of a series are exact to all digits, and the formula cancels.
SMALL = 1e-5


class MallowsFit(NamedTuple):
    """One model per group."""

    centers: np.ndarray  # (n_groups, k) int64, positions of labels, 1 = first
    thetas: np.ndarray  # (n_groups,), infinity where all rows agree
    distances: np.ndarray  # (n_groups,) mean Kendall distance from the centre


def fit_mallows_groups(
    observed: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray | None = None,
) -> MallowsFit:
    """Fit one model to each group of rows.

    Parameters
    ----------
    observed : ndarray of shape (n, k)
        As `observed_places` gives it.
    rows : ndarray of shape (n_members,)
        The rows of all groups, group after group; a row may be in many.
    starts : ndarray of shape (n_groups + 1,)
        Where each group starts in `rows`, then where the last one ends.
    weights : ndarray of shape (n_members,), optional
        Weight of each member.

    Examples
    --------
    >>> places = observed_places(np.array([[1.0, 2, 3], [1, 3, 2], [np.nan, 2, 1]]))
    >>> fit_mallows_groups(places, np.array([0, 0, 1, 2]), np.array([0, 1, 4])).centers
    array([[1, 2, 3],
           [1, 3, 2]])
    """
    weights = np.ones(len(rows)) if weights is None else weights
    n_groups, k = len(starts) - 1, observed.shape[1]
    fit = MallowsFit(
        np.empty((n_groups, k), dtype=np.int64), np.empty(n_groups), np.empty(n_groups)
    )
    fit_groups(
        for_kernels(observed, np.int64), for_kernels(rows, np.int64), for_kernels(weights, np.float64),
        for_kernels(starts[:-1], np.int64), for_kernels(starts[1:], np.int64), fit.centers, fit.distances,
        np.empty(k), np.empty((4, k), np.int64),
    )  # fmt: skip
    spread_of_distances(fit.distances, k, fit.thetas)
    return fit


def observed_places(ranks: np.ndarray) -> np.ndarray:
    """Places of labels among the observed ones of their row, 1 = first, 0 = not observed.

    Examples
    --------
    >>> observed_places(np.array([[4.0, np.nan, 2.0]]))
    array([[2, 0, 1]])
    """
    # NaN sorts last
    places = np.argsort(np.argsort(ranks, axis=1, kind="stable"), axis=1) + 1
    return np.where(np.isnan(ranks), 0, places)


def mallows_probabilities(centers: np.ndarray, thetas: np.ndarray) -> np.ndarray:
    """Probabilities (n, k, k) that the row label stands before the column label in each model.

    They depend on the central positions' distance s alone: g(s + 1) - g(s) with
    g(n) = n / (1 - exp(-n theta)).

    Examples
    --------
    >>> mallows_probabilities(np.array([[1, 2, 3]]), np.array([1.0]))[0, 0].round(3)
    array([0.5  , 0.731, 0.844])
    """
    k = centers.shape[1]
    steps = np.arange(1, k + 1)
    # an infinite theta gives exp(-inf) = 0
    g = steps / -np.expm1(-steps * np.maximum(thetas, SMALL)[:, None])
    by_step = np.concatenate([np.full((len(centers), 1), 0.5), np.diff(g, axis=1)], axis=1)
    by_step[:, 1:] = np.where(
        (thetas < SMALL)[:, None], 0.5 + thetas[:, None] * (2 * steps[:-1] + 1) / 12, by_step[:, 1:]
    )
    gap = centers[:, None, :] - centers[:, :, None]
    shares = np.take_along_axis(by_step[:, None, :], np.abs(gap).reshape(len(gap), 1, -1), axis=2)
    shares = shares.reshape(gap.shape)
    return np.where(gap >= 0, shares, 1.0 - shares)
