"""Features with their squares beside them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class WithSquares(TransformerMixin, BaseEstimator):
    """Put the square of each feature beside it, for what is best in the middle and worse on both sides.

    Standardise first. Lines on features and squares are what normal distributions with variances of
    their own lead to, one per label, as in naive Bayes.

    Attributes
    ----------
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> WithSquares().fit_transform([[1.0, -2.0]])
    array([[ 1., -2.,  1.,  4.]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape of X; there is nothing to learn."""
        validate_data(self, X, dtype="numeric")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features, and behind them their squares."""
        check_is_fitted(self)
        checked = validate_data(self, X, reset=False, dtype=np.float64)
        return with_squares(checked)


def with_squares(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the features, and behind them their squares."""
    return np.hstack([features, features**2])
