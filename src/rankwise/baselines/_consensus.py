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
    ties : {"auto", "never"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`: two labels are tied where no more
        than this share of the training rows puts the one strictly before the other.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the share to.

    Attributes
    ----------
    ranks_ : ndarray of shape (n_labels,)
        The consensus: position of each label, 1 = first, without ties.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
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

    def __init__(
        self, method: str = "borda", *, ties: str | float = "auto", ties_for: str = "tau_x"
    ) -> None:
        self.method = method
        self.ties = ties
        self.ties_for = ties_for

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        found = RULES[self.method](ranks, sample_weight=weights)
        self.ranks_ = ranks_by_position(np.asarray(found, dtype=np.float64)[None])[0]
        shares = pairwise_matrix(ranks, sample_weight=weights)
        self._shares = np.where(np.isnan(shares), 0.5, shares)
        self._before = _strict_shares(ranks, weights) if self._with_ties else self._shares

    def _check_state(self) -> None:
        super()._check_state()
        k = self.n_labels_
        self._check_saved_rankings("ranks_", (k,))
        # a file from before there were ties in predictions has no `_before`
        for name in ("_shares", *({"_before"} & {*vars(self)})):
            shares = self._saved_array(name, (k, k))
            if not ((shares >= 0) & (shares <= 1)).all():
                raise ValueError("its shares are not between 0 and 1")
            both = (shares + shares.T)[~np.eye(k, dtype=bool)]
            # of rows with ties, some put neither label before the other
            if (both > 1 + 1e-9).any() or (name == "_shares" and (both < 1 - 1e-9).any()):
                raise ValueError("its shares of a pair do not add up to 1")
            if name == "_shares" and (shares.diagonal() != 0.5).any():
                raise ValueError("its share of a label before itself is not 1/2")

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self.ranks_, (len(X), 1))

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return positions_by_pairwise(self._predict_shares(X))

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self._shares, (len(X), 1, 1))

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self._before, (len(X), 1, 1))

    def _check_parameters(self) -> None:
        check_choice("method", self.method, tuple(RULES))


def _strict_shares(ranks: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The share of the rows that rank both labels which put the one strictly before the other.

    1/2 on the diagonal, and where no row ranks both.
    """
    strict, n_strict = pairwise_matrix(ranks, sample_weight=weights, return_weights=True)
    _, n_all = pairwise_matrix(ranks, sample_weight=weights, ties_count=True, return_weights=True)
    ordered = np.divide(n_strict, n_all, out=np.ones(n_all.shape), where=n_all > 0)
    shares: np.ndarray = np.where(n_strict > 0, np.nan_to_num(strict), 0.5) * ordered
    np.fill_diagonal(shares, 0.5)
    return shares
