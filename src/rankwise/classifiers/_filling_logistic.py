"""Logistic regression that fills gaps and standardises: scikit-learn fits it, a few numbers predict."""

from __future__ import annotations

import pickle
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from rankwise._parameters import is_real
from rankwise._saved_state import Saved
from rankwise.classifiers._newton import NotSolvedError, solve_logistic
from rankwise.classifiers._squares import with_squares

Floats = NDArray[np.float64]


class _Design(NamedTuple):
    """What a regression sees, and the mean and scale that its columns were standardised by once more."""

    columns: Floats
    mean: Any = 0.0
    scale: Any = 1.0


class Lines(NamedTuple):
    """A logistic regression without what stands before it."""

    classes_: NDArray[Any]
    coef_: Floats
    intercept_: Floats

    def predict_proba(self, design: Floats) -> Floats:
        """Return the probability of each class, in the order of `classes_`."""
        return probabilities(design @ self.coef_.T + self.intercept_)


class FillingLogistic(Saved, ClassifierMixin, BaseEstimator):
    """Logistic regression on standardised features; gaps get the mean of their column.

    What a pipeline of scikit-learn's `SimpleImputer`, `StandardScaler` and `LogisticRegression` is, and
    fitted by one. It predicts by a few numbers: to load and to ask it takes none of the modules that
    fitting needs, which take longer to import than thousands of predictions.

    Parameters
    ----------
    C : float
        The inverse of how strongly coefficients are drawn to 0.
    squares : bool
        Whether the square of each standardised feature stands beside it, for what is best in the middle.
    max_iter : int
        Steps of the solver at most.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    fill_, centre_, spread_ : ndarray of shape (n_features,)
        What gaps get, and the mean and standard deviation that features are standardised by.
    coef_ : ndarray of shape (1 or n_classes, n_features or twice as many)
        Of standardised features, and of their squares.
    intercept_ : ndarray of shape (1 or n_classes,)
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> model = FillingLogistic().fit([[1.0], [2.0], [np.nan], [4.0]], [0, 0, 1, 1])
    >>> model.predict([[0.0], [5.0]])
    array([0, 1])
    """

    def __init__(self, C: float = 1.0, *, squares: bool = False, max_iter: int = 100) -> None:
        self.C = C
        self.squares = squares
        self.max_iter = max_iter

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows of known classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; NaN = missing.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        # imported here, as below: predicting needs none of them
        from sklearn.linear_model import LogisticRegression

        design = self._learn_design(X, sample_weight)
        model = LogisticRegression(C=self.C, max_iter=self.max_iter)
        model.fit(design.columns, y, sample_weight)
        return self._take(design, model.classes_, model.coef_, model.intercept_)

    def fit_all(
        self, X: ArrayLike, answers: NDArray[np.bool_], sample_weight: Floats | None = None
    ) -> list[Self]:
        """Fit a copy to each column of answers (class 1 is yes), all of them solved together.

        Raises `NotSolvedError` where each must be fitted alone.
        """
        if not is_real(self.C) or not 0 < self.C < np.inf:
            raise NotSolvedError
        first = clone(self)
        design = first._learn_design(X, sample_weight)
        slopes, intercepts, _ = solve_logistic(
            design.columns, answers, float(self.C), sample_weight
        )
        classes = np.arange(2)
        return [
            copy(first)._take(design, classes, own[None], intercept[None])
            for own, intercept in zip(slopes, intercepts, strict=True)
        ]

    def _learn_design(self, X: ArrayLike, sample_weight: ArrayLike | None) -> _Design:
        """Learn how gaps are filled and features standardised; return what the regression sees."""
        from sklearn.impute import SimpleImputer
        from sklearn.preprocessing import StandardScaler

        checked = self._checked(X, reset=True)
        imputer, scaler = SimpleImputer(keep_empty_features=True), StandardScaler()
        columns = scaler.fit_transform(imputer.fit_transform(checked), sample_weight=sample_weight)
        self.fill_, self.centre_, self.spread_ = imputer.statistics_, scaler.mean_, scaler.scale_
        if not self.squares:
            return _Design(columns)
        again = StandardScaler()
        columns = again.fit_transform(with_squares(columns), sample_weight=sample_weight)
        return _Design(columns, again.mean_, again.scale_)

    def _take(self, design: _Design, classes: Any, slopes: Floats, intercept: Floats) -> Self:
        """Take over a solution; squares are not standardised again when rows are asked."""
        self.classes_ = classes
        self.coef_ = slopes / design.scale
        self.intercept_ = intercept - self.coef_ @ np.broadcast_to(design.mean, slopes.shape[1])
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probability of each class, in the order of `classes_`."""
        lines = self.lines()
        return lines.predict_proba(self.design(X))

    def lines(self) -> Lines:
        """Return the regression alone, which is asked about what `design` returns."""
        check_is_fitted(self)
        return Lines(self.classes_, self.coef_, self.intercept_)

    def design(self, X: ArrayLike) -> Floats:
        """Return rows as the regression sees them: without gaps, standardised, with squares if need be."""
        rows = self._checked(X, reset=False)
        missing = np.isnan(rows)
        if missing.any():
            rows = np.where(missing, self.fill_, rows)
        with np.errstate(over="ignore"):  # predictions that are no number are refused by name
            design = (rows - self.centre_) / self.spread_
        return with_squares(design) if self.squares else design

    def learned_of_features(self) -> bytes:
        """Return what `design` depends on: models of the same bytes see the same of rows."""
        check_is_fitted(self)
        names = vars(self).get("feature_names_in_")
        parts = (self.fill_, self.centre_, self.spread_)
        learned = [part.tobytes() for part in parts]
        return pickle.dumps((learned, self.squares, None if names is None else names.tolist()))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class with the highest probability."""
        found: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return found

    def _checked(self, X: ArrayLike, *, reset: bool) -> Floats:
        checked: Floats = validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        return checked

    def _check_parameters(self) -> None:
        """Those of a file: fitting checks its own."""

    def _check_state(self) -> None:
        if not self._saved_state():
            return  # one that is yet to be fitted
        d, classes = vars(self).get("n_features_in_"), vars(self).get("classes_")
        if type(d) is not int or d < 1:
            raise ValueError("its FillingLogistic takes no whole number of features")
        if (
            not isinstance(classes, np.ndarray)
            or classes.ndim != 1
            or classes.dtype.kind not in "iu"
        ):
            raise ValueError("its FillingLogistic has no classes")
        if type(self.squares) is not bool:
            raise ValueError("its FillingLogistic does not say whether it has squares")
        c = len(classes)
        if c < 2 or len({*classes.tolist()}) < c:
            raise ValueError("its FillingLogistic has no different classes")
        n_lines = 1 if c == 2 else c
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("fill_", "centre_", "spread_"), (d,))
        shapes |= {"coef_": (n_lines, 2 * d if self.squares else d)}
        shapes |= {"intercept_": (n_lines,)}
        for name, shape in shapes.items():
            # as large as they may be: features are not squared to fit a line
            if not np.isfinite(self._saved_array(name, shape)).all():
                raise ValueError(f"its {name} holds numbers that are not finite")
        if not (self.spread_ > 0).all():
            raise ValueError("its spread_ is not positive")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def probabilities(lines: Floats) -> Floats:
    """Return the probabilities of classes, of one number for two of them or one for each.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [-1000.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> probabilities(np.array([[7.0, 7.0, 7.0]])).round(3)
    array([[0.333, 0.333, 0.333]])
    """
    if lines.shape[1] == 1:
        half = np.tanh(lines / 2) / 2
        return np.hstack([0.5 - half, 0.5 + half])
    powers = np.exp(lines - lines.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares
