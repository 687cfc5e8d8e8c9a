"""Structured prediction by neighbours: average embedded rankings, decode the average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from rankwise.baselines._embeddings import check_embedding, refuse_unembeddable
from rankwise.baselines._neighbours import Floats, NeighbourRanker, Rows
from rankwise.ranker import positions_by_pairwise


class KNNKemeny(NeighbourRanker):
    """Average the embedded rankings of the nearest rows, and decode the average to a ranking.

    Korba, Garcia and d'Alché-Buc, "A structured prediction approach for label ranking", NeurIPS
    (2018), with nearest neighbours as the regressor. With Kemeny's embedding the prediction is the
    Kemeny consensus of the neighbours.

    As in the publication, Kemeny's embedding takes incomplete and tied rankings (an unknown or tied
    pair is 0), Lehmer's takes ties (a tie counts as an inversion) but no missing labels, Hamming's
    takes neither. Neighbours are by Euclidean distance in the features as given: scale them first.

    The publication chooses the number of neighbours by five-fold cross-validation of the regression,
    and leaves folds and ties open. Here each training row is left out in turn (5,000 rows, evenly
    spaced, where there are more), which needs no random numbers, and the candidate with the least
    squared error in the embedding is taken. Decoding is exact up to 12 labels; beyond, Kemeny's
    consensus is exact where no majorities cycle, and by local search elsewhere.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Neighbours to ask; "cv": the best of 1, 2, 3, 4, 5, 8, 10, 15, 20, 30 and 50, the
        candidates of the publication.
    embedding : {"kemeny", "hamming", "lehmer"}
        Pairs; positions, decoded by assignment; or inversions, decoded by rounding.
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

    candidates = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50)

    def __init__(
        self,
        n_neighbors: int | str = "cv",
        *,
        embedding: str = "kemeny",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.embedding = embedding
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, Y: ArrayLike) -> Self:
        """Remember the rows, and choose the number of neighbours.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        Y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied.
        """
        self._embedding = check_embedding(self.embedding)
        X, ranks, _ = self._check_fit(X, Y)
        refuse_unembeddable(ranks, self.labels_, self.embedding, self._embedding)
        self._vectors = self._embedding.embed(self._search(X, ranks, standardise=False))
        self.n_neighbors_ = self._choose()
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            ranks[i, j] is the position of label j, 1 = first. A DataFrame with the label names
            where Y was one at fit.
        """
        means = self._means(self._neighbours(X))
        return self._as_output(self._embedding.decode(means, self.n_labels_), X)

    def predict_pairwise(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the chance that one label stands before another.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
            Kemeny: the share of neighbours that put the row label before the column label, a tie or
            an unknown pair counting half. Hamming: as if positions were drawn by the shares of
            neighbours. Lehmer: 1 or 0, by the predicted ranking.
        """
        means = self._means(self._neighbours(X))
        return self._embedding.shares(means, self.n_labels_)

    def _positions(self, X: ArrayLike) -> Floats:
        return positions_by_pairwise(self.predict_pairwise(X))

    def _means(self, neighbours: Rows) -> Floats:
        return self._sums(neighbours) / neighbours.shape[1]

    def _sums(self, neighbours: Rows) -> Floats:
        """Sums of embedded rankings; whole numbers, so that a tie is exactly 0."""
        n, m = neighbours.shape
        asked = csr_array(
            (np.ones(n * m), neighbours.ravel(), np.arange(0, n * m + 1, m)),
            shape=(n, len(self._vectors)),
        )
        sums: Floats = asked @ self._vectors
        return sums

    def _losses(self, rows: Rows, neighbours: Rows, candidates: Sequence[int]) -> list[float]:
        truth = self._vectors[rows]
        sums, asked, losses = np.zeros(truth.shape), 0, []
        for count in candidates:
            sums += self._sums(neighbours[:, asked:count])
            asked = count
            losses.append(float(((sums / count - truth) ** 2).mean()))
        return losses
