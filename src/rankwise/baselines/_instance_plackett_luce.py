"""A Plackett-Luce model fitted to the neighbours of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._cells import for_kernels
from rankwise.baselines._neighbours import Floats, Groups, InstanceRanker, Rows
from rankwise.baselines._plackett_luce_kernels import fit_strengths
from rankwise.ranker import ranks_by_position
from rankwise.rankings import ranks_from_scores

# Comparisons that each label wins, and loses, against the others together, beside the neighbours'.
PRIOR = 0.1
# Rounds of the MM algorithm, and the relative change of strengths that counts as none.
MAX_ROUNDS = 5000
TOLERANCE = 1e-4


class InstancePlackettLuce(InstanceRanker):
    """Fit a Plackett-Luce model to the rankings of the nearest rows, and sort by strength.

    Cheng, Dembczyński and Hüllermeier, "Label ranking methods based on the Plackett-Luce model", ICML
    (2010), its instance-based method. Each label has a strength; rankings arise by choosing the first
    label in proportion to strength, then the second among the rest, and so on. Strengths have the
    greatest likelihood, found by the MM algorithm of Hunter (2004). Incomplete rankings are taken as
    rankings of fewer labels; ties and weights are not taken. The share of a pair is the strength of the
    one label over the sum of both.

    Features are normalised (here to mean 0 and variance 1), distances are Euclidean, and the number of
    neighbours is chosen by leaving out training rows, as in `InstanceMallows`. The publication leaves
    open what becomes of a label that wins or loses against all others in all neighbours, where the
    likelihood has no maximum. Here every label also wins and loses a tenth of a comparison, spread over
    the other labels.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Neighbours to ask, at least; "cv": the best of 5, 10, 15 and 20.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; as rankings with ties are not taken,
        "auto" is "never".
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

    >>> from rankwise.baselines import InstancePlackettLuce
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> model = InstancePlackettLuce(n_neighbors=3).fit(X, Y)
    >>> model.predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _made_again = ("_index", "_starts", "_orders")

    def _remember(self, ranks: Floats) -> None:
        self._orders = observed_orders(ranks)

    def predict_strengths(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the strength of each label; their ratio is the odds of one before another.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            With geometric mean 1 in each row.
        """
        return self._strengths(self._check_predict(X))

    def _ranks_by(self, groups: Groups) -> np.ndarray:
        return ranks_by_position(-self._log_strengths(groups))

    def _tied_ranks_by(self, groups: Groups) -> np.ndarray:
        return ranks_from_scores(self._log_strengths(groups))

    def _log_strengths(self, groups: Groups) -> Floats:
        # labels of equal strength are equal up to what the last round would change
        return np.log(strengths_of_groups(self._orders, *groups)).round(5)

    def _predict_shares(self, X: np.ndarray) -> Floats:
        strengths = self._strengths(X)
        return strengths[:, :, None] / (strengths[:, :, None] + strengths[:, None, :])

    def _strengths(self, X: np.ndarray) -> Floats:
        return strengths_of_groups(self._orders, *self._neighbours(X))


def observed_orders(ranks: Floats) -> NDArray[np.int64]:
    """Labels of each row from first to last, then -1 for those that are not observed.

    Examples
    --------
    >>> observed_orders(np.array([[4.0, np.nan, 2.0]]))
    array([[ 2,  0, -1]])
    """
    # NaN sorts last
    orders = np.argsort(ranks, axis=1, kind="stable")
    return np.where(np.isnan(np.take_along_axis(ranks, orders, axis=1)), -1, orders)


def strengths_of_groups(orders: NDArray[np.int64], rows: Rows, starts: Rows) -> Floats:
    """Strengths (n_groups, k) of the Plackett-Luce model of each group of rows of `orders`.

    `rows` has the rows of all groups, group after group; `starts` says where each starts in it, then
    where the last ends.

    Examples
    --------
    Tea beats coffee twice, and loses once:

    >>> orders = np.array([[0, 1], [1, 0]])
    >>> strengths = strengths_of_groups(orders, np.array([0, 0, 1]), np.array([0, 3]))
    >>> strengths.round(2)
    array([[1.38, 0.72]])
    """
    strengths = np.empty((len(starts) - 1, orders.shape[1]))
    fit_strengths(
        for_kernels(orders, np.int64), for_kernels(rows, np.int64), for_kernels(starts, np.int64),
        PRIOR / (orders.shape[1] - 1), MAX_ROUNDS, TOLERANCE, strengths,
    )  # fmt: skip
    return strengths
