"""What all estimators share: the gate for X and Y, and the way from positions or shares to ranks."""

from __future__ import annotations

import math
from typing import Any, Self, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from rankwise.metrics import kendall_tau
from rankwise.rankings import check_rankings, label_names

# Positions that differ by less are one number, summed in two ways.
SAME_POSITION_DECIMALS = 9

AGGREGATIONS = ("copeland", "borda")


class RankerMixin:
    """Mixin of every estimator: `predict`, `score` and containers for what they return.

    A subclass calls `_check_fit` first thing in `fit`, and offers `_positions`, from which `predict`
    and `predict_positions` follow unless they are overridden; and `predict_pairwise` if it can.
    """

    _takes_missing_features = False

    def predict(self, X: ArrayLike) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            ranks[i, j] is the position of label j, 1 = first; equal scores go to the lower label.
            A DataFrame with the label names where Y was one at fit.
        """
        return self._as_output(ranks_by_position(self._positions(X)), X)

    def predict_positions(self, X: ArrayLike) -> Any:
        """Predict the expected position of each label, a number from 1 to the number of labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        return self._as_output(self._positions(X), X)

    def score(self, X: ArrayLike, Y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean Kendall tau between `Y` and the predicted ranks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        Y : array-like of shape (n_samples, n_labels)
            Their true ranks; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        return float(kendall_tau(Y, self.predict(X), sample_weight=sample_weight))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container of predictions: "pandas", or "default" for arrays.

        Parameters
        ----------
        transform : {"default", "pandas"}, optional
            None leaves the choice as it is. Until one is made, predictions are DataFrames if Y was
            one at fit.
        """
        if transform not in (None, "default", "pandas"):
            raise ValueError(f"transform must be 'default' or 'pandas', got {transform!r}")
        if transform is not None:
            self._output_container = transform
        return self

    def _positions(self, X: ArrayLike) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} does not predict positions")

    def _check_fit(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        allow_missing: bool = True,
        allow_ties: bool = True,
        warn: bool = True,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Validate training data and remember the names in it.

        `warn=False` is for estimators that learn from rows with a single label.
        """
        if Y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is "
                "None: pass the rankings of the rows of X"
            )
        X = self._check_features(X, reset=True)
        names = label_names(Y)
        ranks = check_rankings(Y, allow_missing=allow_missing, allow_ties=allow_ties, warn=warn)
        if len(ranks) != len(X):
            raise ValueError(
                f"X and Y have inconsistent numbers of samples: {len(X)} and {len(ranks)} rows; "
                "each row of X needs its ranking in the same row of Y"
            )
        self.n_labels_ = ranks.shape[1]
        self.labels_: np.ndarray = np.arange(ranks.shape[1]) if names is None else np.array(names)
        self._labels_are_named = names is not None
        return X, ranks, check_weights(sample_weight, len(X))

    def _check_predict(self, X: ArrayLike) -> np.ndarray:
        """Validate new rows against what was seen at fit."""
        check_is_fitted(self)
        return self._check_features(X, reset=False)

    def _check_features(self, X: ArrayLike, *, reset: bool) -> np.ndarray:
        names = getattr(self, "feature_names_in_", None)
        if is_plain_table(X) and names is None:
            # what validate_data would do here; looking for other containers takes it longer than
            # a small fit
            if reset:
                self.n_features_in_ = X.shape[1]
            if self.n_features_in_ == X.shape[1]:
                X = at_most_64_bits(X)
                refuse_bad_numbers(X, None, self._takes_missing_features)
                return X
        checked: np.ndarray = validate_data(
            self, X, reset=reset, dtype="numeric", ensure_all_finite=False
        )
        if checked.dtype.kind not in "fiub":
            raise ValueError(f"X must hold real numbers, got dtype {checked.dtype}")
        checked = at_most_64_bits(checked)
        refuse_bad_numbers(
            checked, getattr(self, "feature_names_in_", None), self._takes_missing_features
        )
        return checked

    def _as_output(self, result: np.ndarray, X: ArrayLike) -> Any:
        """Put one value per label into the container the user works with."""
        container = getattr(self, "_output_container", None)
        if container == "default" or (container is None and not self._labels_are_named):
            return result
        # imported here: it takes longer than a small fit, and is needed for DataFrames only
        import pandas as pd

        return pd.DataFrame(result, columns=self.labels_, index=getattr(X, "index", None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.allow_nan = self._takes_missing_features
        return tags


def is_plain_table(X: object) -> TypeGuard[np.ndarray]:
    """Whether X is a filled matrix of real numbers, and of numpy's own class.

    Examples
    --------
    >>> import numpy as np
    >>> is_plain_table(np.ones((2, 3))), is_plain_table([[1.0, 2.0]])
    (True, False)
    """
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiub" and X.size > 0


def at_most_64_bits(X: np.ndarray) -> np.ndarray:
    """Wider floats as float64, which every learner computes with; what is too large is infinite."""
    if X.dtype.kind != "f" or X.dtype.itemsize <= 8:
        return X
    with np.errstate(over="ignore"):
        return X.astype(np.float64)


def refuse_bad_numbers(X: np.ndarray, names: np.ndarray | None, missing_allowed: bool) -> None:
    """Raise an error that names the first cell of X that is infinite, or missing where it must not."""
    if X.dtype.kind != "f":
        return
    for start in range(0, len(X), 16_384):
        rows = X[start : start + 16_384]
        with np.errstate(over="ignore", invalid="ignore"):
            if math.isfinite(rows.sum()):
                continue  # then so is every number, at a fraction of the cost of looking at each
        bad = np.isinf(rows) if missing_allowed else ~np.isfinite(rows)
        if bad.any():
            i, j = np.argwhere(bad)[0]
            feature = repr(str(names[j])) if names is not None else str(j)
            what = "NaN (missing)" if np.isnan(rows[i, j]) else "infinity (inf)"
            remedy = (
                "fill it in, for example with sklearn.impute.SimpleImputer"
                if np.isnan(rows[i, j])
                else "replace it by a finite number, or by NaN where the estimator takes missing values"
            )
            raise ValueError(f"X contains {what} in row {start + i}, feature {feature}; {remedy}")


def check_weights(sample_weight: ArrayLike | None, n: int) -> np.ndarray | None:
    """Validate weights of rows: finite, not negative, not all zero."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), one per row; got {weights.shape}")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise ValueError(
            f"sample_weight of row {bad[0]} is {weights[bad[0]]}; weights must be finite and not negative"
        )
    if not weights.any():
        raise ValueError("sample_weight is zero in every row; at least one row must count")
    return weights


def ranks_by_position(positions: np.ndarray) -> np.ndarray:
    """Ranks of labels by predicted position, lowest first; equal positions go to the lower label.

    Examples
    --------
    >>> import numpy as np
    >>> ranks_by_position(np.array([[2.5, 1.2, 2.5]]))
    array([[2, 1, 3]])
    """
    order = np.argsort(np.round(positions, SAME_POSITION_DECIMALS), axis=1, kind="stable")
    ranks = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return ranks


def ranks_by_pairwise(shares: np.ndarray, aggregation: str) -> np.ndarray:
    """Ranks of labels from the chances (n, k, k) that one stands before another.

    "copeland" counts the labels predicted to beat a label, and breaks ties by the sum of chances,
    which is what "borda" goes by; what is still equal goes to the lower label.

    Examples
    --------
    >>> import numpy as np
    >>> chances = np.array([[[0.5, 0.9, 0.4], [0.1, 0.5, 0.2], [0.6, 0.8, 0.5]]])
    >>> ranks_by_pairwise(chances, "copeland")
    array([[2, 3, 1]])
    >>> ranks_by_pairwise(chances, "borda")
    array([[2, 3, 1]])
    """
    borda = np.round(positions_by_pairwise(shares), SAME_POSITION_DECIMALS)
    if aggregation == "borda":
        return ranks_by_position(borda)
    losses = (shares < 0.5 - 1e-12).sum(axis=2)
    k = shares.shape[1]
    # positions are below k + 1, so that losses decide first
    return ranks_by_position(losses * (k + 1.0) + borda)


def positions_by_pairwise(shares: np.ndarray) -> np.ndarray:
    """Expected positions from the chances (n, k, k) that one label stands before another.

    Examples
    --------
    >>> import numpy as np
    >>> positions_by_pairwise(np.array([[[0.5, 0.75], [0.25, 0.5]]]))
    array([[1.25, 1.75]])
    """
    k = shares.shape[1]
    return 0.5 + k - shares.sum(axis=2)


def pairwise_by_position(positions: np.ndarray) -> np.ndarray:
    """Chances (n, k, k) of 1, 1/2 or 0 from positions: before, level, behind.

    Examples
    --------
    >>> import numpy as np
    >>> pairwise_by_position(np.array([[1.0, 2.0]]))
    array([[[0.5, 1. ],
            [0. , 0.5]]])
    """
    rounded = np.round(positions, SAME_POSITION_DECIMALS)
    difference = rounded[:, :, None] - rounded[:, None, :]
    return np.where(difference < 0, 1.0, np.where(difference > 0, 0.0, 0.5))
