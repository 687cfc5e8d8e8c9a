"""Ranking by pairwise comparison, with the publication's classifier and vote."""

from __future__ import annotations

from typing import Any

from rankwise.baselines._logistic import nearly_free_logistic
from rankwise.pairwise import PairwiseRanker


class RPC(PairwiseRanker):
    """Ranking by pairwise comparison: a logistic regression per pair, and weighted voting.

    Hüllermeier, Fürnkranz, Cheng and Brinker, "Label ranking by learning pairwise preferences",
    Artificial Intelligence 172 (2008). Each pair of labels has a classifier, fitted on the rows
    that order the two; a label scores the sum of its shares against the others. This is
    `PairwiseRanker` with ``aggregation="borda"``; complete, incomplete and tied rankings are
    taken, a missing or tied pair teaches nothing.

    The publication leaves open how features are scaled and how strongly the regression is
    regularised (WEKA's default there is next to nothing). Here features are standardised and
    ``C=100``. Of labels with equal scores the one of the lower index goes first, and pairs seen in one
    order only are predicted by the rule of succession.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        By default logistic regression on standardised features with ``C=100``.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `PairwiseRanker`; a tie is then a third class of the pair.
        The publication has none.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the threshold to.
    n_jobs : int, optional
        Pairs fitted at a time; -1 for all processors.
    random_state : int, Generator, RandomState or None
        For classifiers that draw random numbers and whose own `random_state` is None.
    verbose : int
        1 shows a progress bar while fitting.

    Attributes
    ----------
    pair_counts_, estimators_, labels_, n_labels_, n_features_in_, feature_names_in_
        As in `PairwiseRanker`.

    Examples
    --------
    Tea, coffee and water, by the hour of the day:

    >>> from rankwise.baselines import RPC
    >>> X = [[7], [8], [9], [10], [15], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [2, 1, 3], [1, 2, 3], [1, 3, 2], [1, 3, 2], [1, 3, 2]]
    >>> RPC().fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    # no parameters here: another vote would be another method
    aggregation = "borda"
    break_ties = "probability"

    def __init__(
        self,
        estimator: Any = None,
        *,
        ties: str | float = "never",
        ties_for: str = "tau_x",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.ties = ties
        self.ties_for = ties_for
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _classifier(self) -> Any:
        return nearly_free_logistic() if self.estimator is None else super()._classifier()
