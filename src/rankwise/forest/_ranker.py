"""Forests: the average of trees grown on samples of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from rankwise._arguments import check_arguments
from rankwise._messages import warn_caller
from rankwise._parameters import check_flag, check_integer, is_whole
from rankwise.engine import (
    CHUNK,
    PAIRWISE,
    Bags,
    boolean_features,
    check_forest_size,
    n_rows_drawn,
    seed_entropy,
)
from rankwise.forest._by_parts import LeftOut, fit_by_parts
from rankwise.forest._kernel_rows import KernelRows
from rankwise.forest._kinds import (
    Kind,
    kinds_by_cost,
    kinds_of_incomplete,
    kinds_of_tied,
    kinds_to_weigh,
    with_trees,
)
from rankwise.forest._near_rows import MOST_NUMBERS, MOST_ROWS, NearRows
from rankwise.forest._trial import (
    N_PARTS,
    Squares,
    numbers_of_trees,
    parts_left_out,
    trees_of_a_trial,
)
from rankwise.forest._voters import (
    best_shares,
    check_voters,
    mixed,
    noise_of_few,
    voters_of,
    votes_left_out,
)
from rankwise.metrics import kendall_tau
from rankwise.parts import Parts
from rankwise.parts.steps import LocalRunner, Runner
from rankwise.ranker import (
    BaseRanker,
    HeldOut,
    check_ties,
    positions_by_pairwise,
    ranks_by_pairwise,
    some_rows,
)
from rankwise.tree import BaseTreeRanker

# Samples of the trees that tell how far values lie from what is expected, where no tree left rows out.
FOR_SPREAD = 12


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
    stop_when_pure : bool, default=False
        Where an honest tree stops, as in `TreeRanker`.
    splitter : {"best", "random"}, default="best"
        As in `TreeRanker`. Extremely randomised trees are mostly grown on all rows:
        ``splitter="random", bootstrap=False``.
    max_bins : int or None, default=255
        As in `TreeRanker`.
    bootstrap : bool, default=True
        Draw rows with replacement; False: without.
    max_samples : int, float, "theory" or None, default=None
        How many rows each tree draws, or the share of them; None: as many as there are (without
        replacement and not honest that is every row, so trees hardly differ). "theory": as the
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
    decomposition : {"auto", "labelwise", "joint", "pairwise", "joint_pairwise", "mixed"}, default="auto"
        What trees are about, as in `TreeRanker`. "mixed": half of the samples have a tree for each
        pair, cut at random on all rows; a quarter have one tree on all pairs, a quarter one that is
        cut at random, with leaves of 3 rows or more (fewer than 300 rows: all of that half).
        "auto": labelwise for complete rankings without ties, mixed where any label is missing
        (joint_pairwise for a single sample, or Level-Splits). Then five kinds of trees have shares of
        the samples: for each pair cut at random, with leaves of 1 row or 3; on all pairs cut at
        random, with leaves of 3 rows or 10; on all pairs with best cuts. A few trees of each are tried
        on rows left out, up to four quarters of at most 20,000 rows, and the shares are those whose
        mean comes nearest to these, by least squares of the scores of labels; below a tenth, or
        three trees, a kind has none. Mixed for complete rankings with ties:
        all trees are on all pairs, half of them on all rows and cut at random, half on samples; of
        these a third each has all features compete for a cut, half of them, and their square root,
        unless `max_features` says another number. Beside them the ten nearest training rows vote,
        by the inverse cube of their distances (up to 30,000 rows are searched), and ridge
        regression on a Gaussian kernel (up to 2,000 rows). Features count for a distance by
        their importance and by how rankings change with them (more than 512 features: all alike).
        The shares of the votes are those whose mean comes nearest to the rows that trees left out.
    aggregation : {"copeland", "borda"}, default="copeland"
        How shares become a ranking with pairwise decomposition.
    ties : {"auto", "never"} or float, default="auto"
        Whether predictions have ties, as in `TreeRanker`; "auto" fits the threshold on the rows that
        trees left out, by the trees that did.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}, default="tau_x"
        The measure that "auto" fits the threshold to.
    by_cost : bool or "auto", default="auto"
        What ``fit(X, y, values=…)`` does beside keeping values for `predict_values`. "auto": where
        `decomposition` is "auto", every sample has a tree for each pair, cut at random on all rows with
        leaves of 3 rows or more, and in half of them rows count by the difference of the two values (Xu
        et al. 2011); where labels are missing, the other half is "mixed". Together
        they cost about as little as the better kind. Where pairs times rows are many there are fewer
        samples than `n_estimators`, 10 at least: a label is in many pairs. True: rows count by the
        difference in all samples. False: trees are as without values. Another `decomposition` has its
        own trees, which weigh pairs unless this is False. Where pairs are weighed, ``ties="auto"`` ties
        nothing: a choice needs one label in front.
    oob_score : bool, default=False
        Estimate tau on the rows that each tree did not draw.
    n_jobs : int, optional
        How many trees grow at a time, in threads; -1: one per core. Results do not depend on it.
    random_state : int, Generator or RandomState, optional
        Decides the samples, the honest halves, the features drawn, and which of equally good
        features each tree takes first (of yes/no features the one of the lowest index).

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
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
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

    _saved_parts = (*BaseTreeRanker._saved_parts, NearRows, KernelRows)

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
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        by_cost: bool | str = "auto",
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
        self.ties = ties
        self.ties_for = ties_for
        self.by_cost = by_cost
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    @check_arguments
    def fit_parts(
        self,
        parts: Parts,
        *,
        memory_limit: int | str | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Learn from rows in parts, which need not fit into memory between them.

        Each tree draws its rows over all parts, as `fit` does: with the same seed and the same rows in
        the same order the forest is the same, bit for bit, as long as no feature has more than four
        times `max_bins` values; those that have are cut into bins of a sample of 65,536 rows.
        It does not depend on how rows are parted. Where labels are missing or tied, "auto" is
        "joint_pairwise", and what `fit` finds out on rows that trees left out (ties, `oob_score_`) is
        found on 4,096 of them.

        Parameters
        ----------
        parts : Parts
            As `rankwise.parts.array_parts` and `rankwise.parts.open_parts` make them.
        memory_limit : int or str, optional
            Bytes, or a text such as "4 GB", that rows and growing may take, without the trees
            themselves; by default half of the machine's memory. Fewer mean that parts are read more
            often.
        progress : bool, optional
            Whether to show progress; by default on a terminal.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit_parts(parts, LocalRunner(self.n_jobs, memory_limit, progress))
        return self

    def _fit_parts(self, parts: Parts, runner: Runner) -> LeftOut | None:
        self._check_parameters()
        check_ties(self.ties, self.ties_for)
        return fit_by_parts(self, parts, runner)

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._warn_of_missing_pairs(ranks)
        self._parts: list[ForestRanker] = []
        self.__dict__.pop("_near", None)  # of an earlier fit
        mixed = self._choose_decomposition(ranks) == "mixed"
        bags = self._grow_parts(X, ranks, weights) if mixed else [self._grow(X, ranks, weights)]
        self._learn_values(X, ranks, weights, bags)
        may_ask = mixed and self._with_ties and not np.isnan(ranks).any()
        if self._with_ties and (may_ask or self.ties == "auto"):
            self._left_out_last = self._mean_of_left_out(X, bags)
        voters = self._find_voters(X, ranks, weights, bags) if may_ask else []
        if voters:
            self._near = voters
        if self.oob_score:
            self.oob_score_ = self._score_left_out(X, ranks, bags)

    def _grow_parts(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> list[list[np.ndarray]]:
        """Fit forests of trees per pair and of trees on all pairs; returns the samples of each."""
        self.decomposition_ = "mixed"
        # with two values to a feature nothing is left to draw but the rows
        drawn = self.bootstrap and (bool(self.oob_score) or boolean_features(X) is not None)
        seed = np.random.SeedSequence(seed_entropy(self.random_state))
        kinds = self._kinds(X, ranks, weights, drawn, seed.spawn(1)[0])
        parts = self._parts_of(kinds, seed)
        bags = [self._grow_part(part, X, ranks, weights) for part in parts]
        self._take_parts(parts)
        return bags

    def _take_parts(self, parts: list[ForestRanker]) -> None:
        """Become a mixed forest of others that have grown."""
        self._parts, self.theory_ = parts, None
        self.__dict__.pop("_trees", None)  # of an earlier fit to complete rankings
        for name in ("feature_importances_", "label_importances_"):
            setattr(self, name, self._mean_of_members([getattr(p, name) for p in parts]))

    def _kinds(
        self,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        drawn: bool,
        seed: np.random.SeedSequence,
    ) -> list[Kind]:
        """The kinds of trees that are mixed."""
        incomplete = bool(np.isnan(ranks).any())
        if self._weighs_pairs and self.decomposition == "auto":
            return kinds_by_cost(self, len(ranks), drawn, incomplete)
        n = int(self.n_estimators)
        if self._with_ties and not incomplete:
            return kinds_of_tied(self, n, drawn)
        if self.decomposition == "auto":
            kinds = kinds_to_weigh(self, drawn)
            shares = self._shares_of_kinds(kinds, X, ranks, weights, seed)
            if shares is not None:
                return with_trees(kinds, numbers_of_trees(shares, n))
        return kinds_of_incomplete(self, n // 2, n - n // 2, len(ranks), drawn)

    def _shares_of_kinds(
        self,
        kinds: list[Kind],
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        seed: np.random.SeedSequence,
    ) -> np.ndarray | None:
        """The shares of the kinds whose mixture is best on rows left out; None: too few rows."""
        teaches = (~np.isnan(ranks)).sum(axis=1) > 1
        if weights is not None:
            teaches &= weights > 0
        if teaches.sum() < N_PARTS:
            return None
        # the sum of weights near the largest number would be none
        counts = np.ones(len(X)) if weights is None else weights / weights.max()
        squares, n = Squares(len(kinds)), int(self.n_estimators)
        few = with_trees(kinds, [trees_of_a_trial(n)] * len(kinds))
        chosen = parts_left_out(np.flatnonzero(teaches), n, np.random.default_rng(seed))
        for rows, left_out in chosen:
            parts = self._parts_of(few, seed.spawn(1)[0])
            for part in parts:
                if is_whole(self.max_samples):
                    # the same share of the rows, which are fewer here
                    part.max_samples = min(1.0, int(self.max_samples) / len(X))
                part._grow(X[rows], ranks[rows], None if weights is None else weights[rows])
            size = self._few_rows()
            for start in range(0, len(left_out), size):
                some = left_out[start : start + size]
                said = [part._shares_by_ranking(X[some]) for part in parts]
                squares.add(said, ranks[some], counts[some])
        return squares.shares()

    def _shares_by_ranking(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """The shares of pairs by one tree on all pairs, or by the trees of each pair, after the other."""
        return map(self._shares_of, self._by_ranking(self._trees.leaves(X)))

    def _parts_of(self, kinds: list[Kind], seed: np.random.SeedSequence) -> list[ForestRanker]:
        seeds = seed.generate_state(len(kinds))
        return [self._part(kind, int(own)) for kind, own in zip(kinds, seeds, strict=True)]

    def _part(self, parameters: Kind, seed: int) -> ForestRanker:
        """An unfitted forest of one kind of tree, for the rows that this one is fitted to."""
        part = clone(self).set_params(**parameters, oob_score=False, random_state=seed)
        part.labels_, part._labels_are_named = self.labels_, self._labels_are_named
        part.n_labels_, part.n_features_in_ = self.n_labels_, self.n_features_in_
        part._parts, part._keeps_ties = [], self._with_ties
        return part

    def _grow_part(
        self, part: ForestRanker, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> list[np.ndarray]:
        if "_values" in vars(self):
            part._values = self._values
        bags = part._grow(X, ranks, weights)
        part.__dict__.pop("_values", None)
        return bags

    def _grown_for_spread(
        self,
        member: BaseTreeRanker,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
    ) -> tuple[BaseTreeRanker, list[np.ndarray]]:
        few = min(FOR_SPREAD, int(member.get_params()["n_estimators"]))
        part = member._part({"n_estimators": few, "bootstrap": True}, member.random_state)
        return part, self._grow_part(part, X, ranks, weights)

    @property
    def _members(self) -> list[BaseTreeRanker]:
        return list(self._parts) or [self]

    @property
    def _compares(self) -> bool:
        return super()._compares or self.decomposition_ == "mixed"

    def _for_pairs(self) -> str:
        return "mixed" if self._mixes else super()._for_pairs()

    def _for_costs(self) -> str:
        return "mixed" if self._mixes else super()._for_costs()

    @property
    def _mixes(self) -> bool:
        """Whether "auto" may be several kinds of trees."""
        return self.n_estimators > 1 and self.criterion == "breiman"

    def _mean_targets(self, X: np.ndarray) -> np.ndarray:
        if not self._parts:
            return super()._mean_targets(X)
        mean = self._mean_of_members([part._mean_targets(X) for part in self._parts])
        return mixed(mean, [voter.votes(X) for voter in self._voters], self._voters)

    @property
    def _voters(self) -> list[NearRows]:
        # a file from before has no word on them
        voters: list[NearRows] = vars(self).get("_near", [])
        return voters

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        if not self._parts:
            return super()._predict_ranks(X)
        return ranks_by_pairwise(self._predict_shares(X), self.aggregation)

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        if not self._parts:
            return super()._predict_positions(X)
        return positions_by_pairwise(self._predict_shares(X))

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        if not self._parts:
            return super()._predict_shares(X)
        if self._voters:
            return self._by_chunks(
                X, self._few_rows(), lambda rows: [self._shares_of(self._mean_targets(rows))]
            )[0]
        return self._mean_of_members([part._predict_shares(X) for part in self._parts])

    def _n_rankings(self) -> int:
        return sum(part._n_rankings() for part in self._parts) or super()._n_rankings()

    def _check_state(self) -> None:
        parts = vars(self).get("_parts")
        if not isinstance(parts, list) or not all(type(part) is type(self) for part in parts):
            raise ValueError("it does not say which forests it is made of")
        if not parts:
            super()._check_state()
            return
        kinds = [vars(part).get("decomposition_") for part in parts]
        if vars(self).get("decomposition_") != "mixed" or not {*kinds} <= {*PAIRWISE}:
            raise ValueError("it is made of other forests than of trees per pair and on all pairs")
        BaseRanker._check_state(self)
        for part in parts:
            part._check_state()
            if (part.n_labels_, part.n_features_in_) != (self.n_labels_, self.n_features_in_):
                raise ValueError("it is made of forests of other labels or features")
            if part._with_ties != self._with_ties:
                raise ValueError("some of the forests it is made of have learned ties, others not")
        check_voters(self)
        self._check_values_state()
        self._saved_array("feature_importances_", (self.n_features_in_,))
        self._saved_array("label_importances_", (self.n_labels_, self.n_features_in_))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest_size(self.n_estimators)
        if self.decomposition == "mixed" and (self.n_estimators < 2 or self.criterion != "breiman"):
            raise ValueError(
                "decomposition='mixed' grows trees of two kinds by Breiman's criterion: use "
                "n_estimators of 2 or more and criterion='breiman', or 'auto'"
            )
        check_flag("bootstrap", self.bootstrap)
        check_flag("oob_score", self.oob_score)
        if self.by_cost != "auto":
            check_flag("by_cost", self.by_cost)
        if self.max_splits is not None:
            check_integer("max_splits", self.max_splits, 0)

    def _n_samples_drawn(self) -> int:
        return int(self.n_estimators)

    def _jobs(self) -> int | None:
        return self.n_jobs

    def _theory_sample(self, ranks: np.ndarray, counts: np.ndarray) -> tuple[str, int]:
        return "max_samples", int(counts.sum())

    def _bags(self, counts: np.ndarray) -> Bags:
        size = n_rows_drawn(self._setting("max_samples"), int(counts.sum()))
        return Bags(counts, size, self.bootstrap)

    def _score_left_out(
        self, X: np.ndarray, ranks: np.ndarray, bags: list[list[np.ndarray]]
    ) -> float:
        """Tau of the rows that at least one tree left out, by the trees that did."""
        left_out = [np.column_stack(own) == 0 for own in bags]
        seen = np.all([own.any(axis=1) for own in left_out], axis=0)
        if not seen.any():
            warn_caller(
                "every tree drew every row, so there is no row left out to score: oob_score_ is NaN; use "
                "bootstrap=True or max_samples below the number of rows",
                UserWarning,
            )
            return float("nan")
        predicted = np.full(ranks.shape, np.nan)
        for start in range(0, len(X), CHUNK):
            rows = np.arange(start, min(start + CHUNK, len(X)))
            members = zip(self._members, left_out, strict=True)
            mean = self._mean_of_members(
                [m._mean_left_out(X[rows], own[rows]) for m, own in members]
            )
            votes = votes_left_out(self._voters, rows, self.feature_importances_)
            predicted[rows] = self._ranks_of(mixed(mean, votes, self._voters))
        return float(kendall_tau(ranks[seen], predicted[seen]))

    def _mean_of_left_out(
        self, X: np.ndarray, bags: list[list[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows, and what the trees that left them out say, of the members whose trees drew samples."""
        asked = [(m, np.column_stack(own) == 0) for m, own in zip(self._members, bags, strict=True)]
        asked = [(member, own) for member, own in asked if own.any()]
        rows = np.flatnonzero(np.all([own.any(axis=1) for _, own in asked], axis=0))
        if not asked or not len(rows):
            return None
        rows = rows[some_rows(len(rows))]
        mean = np.average(
            [member._mean_left_out(X[rows], own[rows]) for member, own in asked],
            axis=0,
            weights=[member._n_rankings() for member, _ in asked],
        )
        return rows, mean

    def _find_voters(
        self,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        bags: list[list[np.ndarray]],
    ) -> list[NearRows]:
        """Who votes beside the trees, and with which shares; rows left out are asked of all together."""
        if self._left_out_last is None or len(X) > MOST_ROWS or X.size > MOST_NUMBERS:
            return []
        rows, mean = self._left_out_last
        counts = np.ones(len(X)) if weights is None else weights
        if not counts[rows].any():
            return []
        voters = voters_of(X, ranks, weights, self.feature_importances_)
        votes = votes_left_out(voters, rows, self.feature_importances_)
        asked = sum((np.column_stack(own)[rows] == 0).sum(axis=1) for own in bags)
        noise = noise_of_few(mean, np.asarray(asked), self._n_rankings())
        truth = voters[0].outcomes_of(rows)
        shares = best_shares([mean, *votes], truth, counts[rows], noise)[1:]
        voters = [v.with_share(float(s)) for v, s in zip(voters, shares, strict=True)]
        # the threshold of ties is fitted to what all say together
        self._left_out_last = rows, mixed(mean, votes, voters)
        return [voter for voter in voters if voter.share > 0]

    def _choose_ties(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> float | None:
        threshold = super()._choose_ties(X, ranks, weights)
        self.__dict__.pop("_left_out_last", None)
        return threshold

    def _held_out(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> HeldOut | None:
        if self._left_out_last is None:
            return super()._held_out(X, ranks, weights)
        rows, mean = self._left_out_last
        return HeldOut(rows, self._ranks_of(mean), self._before_of(mean))

    def _mean_left_out(self, X: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        """Mean positions, or outcomes of pairs, by the samples that left a row out."""
        leaves = self._trees.leaves(X)
        total: Any = 0.0
        for t, values in enumerate(self._by_ranking(leaves)):
            total = total + values * left_out[:, [t]]
        return total / np.maximum(1, left_out.sum(axis=1, keepdims=True))
