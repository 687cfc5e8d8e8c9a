"""BoostLR: label-ranking trees on samples in which hard rows are drawn more often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.baselines._lrt_growing import alone, grow_lrt, training_data
from rankwise.engine import (
    CHUNK,
    Trees,
    check_forest_size,
    check_tree_limits,
    check_trees_of,
    flatten,
    limit,
    seed_entropy,
)
from rankwise.metrics import kendall_tau
from rankwise.ranker import BaseRanker, comparing_rows, pairwise_by_position, ranks_by_position

# The weight of a member that makes no mistake: more than all others together can have.
PERFECT = 1000.0

# So large a weight may be that of any number of rows.
LARGEST = 1e200


class BoostLR(BaseRanker):
    """Boosting for label ranking of Dery and Shmueli (2020), with label-ranking trees.

    In each round a tree is grown on a sample of the rows, drawn by their weights. The loss of a row
    is 1 - tau of its prediction, divided by the sum over all rows; with the mean loss L by the
    current weights, beta = L / (1 - L), a weight is multiplied by beta ** (1 - loss), and the tree
    votes with log(1 / beta). Predictions are the weighted Borda count of the trees' rankings.

    Takes incomplete rankings as its trees do; the loss is then over the observed comparisons. It
    takes no ties, and no missing features. Weights are those of the first round. The share of a pair is
    that of the trees that put the one label before the other, by their votes; a tie is half a vote.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees. Fewer are grown where one makes no mistake.
    min_samples_leaf : int, default=2
        As in `LRT`; rows that are drawn repeatedly count as often.
    max_depth : int, optional
        As in `LRT`.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; as rankings with ties are not taken,
        "auto" is "never".
    random_state : int, Generator or RandomState, optional
        Decides the samples.

    Attributes
    ----------
    estimator_weights_ : ndarray of shape (n_trees,)
        With how much weight each tree votes.
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.

    Notes
    -----
    The publication leaves open, and here was chosen:

    - Its trees are those of WEKA-LR at their defaults, which are not stated; here those of `LRT`.
    - Losses are divided by their sum, not by the largest as in AdaBoost.R2, so that weights move
      slowly. This follows the authors' program.
    - A tree without any mistake ends the rounds and decides alone; so does, in the first round, a
      tree with a mean loss of 1/2 or more, which in a later round is dropped.
    - Where equal features come with contradictory rankings the weights swing between them, as in any
      boosting: with a single feature of few values use `LRT`.

    References
    ----------
    L. Dery, E. Shmueli. BoostLR: a boosting-based learning ensemble for label ranking tasks. IEEE
    Access 8, 2020.

    Examples
    --------
    Tea, coffee and water, in the morning (0) and at night (1):

    >>> from rankwise.baselines import BoostLR
    >>> X = [[0], [0], [0], [1], [1], [1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [2, 1, 3], [1, 3, 2], [1, 3, 2], [1, 3, 2]]
    >>> BoostLR(n_estimators=20, random_state=0).fit(X, Y).predict([[0], [1]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _takes_ties = False
    _saved_parts = (Trees,)
    _trees: Trees

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        ties: str | float = "never",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.ties = ties
        self.random_state = random_state

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        counted = np.ones(len(X)) if weights is None else weights
        if counted.max() > LARGEST:
            counted = counted / counted.max()  # their sum would be more than a float holds
        counted = counted * comparing_rows(ranks, counted)
        kept = counted > 0
        members, votes = self._boost(X[kept], ranks[kept], counted[kept] / counted.sum())
        self._trees = flatten(members, None, np.float64)
        self.estimator_weights_ = np.array(votes)

    def _boost(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray
    ) -> tuple[list[Any], list[float]]:
        """Grow the members; returns them and their votes."""
        data = training_data(X, ranks)
        rng = np.random.default_rng(seed_entropy(self.random_state))
        members: list[Any] = []
        votes: list[float] = []
        max_depth = limit(self.max_depth)
        for _ in range(int(self.n_estimators)):
            drawn = rng.multinomial(len(X), weights)
            weight = drawn.astype(np.float64)
            tree, _, _ = grow_lrt(data, drawn, weight, limit(self.min_samples_leaf), max_depth)
            trees = alone(tree)
            predicted = trees.values[trees.value_row[trees.leaves(X)[0]]]
            tau = kendall_tau(ranks, predicted, average=False)
            vote, weights = boosted(weights, 1.0 - np.asarray(tau))
            if vote > 0.0 or not members:
                members.append(tree)
                votes.append(vote if vote > 0.0 else 1.0)
            if not 0.0 < vote < PERFECT:
                break
        return members, votes

    def _check_state(self) -> None:
        super()._check_state()
        check_trees_of(self, "joint")
        votes = self._saved_array("estimator_weights_", (len(self._trees.roots),))
        if not (np.isfinite(votes) & (votes > 0)).all():
            raise ValueError("its estimator_weights_ are not positive numbers")

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return self._mean_votes(X, lambda positions: positions)[0]

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return self._mean_votes(X, pairwise_by_position)[0]

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        positions, shares = self._mean_votes(X, lambda positions: positions, pairwise_by_position)
        return ranks_by_position(positions), shares

    def _mean_votes(
        self, X: np.ndarray, *readings: Callable[[np.ndarray], np.ndarray]
    ) -> list[np.ndarray]:
        """Weighted means over the trees of what is read off the positions that each predicts."""
        parts = []
        for start in range(0, len(X), CHUNK):
            totals: list[Any] = [0.0] * len(readings)
            leaves = self._trees.leaves(X[start : start + CHUNK])
            for vote, rows in zip(
                self.estimator_weights_, self._trees.value_row[leaves], strict=True
            ):
                for i, reading in enumerate(readings):
                    totals[i] = totals[i] + vote * reading(self._trees.values[rows])
            parts.append(totals)
        return [np.concatenate(p) / self.estimator_weights_.sum() for p in zip(*parts, strict=True)]

    def _check_parameters(self) -> None:
        check_forest_size(self.n_estimators)
        check_tree_limits(self.min_samples_leaf, self.max_depth)


def boosted(weights: np.ndarray, losses: np.ndarray) -> tuple[float, np.ndarray]:
    """The vote of a member with these losses, and the weights of the rows in the next round.

    The vote is 0 where the member is no better than chance by the weights.

    Examples
    --------
    >>> vote, weights = boosted(np.full(4, 0.25), np.array([0.0, 0.0, 1.0, 1.0]))
    >>> round(vote, 3), weights.round(3)
    (1.099, array([0.183, 0.183, 0.317, 0.317]))
    """
    total = losses.sum()
    if total <= 0.0:
        return PERFECT, weights
    shares = losses / total
    mean = float(shares @ weights)
    if mean >= 0.5:
        return 0.0, weights
    # a mean of 0 says that only rows of weight 0 went wrong
    beta = max(mean / (1.0 - mean), np.exp(-PERFECT / 2))
    weights = weights * beta ** (1.0 - shares)
    return float(-np.log(beta)), weights / weights.sum()
