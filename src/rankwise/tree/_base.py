"""What tree and forest share: parameters, samples of rows, growing, and predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from rankwise._naming import RowError
from rankwise._parallel import in_threads
from rankwise._parameters import check_choice, check_flag, check_integer
from rankwise.engine import (
    CHUNK,
    LONG_CHUNK,
    PAIRWISE,
    Bags,
    Features,
    Grown,
    GrownSample,
    Targets,
    TreeGrower,
    Trees,
    add_votes,
    boolean_features,
    check_tree_limits,
    check_trees_of,
    code_features,
    flat_trees,
    growing_rules,
    n_features_drawn,
    pairwise_targets,
    plain_features,
    position_targets,
    seed_entropy,
    tied_targets,
    whole_weights,
)
from rankwise.ranker import (
    AGGREGATIONS,
    ExpectsValues,
    before_by_position,
    pair_weights,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
    ranks_with_ties,
    some_rows,
)
from rankwise.tree._leaf_values import (
    LeafValues,
    learn_leaf_values,
    moments,
    moments_left_out,
    spread_factor,
    sum_of,
)
from rankwise.tree._theory import is_theory, theory_setting
from rankwise.tree._warnings import warn_of_missing_pairs

CRITERIA = ("breiman", "level")
DECOMPOSITIONS = ("auto", "labelwise", "joint", "pairwise", "joint_pairwise", "mixed")
SPLITTERS = ("best", "random")

# From so many rows on features of many values are cut into bins; with fewer, trying every threshold
# costs no more.
MANY_ROWS = 5_000
MOST_BINS = 255

# Numbers that rows which are predicted together may need between them: 8 MB.
MOST_NUMBERS = 1 << 20


class BaseTreeRanker(ExpectsValues):
    """Base of `TreeRanker` and `ForestRanker`; they differ in the samples their trees grow on.

    A subclass has the parameters that are read here, and says how many samples there are, how one is
    drawn, how many grow at a time, and what theory sets.
    """

    _takes_missing_features = True
    _saved_parts: tuple[type, ...] = (Trees, LeafValues)

    def _mean_of_members(self, results: list[np.ndarray]) -> np.ndarray:
        """The mean of what the members say, by how many rankings each of them predicts."""
        return np.average(results, axis=0, weights=[m._n_rankings() for m in self._members])

    @abstractmethod
    def _n_samples_drawn(self) -> int:
        """How many samples of the rows trees are grown on."""

    @abstractmethod
    def _bags(self, counts: np.ndarray) -> Bags:
        """How samples are drawn of rows, where row i is there `counts[i]` times."""

    @abstractmethod
    def _jobs(self) -> int | None:
        """How many samples are grown, and chunks of rows predicted, at a time."""

    @abstractmethod
    def _theory_sample(self, ranks: np.ndarray, counts: np.ndarray) -> tuple[str, int]:
        """The parameter that may be "theory", and for how many rows theory then sets it."""

    def _setting(self, name: str) -> Any:
        """A parameter, or what theory set it to."""
        theory = self.theory_ or {}
        return theory["value"] if theory.get("setting") == name else getattr(self, name)

    @property
    def _members(self) -> list[BaseTreeRanker]:
        """Models of one kind of tree each, of which the prediction is the mean; mostly itself alone."""
        return [self]

    @property
    def _voters(self) -> list[Any]:
        """Training rows that vote beside the trees; forests alone may have them."""
        return []

    def _check_state(self) -> None:
        super()._check_state()
        decomposition = vars(self).get("decomposition_")
        if decomposition not in DECOMPOSITIONS[1:-1]:
            raise ValueError("it has no trees, or does not say what they are about")
        check_trees_of(self, decomposition)
        self._saved_array("feature_importances_", (self.n_features_in_,))
        self._saved_array("label_importances_", (self.n_labels_, self.n_features_in_))
        self._check_values_state()

    def _check_values_state(self) -> None:
        factor = vars(self).get("_spread_factor", 1.0)
        if type(factor) is not float or not 0 < factor < np.inf:
            raise ValueError("its spreads of values are stretched by no number")
        kept = vars(self).get("_leaf_values")
        if kept is not None:
            if not isinstance(kept, LeafValues):
                raise ValueError("its values of leaves are of no known kind")
            kept.check(self)

    def _learns_ties(self) -> bool:
        # a choice by cost needs one label in front: what is tied there costs the mean of all
        return super()._learns_ties() and not (self.ties == "auto" and self._weighs_pairs)

    @property
    def _weighs_pairs(self) -> bool:
        """Whether pairs count by the difference of their values, in the fit that is under way."""
        about_pairs = self.decomposition not in ("labelwise", "joint")
        return bool(self.by_cost) and about_pairs and "_values" in vars(self)

    @property
    def _knows_values(self) -> bool:
        return any("_leaf_values" in vars(member) for member in self._members)

    def _learn_values(
        self,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        bags: list[list[np.ndarray]],
    ) -> None:
        """Keep what was measured in the leaves, and how far what was left out lies from it."""
        for name in ("_leaf_values", "_spread_factor"):
            self.__dict__.pop(name, None)
        values = vars(self).get("_values")
        if values is None:
            return
        amounts = np.ones(len(X)) if weights is None else weights
        members = list(zip(self._members, bags, strict=True))
        # trees of pairs are many, and say of whole labels what others say
        asked = [(m, own) for m, own in members if m.decomposition_ != "pairwise"] or members[-1:]
        drawn = []
        for member, own in asked:
            member._leaf_values, counts = learn_leaf_values(member, X, values, amounts)
            if (np.column_stack(own) == 0).any():
                drawn.append((member, member._leaf_values, counts, own))
        if not drawn:
            found = self._grown_for_spread(asked[-1][0], X, ranks, weights)
            if found is not None:
                drawn = [(found[0], *learn_leaf_values(found[0], X, values, amounts), found[1])]
        self._spread_factor = _factor_of(drawn, X, values, amounts)

    def _grown_for_spread(
        self,
        member: BaseTreeRanker,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
    ) -> tuple[BaseTreeRanker, list[np.ndarray]] | None:
        """Trees like those of a member that leave rows out, and their samples; None: there are none."""
        return None

    def _centre_of_values(self) -> np.ndarray:
        """What the values of leaves are measured from: the same for all members."""
        kept = [vars(member)["_leaf_values"] for member in self._members if member._knows_values]
        return np.asarray(kept[0].centre)

    def _expected_values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [
            moments(member, vars(member)["_leaf_values"], X)
            for member in self._members
            if "_leaf_values" in vars(member)
        ]
        mean, variance = sum_of(found).mean_and_variance()
        factor: float = vars(self).get("_spread_factor", 1.0)
        return mean + self._centre_of_values(), factor * np.sqrt(variance)

    def _labels_of_trees(self) -> np.ndarray:
        """Which labels each tree of a ranking is about, (n_trees, n_labels_of_a_tree)."""
        k = self.n_labels_
        if self.decomposition_ == "labelwise":
            return np.arange(k)[:, None]
        if self.decomposition_ != "pairwise":
            return np.arange(k)[None]
        pairs = np.column_stack(np.triu_indices(k, k=1))
        return np.tile(pairs, (2, 1)) if self._with_ties else pairs

    def _grow(
        self,
        X: np.ndarray,
        ranks: np.ndarray,
        weights: np.ndarray | None,
        keep_inner: bool = False,
    ) -> list[np.ndarray]:
        """Fit all trees; returns how often each sample has each row."""
        grower, seeds = self._prepare(X, ranks, weights)
        grown = in_threads(self._jobs(), partial(grower.grow, keep_inner=keep_inner), seeds)
        # trees are copied when they are kept: let go before what grew them
        features, targets = grower.features.without_rows(), grower.targets.without_rows()
        del grower
        self._keep(grown, targets, features)
        return [sample.bag for sample in grown]

    def _prepare(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> tuple[TreeGrower, list[np.random.SeedSequence]]:
        """Code the data; the trees of a sample grow from it and a seed."""
        self.decomposition_ = self._choose_decomposition(ranks)
        targets = self._targets(ranks)
        counts, fractions = whole_weights(weights, len(X))
        name, n = self._theory_sample(ranks, counts)
        self.theory_ = None
        if is_theory(getattr(self, name)):
            self.theory_ = theory_setting(name, X, ranks, counts, self.criterion, n)
        n_drawn = n_features_drawn(self.max_features, X.shape[1])
        max_splits = self._setting("max_splits")
        rules = growing_rules(
            self.min_samples_leaf,
            self.max_depth,
            max_splits,
            n_drawn,
            self.stop_when_pure,
            # many features part few rows equally well: trees that all took the first would be too alike
            shuffle=self._n_samples_drawn() > 1,
        )
        seeds = np.random.SeedSequence(seed_entropy(self.random_state)).spawn(
            self._n_samples_drawn()
        )
        bags, features = self._bags(counts), self._features(X)
        grower = TreeGrower(features, targets, bags, fractions, rules, self.criterion, self.honest)
        return grower, seeds

    def _features(self, X: np.ndarray) -> Features:
        """What is cut: bits, codes of values or bins, or numbers where cuts are made at random."""
        if self.splitter == "random":
            return boolean_features(X) or plain_features(X)
        binned = self.criterion == "breiman" and len(X) >= MANY_ROWS
        return code_features(X, self.max_bins if binned else None)

    def _keep(self, grown: list[GrownSample], targets: Targets, features: Features) -> None:
        trees: list[Grown] = []
        for sample in grown:
            trees += sample.trees
            sample.trees.clear()
        flat = flat_trees(trees, targets, features, self._jobs())
        self._keep_flat(flat, [sample.importances for sample in grown], targets)

    def _keep_flat(self, trees: Trees, importances: list[np.ndarray], targets: Targets) -> None:
        self._trees: Trees = trees
        amounts = targets.by_label(np.sum(importances, axis=0))
        total, mean = amounts.sum(), amounts.sum(axis=0)
        self.feature_importances_ = mean / total if total > 0 else mean
        sums = amounts.sum(axis=1, keepdims=True)
        self.label_importances_ = np.divide(amounts, sums, out=amounts, where=sums > 0)

    def _choose_decomposition(self, ranks: np.ndarray) -> str:
        missing = np.isnan(ranks)
        if self.decomposition == "auto":
            if self._weighs_pairs:
                return self._for_costs()
            by_pairs = self._with_ties or missing.any()
            return self._for_pairs() if by_pairs else "labelwise"
        if self.decomposition in ("labelwise", "joint") and missing.any():
            i, j = np.argwhere(missing)[0]
            raise RowError(
                int(i),
                "y, ",
                f": label {str(self.labels_[j])!r} is missing; decomposition={self.decomposition!r} takes "
                "complete rankings only: use 'auto', 'pairwise' or 'joint_pairwise'",
            )
        return self.decomposition

    def _warn_of_missing_pairs(self, ranks: np.ndarray) -> None:
        if self._choose_decomposition(ranks) in (*PAIRWISE, "mixed"):
            warn_of_missing_pairs(ranks, self.labels_, self._with_ties)

    def _targets(self, ranks: np.ndarray) -> Targets:
        if not self._compares:
            return position_targets(ranks, self.decomposition_)
        weights = None
        if self._weighs_pairs:
            weights = pair_weights(self._values, ranks)
        if self._with_ties:
            return tied_targets(ranks, self.decomposition_, weights)
        return pairwise_targets(ranks, self.decomposition_, weights)

    def _for_costs(self) -> str:
        """What "auto" is where pairs count by the difference of their values."""
        return "pairwise"

    def _for_pairs(self) -> str:
        """What "auto" is where labels are missing, or tied."""
        return "joint_pairwise"

    @property
    def _compares(self) -> bool:
        """Whether the trees predict comparisons of two labels."""
        return self.decomposition_ in PAIRWISE

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return self._from_sums(X, self._ranks)

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        return self._from_sums(X, self._positions)

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        if self._compares:
            return self._from_sums(X, self._shares_by_sums)
        return self._by_chunks(
            X, self._few_rows(), lambda rows: [self._votes(self._trees.leaves(rows))]
        )[0]

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._compares:
            shares = self._predict_shares(X)
            return ranks_by_pairwise(shares, self.aggregation), shares
        return self._with_votes(X, self._ranks)

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._compares:
            shares = self._predict_shares(X)
            return positions_by_pairwise(shares), shares
        return self._with_votes(X, self._positions)

    def _with_votes(
        self, X: np.ndarray, function: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Results of a function of the sums that trees make for each row, and their votes."""

        def both(rows: np.ndarray) -> list[np.ndarray]:
            leaves = self._trees.leaves(rows)
            return [function(self._sums(leaves)), self._votes(leaves)]

        results, shares = self._by_chunks(X, self._few_rows(), both)
        return results, shares

    def _predict_before(self, X: np.ndarray) -> np.ndarray:
        return self._ranks_and_before(X)[1]

    def _ranks_and_before(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = self._mean_targets(X)
        return self._ranks_of(mean), self._before_of(mean)

    def _mean_targets(self, X: np.ndarray) -> np.ndarray:
        """Mean positions of each row, or mean outcomes of pairs."""
        return self._trees.sums_of(X, self._n_targets()) / self._n_rankings()

    def _tied_ranks(self, X: np.ndarray, threshold: float) -> np.ndarray:
        def tied(rows: np.ndarray) -> list[np.ndarray]:
            return [ranks_with_ties(*self._ranks_and_before(rows), threshold)]

        return self._by_chunks(X, self._few_rows(), tied)[0]

    def _answer_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        threshold = getattr(self, "ties_", None)
        if threshold is None or not self._compares:
            return super()._answer_and_shares(X)

        def both(rows: np.ndarray) -> list[np.ndarray]:
            mean = self._mean_targets(rows)
            tied = ranks_with_ties(self._ranks_of(mean), self._before_of(mean), threshold)
            return [tied, self._shares_of(mean)]

        ranks, shares = self._by_chunks(X, self._few_rows(), both)
        return ranks, shares

    def _from_sums(self, X: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Results of a function of the sums that trees make for each row."""
        size = self._few_rows()
        if not self._compares:
            # long chunks, but one for each thread
            share = -(-len(X) // effective_n_jobs(self._jobs()))
            size = min(max(CHUNK, share), LONG_CHUNK)
        n_targets = self._n_targets()
        return self._by_chunks(
            X, size, lambda rows: [function(self._trees.sums_of(rows, n_targets))]
        )[0]

    def _few_rows(self) -> int:
        """How many rows may have a number for each pair of labels at a time."""
        return max(1, min(CHUNK, MOST_NUMBERS // self.n_labels_**2))

    def _by_chunks(
        self, X: np.ndarray, size: int, results: Callable[[np.ndarray], list[np.ndarray]]
    ) -> list[np.ndarray]:
        """Results for some rows at a time, put together."""
        chunks = (X[start : start + size] for start in range(0, len(X), size))
        parts = in_threads(self._jobs(), results, chunks)
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def _ranks(self, sums: np.ndarray) -> np.ndarray:
        return self._ranks_of(sums / self._n_rankings())

    def _ranks_of(self, mean: np.ndarray) -> np.ndarray:
        """Ranks by mean positions, or mean outcomes of pairs."""
        if self._compares:
            return ranks_by_pairwise(self._shares_of(mean), self.aggregation)
        return ranks_by_position(mean)

    def _positions(self, sums: np.ndarray) -> np.ndarray:
        if self._compares:
            return positions_by_pairwise(self._shares_by_sums(sums))
        return sums / self._n_rankings()

    def _shares_by_sums(self, sums: np.ndarray) -> np.ndarray:
        return self._shares_of(sums / self._n_rankings())

    def _votes(self, leaves: np.ndarray) -> np.ndarray:
        """The share of rankings that put one label before another."""
        k = self.n_labels_
        votes = np.zeros((leaves.shape[1], k, k))
        add_votes(np.stack(list(self._by_ranking(leaves))), votes, 0.5)
        return votes / self._n_rankings()

    def _shares_of(self, outcomes: np.ndarray) -> np.ndarray:
        """Mean outcomes (-1 to 1) of each pair as a matrix of shares."""
        if self._with_ties:
            # the two comparisons of a pair: a tie speaks for neither label
            one, other = np.split(outcomes, 2, axis=1)
            outcomes = (one - other) / 2
        return self._by_pairs(0.5 + outcomes / 2, 0.5 - outcomes / 2)

    def _before_of(self, mean: np.ndarray) -> np.ndarray:
        """What mean outcomes of pairs, or positions, say of one label strictly before another."""
        if not self._compares:
            return before_by_position(mean)
        if not self._with_ties:
            return self._shares_of(mean)
        # a label is before another unless that one is before it or tied with it
        not_behind, not_before = np.split(mean, 2, axis=1)
        return self._by_pairs(0.5 - not_before / 2, 0.5 - not_behind / 2)

    def _by_pairs(self, first_before: np.ndarray, second_before: np.ndarray) -> np.ndarray:
        """Two numbers for each pair of labels as a matrix for each row, 1/2 on the diagonal."""
        k = self.n_labels_
        first, second = np.triu_indices(k, k=1)
        matrix = np.full((len(first_before), k, k), 0.5)
        matrix[:, first, second] = first_before
        matrix[:, second, first] = second_before
        return matrix

    def _trees_per_ranking(self) -> int:
        k = self.n_labels_
        n_pairs = k * (k - 1) // (1 if self._with_ties else 2)
        return {"labelwise": k, "pairwise": n_pairs}.get(self.decomposition_, 1)

    def _n_rankings(self) -> int:
        """How many rankings the trees predict between them."""
        return len(self._trees.roots) // self._trees_per_ranking()

    def _sums(self, leaves: np.ndarray) -> np.ndarray:
        """Sums of positions, or of outcomes of pairs, over the rankings that the trees predict."""
        return self._trees.sums(leaves, self._n_targets())

    def _n_targets(self) -> int:
        return self._trees_per_ranking() * self._trees.values.shape[1]

    def _by_ranking(self, leaves: np.ndarray) -> Iterator[np.ndarray]:
        """Positions, or outcomes of pairs, of each row by one ranking after the other."""
        return map(self._sums, np.split(leaves, self._n_rankings()))

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("decomposition", self.decomposition, DECOMPOSITIONS)
        check_choice("aggregation", self.aggregation, AGGREGATIONS)
        check_choice("splitter", self.splitter, SPLITTERS)
        if self.splitter == "random" and self.criterion == "level":
            raise ValueError(
                "splitter='random' draws a threshold for each node, and criterion='level' has one "
                "for a whole level: use criterion='breiman', or splitter='best'"
            )
        if self.max_bins is not None:
            check_integer("max_bins", self.max_bins, 2, MOST_BINS, why=" or None (every threshold)")
        check_flag("honest", self.honest)
        if not isinstance(self.by_cost, str):
            check_flag("by_cost", self.by_cost)
        is_asked = self.by_cost and self.by_cost != "auto"
        if is_asked and self.decomposition in ("labelwise", "joint"):
            raise ValueError(
                f"by_cost=True weighs pairs of labels, and decomposition={self.decomposition!r} has "
                "none: use 'auto', 'pairwise' or 'joint_pairwise'"
            )
        check_flag("stop_when_pure", self.stop_when_pure)
        check_tree_limits(self.min_samples_leaf, self.max_depth)


def _factor_of(
    drawn: list[tuple[BaseTreeRanker, LeafValues, np.ndarray, list[np.ndarray]]],
    X: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
) -> float:
    """By what spreads are multiplied, by rows and the trees of some members that left them out."""
    if not drawn:
        return 1.0
    rows = some_rows(len(X))
    known = X[rows], values[rows], weights[rows]
    found = [
        moments_left_out(member, kept, counts, known, np.column_stack(bags)[rows] == 0)
        for member, kept, counts, bags in drawn
    ]
    mean, variance = sum_of(found).mean_and_variance()
    errors = values[rows] - drawn[0][1].centre - mean
    return spread_factor(np.where(weights[rows, None] > 0, errors, np.nan), variance)
