"""Rankings as vectors, and back: the embeddings of structured prediction.

A regressor predicts vectors between those of rankings; decoding finds the ranking whose own vector
is nearest, exactly for Kemeny's (up to `EXACT_LABELS`) and Hamming's, coordinate by coordinate for
Lehmer's.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._parameters import check_choice
from rankwise.baselines._neighbours import DistanceRanker
from rankwise.consensus import copeland_batch, kemeny_batch
from rankwise.ranker import (
    LEAST,
    balance,
    pairwise_by_position,
    pairwise_by_table,
    ranks_by_cost,
    ranks_by_position,
)
from rankwise.rankings import check_rankings

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]

# Subsets of so many labels are searched within a tenth of a millisecond or so.
EXACT_LABELS = 12
# Supports are held for as many rows at a time as make this many cells (32 MB).
BLOCK_CELLS = 1 << 22


class Embedding(Protocol):
    """What an embedding offers; all arrays hold one row per ranking."""

    takes_missing: bool
    takes_ties: bool

    def embed(self, ranks: Floats) -> Floats:
        """Return the vectors of checked ranks (n, k)."""
        ...

    def decode(self, vectors: Floats, n_labels: int) -> Ranks:
        """Return ranks (n, k) near to any vectors of that length."""
        ...

    def shares(self, vectors: Floats, n_labels: int) -> Floats:
        """Return shares (n, k, k) for the row label before the column label."""
        ...


class KemenyEmbedding:
    """One coordinate per pair i < j: 1 if i is before j, -1 if behind, 0 if tied or unknown.

    Squared distances are four times Kendall's.

    Examples
    --------
    Tea, coffee and water; the second row does not know water:

    >>> vectors = KemenyEmbedding().embed(np.array([[2.0, 1, 3], [1, 2, np.nan]]))
    >>> vectors
    array([[-1.,  1.,  1.],
           [ 1.,  0.,  0.]])
    >>> KemenyEmbedding().decode(vectors[:1], 3)
    array([[2, 1, 3]])
    """

    takes_missing = True
    takes_ties = True

    def embed(self, ranks: Floats) -> Floats:
        i, j = np.triu_indices(ranks.shape[1], 1)
        return np.nan_to_num(np.sign(ranks[:, j] - ranks[:, i]))

    def decode(self, vectors: Floats, n_labels: int) -> Ranks:
        ranks = np.empty((len(vectors), n_labels), dtype=np.int64)
        step = max(1, BLOCK_CELLS // n_labels**2)
        for start in range(0, len(vectors), step):
            rows = slice(start, start + step)
            # support for i before j: what one of the two has beyond the other
            ranks[rows] = _kemeny_ranks(np.maximum(_mirror(vectors[rows], n_labels), 0))
        return ranks

    def shares(self, vectors: Floats, n_labels: int) -> Floats:
        return (1 + np.clip(_mirror(vectors, n_labels), -1, 1)) / 2


class HammingEmbedding:
    """One coordinate per position and label: 1 where that label stands there, else 0.

    Squared distances are twice the number of labels at different positions.

    Examples
    --------
    >>> vectors = HammingEmbedding().embed(np.array([[2.0, 1.0]]))
    >>> vectors
    array([[0., 1., 1., 0.]])
    >>> HammingEmbedding().decode(vectors, 2)
    array([[2, 1]])
    """

    takes_missing = False
    takes_ties = False

    def embed(self, ranks: Floats) -> Floats:
        n, k = ranks.shape
        positions = ranks_by_position(ranks)
        table = positions[:, None, :] == np.arange(1, k + 1)[:, None]
        return table.reshape(n, k * k).astype(np.float64)

    def decode(self, vectors: Floats, n_labels: int) -> Ranks:
        return ranks_by_cost(-vectors.reshape(-1, n_labels, n_labels))

    def shares(self, vectors: Floats, n_labels: int) -> Floats:
        table = np.maximum(vectors.reshape(-1, n_labels, n_labels), LEAST)
        return pairwise_by_table(balance(table))


class LehmerEmbedding:
    """One coordinate per label j: how many labels i < j do not stand before it.

    Coordinate j may be any number from 0 to j, whatever the others are, so that decoding is
    rounding. The coordinates depend on how labels are numbered.

    Examples
    --------
    >>> vectors = LehmerEmbedding().embed(np.array([[2.0, 1.0, 3.0]]))
    >>> vectors
    array([[0., 1., 0.]])
    >>> LehmerEmbedding().decode(vectors, 3)
    array([[2, 1, 3]])
    """

    takes_missing = False
    takes_ties = True

    def embed(self, ranks: Floats) -> Floats:
        return np.stack(
            [(ranks[:, :j] >= ranks[:, [j]]).sum(axis=1) for j in range(ranks.shape[1])], axis=1
        ).astype(np.float64)

    def decode(self, vectors: Floats, n_labels: int) -> Ranks:
        codes = np.clip(np.rint(vectors), 0, np.arange(n_labels)).astype(np.int64)
        ranks = np.empty(codes.shape, dtype=np.int64)
        for j in range(n_labels):
            # among the labels up to j, codes[:, j] stand behind label j
            ranks[:, j] = j + 1 - codes[:, j]
            ranks[:, :j] += ranks[:, :j] >= ranks[:, [j]]
        return ranks

    def shares(self, vectors: Floats, n_labels: int) -> Floats:
        return pairwise_by_position(self.decode(vectors, n_labels).astype(np.float64))


EMBEDDINGS: dict[str, Embedding] = {
    "kemeny": KemenyEmbedding(),
    "hamming": HammingEmbedding(),
    "lehmer": LehmerEmbedding(),
}


class EmbeddedRanker(DistanceRanker):
    """Base of the methods that predict embedded rankings and decode them.

    A subclass offers `_predict_vectors` and has the parameter `embedding`.
    """

    embedding: str

    @abstractmethod
    def _predict_vectors(self, X: np.ndarray) -> Floats:
        """Predict one vector for each row."""

    @property
    def _embedding(self) -> Embedding:
        return EMBEDDINGS[self.embedding]

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return self._embedding.decode(self._predict_vectors(X), self.n_labels_)

    def _predict_shares(self, X: np.ndarray) -> Floats:
        return self._embedding.shares(self._predict_vectors(X), self.n_labels_)

    def _check_parameters(self) -> None:
        check_choice("embedding", self.embedding, tuple(EMBEDDINGS))

    def _check_rankings(self, y: ArrayLike) -> np.ndarray:
        ranks = super()._check_rankings(y)
        takes = self._embedding
        try:
            check_rankings(
                y, allow_missing=takes.takes_missing, allow_ties=takes.takes_ties, name="y",
                taker=f"embedding={self.embedding!r}", warn=False,
            )  # fmt: skip
        except ValueError as error:
            raise ValueError(f"{error}; or use embedding='kemeny', which takes them") from None
        return ranks


def _mirror(vectors: Floats, n_labels: int) -> Floats:
    """Spread the coordinates of pairs over antisymmetric matrices (n, k, k)."""
    i, j = np.triu_indices(n_labels, 1)
    matrices = np.zeros((len(vectors), n_labels, n_labels))
    matrices[:, i, j] = vectors
    matrices[:, j, i] = -vectors
    return matrices


def _kemeny_ranks(support: Floats) -> Ranks:
    """Exact up to `EXACT_LABELS` labels and where Copeland's order breaks no majority; else near."""
    if support.shape[1] <= EXACT_LABELS:
        return kemeny_batch(support)
    ranks = ranks_by_position(copeland_batch(support).astype(np.float64))
    broken = np.where(ranks[:, :, None] > ranks[:, None, :], support, 0).any(axis=(1, 2))
    if broken.any():
        ranks[broken] = kemeny_batch(support[broken], method="local")
    return ranks
