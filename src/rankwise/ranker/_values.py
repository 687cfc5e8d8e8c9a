"""Values beside rankings: how much better one label is than another, and what that makes of pairs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._parameters import check_flag, check_numbers
from rankwise.ranker._base import BaseRanker
from rankwise.rankings import label_names

# Squares of values are added up.
LARGEST = 1e100


class ValuesRanker(BaseRanker):
    """Base of the estimators that learn from the values that rankings were made of.

    While `_fit` runs they are in `_values`, or there is no such attribute.
    """

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        values: ArrayLike | None = None,
    ) -> Self:
        """Learn from rows and their rankings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; NaN = missing, where the estimator takes that.
        y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a row of weight 2 counts as two.
        values : array-like of shape (n_samples, n_labels), optional
            What each label is worth (run times, yields), in the columns of y; NaN = not measured. A
            run that was stopped counts as much as it is to cost, such as ten times the cutoff.
            Estimators on pairs let a row count for a pair by how much the two labels differ in it: a
            pair that differs by an hour matters more than one that differs by a second (cost-sensitive
            algorithm selection, Xu et al. 2011). Those that have `predict_values` keep them for it.

        Returns
        -------
        Self
            The fitted estimator.
        """
        if values is not None:
            self._values = _checked_values(values, y)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_values", None)


class ExpectsValues(ValuesRanker):
    """Base of those that also know what to expect of each label.

    A subclass offers `_expected_values` and `_knows_values`.
    """

    def predict_values(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict what each label is worth, where the estimator was fitted with ``values=``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        return_std : bool, default=False
            Whether to return the spread as well.

        Returns
        -------
        expected : ndarray of shape (n_samples, n_labels)
            The mean of what was measured in training rows that are like a row; NaN where a label was
            measured in none of them. A DataFrame with the label names where y was one at fit.
        spread : ndarray of shape (n_samples, n_labels)
            With `return_std`: the standard deviation among them. Forests stretch it so that about 68 %
            of values that were left out lie no further than that from what was expected.
        """
        check_flag("return_std", return_std)
        rows = self._check_predict(X)
        if not self._knows_values:
            raise ValueError(
                f"this {type(self).__name__} was fitted without values, so that it does not know what "
                "to expect of a label; fit it with fit(X, y, values=values)"
            )
        expected, spread = self._expected_values(rows)
        if return_std:
            return self._as_output(expected, X), self._as_output(spread, X)
        return self._as_output(expected, X)

    @property
    @abstractmethod
    def _knows_values(self) -> bool:
        """Whether it was fitted with values."""

    @abstractmethod
    def _expected_values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Expected values (n, k) of checked rows, and their spread."""


def _checked_values(values: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    given, names = check_numbers("values", values, 2), label_names(y)
    if given.shape != np.shape(y):
        raise ValueError(
            f"values has shape {given.shape} and y {np.shape(y)}; give one value per rank"
        )
    if names is not None and label_names(values) not in (None, names):
        raise ValueError("values has other columns than y; give them the same, in one order")
    for wrong, remedy in (
        (
            np.isinf(given),
            "put the cutoff or a penalty (such as ten cutoffs) for a run that was stopped, NaN for an "
            "unknown value",
        ),
        (np.abs(given) > LARGEST, "its square is no number: measure in a larger unit"),
    ):
        for i, j in np.argwhere(wrong)[:1]:
            label = repr(str(names[j])) if names is not None else j
            raise ValueError(
                f"values, row {i}: label {label} has the value {given[i, j]}; {remedy}"
            )
    return given


def pair_weights(values: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the labels of each pair differ, (n_samples, n_pairs); 1 on average of all.

    A row that ties the two, or does not know both values, counts as the average of its pair.

    Examples
    --------
    >>> pair_weights(np.array([[1.0, 4.0], [60.0, 51.0], [5.0, np.nan]]), np.array([[1, 2]] * 3))
    array([[0.5],
           [1.5],
           [1. ]])
    """
    first, second = np.triu_indices(values.shape[1], k=1)
    apart = np.abs(values[:, first] - values[:, second])
    counts = ~np.isnan(apart) & (ranks[:, first] != ranks[:, second])
    counts &= ~np.isnan(ranks[:, first] + ranks[:, second])
    sums, n = np.where(counts, apart, 0.0).sum(axis=0), counts.sum(axis=0)
    means = sums / np.maximum(n, 1)
    typical = sums.sum() / max(1, n.sum())
    if not typical > 0:
        return np.ones_like(apart)
    return np.where(counts, apart, np.where(means > 0, means, typical)) / typical
