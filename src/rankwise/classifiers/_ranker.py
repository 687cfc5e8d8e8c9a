"""The base of rankers made of classifiers: features with names, weights, names in messages."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from rankwise.classifiers._features import (
    check_frame,
    must_stay_a_frame,
    share_features,
)
from rankwise.ranker import BaseRanker, missing_as_nan, take_rows


class ClassifierRanker(BaseRanker):
    """Base of rankers whose parameter `estimator` is a classifier, fitted many times."""

    _takes_missing_features = True  # the classifiers decide, and their error names the pair

    estimator: Any
    n_jobs: int | None

    def _check_features(self, X: ArrayLike, *, reset: bool) -> Any:
        """Return features that every classifier can read: an array, or a DataFrame if X has names."""
        if hasattr(X, "tocoo"):
            return self._check_sparse(X, reset=reset)
        X = missing_as_nan(X)
        # classifiers that were fitted to an array take arrays
        takes_frames = reset or hasattr(self, "feature_names_in_")
        if takes_frames and must_stay_a_frame(X, self.estimator):
            validate_data(self, X, reset=reset, skip_check_array=True)
            check_frame(X)
            return X
        checked = super()._check_features(X, reset=reset)
        return share_features(checked, getattr(self, "feature_names_in_", None))

    def _check_sparse(self, X: Any, *, reset: bool) -> Any:
        if not get_tags(self._classifier()).input_tags.sparse:
            name = type(self).__name__
            raise TypeError(
                f"X is a sparse matrix, which the classifier of this {name} does not take; give "
                f"X.toarray(), or {name}(LogisticRegression()), which takes it"
            )
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", ensure_all_finite="allow-nan"
        )

    def _fit(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._names = [repr(str(x)) if self._labels_are_named else str(x) for x in self.labels_]
        if weights is not None and not weights.all():
            kept = weights > 0
            X, ranks, weights = take_rows(X, kept), ranks[kept], weights[kept]
        self._fit_classifiers(X, ranks, weights)

    @abstractmethod
    def _fit_classifiers(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        """Learn from the rows that count."""

    @abstractmethod
    def _classifier(self) -> Any:
        """Return the classifier that is fitted many times, or raise an error that says what it lacks."""

    def _check_parameters(self) -> None:
        self._classifier()

    def _check_state(self) -> None:
        super()._check_state()
        k, names = self.n_labels_, vars(self).get("_names")
        if not isinstance(names, list) or len(names) != k or {type(x) for x in names} != {str}:
            raise ValueError(f"it has no {k} names")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # what is no estimator is refused elsewhere, by its name
        takes = hasattr(self.estimator, "__sklearn_tags__") and not isinstance(self.estimator, type)
        tags.input_tags.allow_nan = takes and get_tags(self.estimator).input_tags.allow_nan
        tags.input_tags.sparse = takes and get_tags(self.estimator).input_tags.sparse
        return tags
