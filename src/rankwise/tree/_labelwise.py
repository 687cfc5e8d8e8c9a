"""Labelwise decomposition with any scikit-learn regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

from rankwise._saved_state import check_fitted_part
from rankwise.ranker import BaseRanker


class LabelwiseRanker(BaseRanker):
    """Label ranking with one regressor per label, each fitted to the label's position.

    Labels are sorted by predicted position. With scikit-learn's trees and forests this is the
    program behind the paper's experiments. Complete rankings only; tied labels share their mean
    position. Weights are passed to the regressors. The share of a pair is 1, 1/2 (tied) or 0.

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

    _takes_missing_labels = False

    def __init__(self, estimator: Any = None, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    @property
    def _takes_missing_features(self) -> bool:  # type: ignore[override]
        from sklearn.utils import get_tags

        return self.estimator is None or bool(get_tags(self.estimator).input_tags.allow_nan)

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        base = RandomForestRegressor() if self.estimator is None else self.estimator
        positions = rankdata(ranks, method="average", axis=1)
        options = {} if weights is None else {"sample_weight": weights}
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(clone(base), X, positions[:, j], options) for j in range(self.n_labels_)
        )

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
        base = self.estimator
        if base is not None and (isinstance(base, type) or not hasattr(base, "fit")):
            raise TypeError(
                f"estimator must be a regressor such as LinearRegression(), got {base!r}"
            )


def _fit(estimator: Any, X: np.ndarray, y: np.ndarray, options: dict[str, Any]) -> Any:
    return estimator.fit(X, y, **options)
