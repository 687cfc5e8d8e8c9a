"""A ranker made of one classifier per pair of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from rankwise._messages import warn_caller
from rankwise._naming import list_some
from rankwise._parallel import no_more_than
from rankwise._parameters import check_choice, check_integer
from rankwise._saved_state import check_fitted_part
from rankwise.classifiers import (
    ClassifierRanker,
    after_shared_steps,
    check_classifier,
    check_probabilities,
    draw_seed,
    require_probabilities,
    take_rows,
    weight_keywords,
)
from rankwise.consensus import kemeny_batch
from rankwise.pairwise._problems import (
    BEFORE,
    BEHIND,
    TIED,
    Pair,
    Rows,
    contested_pairs,
    count_ties,
    count_wins,
    fit_pairs,
    raise_for_pair,
)
from rankwise.pairwise._transitive import fill_uncompared, linked_labels
from rankwise.ranker import (
    SAME_POSITION_DECIMALS,
    ValuesRanker,
    comparing_rows,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
)
from rankwise.rankings import RankingWarning

AGGREGATIONS = ("copeland", "borda", "kemeny")
OUTCOMES = (BEFORE, BEHIND, TIED)
BREAKERS = ("probability", "random")
BORDA_NEEDS = "aggregation='borda' adds up probabilities"
BORDA_ELSE = "use aggregation='copeland'"

# Shares are held for as many rows at a time as make this many cells (32 MB).
BLOCK_CELLS = 1 << 22
# How many pairs a warning names before it says how many more there are.
SHOWN = 6


class PairwiseRanker(ValuesRanker, ClassifierRanker):
    """Learn who goes before whom, pair by pair, and rank by the decisions.

    For each pair of labels a classifier is fitted on the rows that order the two; all others
    (missing or tied) are left out. It takes complete, incomplete, tied and top-k rankings alike.
    With Copeland's rule these are the paper's LabelRankIncomplete and LabelRankPartial. Where rankings
    have ties and predictions may have them (see `ties`), a tie is a third class, unless the classifier
    takes two at most.

    The share of a pair is the probability that its classifier gives, or its decision, 0 or 1, where it
    has no `predict_proba`; what ties the two counts half. A pair seen w times, in one order only, has
    (w + 1) / (w + 2); one that was never compared goes by other pairs, and has 1/2 where no chain of
    comparisons leads there.

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
    break_ties : {"probability", "random"}
        How Copeland's ties are broken: by the sum of shares, or at random as in the paper.
        Of labels that are still equal the one of the lower index goes first.
    ties : {"auto", "never"} or float
        Whether predictions have ties, as in `TreeRanker`; here "auto" fits three more models to leave
        rows out.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the threshold to.
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
        From (i, j), i < j, to the classifier whose class 1 is "i before j", 0 "behind", 2 "tied".
    tie_counts_ : ndarray of shape (n_labels, n_labels)
        Rows, or their weight, that tie two labels; all 0 where ties are not learned.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
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
        break_ties: str = "probability",
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.aggregation = aggregation
        self.break_ties = break_ties
        self.ties = ties
        self.ties_for = ties_for
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        if "_values" in vars(self) and weights is not None:
            # Rows of no weight are about to be left out.
            self._values = self._values[weights > 0]
        super()._fit(X, ranks, weights)

    def _fit_classifiers(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        estimator, values = self._classifier(), vars(self).get("_values")
        is_weighted = weights is not None or values is not None
        keywords = weight_keywords(estimator, "sample_weight") if is_weighted else []
        ties = self._with_ties and get_tags(estimator).classifier_tags.multi_class
        comparing_rows(ranks, ties_count=ties)
        self.pair_counts_ = count_wins(ranks, weights)
        self.tie_counts_ = count_ties(ranks, weights) if ties else 0 * self.pair_counts_
        self._seed = draw_seed(self.random_state)
        self.estimators_ = fit_pairs(
            estimator,
            Rows(X, ranks, weights, keywords, ties, values),
            contested_pairs(self.pair_counts_, self.tie_counts_),
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
        if "tie_counts_" in vars(self):  # not in files from before there were ties in predictions
            self._saved_counts("tie_counts_", (k, k))
        if not isinstance(estimators, dict):
            raise ValueError("it has no classifiers of pairs")
        pairs = {(i, j) for i in range(k) for j in range(i + 1, k)}
        for pair, estimator in estimators.items():
            # True and 1.0 equal 1, and are no places
            if pair not in pairs or not all(type(place) is int for place in pair):
                raise ValueError(f"it has a classifier of {str(pair)[:40]}, no pair of its labels")
            check_fitted_part(estimator, "predict")
            knows_ties = TIED in np.ravel(getattr(estimator, "classes_", ())).tolist()
            if knows_ties and not self._tied_pairs().any():
                raise ValueError(f"its classifier of {pair} knows ties, and no row has one")
        seed = vars(self).get("_seed")
        if type(seed) is not int or not 0 <= seed < 1 << 63:
            raise ValueError("it has no seed")

    def _predict_ranks(self, X: Any) -> np.ndarray:
        rng = np.random.default_rng(self._seed)
        return np.concatenate([self._rank(shares, rng) for shares in self._blocks(X)])

    def _predict_positions(self, X: Any) -> np.ndarray:
        return np.concatenate([positions_by_pairwise(shares) for shares in self._blocks(X)])

    def _positions_and_shares(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        shares = self._predict_shares(X)
        return positions_by_pairwise(shares), shares

    def _blocks(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the shares of all rows, a block of rows at a time: k² numbers per row add up."""
        step = max(1, BLOCK_CELLS // self.n_labels_**2)
        for start in range(0, X.shape[0], step):
            yield self._predict_shares(take_rows(X, slice(start, start + step)))

    def _predict_shares(self, X: Any) -> NDArray[np.float64]:
        before = self._predict_before(X)
        if not self._tied_pairs().any():
            return before
        return (1 + before - before.transpose(0, 2, 1)) / 2

    def _tied_pairs(self) -> NDArray[Any]:
        """Rows that tie two labels, where ties are learned."""
        counts: NDArray[Any] = vars(self).get("tie_counts_", np.zeros_like(self.pair_counts_))
        return counts

    def _predict_before(self, X: Any) -> NDArray[np.float64]:
        k = self.n_labels_
        # one outcome w times: the rule of succession; never: 1/2 until `fill_uncompared`
        wins, losses, ties = self.pair_counts_, self.pair_counts_.T, self._tied_pairs()
        outcomes = 3 if ties.any() else 2
        shares = np.broadcast_to(
            (wins + 1) / (wins + losses + ties + outcomes), (X.shape[0], k, k)
        ).copy()
        shares[:, range(k), range(k)] = 0.5
        # threads: the models are here already, and larger than what they return
        ready = self._ready(X)
        n_jobs = no_more_than(len(self.estimators_), self.n_jobs)
        decided = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_before_and_behind)(*known, pair, self._names)
            for pair, known in zip(self.estimators_, ready, strict=True)
        )
        for (i, j), (before, behind) in zip(self.estimators_, decided, strict=True):
            shares[:, i, j] = before
            shares[:, j, i] = behind
        compared = wins + losses + ties > 0
        if outcomes == 2:
            fill_uncompared(shares, compared)
            return shares
        filled = (1 + shares - shares.transpose(0, 2, 1)) / 2
        fill_uncompared(filled, compared)
        return np.where(compared, shares, filled)

    def _ready(self, X: Any) -> list[tuple[Any, Any]]:
        """The classifier of each pair and its rows; each with all of its steps where one of them fails."""
        models = list(self.estimators_.values())
        try:
            return after_shared_steps(models, X)
        except Exception:  # of any kind: the pair's own try names it
            return [(model, X) for model in models]

    def _ranks_and_before(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        before = self._predict_before(X)
        shares = (1 + before - before.transpose(0, 2, 1)) / 2
        return self._rank(shares, np.random.default_rng(self._seed)), before

    def _rank(self, shares: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        counts = self.pair_counts_ + self._tied_pairs()
        linked = linked_labels(counts + counts.T > 0)
        if self.aggregation == "kemeny":
            return kemeny_batch(np.where(linked, shares, np.nan))
        if self.aggregation == "borda":
            return ranks_by_pairwise(shares, "borda")
        borda = np.round(positions_by_pairwise(shares), SAME_POSITION_DECIMALS)
        losses = (shares < 0.5 - 1e-12).sum(axis=2)
        # half a loss where nothing is known puts a label without comparisons into the middle
        losses = losses + 0.5 * (~linked).sum(axis=1)
        breaker = borda if self.break_ties == "probability" else rng.random(borda.shape)
        # breakers are below k + 1, and losses differ by halves
        return ranks_by_position(2 * losses * (self.n_labels_ + 1) + breaker)

    def _check_parameters(self) -> None:
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)
        check_choice("aggregation", self.aggregation, AGGREGATIONS)
        check_choice("break_ties", self.break_ties, BREAKERS)
        super()._check_parameters()

    def _classifier(self) -> Any:
        estimator = check_classifier(self.estimator)
        if self.aggregation == "borda":
            require_probabilities(estimator, BORDA_NEEDS, BORDA_ELSE)
        return estimator

    def _warn_of_thin_pairs(self) -> None:
        wins, untied = self.pair_counts_, self.tie_counts_ == 0
        never = np.argwhere(np.triu((wins == 0) & (wins.T == 0) & untied, 1))
        once = np.argwhere((wins > 0) & (wins.T == 0) & untied)
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
            warn_caller(
                f"of {total} pairs of labels, {'; '.join(parts)}. See pair_counts_",
                RankingWarning,
            )


def _before_and_behind(
    model: Any, X: Any, pair: Pair, names: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities by the classifier of a pair, or its decisions: the first label before, and behind."""
    try:
        classes = list(getattr(model, "classes_", [BEHIND, BEFORE]))
        if hasattr(model, "predict_proba"):
            by_class = np.asarray(model.predict_proba(X), dtype=np.float64)
            given = [by_class[:, classes.index(c)] if c in classes else None for c in OUTCOMES]
        else:
            decided = np.asarray(model.predict(X), dtype=np.float64)
            given = [decided, None, None]
            if TIED in classes:
                given = [(decided == c).astype(np.float64) for c in OUTCOMES]
        before, behind, tied = given
        if before is None:
            before = np.zeros(X.shape[0])
        if tied is None:
            behind = 1 - before
        elif behind is None:
            behind = np.zeros(X.shape[0])
        for probabilities in (before, behind):
            check_probabilities(probabilities)
        return before, behind
    except Exception as error:
        raised: Any = raise_for_pair(error, "predicting", model, pair, names)
        return raised
