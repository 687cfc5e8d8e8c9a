"""Labelwise decomposition with any scikit-learn regressor."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestRegressor

from rankwise.ranker import RankerMixin, pairwise_by_position


class LabelwiseRanker(RankerMixin, BaseEstimator):
    """Label ranking with one regressor per label, each fitted to the label's position.

    Labels are sorted by predicted position. With scikit-learn's trees and forests this is the
    program behind the paper's experiments. Complete rankings only; tied labels share their mean
    position.

    Parameters
    ----------
    estimator : regressor, optional
        Any scikit-learn regressor or pipeline that ends in one; a random forest by default.
    n_jobs : int, optional
        How many labels are fitted at a time.

    Attributes
    ----------
    estimators_ : list of regressors
        One per label.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import rankwise as rw
    >>> model = rw.LabelwiseRanker(LinearRegression())
    >>> model.fit([[0.0], [1.0], [2.0]], [[1, 2, 3], [2, 1, 3], [3, 1, 2]]).predict([[0.1]])
    array([[1, 2, 3]])
    """

    def __init__(self, estimator: Any = None, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    @property
    def _takes_missing_features(self) -> bool:  # type: ignore[override]
        from sklearn.utils import get_tags

        return self.estimator is None or bool(get_tags(self.estimator).input_tags.allow_nan)

    def fit(self, X: ArrayLike, Y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit one regressor per label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        Y : array-like of shape (n_samples, n_labels)
            Complete ranks, 1 = first; equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, passed to the regressors.
        """
        base = RandomForestRegressor() if self.estimator is None else self.estimator
        if isinstance(base, type) or not hasattr(base, "fit"):
            raise TypeError(
                f"estimator must be a regressor such as LinearRegression(), got {base!r}"
            )
        X, ranks, weights = self._check_fit(X, Y, sample_weight, allow_missing=False)
        positions = rankdata(ranks, method="average", axis=1)
        options = {} if weights is None else {"sample_weight": weights}
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(clone(base), X, positions[:, j], options) for j in range(self.n_labels_)
        )
        return self

    def predict_pairwise(self, X: ArrayLike) -> np.ndarray:
        """Whether one label stands before another: 1, 1/2 (level) or 0 by predicted position.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
        """
        return pairwise_by_position(self._positions(X))

    def _positions(self, X: ArrayLike) -> np.ndarray:
        checked = self._check_predict(X)
        columns = [np.ravel(e.predict(checked)) for e in self.estimators_]
        return np.clip(np.column_stack(columns), 1.0, self.n_labels_)


def _fit(estimator: Any, X: np.ndarray, y: np.ndarray, options: dict[str, Any]) -> Any:
    return estimator.fit(X, y, **options)
