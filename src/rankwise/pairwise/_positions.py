"""A ranker for incomplete rankings whose observed positions are the true ones (the star setting)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._messages import warn_caller
from rankwise._parameters import check_choice, check_integer, check_number
from rankwise._saved_state import check_fitted_part
from rankwise.classifiers import (
    ClassifierRanker,
    check_classifier,
    draw_seed,
    require_probabilities,
    spawn_seeds,
    weight_keywords,
)
from rankwise.pairwise._star import (
    UNSEEN,
    coarse_problems,
    count_positions,
    fit_positions,
    labels_at_positions,
    observed_problems,
    position_probabilities,
    possible_labels,
)
from rankwise.ranker import balance, pairwise_by_table, positions_by_table, ranks_by_table
from rankwise.rankings import RankingWarning, check_rankings

METHODS = ("observed", "self-training", "coarse")
COARSE = "method='coarse'"
NEEDS, ELSE = "PositionRanker compares probabilities", "use another classifier"

# What a guess leaves to labels that the classifier rules out: it has not seen everything.
OPEN_MIND = 1e-3


class PositionRanker(ClassifierRanker):
    """Learn which label stands at each position, then assign labels to positions.

    For rankings in which labels are missing but the observed ones keep their true positions (a
    gap at position 2 says that the second label was not seen). One multiclass problem per position;
    a ranking is the assignment with the greatest product of probabilities. The share of a pair is as if
    positions were drawn by these probabilities, balanced so that each label stands somewhere. Positions
    are whole numbers from 1 to n_labels, without ties. Weights are for classifiers whose fit takes
    them, and not for "self-training".

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
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; as rankings with ties are not taken,
        "auto" is "never".
    n_jobs : int, optional
        Positions fitted at a time; -1 for all processors.
    random_state : int, Generator, RandomState or None
        For classifiers that draw random numbers and whose own `random_state` is None.

    Attributes
    ----------
    position_counts_ : ndarray of shape (n_labels, n_labels)
        ``position_counts_[p, j]`` rows show label j at position p + 1; their total weight, if
        rows were weighted.
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

    _takes_ties = False

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "observed",
        max_iter: int = 20,
        tol: float = 0.01,
        ties: str | float = "never",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.max_iter = max_iter
        self.tol = tol
        self.ties = ties
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_classifiers(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        estimator = self._classifier()
        if weights is not None and self.method == "self-training":
            raise ValueError(
                "method='self-training' takes no sample_weight; use method='observed' or 'coarse'"
            )
        at = labels_at_positions(ranks, self._names)
        self.position_counts_ = count_positions(at, weights)
        if not self.position_counts_.any():
            raise ValueError("y has no observed position; at least one row must show a label")
        seeds = spawn_seeds(draw_seed(self.random_state), self.n_labels_)
        self._fit_by_method(estimator, X, at, weights, seeds)
        self._warn_of_thin_positions(int((at == UNSEEN).all(axis=1).sum()), len(at))

    def _check_state(self) -> None:
        super()._check_state()
        k, estimators = self.n_labels_, vars(self).get("estimators_")
        self._saved_counts("position_counts_", (k, k))
        if not isinstance(estimators, list) or len(estimators) != k:
            raise ValueError(f"it has no entry for each of its {k} positions")
        for estimator in estimators:
            if estimator is not None:
                check_fitted_part(estimator, "predict_proba")
                classes = np.asarray(estimator.classes_)
                if classes.dtype.kind not in "iu" or ((classes < 0) | (classes >= k)).any():
                    raise ValueError("a classifier of its positions knows other labels")

    def _predict_ranks(self, X: Any) -> np.ndarray:
        return ranks_by_table(self._probabilities(X))

    def _predict_positions(self, X: Any) -> np.ndarray:
        return positions_by_table(self._table(X))

    def _predict_shares(self, X: Any) -> np.ndarray:
        return pairwise_by_table(self._table(X))

    def _table(self, X: Any) -> NDArray[np.float64]:
        return balance(self._probabilities(X) + OPEN_MIND)

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        """Those of (n, position, label); the rule of succession where there is no classifier."""
        k = self.n_labels_
        counts = self.position_counts_ + 1.0
        constant = counts / counts.sum(axis=1, keepdims=True)
        probabilities = np.broadcast_to(constant, (X.shape[0], k, k)).copy()
        for p, model in enumerate(self.estimators_):
            if model is not None:
                probabilities[:, p] = position_probabilities(model, X, p + 1, k)
        return probabilities

    def _fit_by_method(
        self,
        estimator: Any,
        X: Any,
        at: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        seeds: list[int],
    ) -> None:
        keywords = [] if weights is None else weight_keywords(estimator, "sample_weight")
        rounds = self.max_iter if self.method == "self-training" else None
        fit = partial(fit_positions, estimator, X, seeds=seeds, n_jobs=self.n_jobs)
        self.n_iter_ = 1
        self.estimators_ = fit(
            observed_problems(at, weights, unseen_too=rounds is not None),
            keywords=keywords,
            self_training=rounds,
        )
        for model in self.estimators_:
            if model is not None:
                require_probabilities(model, NEEDS, ELSE)
        if self.method == "coarse":
            keywords = weight_keywords(estimator, COARSE)
            for shares in self._guesses(X, possible_labels(at)):
                self.estimators_ = fit(coarse_problems(shares, weights), keywords=keywords)

    def _guesses(self, X: Any, possible: NDArray[np.bool_]) -> Iterator[NDArray[np.float64]]:
        """Share each hidden position among the labels it may hold, anew after each fit by the shares."""
        shares = np.zeros(possible.shape)
        for iteration in range(1, self.max_iter + 1):
            self.n_iter_ = iteration
            guess = np.where(possible, self._probabilities(X) + OPEN_MIND, 0.0)
            before, shares = shares, guess / guess.sum(axis=2, keepdims=True)
            yield shares
            if np.abs(shares - before).max() <= self.tol:
                return

    def _check_rankings(self, y: ArrayLike) -> np.ndarray:
        # where positions are true, a row with one label is no idle row
        return check_rankings(y, allow_ties=False, name="y", warn=False)

    def _check_parameters(self) -> None:
        check_choice("method", self.method, METHODS)
        check_integer("max_iter", self.max_iter, 1)
        check_number("tol", self.tol)
        super()._check_parameters()

    def _classifier(self) -> Any:
        estimator = check_classifier(self.estimator)
        if self.method == "coarse":
            weight_keywords(estimator, COARSE)
        require_probabilities(estimator, NEEDS, ELSE)
        return estimator

    def _warn_of_thin_positions(self, n_empty: int, n: int) -> None:
        if n_empty:
            warn_caller(
                f"{n_empty} of {n} rows show no label and teach no position",
                RankingWarning,
            )
        seen = (self.position_counts_ > 0).sum(axis=1)
        parts = []
        for few, what in ((0, "with no label observed"), (1, "with one label only")):
            positions = [str(p + 1) for p in np.flatnonzero(seen == few)]
            if positions:
                parts.append(f"{what}: {', '.join(positions)}")
        if parts:
            warn_caller(
                f"positions {'; '.join(parts)}; nothing is learnt from features there. See "
                "position_counts_",
                RankingWarning,
            )
