"""Who votes beside the trees of a forest on rankings with ties, and with which shares of the votes.

All voters are asked about the rows that trees left out. Who votes by distances is asked without the part
of the rows that such a row is in: slopes learned from few rows of many features would know it otherwise.
(Importances, one number for each feature, are those of all trees.) The shares are those whose mixture
comes nearest to what these rows say, by least squares: the mean of voters that differ is mostly better
than the best of them, and squares tell shares apart with fewer rows than measures of rankings do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.forest._kernel_rows import KernelRows
from rankwise.forest._least_squares import shares_of_least_cost
from rankwise.forest._near_rows import NearRows

# Rows are asked of what was learned from the other parts of all rows.
N_PARTS = 5

# A squared difference from equal shares costs so much; squared errors of outcomes are from 0 to 4.
SHRINKAGE = 0.01


def voters_of(
    X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None, importances: np.ndarray
) -> list[NearRows]:
    """Return the voters beside the trees, none of which has a share yet."""
    near = NearRows.of(X, ranks, weights, 1.0, importances)
    kernel = KernelRows.like(near)
    return [near] if kernel is None else [near, kernel]


def votes_left_out(
    voters: list[NearRows], rows: np.ndarray, importances: np.ndarray
) -> list[np.ndarray]:
    """Return what each voter says of training rows that it has not seen."""
    if not voters:
        return []
    n, k = voters[0].ranks.shape
    votes = [np.empty((len(rows), k * (k - 1))) for _ in voters]
    for part in range(N_PARTS):
        asked = np.flatnonzero(rows % N_PARTS == part)
        if len(asked):
            others = voters[0].only(np.arange(n) % N_PARTS != part, importances)
            for found, voter in zip(votes, voters, strict=True):
                found[asked] = voter.among(others).votes_at(voter.features[rows[asked]])
    return votes


def noise_of_few(mean: np.ndarray, asked: np.ndarray, n_trees: int) -> np.ndarray:
    """Return the variance, in each row, that the mean of the trees asked has beyond that of all trees.

    A tree says 1 or -1 of an outcome, as leaves that are pure do. Rows are left out by a part of the trees
    alone, which would get too small a share without this.

    Parameters
    ----------
    mean : ndarray of shape (n, m)
        The mean of what the trees say that were asked.
    asked : ndarray of shape (n,)
        How many these are for each row.
    n_trees : int
        How many trees there are.

    Examples
    --------
    >>> noise_of_few(np.array([[0.0, 1.0]]), np.array([5]), 100)
    array([0.12])
    """
    more = np.maximum(1.0 / np.maximum(asked - 1, 1) - 1.0 / n_trees, 0.0)
    noise: np.ndarray = more * (1.0 - np.einsum("ij,ij->i", mean, mean) / mean.shape[1])
    return noise


def best_shares(
    votes: list[np.ndarray], truth: np.ndarray, weights: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """Return the shares, from 0 to 1, whose mixture of votes comes nearest to the truth.

    None is negative, and they add up to 1.

    Parameters
    ----------
    votes : list of ndarray of shape (n, m)
        What each voter says of the outcomes of each row.
    truth : ndarray of shape (n, m)
        1 or -1 for each comparison of labels.
    weights : ndarray of shape (n,)
        How much each row counts.
    noise : ndarray of shape (n,)
        How much larger squares of what the first voter says are on the mean than they will be later.

    Examples
    --------
    >>> truth = np.array([[1.0], [-1.0], [1.0]])
    >>> best_shares([truth, 0 * truth], truth, np.ones(3), np.zeros(3))
    array([0.99, 0.01])
    """
    share = weights / weights.max()
    share = share / share.sum()

    def product(one: np.ndarray, other: np.ndarray) -> float:
        return float(share @ np.einsum("ij,ij->i", one, other) / truth.shape[1])

    square = np.array([[product(one, other) for other in votes] for one in votes])
    line = np.array([product(one, truth) for one in votes])
    square[0, 0] -= share @ noise
    return shares_of_least_cost(square, line, SHRINKAGE)


def mixed(by_trees: Any, votes: list[Any], voters: list[NearRows]) -> Any:
    """What trees say, and what each voter says, by their shares."""
    total = (1.0 - sum(voter.share for voter in voters)) * by_trees
    for said, voter in zip(votes, voters, strict=True):
        total = total + voter.share * said
    return total


def check_voters(forest: Any) -> None:
    """Raise an error unless the voters that a model file has for a forest can be asked."""
    voters = vars(forest).get("_near", [])
    if not isinstance(voters, list) or (voters and not forest._with_ties):
        raise ValueError("what votes beside its trees are no rows")
    for voter in voters:
        if type(voter) not in (NearRows, KernelRows):
            raise ValueError("what votes beside its trees are no rows")
        voter._check_state()
        if (voter.ranks.shape[1], len(voter.centre)) != (forest.n_labels_, forest.n_features_in_):
            raise ValueError("the rows that vote beside its trees have other labels or features")
    if sum(voter.share for voter in voters) > 1 + 1e-9:
        raise ValueError("the rows that vote beside its trees have more votes than there are")
