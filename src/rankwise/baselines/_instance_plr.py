"""Rankings with ties by neighbours: the bucket order of the nearest rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.baselines._neighbours import Floats, Groups, NeighbourRanker, Rows, group_sums
from rankwise.baselines._plr_growing import published_buckets
from rankwise.metrics import tau_x


class InstancePLR(NeighbourRanker):
    """Predict the bucket order of the nearest rows: instance-based partial label ranking.

    Alfaro, Aledo and Gámez (2021), beside their trees (`PLRTree`). Takes ties, and incomplete rankings:
    a row counts for the pairs that it compares, and a label that no neighbour compares is tied behind
    the others. Weights are not taken. A predicted rank is 1 + the number of labels in earlier
    buckets. The share of a pair is that of the neighbours that put the one label
    before the other, a tie counting half, of those that compare the two.

    Features are normalised to mean 0 and variance 1, distances are Euclidean. With "cv" each training
    row is left out in turn (5,000 rows, evenly spaced by their features, where there are more), and
    the number of neighbours with the highest tau_x is taken. Rows with the same features are asked
    together, so that the order of rows does not matter.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Neighbours to ask, at least; "cv": the best of 1, 3, 5, 10, 15 and 20.
    n_jobs : int, optional
        Processors for the search of neighbours; -1 for all.

    Attributes
    ----------
    n_neighbors_ : int
        The number of neighbours that are asked.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Notes
    -----
    Bucket orders are those of `rankwise.consensus.bucket_order` with ``method="several pivots twice"``
    and ``tie_within=0.25``, as in the publication.

    Examples
    --------
    Tea, coffee and water, by the hour of the day; at night coffee and water are tied:

    >>> from rankwise.baselines import InstancePLR
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 2], [1, 2, 2], [1, 2, 2]]
    >>> InstancePLR(n_neighbors=3).fit(X, Y).predict([[8], [17]])
    array([[2, 1, 2],
           [1, 2, 2]])
    """

    _made_again = ("_index", "_starts", "_vectors")
    _ties_count = True
    standardises = True
    candidates = (1, 3, 5, 10, 15, 20)

    def __init__(self, n_neighbors: int | str = "cv", *, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _remember(self, ranks: Floats) -> None:
        i, j = np.triu_indices(ranks.shape[1], 1)
        ahead, behind = ranks[:, i] <= ranks[:, j], ranks[:, i] >= ranks[:, j]
        # a tie is both, and counts half on either side; NaN is neither
        both = np.concatenate([ahead, behind], axis=1).astype(np.float64)
        self._vectors = both - 0.5 * np.tile(ahead & behind, 2)

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return published_buckets(self._support(self._neighbours(X)))

    def _predict_shares(self, X: np.ndarray) -> Floats:
        return self._shares(self._support(self._neighbours(X)))

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        groups = self._neighbours(X)
        # halves, which are ties, count nothing
        return self._shares(self._support(groups), self._support(groups, np.floor(self._vectors)))

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        support = self._support(self._neighbours(X))
        return published_buckets(support), self._shares(support)

    def _losses(self, rows: Rows, groups: Sequence[Groups]) -> Sequence[float]:
        truth = self._ranks[rows]
        return [-float(tau_x(truth, published_buckets(self._support(group)))) for group in groups]

    def _support(self, groups: Groups, vectors: Floats | None = None) -> Floats:
        """How many neighbours put the one label before the other, (n_groups, k, k)."""
        k = self.n_labels_
        i, j = np.triu_indices(k, 1)
        ahead, behind = np.hsplit(
            group_sums(self._vectors if vectors is None else vectors, groups), 2
        )
        support = np.zeros((len(ahead), k, k))
        support[:, i, j], support[:, j, i] = ahead, behind
        return support

    def _shares(self, support: Floats, part: Floats | None = None) -> Floats:
        """Of the neighbours that compare a pair the share of those that count for it, or a part."""
        known = support + support.transpose(0, 2, 1)
        shares = np.full(support.shape, 0.5)
        np.divide(support if part is None else part, known, out=shares, where=known > 0)
        return shares
