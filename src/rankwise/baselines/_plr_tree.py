"""PLRTree: a decision tree for rankings with ties, with a bucket order in each leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._parameters import check_choice
from rankwise.baselines._lrt_growing import alone
from rankwise.baselines._plr_growing import CRITERIA, grow_plr, growing_rules, partial_data
from rankwise.engine import (
    Trees,
    check_tree_limits,
    check_trees_of,
    seed_entropy,
    whole_weights,
)
from rankwise.ranker import BaseRanker, comparing_rows, positions_by_pairwise


class PLRTree(BaseRanker):
    """Partial-label-ranking tree of Alfaro, Aledo and Gámez (2021): rankings with ties in and out.

    Each leaf predicts the bucket order of its rankings, found by pivots. A node is cut where the
    rankings of both sides disagree least, weighted by their rows, and growing stops where all agree.

    Takes ties, and incomplete rankings: a ranking counts for the pairs that it compares, and a label
    that no ranking of a leaf compares is tied behind the others. It takes no missing features. A whole
    weight counts as that many equal rows. A predicted rank is 1 + the number of
    labels in earlier buckets. The share of a pair is that of the leaf's rankings that put the
    one label before the other, a tie counting half.

    Parameters
    ----------
    criterion : {"entropy", "disagreements", "distance"}
        What is least where rankings agree, of each pair of labels: the entropy of ahead, tied and
        behind; the share of rankings that do not say what the bucket order says; or the same with
        rankings that turn the pair round counting twice.
    min_samples_leaf : int, default=1
        Every leaf keeps at least so many rows that compare labels.
    max_depth : int, optional
        Depth at which growing stops; None: no limit.
    random_state : int, Generator or RandomState, optional
        Decides between equal cuts of different features; None: the first feature is taken.

    Attributes
    ----------
    shares_ : ndarray of shape (n_leaves, n_pairs)
        Of each leaf the shares of the pairs 0-1, 0-2, ..., 1-2, ...
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.

    Notes
    -----
    Bucket orders are those of `rankwise.consensus.bucket_order` with ``method="several pivots twice"``
    and ``tie_within=0.25``, as in the publication. A cut that leaves the disagreement as it is is made,
    one that adds to it is not. Of equal cuts, which are many where nodes are small, that of the more
    even sides is taken, then that of the first feature and the lowest threshold. Rows with fewer than
    two observed labels are left out.

    References
    ----------
    J. C. Alfaro, J. A. Aledo, J. A. Gámez. Learning decision trees for the partial label ranking
    problem. International Journal of Intelligent Systems 36, 2021.

    Examples
    --------
    Tea, coffee and water, in the morning (0) and at night (1); at night coffee and water are tied:

    >>> from rankwise.baselines import PLRTree
    >>> X = [[0], [0], [0], [1], [1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [1, 2, 3], [1, 2, 2], [1, 2, 2]]
    >>> PLRTree().fit(X, Y).predict([[0], [1]])
    array([[1, 1, 3],
           [1, 2, 2]])
    """

    _saved_parts = (Trees,)
    _trees: Trees

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.random_state = random_state

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        data = partial_data(X, ranks)
        counts, fractions = whole_weights(weights, len(X))
        counts = counts * comparing_rows(ranks, weights, ties_count=True)
        drawn = counts.astype(np.float64) if fractions is None else counts * fractions
        seed = seed_entropy(self.random_state)
        rules = growing_rules(
            data, self.criterion, self.min_samples_leaf, self.max_depth, X.shape[1],
            seed is not None, drawn,
        )  # fmt: skip
        first = int(np.random.SeedSequence(seed or 0).generate_state(1)[0])
        tree, self.shares_ = grow_plr(data, counts, drawn, rules, first, keep_shares=True)
        self._trees = alone(tree)

    def _check_state(self) -> None:
        super()._check_state()
        check_trees_of(self, "joint")
        n, k = len(self._trees.values), self.n_labels_
        if len(self._trees.roots) != 1:
            raise ValueError("its PLRTree has several trees")
        shares = self._saved_numbers("shares_", (n, k * (k - 1) // 2))
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("its shares_ are not from 0 to 1")
        ranks = np.sort(self._trees.values, axis=1)
        ranks[:, 1:][ranks[:, 1:] == ranks[:, :-1]] = np.nan
        # who is not tied with the one before has as many before as there are
        if (
            not ((ranks == np.arange(1, k + 1)) | np.isnan(ranks)).all()
            or np.isnan(ranks[:, 0]).any()
        ):
            raise ValueError("a leaf holds no ranking of all labels")

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return self._ranks(self._leaves(X))

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return positions_by_pairwise(self._predict_shares(X))

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return self._shares(self._leaves(X))

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        # what a leaf ties is tied: how many of its rows tie a pair is not kept
        ranks = self._predict_ranks(X)
        before = (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64)
        before[:, range(self.n_labels_), range(self.n_labels_)] = 0.5
        return before

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        leaves = self._leaves(X)
        return self._ranks(leaves), self._shares(leaves)

    def _leaves(self, X: np.ndarray) -> np.ndarray:
        return self._trees.value_row[self._trees.leaves(X)[0]]

    def _ranks(self, leaves: np.ndarray) -> np.ndarray:
        return self._trees.values[leaves].astype(np.int64)

    def _shares(self, leaves: np.ndarray) -> np.ndarray:
        k = self.n_labels_
        shares = np.full((len(leaves), k, k), 0.5)
        i, j = np.triu_indices(k, 1)
        shares[:, i, j] = self.shares_[leaves]
        shares[:, j, i] = 1.0 - shares[:, i, j]
        return shares

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, tuple(CRITERIA))
        check_tree_limits(self.min_samples_leaf, self.max_depth)
