"""LRT: a decision tree with a Mallows model in each leaf."""

from __future__ import annotations

import numpy as np

from rankwise.baselines._lrt_growing import alone, grow_lrt, training_data
from rankwise.baselines._mallows import mallows_probabilities
from rankwise.engine import Trees, check_tree_limits, check_trees_of, limit, whole_weights
from rankwise.ranker import BaseRanker, comparing_rows, ranks_by_position


class LRT(BaseRanker):
    """Label-ranking tree of Cheng, Hühn and Hüllermeier (ICML 2009).

    Each leaf holds a Mallows model: a central ranking, which is predicted, and its spread theta. A
    node is cut where the mean theta of both sides, weighted by their rows, is largest, and growing
    stops where all rankings agree or a side would be too small.

    Takes incomplete rankings, as the publication does: a leaf is fitted by completing its rankings
    with their most probable extensions, in turn with the centre. It takes no ties, and no missing
    features. A whole weight counts as that many equal rows. The share of a pair is the probability of
    the one label before the other in the Mallows model of the row's leaf.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        Every leaf keeps at least so many rows that compare labels.
    max_depth : int, optional
        Depth at which growing stops; None: no limit.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; as rankings with ties are not taken,
        "auto" is "never".

    Attributes
    ----------
    centers_ : ndarray of shape (n_leaves, n_labels)
        The positions of the labels in the central ranking of each leaf.
    thetas_ : ndarray of shape (n_leaves,)
        Spread of each leaf; infinite where all its rankings agree, 0 where they might be random.
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.

    Notes
    -----
    The publication leaves open, and here was chosen:

    - The smallest leaf: 2, as in C4.5. With it ten-fold tau is nearest to the published figures.
    - Theta of rankings that all agree is infinite; a cut counts it as 10.
    - Central rankings are Borda's, which the publication proposes as an approximation.
    - Incomplete rankings are completed in the leaves alone. For a cut the distance from Borda's
      ranking is the share of observed comparisons that contradict it, times the number of pairs.
    - No cut is tried between neighbours with one and the same ranking, except for the outermost that
      the size of leaves allows: with the best centre on either side none can beat those around it.
    - Rows with fewer than two observed labels are left out.
    - A nominal feature must be coded as numbers (one-hot); cuts have two sides.

    scikit-lr's tree cuts by another rule: it minimises the weighted mean of 1 / (1 + theta), in which
    a theta that is large already gains little by growing. On four of five small sets its tau was 0.007
    to 0.024 higher, each about one standard error: see "Choosing a learner" in the documentation.

    References
    ----------
    W. Cheng, J. Hühn, E. Hüllermeier. Decision tree and instance-based learning for label ranking.
    ICML 2009.

    Examples
    --------
    Tea, coffee and water, in the morning (0) and at night (1):

    >>> from rankwise.baselines import LRT
    >>> X = [[0], [0], [0], [1], [1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> model = LRT().fit(X, Y)
    >>> model.predict([[0], [1]])
    array([[2, 1, 3],
           [1, 3, 2]])
    >>> model.thetas_.round(2)
    array([1.78,  inf])
    """

    _takes_ties = False
    _saved_parts = (Trees,)
    _trees: Trees

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        ties: str | float = "never",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.ties = ties

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        data = training_data(X, ranks)
        counts, fractions = whole_weights(weights, len(X))
        counts = counts * comparing_rows(ranks, weights)
        drawn = counts.astype(np.float64) if fractions is None else counts * fractions
        min_leaf, max_depth = limit(self.min_samples_leaf), limit(self.max_depth)
        tree, centers, thetas = grow_lrt(data, counts, drawn, min_leaf, max_depth)
        self._trees = alone(tree)
        self.centers_, self.thetas_ = centers, thetas

    def _check_state(self) -> None:
        super()._check_state()
        check_trees_of(self, "joint")
        n = len(self._trees.values)
        if len(self._trees.roots) != 1:
            raise ValueError("its LRT has several trees")
        self._check_saved_rankings("centers_", (n, self.n_labels_))
        if not (self._saved_array("thetas_", (n,)) >= 0).all():
            raise ValueError("its thetas_ are negative or not numbers")

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return self._trees.values[self._leaves(X)]

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return self._shares(self._leaves(X))

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        leaves = self._leaves(X)
        return ranks_by_position(self._trees.values[leaves]), self._shares(leaves)

    def _leaves(self, X: np.ndarray) -> np.ndarray:
        return self._trees.value_row[self._trees.leaves(X)[0]]

    def _shares(self, leaves: np.ndarray) -> np.ndarray:
        used, place = np.unique(leaves, return_inverse=True)
        return mallows_probabilities(self.centers_[used], self.thetas_[used])[place]

    def _check_parameters(self) -> None:
        check_tree_limits(self.min_samples_leaf, self.max_depth)
