"""PLRForest and PLRBagging: many trees for rankings with ties, whose bucket orders vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._parallel import in_threads
from rankwise._parameters import check_choice
from rankwise.baselines._plr_growing import (
    CRITERIA,
    grow_plr,
    growing_rules,
    partial_data,
    published_buckets,
)
from rankwise.engine import (
    CHUNK,
    Bags,
    Grown,
    Trees,
    add_votes,
    check_forest_size,
    check_tree_limits,
    check_trees_of,
    flatten,
    n_features_drawn,
    seed_entropy,
    whole_weights,
)
from rankwise.ranker import BaseRanker, comparing_rows, positions_by_pairwise


class VotingTrees(BaseRanker):
    """Base of the ensembles: trees on samples drawn with replacement; a subclass says which features."""

    _saved_parts = (Trees,)
    _trees: Trees

    n_estimators: int
    criterion: str
    min_samples_leaf: int
    max_depth: int | None
    n_jobs: int | None
    random_state: Any

    def _features_drawn(self, n_features: int) -> int:
        """How many features compete for a cut."""
        return n_features

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        data = partial_data(X, ranks)
        counts, fractions = whole_weights(weights, len(X))
        counts = counts * comparing_rows(ranks, weights, ties_count=True)
        rules = growing_rules(
            data, self.criterion, self.min_samples_leaf, self.max_depth,
            self._features_drawn(X.shape[1]), True, counts.astype(np.float64),
        )  # fmt: skip
        bags = Bags(counts, int(counts.sum()), True)

        def grow(seed: np.random.SeedSequence) -> Grown:
            drawn = bags.draw(seed).counts
            rng = np.random.default_rng(seed.spawn(1)[0])
            own = drawn.astype(np.float64) if fractions is None else drawn * fractions
            start = int(rng.integers(1 << 62))
            return grow_plr(data, drawn, own, rules, start, keep_shares=False)[0]

        seeds = np.random.SeedSequence(seed_entropy(self.random_state)).spawn(
            int(self.n_estimators)
        )
        self._trees = flatten(in_threads(self.n_jobs, grow, seeds), None, np.float64, self.n_jobs)

    def _check_state(self) -> None:
        super()._check_state()
        check_trees_of(self, "joint")

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return published_buckets(self._predict_shares(X))

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return positions_by_pairwise(self._predict_shares(X))

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shares = self._predict_shares(X)
        return positions_by_pairwise(shares), shares

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shares = self._predict_shares(X)
        return published_buckets(shares), shares

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return self._votes(X, tie=0.5)

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        before = self._votes(X, tie=0.0)
        before[:, range(self.n_labels_), range(self.n_labels_)] = 0.5
        return before

    def _votes(self, X: np.ndarray, tie: float) -> np.ndarray:
        """The share of the trees whose bucket orders put one label before another; a tie counts so much."""
        k = self.n_labels_
        votes = np.zeros((len(X), k, k))
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            leaves = self._trees.leaves(X[rows])
            add_votes(self._trees.values[self._trees.value_row[leaves]], votes[rows], tie)
        return votes / len(self._trees.roots)

    def _check_parameters(self) -> None:
        check_forest_size(self.n_estimators)
        check_choice("criterion", self.criterion, tuple(CRITERIA))
        check_tree_limits(self.min_samples_leaf, self.max_depth)


class PLRForest(VotingTrees):
    """Random forest for partial label ranking of Alfaro, Aledo and Gámez (2023).

    Trees such as `PLRTree` grows, on samples of the rows drawn with replacement, and a few features,
    drawn at random, compete for each cut. The trees' bucket orders vote: the share of a pair is that of
    the trees that put the one label before the other, a tie counting half, and the bucket order of
    these shares is predicted. What is taken is what `PLRTree` takes.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    criterion : {"entropy", "disagreements", "distance"}
        As in `PLRTree`.
    max_features : float, int, {"sqrt", "log2"} or None, default="sqrt"
        How many features, drawn at random, compete for a cut.
    min_samples_leaf : int, default=1
        As in `PLRTree`; rows that are drawn repeatedly count as often.
    max_depth : int, optional
        As in `PLRTree`.
    n_jobs : int, optional
        How many trees grow at a time, in threads; -1: one per core. Results do not depend on it.
    random_state : int, Generator or RandomState, optional
        Decides the samples and the features drawn.

    Attributes
    ----------
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.

    Notes
    -----
    Chosen here: trees vote by the bucket orders of their leaves, and not by the rankings in these; and
    where all features compete, chance decides between equal cuts of different features.

    References
    ----------
    J. C. Alfaro, J. A. Aledo, J. A. Gámez. Ensemble learning for the partial label ranking problem.
    Mathematical Methods in the Applied Sciences, 2023.

    Examples
    --------
    Tea, coffee and water, in the morning (0) and at night (1); at night coffee and water are tied:

    >>> from rankwise.baselines import PLRForest
    >>> X = [[0], [0], [0], [1], [1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [2, 1, 3], [1, 2, 2], [1, 2, 2]]
    >>> PLRForest(n_estimators=20, random_state=0).fit(X, Y).predict([[0], [1]])
    array([[2, 1, 3],
           [1, 2, 2]])
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        criterion: str = "entropy",
        max_features: Any = "sqrt",
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _features_drawn(self, n_features: int) -> int:
        return n_features_drawn(self.max_features, n_features)


class PLRBagging(VotingTrees):
    """Bagging for partial label ranking of Alfaro, Aledo and Gámez (2023).

    As `PLRForest`, but all features compete for every cut: the trees differ by their rows alone.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    criterion : {"entropy", "disagreements", "distance"}
        As in `PLRTree`.
    min_samples_leaf : int, default=1
        As in `PLRForest`.
    max_depth : int, optional
        As in `PLRTree`.
    n_jobs : int, optional
        As in `PLRForest`.
    random_state : int, Generator or RandomState, optional
        Decides the samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.

    Examples
    --------
    Tea, coffee and water, in the morning (0) and at night (1); at night coffee and water are tied:

    >>> from rankwise.baselines import PLRBagging
    >>> X = [[0], [0], [0], [1], [1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [2, 1, 3], [1, 2, 2], [1, 2, 2]]
    >>> PLRBagging(n_estimators=20, random_state=0).fit(X, Y).predict([[0], [1]])
    array([[2, 1, 3],
           [1, 2, 2]])
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        criterion: str = "entropy",
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.n_jobs = n_jobs
        self.random_state = random_state
