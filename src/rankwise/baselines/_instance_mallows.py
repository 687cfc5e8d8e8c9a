"""A Mallows model fitted to the neighbours of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.baselines._mallows import (
    MallowsFit,
    fit_mallows_groups,
    mallows_probabilities,
    observed_places,
)
from rankwise.baselines._neighbours import Floats, Groups, InstanceRanker, group_sums
from rankwise.rankings import ranks_from_scores


class InstanceMallows(InstanceRanker):
    """Fit a Mallows model to the rankings of the nearest rows, and predict its centre.

    Cheng, Hühn and Hüllermeier, "Decision tree and instance-based learning for label ranking", ICML
    (2009). Complete rankings are averaged (Borda); incomplete ones are completed and averaged in
    turn, until the model fits no better. Ties and weights are not taken. The share of a pair is its
    probability in the model, 0 or 1 where all neighbours agree; `predict_theta` gives the spread.

    As in the publication, features are normalised (here to mean 0 and variance 1), distances are
    Euclidean, and the number of neighbours is chosen by cross-validation. It leaves the folds open:
    here each training row is left out in turn (5,000 rows, evenly spaced by their features, where
    there are more), and the number with the highest tau is taken, labels of equal Borda sum counting
    as tied. Rows with the same features are asked together, so that the order of rows does not matter.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Neighbours to ask, at least; "cv": the best of 5, 10, 15 and 20, the candidates of the publication.
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

    >>> from rankwise.baselines import InstanceMallows
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> model = InstanceMallows(n_neighbors=3).fit(X, Y)
    >>> model.predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    >>> model.predict_pairwise([[8]])[0, 0].round(2)
    array([0.5 , 0.14, 0.86])
    """

    _made_again = ("_index", "_starts", "_places")

    def _remember(self, ranks: Floats) -> None:
        self._places = observed_places(ranks)

    def predict_theta(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict how closely rankings gather around the prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The parameter theta of the Mallows model: 0 = every ranking is as likely, infinity = all
            neighbours agree.
        """
        return self._models(self._neighbours(self._check_predict(X))).thetas

    def _ranks_by(self, groups: Groups) -> np.ndarray:
        return self._models(groups).centers

    def _tied_ranks_by(self, groups: Groups) -> np.ndarray:
        if (self._places == 0).any():
            # completing a ranking needs a centre without ties
            return self._ranks_by(groups)
        sums = group_sums(self._places.astype(np.float64), groups)
        return ranks_from_scores(sums, higher_is_better=False)

    def _predict_shares(self, X: np.ndarray) -> Floats:
        models = self._models(self._neighbours(X))
        return mallows_probabilities(models.centers, models.thetas)

    def _models(self, groups: Groups) -> MallowsFit:
        return fit_mallows_groups(self._places, *groups)
