"""A ranker for incomplete rankings whose observed positions are the true ones (the star setting)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from rankwise.pairwise._assignment import balance, before_chances, decode, expected_positions
from rankwise.pairwise._classifier import (
    check_classifier,
    draw_seed,
    label_chances,
    require_probabilities,
    weight_keyword,
)
from rankwise.pairwise._problems import share_features
from rankwise.pairwise._star import (
    coarse_problems,
    fit_positions,
    labels_at_positions,
    observed_problems,
    possible_labels,
)
from rankwise.ranker import RankerMixin
from rankwise.rankings import RankingWarning, check_rankings

METHODS = ("observed", "self-training", "coarse")

# What a guess leaves to labels that the classifier gives no chance: it has not seen everything.
OPEN_MIND = 1e-3


class PositionRanker(RankerMixin, BaseEstimator):
    """Learn which label stands at each position, then assign labels to positions.

    For rankings in which labels are missing but the observed ones keep their true positions (a
    gap at position 2 says that the second label was not seen). One multiclass problem per position;
    a ranking is the assignment with the greatest product of chances.

    Parameters
    ----------
    estimator : classifier, optional
        With `predict_proba`. By default logistic regression on standardised features.
    method : {"observed", "self-training", "coarse"}
        What is done about positions whose label was not seen.

        "observed" leaves those rows out. It assumes that, given x and the position, all labels are
        equally likely to be seen.

        "self-training" gives such rows the label that the classifier is sure of, again and again
        (`sklearn.semi_supervised.SelfTrainingClassifier`). It assumes that sure guesses are right.

        "coarse" uses that the label is one of those not seen elsewhere in the row: expectation
        maximisation over that set. It assumes that labels are hidden whatever their positions;
        that some are hidden more often than others does no harm, as it does to "observed". The
        classifier's fit must take `sample_weight`.
    max_iter : int
        Rounds of "self-training" and "coarse", at most.
    tol : float
        "coarse" ends when no share moves by more.
    n_jobs : int, optional
        Positions fitted at a time; -1 for all processors.
    random_state : int, Generator, RandomState or None
        For classifiers that draw random numbers and whose own `random_state` is None.

    Attributes
    ----------
    position_counts_ : ndarray of shape (n_labels, n_labels)
        ``position_counts_[p, j]`` rows show label j at position p + 1.
    estimators_ : list
        The classifier of each position; None where fewer than two labels were seen.
    n_iter_ : int
        Rounds of "coarse"; 1 for the others.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee, water, by the hour of the day:

    >>> from rankwise.pairwise import PositionRanker
    >>> nan = float("nan")
    >>> X = [[7], [8], [9], [10], [15], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, nan], [nan, 1, 3], [2, nan, 3], [1, 3, 2], [1, nan, 2], [1, 3, nan],
    ...      [1, 3, 2]]
    >>> PositionRanker(method="coarse").fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _takes_missing_features = True  # the classifiers decide

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "observed",
        max_iter: int = 20,
        tol: float = 0.01,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, Y: ArrayLike) -> Self:
        """Fit one classifier per position.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        Y : array-like of shape (n_samples, n_labels)
            True positions, whole numbers from 1 to n_labels without ties; NaN = not observed.
        """
        estimator = self._check_parameters()
        with warnings.catch_warnings():
            # where positions are true, a row with one label is no idle row
            warnings.simplefilter("ignore", RankingWarning)
            checked, _, _ = self._check_fit(X, Y)
        ranks = check_rankings(Y, allow_ties=False, warn=False)
        self._names = [repr(str(x)) if self._labels_are_named else str(x) for x in self.labels_]
        at = labels_at_positions(ranks, self._names)
        self.position_counts_ = np.stack(
            [np.bincount(column[column >= 0], minlength=len(at.T)) for column in at.T]
        )
        if not self.position_counts_.any():
            raise ValueError("Y has no observed position; at least one row must show a label")
        features = share_features(checked)
        seeds = np.random.SeedSequence(draw_seed(self.random_state)).generate_state(self.n_labels_)
        self._fit_by_method(estimator, features, at, [int(seed >> 1) for seed in seeds])
        self._tell_thin_positions()
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            ranks[i, j] is the position of label j, 1 = first, without ties. A DataFrame with the
            label names where Y was one at fit.
        """
        return self._as_output(decode(self._chances(share_features(self._check_predict(X)))), X)

    def predict_pairwise(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the chance that one label stands before another.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
        """
        return before_chances(self._table(X))

    def _positions(self, X: ArrayLike) -> NDArray[np.float64]:
        return expected_positions(self._table(X))

    def _table(self, X: ArrayLike) -> NDArray[np.float64]:
        return balance(self._chances(share_features(self._check_predict(X))) + OPEN_MIND)

    def _chances(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Chances (n, position, label); the rule of succession where there is no classifier."""
        k = self.n_labels_
        counts = self.position_counts_ + 1.0
        chances = np.broadcast_to(counts / counts.sum(axis=1, keepdims=True), (len(X), k, k)).copy()
        for p, model in enumerate(self.estimators_):
            if model is not None:
                chances[:, p] = label_chances(model, X, k)
        return chances

    def _fit_by_method(
        self, estimator: Any, X: NDArray[Any], at: NDArray[np.int64], seeds: list[int]
    ) -> None:
        self.n_iter_ = 1
        rounds = self.max_iter if self.method == "self-training" else None
        problems = observed_problems(at, unseen_too=rounds is not None)
        self.estimators_ = fit_positions(
            estimator, X, problems, seeds, n_jobs=self.n_jobs, self_training=rounds
        )
        if self.method == "coarse":
            keyword = weight_keyword(estimator, "method='coarse'")

            def refit(shares: NDArray[np.float64]) -> list[Any]:
                return fit_positions(
                    estimator,
                    X,
                    coarse_problems(shares),
                    seeds,
                    n_jobs=self.n_jobs,
                    weight_keyword=keyword,
                )

            self._maximise_expectation(X, possible_labels(at), refit)

    def _maximise_expectation(
        self,
        X: NDArray[Any],
        possible: NDArray[np.bool_],
        refit: Callable[[NDArray[np.float64]], list[Any]],
    ) -> None:
        """Share each hidden position among the labels it may hold, fit by the shares, repeat."""
        shares = np.zeros(possible.shape)
        for iteration in range(1, self.max_iter + 1):
            self.n_iter_ = iteration
            guess = np.where(possible, self._chances(X) + OPEN_MIND, 0.0)
            before, shares = shares, guess / guess.sum(axis=2, keepdims=True)
            self.estimators_ = refit(shares)
            if np.abs(shares - before).max() <= self.tol:
                return

    def _check_parameters(self) -> Any:
        if self.method not in METHODS:
            choices = ", ".join(map(repr, METHODS))
            raise ValueError(f"method is {self.method!r}; choose one of {choices}")
        if isinstance(self.max_iter, bool) or not isinstance(self.max_iter, int | np.integer):
            raise TypeError(f"max_iter is {self.max_iter!r}; give a whole number from 1")
        if self.max_iter < 1:
            raise ValueError(f"max_iter is {self.max_iter}; give a whole number from 1")
        if not isinstance(self.tol, Real) or not float(self.tol) >= 0:
            raise ValueError(f"tol is {self.tol!r}; give a number from 0")
        estimator = check_classifier(self.estimator)
        if self.method == "coarse":
            weight_keyword(estimator, "method='coarse'")
        require_probabilities(
            estimator, "PositionRanker compares probabilities", "use another classifier"
        )
        return estimator

    def _tell_thin_positions(self) -> None:
        seen = (self.position_counts_ > 0).sum(axis=1)
        parts = []
        for few, what in ((0, "with no label observed"), (1, "with one label only")):
            positions = [str(p + 1) for p in np.flatnonzero(seen == few)]
            if positions:
                parts.append(f"{what}: {', '.join(positions)}")
        if parts:
            warnings.warn(
                f"positions {'; '.join(parts)}; nothing is learnt from features there. See "
                "position_counts_",
                RankingWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes = self.estimator is not None and not isinstance(self.estimator, type)
        tags.input_tags.allow_nan = takes and get_tags(self.estimator).input_tags.allow_nan
        return tags
