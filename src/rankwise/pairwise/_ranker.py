"""A ranker made of one classifier per pair of labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.parallel import Parallel, delayed

from rankwise._naming import list_some
from rankwise._parameters import check_choice
from rankwise._saved_state import check_fitted_part
from rankwise.classifiers import (
    ClassifierRanker,
    check_classifier,
    check_probabilities,
    draw_seed,
    require_probabilities,
    take_rows,
    weight_keywords,
)
from rankwise.consensus import kemeny_batch
from rankwise.pairwise._problems import (
    Pair,
    Rows,
    contested_pairs,
    count_wins,
    fit_pairs,
    raise_for_pair,
)
from rankwise.pairwise._transitive import fill_uncompared, linked_labels
from rankwise.ranker import (
    SAME_POSITION_DECIMALS,
    comparing_rows,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
)
from rankwise.rankings import RankingWarning, label_names

AGGREGATIONS = ("copeland", "borda", "kemeny")
TIES = ("probability", "random")
BORDA_NEEDS = "aggregation='borda' adds up probabilities"
BORDA_ELSE = "use aggregation='copeland'"

# Shares are held for as many rows at a time as make this many cells (32 MB).
BLOCK_CELLS = 1 << 22
# How many pairs a warning names before it says how many more there are.
SHOWN = 6


class PairwiseRanker(ClassifierRanker):
    """Learn who goes before whom, pair by pair, and rank by the decisions.

    For each pair of labels a classifier is fitted on the rows that order the two; all others
    (missing or tied) are left out. It takes complete, incomplete, tied and top-k rankings alike.
    With Copeland's rule these are the paper's LabelRankIncomplete and LabelRankPartial.

    The share of a pair is the probability that its classifier gives, or its decision, 0 or 1, where it
    has no `predict_proba`. A pair seen w times, in one order only, has (w + 1) / (w + 2); one that was
    never compared goes by other pairs, and has 1/2 where no chain of comparisons leads there.

    Weights are for classifiers whose fit takes them; a row of weight 0 counts as none. A DataFrame
    reaches the classifiers as one, so that pipelines can choose columns by name; it may hold text and
    categories.

    Parameters
    ----------
    estimator : classifier, optional
        Any scikit-learn classifier or pipeline. By default logistic regression on standardised
        features. Copeland's rule and Kemeny's work without `predict_proba`, Borda's does not.
    aggregation : {"copeland", "borda", "kemeny"}
        "copeland": position of i = 1 + number of labels predicted to beat i, those with a share
        above 1/2; at exactly 1/2 neither beats the other. "borda": by the sum of shares.
        "kemeny": the ranking that contradicts the shares least, exact. Beyond 16 labels it is
        slow: after a minute per block of rows the best that was found is taken, with a warning.
    ties : {"probability", "random"}
        How Copeland's ties are broken: by the sum of shares, or at random as in the paper.
        Of labels that are still equal the one of the lower index goes first.
    n_jobs : int, optional
        Pairs fitted at a time; -1 for all processors.
    random_state : int, Generator, RandomState or None
        For random ties, and for classifiers that draw random numbers and whose own `random_state`
        is None.
    verbose : int
        1 shows a progress bar while fitting.

    Attributes
    ----------
    pair_counts_ : ndarray of shape (n_labels, n_labels)
        ``pair_counts_[i, j]`` rows put label i before label j; their total weight, if rows were
        weighted. Where both counts of a pair are 0 it was never compared, and is decided through
        labels that both were compared with. Where one is 0 the decision is constant. A warning
        names such pairs.
    estimators_ : dict
        From (i, j), i < j, to the classifier whose class 1 is "i before j".
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee, water, by the hour of the day; not everyone was asked about everything:

    >>> from rankwise.pairwise import PairwiseRanker
    >>> nan = float("nan")
    >>> X = [[7], [8], [9], [10], [15], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, nan], [nan, 1, 2], [2, 1, 3], [1, 2, 3], [1, nan, 2], [1, 3, 2],
    ...      [1, 3, 2]]
    >>> import warnings; warnings.simplefilter("ignore")  # tea is always before water
    >>> model = PairwiseRanker().fit(X, Y)
    >>> model.predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    >>> model.pair_counts_
    array([[0, 3, 6],
           [3, 0, 4],
           [0, 2, 0]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        aggregation: str = "copeland",
        ties: str = "probability",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.aggregation = aggregation
        self.ties = ties
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
            Features; NaN = missing, where the classifier takes that.
        y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a row of weight 2 counts as two.
        values : array-like of shape (n_samples, n_labels), optional
            What each label is worth (run times, yields), in the columns of y; NaN = not measured.
            A row then counts for a pair by how much the two labels differ in it: a pair that
            differs by an hour matters more than one that differs by a second (cost-sensitive
            algorithm selection, Xu et al. 2011).

        Returns
        -------
        Self
            The fitted estimator.
        """
        if values is not None:
            given, names = np.asarray(values, dtype=np.float64), label_names(y)
            if given.shape != np.shape(y):
                raise ValueError(
                    f"values has shape {given.shape} and y {np.shape(y)}; give one value per rank"
                )
            if names is not None and label_names(values) not in (None, names):
                raise ValueError(
                    "values has other columns than y; give them the same, in one order"
                )
            self._values = given
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_values", None)

    def _fit(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        if "_values" in vars(self) and weights is not None:
            # Rows of no weight are about to be left out.
            self._values = self._values[weights > 0]
        super()._fit(X, ranks, weights)

    def _fit_classifiers(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        estimator, values = self._classifier(), vars(self).get("_values")
        is_weighted = weights is not None or values is not None
        keywords = weight_keywords(estimator, "sample_weight") if is_weighted else []
        comparing_rows(ranks)
        self.pair_counts_ = count_wins(ranks, weights)
        self._seed = draw_seed(self.random_state)
        self.estimators_ = fit_pairs(
            estimator,
            Rows(X, ranks, weights, keywords, values),
            contested_pairs(self.pair_counts_),
            self._names,
            seed=self._seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        if self.aggregation == "borda":
            for model in self.estimators_.values():
                require_probabilities(model, BORDA_NEEDS, BORDA_ELSE)
        self._warn_of_thin_pairs()

    def _check_state(self) -> None:
        super()._check_state()
        k, estimators = self.n_labels_, vars(self).get("estimators_")
        self._saved_counts("pair_counts_", (k, k))
        if not isinstance(estimators, dict):
            raise ValueError("it has no classifiers of pairs")
        pairs = {(i, j) for i in range(k) for j in range(i + 1, k)}
        for pair, estimator in estimators.items():
            if pair not in pairs:
                raise ValueError(f"it has a classifier of {str(pair)[:40]}, no pair of its labels")
            check_fitted_part(estimator, "predict")
        seed = vars(self).get("_seed")
        if type(seed) is not int or not 0 <= seed < 1 << 63:
            raise ValueError("it has no seed")

    def _predict_ranks(self, X: Any) -> np.ndarray:
        rng = np.random.default_rng(self._seed)
        return np.concatenate([self._rank(shares, rng) for shares in self._blocks(X)])

    def _predict_positions(self, X: Any) -> np.ndarray:
        return np.concatenate([positions_by_pairwise(shares) for shares in self._blocks(X)])

    def _blocks(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the shares of all rows, a block of rows at a time: k² numbers per row add up."""
        step = max(1, BLOCK_CELLS // self.n_labels_**2)
        for start in range(0, len(X), step):
            yield self._predict_shares(take_rows(X, slice(start, start + step)))

    def _predict_shares(self, X: Any) -> NDArray[np.float64]:
        k = self.n_labels_
        # one outcome w times: the rule of succession; never: 1/2 until `fill_uncompared`
        wins, losses = self.pair_counts_, self.pair_counts_.T
        shares = np.broadcast_to((wins + 1) / (wins + losses + 2), (len(X), k, k)).copy()
        # threads: the models are here already, and larger than what they return
        decided = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_first_before_second)(model, X, pair, self._names)
            for pair, model in self.estimators_.items()
        )
        for (i, j), share in zip(self.estimators_, decided, strict=True):
            shares[:, i, j] = share
            shares[:, j, i] = 1 - share
        fill_uncompared(shares, wins + losses > 0)
        return shares

    def _rank(self, shares: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        linked = linked_labels(self.pair_counts_ + self.pair_counts_.T > 0)
        if self.aggregation == "kemeny":
            return kemeny_batch(np.where(linked, shares, np.nan))
        if self.aggregation == "borda":
            return ranks_by_pairwise(shares, "borda")
        borda = np.round(positions_by_pairwise(shares), SAME_POSITION_DECIMALS)
        losses = (shares < 0.5 - 1e-12).sum(axis=2)
        # half a loss where nothing is known puts a label without comparisons into the middle
        losses = losses + 0.5 * (~linked).sum(axis=1)
        breaker = borda if self.ties == "probability" else rng.random(borda.shape)
        # breakers are below k + 1, and losses differ by halves
        return ranks_by_position(2 * losses * (self.n_labels_ + 1) + breaker)

    def _check_parameters(self) -> None:
        check_choice("aggregation", self.aggregation, AGGREGATIONS)
        check_choice("ties", self.ties, TIES)
        super()._check_parameters()

    def _classifier(self) -> Any:
        estimator = check_classifier(self.estimator)
        if self.aggregation == "borda":
            require_probabilities(estimator, BORDA_NEEDS, BORDA_ELSE)
        return estimator

    def _warn_of_thin_pairs(self) -> None:
        wins = self.pair_counts_
        never = np.argwhere(np.triu((wins == 0) & (wins.T == 0), 1))
        once = np.argwhere((wins > 0) & (wins.T == 0))
        parts = []
        if len(never):
            pairs = list_some((f"{self._names[i]} and {self._names[j]}" for i, j in never), SHOWN)
            parts.append(
                f"{len(never)} never compared, so that other labels decide them or nothing does: "
                f"{pairs}"
            )
        if len(once):
            pairs = list_some((f"{self._names[i]} before {self._names[j]}" for i, j in once), SHOWN)
            parts.append(f"{len(once)} seen in one order only, which is predicted always: {pairs}")
        if parts:
            total = self.n_labels_ * (self.n_labels_ - 1) // 2
            warnings.warn(
                f"of {total} pairs of labels, {'; '.join(parts)}. See pair_counts_",
                RankingWarning,
                stacklevel=7,
            )


def _first_before_second(model: Any, X: Any, pair: Pair, names: list[str]) -> NDArray[np.float64]:
    """Probabilities of class 1 by the classifier of a pair, or its decisions."""
    try:
        if hasattr(model, "predict_proba"):
            given = model.predict_proba(X)[:, list(model.classes_).index(1)]
        else:
            given = model.predict(X)
        probabilities = np.asarray(given, dtype=np.float64)
        check_probabilities(probabilities)
        return probabilities
    except Exception as error:
        return raise_for_pair(error, "predicting", model, pair, names)
