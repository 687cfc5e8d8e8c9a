"""Structured prediction by neighbours: average embedded rankings, decode the average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise._parameters import check_flag
from rankwise.baselines._embeddings import EmbeddedRanker
from rankwise.baselines._neighbours import Floats, Groups, NeighbourRanker, Rows, group_sums


class KNNKemeny(EmbeddedRanker, NeighbourRanker):
    """Average the embedded rankings of the nearest rows, and decode the average to a ranking.

    Korba, Garcia and d'Alché-Buc, "A structured prediction approach for label ranking", NeurIPS
    (2018), with nearest neighbours as the regressor. With Kemeny's embedding the prediction is the
    Kemeny consensus of the neighbours.

    As in the publication, Kemeny's embedding takes incomplete and tied rankings (an unknown or tied
    pair is 0), Lehmer's takes ties (a tie counts as an inversion) but no missing labels, Hamming's
    takes neither. The share of a pair is, with Kemeny's embedding, that of the neighbours that put the
    one label before the other, a tie or an unknown pair counting half; with Hamming's as if positions
    were drawn by the shares of neighbours; with Lehmer's 1 or 0, by the predicted ranking.

    Neighbours are by Euclidean distance in the features as given, as in the publication: scale them
    first, or say ``scale=True``. Weights are not taken.

    The publication chooses the number of neighbours by five-fold cross-validation of the regression,
    and leaves folds and ties open. Here each training row is left out in turn (5,000 rows, evenly
    spaced by their features, where there are more), which needs no random numbers, and the candidate
    with the least squared error in the embedding is taken. Rows with the same features are asked
    together, so that the order of rows does not matter. Decoding is exact up to 12 labels; beyond, Kemeny's
    consensus is exact where no majorities cycle, and by local search elsewhere.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Neighbours to ask, at least; "cv": the best of 1, 2, 3, 4, 5, 8, 10, 15, 20, 30 and 50, the
        candidates of the publication.
    embedding : {"kemeny", "hamming", "lehmer"}
        Pairs; positions, decoded by assignment; or inversions, decoded by rounding.
    scale : bool
        Whether features are normalised to mean 0 and variance 1 first.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`: the share that a label must have
        before another. The publication has none.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the share to.
    n_jobs : int, optional
        Processors for the search of neighbours; -1 for all.

    Attributes
    ----------
    n_neighbors_ : int
        The number of neighbours that are asked.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee and water, by the hour of the day:

    >>> from rankwise.baselines import KNNKemeny
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> KNNKemeny(n_neighbors=3).fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _made_again = ("_index", "_starts", "_vectors")
    candidates = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50)

    def __init__(
        self,
        n_neighbors: int | str = "cv",
        *,
        embedding: str = "kemeny",
        scale: bool = False,
        ties: str | float = "never",
        ties_for: str = "tau_x",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.embedding = embedding
        self.scale = scale
        self.ties = ties
        self.ties_for = ties_for
        self.n_jobs = n_jobs

    @property
    def standardises(self) -> bool:  # type: ignore[override]
        """Whether features are normalised."""
        return self.scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("scale", self.scale)

    def _remember(self, ranks: Floats) -> None:
        self._vectors = self._embedding.embed(ranks)

    def _predict_vectors(self, X: np.ndarray) -> Floats:
        return self._means(self._neighbours(X))

    def _means(self, groups: Groups) -> Floats:
        """Means of embedded rankings, whose sums are whole: a tie is exactly 0."""
        return group_sums(self._vectors, groups) / np.diff(groups[1])[:, None]

    def _losses(self, rows: Rows, groups: Sequence[Groups]) -> Sequence[float]:
        truth = self._vectors[rows]
        return [float(((self._means(group) - truth) ** 2).mean()) for group in groups]
