"""Forests: the average of trees grown on samples of the rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rankwise._parameters import check_flag, check_integer
from rankwise.engine import CHUNK, n_rows_drawn
from rankwise.metrics import kendall_tau
from rankwise.ranker import ranks_by_pairwise, ranks_by_position
from rankwise.tree import BaseTreeRanker


class ForestRanker(BaseTreeRanker):
    """Label ranking with forests of decision trees, fully grown unless limited.

    Each tree grows on a sample of the rows; predictions are averages over the trees. The paper's
    random forest is ``ForestRanker(n_estimators=50)``, its fully grown honest forest
    ``ForestRanker(honest=True, bootstrap=False, max_samples=s)``. Missing features, weights and the
    shares of pairs are as in `TreeRanker`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees (for each label with labelwise decomposition).
    criterion : {"breiman", "level"}, default="breiman"
        As in `TreeRanker`.
    honest : bool, default=False
        Half of the rows of each tree chooses the cuts, the other half fills the cells.
    stop_when_pure, splitter, max_bins
        As in `TreeRanker`. Extremely randomised trees are mostly grown on all rows:
        ``splitter="random", bootstrap=False``.
    bootstrap : bool, default=True
        Draw rows with replacement; False: without.
    max_samples : int, float, "theory" or None, default=None
        How many rows each tree draws, or the share of them; None: as many as there are (without
        replacement and not honest that is every row, so all trees are equal). "theory": as the
        paper's theorem on forests sets it for r, beta and zeta diagnosed from the data
        (`rankwise.theory.suggest_samples`): "level" draws 2^r (log(dk/delta) / beta^2 +
        log(k/delta) / zeta) rows, "breiman" 2^r log(dk/delta) / (zeta beta^2), with delta = 0.05,
        rounded up, and as many as there are at most. The theorem is about honest trees and rows
        drawn without replacement; it is cautious, and mostly asks for all rows.
    max_features : float, int, {"sqrt", "log2"} or None, default=1.0
        How many features, drawn at random, compete for a cut.
    max_depth, max_splits : int, optional
        Where growing stops, as in `TreeRanker`; theory grows forests fully, so that it sets no
        `max_splits` here.
    min_samples_leaf : int, default=1
        Every leaf keeps at least so many rows of those that fill it.
    decomposition : {"auto", "labelwise", "joint", "pairwise", "joint_pairwise"}, default="auto"
        What trees are about, as in `TreeRanker`.
    aggregation : {"copeland", "borda"}, default="copeland"
        How shares become a ranking with pairwise decomposition.
    oob_score : bool, default=False
        Estimate tau on the rows that each tree did not draw.
    n_jobs : int, optional
        How many trees grow at a time, in threads; -1: one per core. Results do not depend on it.
    random_state : int, Generator or RandomState, optional
        Decides the samples, the honest halves and the features drawn.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Share of what the cuts at each feature explain.
    label_importances_ : ndarray of shape (n_labels, n_features)
        The same for each label: which features decide where it stands.
    oob_score_ : float
        Mean Kendall tau on rows left out, with ``oob_score=True``.
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.
    theory_ : dict or None
        With ``max_samples="theory"``: its "value", the "formula", "exact" (before rounding),
        "clipped", and the numbers that went in ("n", "d", "k", "delta", "r", "beta", "zeta").

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.oracles import make_family
    >>> X, Y, _ = make_family("SFN", n_samples=500, random_state=0)
    >>> model = rw.ForestRanker(n_estimators=20, random_state=0).fit(X[:400], Y[:400])
    >>> model.predict(X[400:402]).shape
    (2, 5)
    >>> model.score(X[400:], Y[400:]) > 0.3
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "breiman",
        honest: bool = False,
        stop_when_pure: bool = False,
        splitter: str = "best",
        max_bins: int | None = 255,
        bootstrap: bool = True,
        max_samples: int | float | str | None = None,
        max_features: Any = 1.0,
        max_depth: int | None = None,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        decomposition: str = "auto",
        aggregation: str = "copeland",
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.honest = honest
        self.stop_when_pure = stop_when_pure
        self.splitter = splitter
        self.max_bins = max_bins
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.decomposition = decomposition
        self.aggregation = aggregation
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        bags = self._grow(X, ranks, weights)
        if self.oob_score:
            self.oob_score_ = self._score_left_out(X, ranks, bags)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("n_estimators", self.n_estimators, 1)
        check_flag("bootstrap", self.bootstrap)
        check_flag("oob_score", self.oob_score)
        if self.max_splits is not None:
            check_integer("max_splits", self.max_splits, 0)

    def _n_samples_drawn(self) -> int:
        return int(self.n_estimators)

    def _jobs(self) -> int | None:
        return self.n_jobs

    def _theory_sample(self, ranks: np.ndarray, counts: np.ndarray) -> tuple[str, int]:
        return "max_samples", int(counts.sum())

    def _bag(self, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        total = int(counts.sum())
        size = n_rows_drawn(self._setting("max_samples"), total)
        # nothing is left to chance where every row is drawn
        return counts if size == total and not self.bootstrap else self._draw(counts, size, rng)

    def _draw(self, counts: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """How often each row is drawn, where row i is there `counts[i]` times."""
        n = len(counts)
        if counts.min() == counts.max() == 1:
            drawn = rng.choice(n, size, replace=self.bootstrap)
            return np.bincount(drawn, minlength=n).astype(np.int32)
        # weights may be in the millions: rows are never repeated in memory
        if self.bootstrap:
            return rng.multinomial(size, counts / counts.sum()).astype(np.int32)
        return rng.multivariate_hypergeometric(counts, size).astype(np.int32)

    def _score_left_out(self, X: np.ndarray, ranks: np.ndarray, bags: list[np.ndarray]) -> float:
        """Tau of the rows that at least one tree left out, by the trees that did."""
        left_out = np.column_stack(bags) == 0
        predicted = np.full(ranks.shape, np.nan)
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            predicted[rows] = self._predict_left_out(X[rows], left_out[rows])
        seen = left_out.any(axis=1)
        if not seen.any():
            warnings.warn(
                "every tree drew every row, so there is no row left out to score: oob_score_ is NaN; use "
                "bootstrap=True or max_samples below the number of rows",
                UserWarning,
                stacklevel=4,
            )
            return float("nan")
        return float(kendall_tau(ranks[seen], predicted[seen]))

    def _predict_left_out(self, X: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        leaves = self._trees.leaves(X)
        total: Any = 0.0
        for t, values in enumerate(self._by_ranking(leaves)):
            total = total + values * left_out[:, [t]]
        mean = total / np.maximum(1, left_out.sum(axis=1, keepdims=True))
        if self._compares:
            return ranks_by_pairwise(self._shares_of(mean), self.aggregation)
        return ranks_by_position(mean)
