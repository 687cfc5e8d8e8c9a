"""Logistic regressions of many questions about the same rows, solved together.

scikit-learn solves one at a time, and takes longer to begin than to solve where rows are few.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rankwise.classifiers._filling_logistic import FillingLogistic
from rankwise.classifiers._newton import NotSolvedError, solve_logistic
from rankwise.classifiers._shared_steps import has_plain_steps

Floats = NDArray[np.float64]

# What does not change where the solution lies.
_FREE = {"C", "max_iter", "n_jobs", "random_state", "solver", "tol"}
_SMOOTH_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")


def is_plain_logistic(estimator: Any) -> bool:
    """Whether it is logistic regression with a ridge: a `FillingLogistic`, or behind plain steps.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> is_plain_logistic(make_pipeline(StandardScaler(), LogisticRegression(C=0.1)))
    True
    >>> is_plain_logistic(make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")))
    False
    """
    if type(estimator) is FillingLogistic:
        return True
    if not has_plain_steps(estimator):
        return False
    from sklearn.linear_model import LogisticRegression

    last = estimator.steps[-1][1]
    if type(last) is not LogisticRegression or last.solver not in _SMOOTH_SOLVERS:
        return False
    usual, own = LogisticRegression().get_params(), last.get_params()
    is_number = isinstance(last.C, Real) and not isinstance(last.C, bool)
    return (
        is_number
        and 0 < float(last.C) < math.inf
        and all(own[name] == usual[name] for name in {*usual} - _FREE)
    )


def fit_logistics(
    estimator: Any,
    X: Any,
    answers: NDArray[np.bool_],
    weights: Floats | None,
    keywords: Iterable[str],
) -> list[Any]:
    """Fit copies of an estimator to columns of answers; they share what comes before the regression.

    Parameters
    ----------
    estimator : classifier
        One that `is_plain_logistic`.
    X : array-like of shape (n_rows, n_features)
        Features.
    answers : ndarray of shape (n_rows, n_questions)
        Yes, class 1, or no, class 0; each question has both.
    weights : ndarray of shape (n_rows,), optional
        What each row counts.
    keywords : iterable of str
        The names by which the steps of a pipeline are given weights.

    Returns
    -------
    list of classifier
        One for each question.

    Raises
    ------
    NotSolvedError
        Where each must be fitted alone.
    """
    if isinstance(estimator, FillingLogistic):
        return estimator.fit_all(X, answers, weights)
    from sklearn.pipeline import Pipeline

    before, (name, last) = clone(estimator[:-1]), estimator.steps[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(last).fit([[0.0], [1.0]], [0, 1])  # refuses wrong parameters
    of_steps = {key: weights for key in keywords if not key.startswith(f"{name}__")}
    features = before.fit_transform(X, **of_steps)
    if not isinstance(features, np.ndarray):
        raise NotSolvedError
    solved = solve_logistic(features.astype(np.float64), answers, float(last.C), weights)
    found = []
    for slopes, intercept, n_iter in zip(*solved, strict=True):
        fitted = clone(last)
        fitted.n_features_in_, fitted.classes_ = features.shape[1], np.arange(2)
        fitted.coef_, fitted.intercept_ = slopes[None], np.array([intercept])
        fitted.n_iter_ = np.array([n_iter], dtype=np.int32)
        found.append(Pipeline([*before.steps, (name, fitted)]))
    return found
