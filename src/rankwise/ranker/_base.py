"""The base of every estimator: what users call, documented once, and what a subclass provides."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rankwise._cells import is_polars, polars_frame
from rankwise._naming import index_of, refuse_halves
from rankwise._parameters import check_choice, check_jobs, check_weights
from rankwise._saved_state import Saved
from rankwise.metrics import kendall_tau
from rankwise.ranker._checks import (
    at_most_64_bits,
    check_table,
    finite_answers,
    is_plain_table,
    refuse_bad_numbers,
    take_rows,
    warn_of_rounding,
)
from rankwise.ranker._kernels import has_tie
from rankwise.ranker._shares import pairwise_by_position, ranks_by_position
from rankwise.ranker._ties import (
    HALF,
    MOST_NUMBERS,
    HeldOut,
    before_by_position,
    best_threshold,
    check_ties,
    ranks_with_ties,
    some_rows,
    top_places,
)
from rankwise.rankings import check_rankings, check_row_order, label_names

CONTAINERS = ("default", "pandas", "polars")

# So many parts of the rows are left out in turn where a threshold of ties is fitted.
N_FOLDS = 3


class BaseRanker(Saved, BaseEstimator, ABC):
    """Base of every estimator.

    A subclass provides `_fit` and `_predict_positions`; `_predict_shares` where it knows more of a pair
    than which label stands first, `_predict_ranks` where it ranks by more than positions, and
    `_check_parameters`. All of them get rows that were checked here. Four attributes of the class say
    what it takes. An estimator that can be saved extends `_check_state` (see `rankwise._saved_state`).

    Predictions can have ties where a subclass has the parameters `ties` and `ties_for`: the rest is
    here. `_predict_before` says more where it knows how often two labels are tied, `_held_out` where
    there are predictions of rows that were left out already.
    """

    _takes_missing_features = False
    _takes_missing_labels = True
    _takes_ties = True
    _takes_weights = True

    # of those that have them; who does not learn ties has nothing to fit a threshold to
    ties: Any
    ties_for: Any = "tau_x"

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and their rankings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; NaN = missing, where the estimator takes that.
        y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied, where the estimator takes that.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, where the estimator takes them; a row of weight 2 counts as two.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._check_settings()
        may_tie = hasattr(self, "ties")
        X, ranks, weights = self._check_fit(X, y, sample_weight)
        if may_tie:
            self._keeps_ties = self._learns_ties() and bool(has_tie(ranks))
        self._fit(X, ranks, weights)
        if may_tie:
            self.ties_ = self._choose_ties(X, ranks, weights)
        return self

    def predict(self, X: ArrayLike, top: int | None = None) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        top : int, optional
            How many places to fill: labels behind them are tied in the place that follows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            ranks[i, j] is the position of label j: 1 + the number of labels before it, so that tied
            labels share a rank and the next one is skipped (1, 2, 2, 4). Where predictions have no ties
            (see `ties`, where the estimator has it), of labels that are predicted equal the one of the
            lower index goes first. A DataFrame with the label names where y was one at fit.
        """
        ranks = self._answer(self._check_predict(X))
        return self._as_output(ranks if top is None else top_places(ranks, top), X)

    def predict_positions(self, X: ArrayLike) -> Any:
        """Predict the expected position of each label, a number from 1 to the number of labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            A DataFrame with the label names where y was one at fit.
        """
        positions = finite_answers(self._predict_positions(self._check_predict(X)))
        return self._as_output(positions, X)

    def predict_pairwise(self, X: ArrayLike) -> np.ndarray:
        """Predict for each two labels how much speaks for the one before the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
            A share from 0 to 1 for the row label before the column label; the two shares of a pair
            add up to 1, and 1/2 stands on the diagonal. What it is a share of stands with the class.
        """
        return finite_answers(self._predict_shares(self._check_predict(X)))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean Kendall tau between `y` and the predicted ranks.

        Pairs that `y` ties do not count. A pair that `y` orders and the prediction ties gains nothing
        and loses nothing. Where ties are answers too, take `rankwise.metrics.tau_x`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples, n_labels)
            Their true ranks; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
            From -1 (reversed) to 1 (equal).
        """
        return float(kendall_tau(y, self.predict(X), sample_weight=sample_weight))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container of predictions.

        A `Pipeline` passes `set_output` on to its transformers alone, so call it on the ranker:
        ``pipeline[-1].set_output(transform="pandas")``.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            "default": arrays. None leaves the choice as it is. Until one is made, predictions are
            DataFrames if y was one at fit: of polars for rows in a polars DataFrame, of pandas else.

        Returns
        -------
        Self
            The estimator.
        """
        if transform is not None:
            self._output_container = check_choice("transform", transform, CONTAINERS)
        return self

    @abstractmethod
    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        """Learn from checked rows."""

    @abstractmethod
    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        """Predict expected positions (n, k) of checked rows."""

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        """Rank the labels of checked rows."""
        return ranks_by_position(finite_answers(self._predict_positions(X)))

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        """Predict the share (n, k, k) of each pair; here 1, 1/2 or 0 by position."""
        return pairwise_by_position(self._predict_positions(X))

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for estimators that save work by it."""
        return self._predict_ranks(X), self._predict_shares(X)

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for estimators that save work by it."""
        return self._predict_positions(X), self._predict_shares(X)

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        """Predict the share (n, k, k) that puts the row label strictly before the column label.

        The two shares of a pair add up to 1, or to less where the rest ties them. Here what the shares
        of pairs say, where ties are learned what one label has beyond the other, for a tie counts half
        for each; where there are positions alone, a label that is one ahead is surely before.
        """
        if type(self)._predict_shares is BaseRanker._predict_shares:
            return before_by_position(self._predict_positions(X))
        shares = self._predict_shares(X)
        return np.maximum(2 * shares - 1, 0.0) if self._with_ties else shares

    def _ranks_and_before(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Strict ranks and what speaks for their order, for estimators that save work by it."""
        return self._predict_ranks(X), self._predict_before(X)

    def _answer(self, X: np.ndarray) -> np.ndarray:
        """Rank the labels of checked rows, with ties where predictions have them."""
        threshold = getattr(self, "ties_", None)
        return self._predict_ranks(X) if threshold is None else self._tied_ranks(X, threshold)

    def _tied_ranks(self, X: np.ndarray, threshold: float) -> np.ndarray:
        step = max(1, MOST_NUMBERS // self.n_labels_**2)
        chunks = (take_rows(X, slice(start, start + step)) for start in range(0, X.shape[0], step))
        parts = [ranks_with_ties(*self._ranks_and_before(rows), threshold) for rows in chunks]
        return np.concatenate(parts)

    def _answer_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What `predict` and `predict_pairwise` return, of checked rows."""
        threshold = getattr(self, "ties_", None)
        if threshold is None:
            return self._ranks_and_shares(X)
        return self._tied_ranks(X, threshold), self._predict_shares(X)

    def _learns_ties(self) -> bool:
        """Whether ties are to be learned where the training rankings have some."""
        return bool(self.ties != "never")

    @property
    def _with_ties(self) -> bool:
        """Whether ties of the training rankings are learned; a file from before has no word on it."""
        return vars(self).get("_keeps_ties") is True

    def _choose_ties(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> float | None:
        """The threshold of ties in predictions: given, fitted, or None where these have none."""
        ties = self.ties
        if ties == "never" or (ties == "auto" and not self._with_ties):
            return None
        if ties != "auto":
            return float(ties)
        held = self._held_out(X, ranks, weights)
        if held is None:
            return HALF
        return best_threshold(ranks, held, self.ties_for, weights)

    def _held_out(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> HeldOut | None:
        """Predictions of rows by models of the others, or None where these are too few."""
        if len(ranks) < 2 * N_FOLDS:
            return None
        fold = np.random.default_rng(0).permutation(len(ranks)) % N_FOLDS
        is_asked = np.zeros(len(ranks), dtype=bool)
        is_asked[some_rows(len(ranks))] = True
        found = []
        for left_out in range(N_FOLDS):
            rows, others = np.flatnonzero((fold == left_out) & is_asked), fold != left_out
            own = None if weights is None else weights[others]
            model = clone(self).set_params(ties=HALF)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.fit(take_rows(X, others), ranks[others], own)
            except ValueError:
                return None  # a part of the rows may have nothing to learn from
            found.append((rows, *model._ranks_and_before(model._check_predict(take_rows(X, rows)))))
        return HeldOut(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def _check_settings(self) -> None:
        """Look at all parameters: before `fit`, and later too, for they may have been set since."""
        check_jobs(getattr(self, "n_jobs", None))
        self._check_parameters()
        if hasattr(self, "ties"):
            check_ties(self.ties, self.ties_for)

    def _check_parameters(self) -> None:
        """Raise an error that names the parameter that is wrong."""

    def _saved_state(self) -> dict[str, Any]:
        check_is_fitted(self)
        self._check_settings()
        return super()._saved_state()

    def _check_state(self) -> None:
        state = vars(self)
        k, d = state.get("n_labels_"), state.get("n_features_in_")
        if type(k) is not int or type(d) is not int or k < 2 or d < 1:
            raise ValueError("it ranks no labels by no features")
        labels, names = state.get("labels_"), state.get("feature_names_in_")
        if (
            not isinstance(labels, np.ndarray)
            or labels.shape != (k,)
            or len({*labels.tolist()}) < k
        ):
            raise ValueError(f"it has no {k} different labels")
        refuse_halves(labels.tolist(), "label")
        if type(state.get("_labels_are_named")) is not bool:
            raise ValueError("it does not say whether its labels have names")
        if names is not None and not (
            isinstance(names, np.ndarray) and names.dtype == object and names.shape == (d,)
        ):
            raise ValueError(f"it has no names for its {d} features")
        refuse_halves([] if names is None else names.tolist(), "column")
        if state.get("_output_container") not in (None, *CONTAINERS):
            raise ValueError("it returns predictions in an unknown container")
        threshold = state.get("ties_")
        if threshold is not None and not (type(threshold) is float and 0 <= threshold <= 1):
            raise ValueError("its threshold of ties is no share from 0 to 1")
        if type(state.get("_keeps_ties", False)) is not bool:
            raise ValueError("it does not say whether it has learned ties")
        check_jobs(getattr(self, "n_jobs", None))

    def _check_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Validate training data and remember the names in it."""
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is None: pass the "
                "rankings of the rows of X"
            )
        if sample_weight is not None and not self._takes_weights:
            raise ValueError(
                f"{name} takes no sample_weight; leave it out, or choose an estimator that does"
            )
        features = self._check_features(X, reset=True)
        names = label_names(y)
        ranks = self._check_rankings(y)
        n = features.shape[0]
        if len(ranks) != n:
            raise ValueError(
                f"X and y have inconsistent numbers of samples: {n} and {len(ranks)} "
                "rows; each row of X needs its ranking in the same row of y"
            )
        weights = check_weights(sample_weight, n)
        check_row_order(X, y, ("X", "y"))
        check_row_order(X, sample_weight, ("X", "sample_weight"))
        self.n_labels_ = ranks.shape[1]
        self.labels_: np.ndarray = np.arange(ranks.shape[1]) if names is None else np.array(names)
        self._labels_are_named = names is not None
        return features, ranks, weights

    def _check_rankings(self, y: ArrayLike) -> np.ndarray:
        return check_rankings(
            y,
            allow_missing=self._takes_missing_labels,
            allow_ties=self._takes_ties,
            name="y",
            taker=type(self).__name__,
        )

    def _check_predict(self, X: ArrayLike) -> np.ndarray:
        """Validate new rows against what was seen at fit."""
        check_is_fitted(self)
        self._check_settings()
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
                if reset:
                    warn_of_rounding(X, X, None)
                return X
        checked = check_table(self, X, reset=reset)
        checked = at_most_64_bits(checked)
        refuse_bad_numbers(
            checked, getattr(self, "feature_names_in_", None), self._takes_missing_features
        )
        if reset:
            warn_of_rounding(X, checked, getattr(self, "feature_names_in_", None))
        return checked

    def _as_output(self, result: np.ndarray, X: ArrayLike) -> Any:
        """Put one value per label into the container the user works with."""
        container = getattr(self, "_output_container", None)
        if container == "default" or (container is None and not self._labels_are_named):
            return result
        if container == "polars" or (container is None and is_polars(X)):
            return polars_frame(result, self.labels_)
        # imported here: it takes longer than a small fit, and is needed for DataFrames only
        import pandas as pd

        return pd.DataFrame(result, columns=self.labels_, index=index_of(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.allow_nan = self._takes_missing_features
        return tags
