"""Labelwise decomposition: for each label, the probabilities of its positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from rankwise._parallel import no_more_than
from rankwise._parameters import check_choice
from rankwise._saved_state import check_fitted_part
from rankwise.baselines._logistic import nearly_free_logistic
from rankwise.baselines._mallows import observed_places
from rankwise.baselines._ordinal import fit_threshold, probabilities_behind
from rankwise.classifiers import (
    ClassifierRanker,
    check_classifier,
    draw_seed,
    raise_naming,
    require_probabilities,
    spawn_seeds,
    weight_keywords,
)
from rankwise.ranker import LEAST, balance, pairwise_by_table, ranks_by_cost, ranks_by_position

Floats = NDArray[np.float64]

AGGREGATIONS = ("expected", "assignment")


class LWD(ClassifierRanker):
    """Labelwise decomposition: predict the position of each label on its own, then rank.

    Cheng, Henzgen and Hüllermeier, "Labelwise versus pairwise decomposition in label ranking", LWA
    (2013). The position of a label is an ordinal class; it is predicted by one binary classifier per
    threshold, "behind position r or not" (Frank and Hall, 2001). Labels are sorted by expected
    position, which minimises the expected squared distance of positions, or assigned to positions.

    Incomplete rankings are taken; how is our own choice: the place of a label among the observed ones
    leaves several positions open, and each counts with its probability if labels are missing at
    random. Ties are not taken. Weights are for classifiers whose fit takes them. The share of a pair is
    as if positions were drawn for each label on its own, anew where two labels meet.

    The publication leaves open how features are scaled, how strongly the regression is regularised,
    and what becomes of probabilities that do not fall from threshold to threshold: here features are
    standardised, ``C=100``, and such probabilities are clipped where those of single positions are
    needed.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        By default logistic regression on standardised features with ``C=100``. For incomplete
        rankings its `fit` must take `sample_weight`.
    aggregation : {"expected", "assignment"}
        "expected" sorts labels by expected position; "assignment" puts each label at a position of
        its own so that the expected sum of distances from the true positions is least.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; as rankings with ties are not taken,
        "auto" is "never".
    n_jobs : int, optional
        Classifiers fitted at a time; -1 for all processors.
    random_state : int, Generator, RandomState or None
        For classifiers that draw random numbers and whose own `random_state` is None.

    Attributes
    ----------
    estimators_ : list of lists
        ``estimators_[j][r - 1]`` says whether label j is behind position r; a number where the
        training rows left no doubt.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee and water, by the hour of the day:

    >>> from rankwise.baselines import LWD
    >>> X = [[7], [8], [9], [10], [15], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [2, 1, 3], [1, 2, 3], [1, 3, 2], [1, 3, 2], [1, 3, 2]]
    >>> LWD().fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _takes_ties = False

    def __init__(
        self,
        estimator: Any = None,
        *,
        aggregation: str = "expected",
        ties: str | float = "never",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.aggregation = aggregation
        self.ties = ties
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_classifiers(self, X: Any, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        estimator = self._classifier()
        self._refuse_unseen(ranks)
        keywords: list[str] = []
        if weights is not None:
            keywords = weight_keywords(estimator, "sample_weight")
        elif np.isnan(ranks).any():
            keywords = weight_keywords(estimator, "learning from incomplete rankings")
        behind = probabilities_behind(observed_places(ranks))
        problems = [(j, r) for j in range(self.n_labels_) for r in range(self.n_labels_ - 1)]
        seeds = spawn_seeds(draw_seed(self.random_state), len(problems))
        fitted = Parallel(n_jobs=no_more_than(len(problems), self.n_jobs))(
            delayed(fit_threshold)(
                estimator, X, behind[:, j, r], weights, keywords,
                seed=seed, where=f"label {self._names[j]}, position {r + 1}",
            )
            for (j, r), seed in zip(problems, seeds, strict=True)
        )  # fmt: skip
        step = self.n_labels_ - 1
        self.estimators_ = [fitted[at : at + step] for at in range(0, len(fitted), step)]

    def _check_state(self) -> None:
        super()._check_state()
        k, estimators = self.n_labels_, vars(self).get("estimators_")
        if not (
            isinstance(estimators, list)
            and len(estimators) == k
            and all(isinstance(row, list) and len(row) == k - 1 for row in estimators)
        ):
            raise ValueError(f"it has no {k - 1} classifiers for each of its {k} labels")
        for entry in (entry for row in estimators for entry in row):
            if type(entry) is not float:
                check_fitted_part(entry, "predict_proba")
            elif not 0 <= entry <= 1:
                raise ValueError(f"it has {entry} for a probability")

    def _predict_ranks(self, X: Any) -> np.ndarray:
        behind = self._behind(X)
        if self.aggregation == "expected":
            return ranks_by_position(1 + behind.sum(axis=2))
        return assign_positions(position_probabilities(behind))

    def _predict_positions(self, X: Any) -> Floats:
        expected: Floats = 1 + self._behind(X).sum(axis=2)
        return expected

    def _predict_shares(self, X: Any) -> Floats:
        probabilities = position_probabilities(self._behind(X))
        return pairwise_by_table(balance(np.maximum(probabilities, LEAST)))

    def _behind(self, X: Any) -> Floats:
        """Probabilities (n, k, k - 1) that a label is behind position r + 1."""
        k = self.n_labels_
        behind = np.empty((len(X), k, k - 1))
        for j, models in enumerate(self.estimators_):
            for r, model in enumerate(models):
                try:
                    behind[:, j, r] = (
                        model if isinstance(model, float) else model.predict_proba(X)[:, 1]
                    )
                except Exception as error:  # of any kind: it says whose it is
                    where = f"predicting label {self._names[j]}, position {r + 1}"
                    raise_naming(error, where, model)
        return behind

    def _check_parameters(self) -> None:
        check_choice("aggregation", self.aggregation, AGGREGATIONS)
        super()._check_parameters()

    def _classifier(self) -> Any:
        estimator = nearly_free_logistic()
        if self.estimator is not None:
            estimator = check_classifier(self.estimator)
            require_probabilities(estimator, "LWD adds up probabilities", "use another classifier")
        return estimator

    def _refuse_unseen(self, ranks: Floats) -> None:
        unseen = np.flatnonzero(np.isnan(ranks).all(axis=0))
        if len(unseen):
            raise ValueError(
                f"label {self._names[unseen[0]]} is missing in every row of y; nothing says its "
                "position: leave its column out"
            )


def position_probabilities(behind: Floats) -> Floats:
    """Probabilities (n, position, label) from those (n, label, threshold) of being behind.

    Examples
    --------
    >>> position_probabilities(np.array([[[0.8, 0.3], [0.2, 0.4], [1.0, 0.5]]]))[0].round(2)
    array([[0.2 , 0.67, 0.  ],
           [0.5 , 0.  , 0.5 ],
           [0.3 , 0.33, 0.5 ]])
    """
    edge = np.ones((*behind.shape[:2], 1))
    edges = np.concatenate([edge, behind, 0 * edge], axis=2)
    steps = np.maximum(-np.diff(edges, axis=2), 0)
    return (steps / steps.sum(axis=2, keepdims=True)).transpose(0, 2, 1)


def assign_positions(probabilities: Floats) -> NDArray[np.int64]:
    """Ranks with the least expected sum of distances, from probabilities (n, position, label).

    Examples
    --------
    Tea and coffee are both likeliest to be first, but tea would lose more as second:

    >>> assign_positions(np.array([[[0.9, 0.6, 0.0], [0.1, 0.4, 0.0], [0.0, 0.0, 1.0]]]))
    array([[1, 2, 3]])
    """
    k = probabilities.shape[1]
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return ranks_by_cost(np.einsum("pq,nql->npl", distance, probabilities))
