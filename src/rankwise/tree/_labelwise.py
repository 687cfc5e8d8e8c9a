"""Labelwise decomposition with any scikit-learn regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone

from rankwise._naming import shown
from rankwise._parallel import no_more_than
from rankwise._parameters import check_flag
from rankwise._saved_state import check_fitted_part
from rankwise.ranker import BaseRanker
from rankwise.rankings import check_rankings, check_true_positions


class LabelwiseRanker(BaseRanker):
    """Label ranking with one regressor per label, each fitted to the label's position.

    Labels are sorted by predicted position. With scikit-learn's trees and forests this is the
    program behind the paper's experiments. Tied labels share their mean position. Weights are passed
    to the regressors. The share of a pair is 1, 1/2 (tied) or 0.

    Rankings are complete, or incomplete with true positions: the paper's appendix on semi-supervised
    learning notes that labelwise decomposition applies where missing labels leave a gap (marked ⋆).
    The regressor of a label is then fitted to the rows that show it. That assumes that, given x,
    a label is as likely to be seen at any of its positions.

    Parameters
    ----------
    estimator : regressor, optional
        Any scikit-learn regressor or pipeline that ends in one; a random forest by default.
    true_positions : bool
        Whether observed positions are true where labels are missing (⋆), as for `PositionRanker`.
        Such rankings have no ties.
    ties : {"auto", "never"} or float
        Whether predictions have ties. A number from 0 to 1: labels are tied that are less than 2 ties - 1
        positions apart, so that 0.75 ties what is less than half a position apart. "auto": none where
        the training rankings have none; where they have, the number that predicts rows left out best,
        for which three more models are fitted.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the number to.
    n_jobs : int, optional
        How many labels are fitted at a time.

    Attributes
    ----------
    estimators_ : list of regressors
        One per label.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import rankwise as rw
    >>> model = rw.LabelwiseRanker(LinearRegression())
    >>> model.fit([[0.0], [1.0], [2.0]], [[1, 2, 3], [2, 1, 3], [3, 1, 2]]).predict([[0.1]])
    array([[1, 2, 3]])

    The same where the second of three labels was not seen in the first row:

    >>> star = rw.LabelwiseRanker(LinearRegression(), true_positions=True)
    >>> nan = float("nan")
    >>> star.fit([[0.0], [1.0], [2.0]], [[1, nan, 3], [2, 1, 3], [3, 1, 2]]).predict([[2.0]])
    array([[3, 1, 2]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        true_positions: bool = False,
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.true_positions = true_positions
        self.ties = ties
        self.ties_for = ties_for
        self.n_jobs = n_jobs

    @property
    def _takes_missing_labels(self) -> bool:  # type: ignore[override]
        return self.true_positions

    @property
    def _takes_ties(self) -> bool:  # type: ignore[override]
        return not self.true_positions

    @property
    def _takes_missing_features(self) -> bool:  # type: ignore[override]
        from sklearn.utils import get_tags

        given = self.estimator
        if isinstance(given, type) or not hasattr(given, "__sklearn_tags__"):
            return given is None  # what is no estimator is refused elsewhere, by its name
        return bool(get_tags(given).input_tags.allow_nan)

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        base = _default() if self.estimator is None else self.estimator
        positions = self._positions(ranks)
        seen = ~np.isnan(positions)
        never = np.flatnonzero(~seen.any(axis=0))
        if len(never):
            raise ValueError(
                f"y: label {self.labels_[never[0]]} is seen in no row; leave its column out"
            )
        self.estimators_ = Parallel(n_jobs=no_more_than(self.n_labels_, self.n_jobs))(
            delayed(_fit)(clone(base), X, positions[:, j], weights, seen[:, j])
            for j in range(self.n_labels_)
        )

    def _positions(self, ranks: np.ndarray) -> np.ndarray:
        if not self.true_positions:
            from scipy.stats import rankdata  # slow to import

            averaged: np.ndarray = rankdata(ranks, method="average", axis=1)
            return averaged
        named = self._labels_are_named
        check_true_positions(ranks, [repr(str(x)) if named else str(x) for x in self.labels_])
        return ranks

    def _check_rankings(self, y: ArrayLike) -> np.ndarray:
        if not self.true_positions:
            return super()._check_rankings(y)
        # where positions are true, a row with one label is no idle row
        return check_rankings(y, allow_ties=False, name="y", warn=False)

    def _check_state(self) -> None:
        super()._check_state()
        estimators = vars(self).get("estimators_")
        if not isinstance(estimators, list) or len(estimators) != self.n_labels_:
            raise ValueError(f"it has no regressor for each of its {self.n_labels_} labels")
        for estimator in estimators:
            check_fitted_part(estimator, "predict")

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        columns = [np.ravel(e.predict(X)) for e in self.estimators_]
        return np.clip(np.column_stack(columns), 1.0, self.n_labels_)

    def _check_parameters(self) -> None:
        check_flag("true_positions", self.true_positions)
        base = self.estimator
        if base is not None and (isinstance(base, type) or not hasattr(base, "fit")):
            raise TypeError(
                f"estimator must be a regressor such as LinearRegression(), got {shown(base)}"
            )


def _default() -> Any:
    from sklearn.ensemble import RandomForestRegressor  # slow to import

    return RandomForestRegressor()


def _fit(
    estimator: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, seen: np.ndarray
) -> Any:
    if not seen.all():
        X, y = X[seen], y[seen]
    if weights is None:
        return estimator.fit(X, y)
    return estimator.fit(X, y, sample_weight=weights[seen])
