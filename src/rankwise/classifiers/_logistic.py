"""Logistic regressions of many questions about the same rows, solved together.

scikit-learn solves one at a time, and takes longer to begin than to solve where rows are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rankwise.classifiers._shared_steps import has_plain_steps

Floats = NDArray[np.float64]
# From weights and what is wanted, to the loss of each question.
Loss = Callable[[Floats, Floats], Floats]

# Beyond so many columns a step of Newton's takes longer than the many steps of other solvers.
MOST_COLUMNS = 200
# Products of columns, and curvatures, are held for as many rows or questions as make this many
# numbers (32 MB).
BLOCK_NUMBERS = 1 << 22
# The largest slope of the mean loss at which it is solved. Steps at most, and halvings of one.
FLAT = 1e-9
MOST_STEPS, MOST_HALVINGS = 100, 30

# What does not change where the solution lies.
_FREE = {"C", "max_iter", "n_jobs", "random_state", "solver", "tol"}
_SMOOTH_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")


class NotSolvedError(ValueError):
    """These regressions are not for Newton's method, or its steps do not come to an end."""


def is_plain_logistic(estimator: Any) -> bool:
    """Whether it is a pipeline of plain steps before logistic regression with a ridge.

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
    step_weights: Mapping[str, Any],
) -> list[Any]:
    """Fit copies of a plain pipeline to columns of answers; they share the steps before the last.

    Parameters
    ----------
    estimator : Pipeline
        One that `is_plain_logistic`.
    X : array-like of shape (n_rows, n_features)
        Features.
    answers : ndarray of shape (n_rows, n_questions)
        Yes, class 1, or no, class 0; each question has both.
    weights : ndarray of shape (n_rows,), optional
        What each row counts in the regression.
    step_weights : mapping
        The same as keywords of the steps before.

    Returns
    -------
    list of Pipeline
        One for each question.

    Raises
    ------
    NotSolvedError
        Where each must be fitted alone.
    """
    from sklearn.pipeline import Pipeline

    before, (name, last) = clone(estimator[:-1]), estimator.steps[-1]
    last._validate_params()
    features = before.fit_transform(X, **step_weights)
    usable = isinstance(features, np.ndarray) and features.shape[1] <= MOST_COLUMNS
    if not usable or not np.isfinite(features).all():
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


def solve_logistic(
    X: Floats, answers: NDArray[np.bool_], C: float, weights: Floats | None = None
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Fit a ridge logistic regression to each column of answers, by Newton's method.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Finite features.
    answers : ndarray of shape (n_rows, n_questions)
        Yes or no; each question has both.
    C : float
        The inverse of the ridge, as scikit-learn has it.
    weights : ndarray of shape (n_rows,), optional
        What each row counts.

    Returns
    -------
    tuple of ndarray of shape (n_questions, n_columns), (n_questions,) and (n_questions,)
        Coefficients, intercepts, and how many steps were taken.

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> yes = np.array([[0, 1], [0, 1], [1, 0], [1, 0]]) > 0
    >>> slopes, intercepts, steps = solve_logistic(X, yes, C=1.0)
    >>> slopes.round(3).tolist()
    [[1.007], [-1.007]]
    """
    n, d = X.shape
    own = np.ones(n) if weights is None else weights
    columns = np.hstack([X, np.ones((n, 1))])
    step = max(1, BLOCK_NUMBERS // max(n, (d + 1) ** 2))
    blocks = [answers[:, start : start + step] for start in range(0, answers.shape[1], step)]
    found, taken = zip(*(_solve(columns, block, C, own) for block in blocks), strict=True)
    solved = np.concatenate(found, axis=1).T
    return solved[:, :-1], solved[:, -1], np.concatenate(taken)


def _solve(
    columns: Floats, answers: NDArray[np.bool_], C: float, own: Floats
) -> tuple[Floats, NDArray[np.int64]]:
    """Weights (columns, questions) and steps; the last column is the intercept, which no ridge holds."""
    ridge = np.append(np.full(columns.shape[1] - 1, 1 / C), 0.0)[:, None]
    wanted = answers.astype(np.float64)
    found = np.zeros((columns.shape[1], answers.shape[1]))
    open_ = np.arange(answers.shape[1])
    taken = np.zeros_like(open_)

    def loss(weights: Floats, wanted: Floats) -> Floats:
        scores = columns @ weights
        total: Floats = own @ (np.logaddexp(0, scores) - wanted * scores)
        return total + (ridge * weights**2).sum(axis=0) / 2

    for _ in range(MOST_STEPS):
        weights, asked = found[:, open_], wanted[:, open_]
        # tanh never overflows: the chance of a yes is (1 + tanh(score / 2)) / 2
        leaning = np.tanh(columns @ weights / 2)
        slope = columns.T @ (own[:, None] * ((1 + leaning) / 2 - asked)) + ridge * weights
        steep = abs(slope).max(axis=0) > FLAT * own.sum()
        if not steep.any():
            return found, taken
        open_, weights, asked = open_[steep], weights[:, steep], asked[:, steep]
        spread = own[:, None] * (1 - leaning[:, steep] ** 2) / 4
        curvature = _curvature(columns, spread)
        curvature[:, range(len(ridge)), range(len(ridge))] += ridge[:, 0]
        solved = np.linalg.solve(curvature, slope[:, steep].T[..., None])
        step = solved[..., 0].T.astype(np.float64, copy=False)
        found[:, open_] = weights - _shortened(step, weights, asked, loss)
        taken[open_] += 1
    raise NotSolvedError


def _curvature(columns: Floats, spread: Floats) -> Floats:
    """Second derivatives (questions, columns, columns): one product of matrices for all questions."""
    n, d = columns.shape
    i, j = np.triu_indices(d)
    upper = np.zeros((spread.shape[1], len(i)))
    block = max(1, BLOCK_NUMBERS // len(i))
    for start in range(0, n, block):
        rows = slice(start, start + block)
        upper += spread[rows].T @ (columns[rows][:, i] * columns[rows][:, j])
    whole = np.empty((len(upper), d, d))
    whole[:, i, j] = whole[:, j, i] = upper
    return whole


def _shortened(step: Floats, weights: Floats, asked: Floats, loss: Loss) -> Floats:
    """Steps that are halved until they lead down."""
    before = loss(weights, asked)
    # what is lost by rounding is no way up
    least = before + 1e-12 * abs(before)
    for _ in range(MOST_HALVINGS):
        up = loss(weights - step, asked) > least
        if not up.any():
            return step
        step = np.where(up, step / 2, step)
    return step
