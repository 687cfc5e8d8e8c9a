"""The floor: one ranking for everybody, whatever the features say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise._parameters import check_choice
from rankwise.consensus import borda, copeland, kemeny, pairwise_matrix
from rankwise.ranker import BaseRanker, positions_by_pairwise, ranks_by_position

RULES: dict[str, Callable[..., Any]] = {"borda": borda, "copeland": copeland, "kemeny": kemeny}


class Consensus(BaseRanker):
    """Predict the consensus of the training rankings for every row.

    What a learner adds is what it gains on this one. Features are not read, and may be missing.
    Complete, incomplete and tied rankings are taken. The share of a pair is that of the training rows
    that put the one label before the other, 1/2 for labels that were never compared.

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

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        found = RULES[self.method](ranks, sample_weight=weights)
        self.ranks_ = ranks_by_position(np.asarray(found, dtype=np.float64)[None])[0]
        shares = pairwise_matrix(ranks, sample_weight=weights)
        self._shares = np.where(np.isnan(shares), 0.5, shares)

    def _check_state(self) -> None:
        super()._check_state()
        k = self.n_labels_
        self._check_saved_rankings("ranks_", (k,))
        shares = self._saved_array("_shares", (k, k))
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("its shares are not between 0 and 1")

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self.ranks_, (len(X), 1))

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return positions_by_pairwise(self._predict_shares(X))

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self._shares, (len(X), 1, 1))

    def _check_parameters(self) -> None:
        check_choice("method", self.method, tuple(RULES))
