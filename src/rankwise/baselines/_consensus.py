"""The floor: one ranking for everybody, whatever the features say."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from rankwise.consensus import borda, copeland, kemeny, pairwise_matrix
from rankwise.ranker import RankerMixin, positions_by_pairwise, ranks_by_position

RULES = {"borda": borda, "copeland": copeland, "kemeny": kemeny}


class Consensus(RankerMixin, BaseEstimator):
    """Predict the consensus of the training rankings for every row.

    What a learner adds is what it gains on this one. Features are not read, and may be missing.
    Complete, incomplete and tied rankings are taken.

    Parameters
    ----------
    method : {"borda", "kemeny", "copeland"}
        The rule of `rankwise.consensus`. Labels that it ties are ranked by index.

    Attributes
    ----------
    ranks_ : ndarray of shape (n_labels,)
        The consensus: position of each label, 1 = first.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee and water:

    >>> from rankwise.baselines import Consensus
    >>> model = Consensus().fit([[7], [9], [16]], [[2, 1, 3], [2, 1, 3], [1, 2, 3]])
    >>> model.predict([[8], [17]])
    array([[2, 1, 3],
           [2, 1, 3]])
    """

    _takes_missing_features = True

    def __init__(self, method: str = "borda") -> None:
        self.method = method

    def fit(self, X: ArrayLike, Y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; only their number is remembered.
        Y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        if self.method not in RULES:
            choices = ", ".join(map(repr, RULES))
            raise ValueError(f"method is {self.method!r}; choose one of {choices}")
        _, ranks, weights = self._check_fit(X, Y, sample_weight)
        found = RULES[self.method](ranks, sample_weight=weights)
        self.ranks_ = ranks_by_position(np.asarray(found, dtype=np.float64)[None])[0]
        shares = pairwise_matrix(ranks, sample_weight=weights)
        self._shares = np.where(np.isnan(shares), 0.5, shares)
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Return the consensus for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            The same ranks in every row. A DataFrame with the label names where Y was one at fit.
        """
        n = len(self._check_predict(X))
        return self._as_output(np.tile(self.ranks_, (n, 1)), X)

    def predict_pairwise(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the share of training rows that put one label before another.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
            The same shares in every row; 1/2 for labels that were never compared.
        """
        return np.tile(self._shares, (len(self._check_predict(X)), 1, 1))

    def _positions(self, X: ArrayLike) -> NDArray[np.float64]:
        positions = positions_by_pairwise(self._shares[None])
        return np.tile(positions, (len(self._check_predict(X)), 1))
