"""What tree and forest share: parameters, samples of rows, growing, and predictions."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rankwise.engine import (
    UNLIMITED,
    BooleanFeatures,
    CodedFeatures,
    Room,
    Rules,
    Sample,
    Targets,
    Tree,
    Trees,
    check_trees_of,
    code_features,
    flatten,
    grow_breiman,
    grow_level,
    n_features_drawn,
    pairwise_targets,
    position_targets,
    seed_entropy,
    statistics,
    whole_weights,
)
from rankwise.engine.kernels import add_values, add_votes
from rankwise.ranker import (
    AGGREGATIONS,
    BaseRanker,
    positions_by_pairwise,
    ranks_by_pairwise,
)
from rankwise.tree._warnings import warn_of_missing_pairs

CRITERIA = ("breiman", "level")
DECOMPOSITIONS = ("auto", "labelwise", "joint", "pairwise")

# Rows predicted together.
CHUNK = 4096

# Numbers that these may need between them: 8 MB.
MOST_NUMBERS = 1 << 20


class Grown(NamedTuple):
    """The trees of one sample."""

    trees: list[Tree]
    levels: list[list[tuple[int, float, float]]]  # feature, threshold and gain of each direction
    importances: np.ndarray  # (n_outputs, n_features): what cuts at each feature explain


class BaseTreeRanker(BaseRanker):
    """Base of `TreeRanker` and `ForestRanker`; they differ in the samples their trees grow on."""

    _takes_missing_features = True
    _keeps_gains = False
    # the parameter that may be "theory"
    _theory_setting: str | None = None
    # the parameters that are either on or off
    _switches: tuple[str, ...] = ("honest",)
    _saved_parts = (Trees,)

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._grow(X, ranks, weights)

    def _check_state(self) -> None:
        super()._check_state()
        decomposition = vars(self).get("decomposition_")
        if decomposition not in DECOMPOSITIONS[1:]:
            raise ValueError("it has no trees, or does not say what they are about")
        check_trees_of(self, decomposition)
        self._saved_array("feature_importances_", (self.n_features_in_,))
        self._saved_array("label_importances_", (self.n_labels_, self.n_features_in_))

    def _grow(
        self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None
    ) -> list[np.ndarray]:
        """Fit all trees; returns how often each tree drew each row."""
        self.decomposition_ = self._choose_decomposition(ranks)
        targets = self._targets(ranks)
        counts, fractions = whole_weights(weights, len(X))
        self.theory_ = self._ask_theory(X, ranks, counts)
        features = code_features(X)
        seeds = np.random.SeedSequence(seed_entropy(self.random_state)).spawn(
            self._n_samples_drawn()
        )
        bags = [_compact(self._bag(counts, np.random.default_rng(seed))) for seed in seeds]
        rules = self._rules(X.shape[1])
        grown = Parallel(n_jobs=self._jobs(), prefer="threads")(
            delayed(self._grow_one)(features, targets, bag, fractions, rules, seed)
            for bag, seed in zip(bags, seeds, strict=True)
        )
        # trees are copied when they are kept: let go before what grew them
        features, targets = features.without_rows(), targets.without_rows()
        self._keep(grown, targets, features)
        return bags

    def _grow_one(
        self,
        features: BooleanFeatures | CodedFeatures,
        targets: Targets,
        bag: np.ndarray,
        fractions: np.ndarray | None,
        rules: Rules,
        seed: np.random.SeedSequence,
    ) -> Grown:
        """Grow the trees of one sample, one per label or one in all, and weigh the features."""
        bag = bag.astype(np.int32)
        rng = np.random.default_rng(seed.spawn(1)[0])
        sample = _honest_halves(bag, rng) if self.honest else Sample(_drawn(bag), _drawn(bag[:0]))
        integer = np.int32 if isinstance(features, BooleanFeatures) else np.int64
        grow = grow_level if self.criterion == "level" else grow_breiman
        weight = bag if fractions is None else bag * fractions
        total = float(weight[sample.rows].sum())
        trees, levels = [], []
        importances = np.zeros((targets.values.shape[1], features.n_features))
        room = Room(self._keeps_gains)
        for t in range(targets.n_trees):
            s = statistics(targets, t, bag, fractions, integer)
            tree, directions = grow(
                features, s, targets.kinds[t], sample, rules, int(rng.integers(1, 1 << 62)), room,
                importances[t:],
            )  # fmt: skip
            levels.append([(f, threshold, gain / total) for f, threshold, gain in directions])
            trees.append(tree._replace(gain=tree.gain / total))
        return Grown(trees, levels, importances / total)

    def _keep(
        self, grown: list[Grown], targets: Targets, features: BooleanFeatures | CodedFeatures
    ) -> None:
        pairwise = targets.decomposition == "pairwise"
        thresholds = features.thresholds if isinstance(features, BooleanFeatures) else None
        trees = [tree for sample in grown for tree in sample.trees]
        if not self._keeps_gains:
            for sample in grown:
                sample.trees.clear()
        flat = flatten(trees, thresholds, np.float32 if pairwise else np.float64)
        if pairwise:
            np.nan_to_num(flat.values, copy=False, nan=0.0)
        else:
            targets.make_positions(flat.values)
        self._trees: Trees = flat
        amounts = targets.by_label(np.sum([sample.importances for sample in grown], axis=0))
        total, mean = amounts.sum(), amounts.sum(axis=0)
        self.feature_importances_ = mean / total if total > 0 else mean
        sums = amounts.sum(axis=1, keepdims=True)
        self.label_importances_ = np.divide(amounts, sums, out=amounts, where=sums > 0)

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        if self.decomposition_ != "pairwise":
            return super()._predict_ranks(X)
        return self._in_chunks(X, self._ranks_by_pairs, self.n_labels_**2)

    def _predict_shares(self, X: np.ndarray) -> np.ndarray:
        function = self._pair_shares if self.decomposition_ == "pairwise" else self._votes
        return self._in_chunks(X, function, self.n_labels_**2)

    def _predict_positions(self, X: np.ndarray) -> np.ndarray:
        if self.decomposition_ == "pairwise":
            return self._in_chunks(X, self._pair_positions, self.n_labels_**2)
        return self._in_chunks(X, self._mean_positions)

    def _in_chunks(self, X: np.ndarray, function: Any, per_row: int = 1) -> np.ndarray:
        """Call a function on some rows at a time, fewer where it needs many numbers for each."""
        size = max(1, min(CHUNK, MOST_NUMBERS // per_row))
        parts = Parallel(n_jobs=self._jobs(), prefer="threads")(
            delayed(function)(X[start : start + size]) for start in range(0, len(X), size)
        )
        return np.concatenate(parts)

    def _mean_positions(self, X: np.ndarray) -> np.ndarray:
        return self._sum_of_values(self._trees.leaves(X)) / self._n_rankings()

    def _n_rankings(self) -> int:
        """How many rankings the trees predict between them."""
        per_ranking = self.n_labels_ if self.decomposition_ == "labelwise" else 1
        return len(self._trees.roots) // per_ranking

    def _sum_of_values(self, leaves: np.ndarray) -> np.ndarray:
        values, n = self._trees.values, leaves.shape[1]
        one = values.shape[1] == 1
        n_targets = self.n_labels_ if self.decomposition_ == "labelwise" else values.shape[1]
        total = np.zeros((n_targets, n) if one else (n, n_targets))
        add_values(leaves, self._trees.value_row, values, total)
        return np.ascontiguousarray(total.T) if one else total

    def _votes(self, X: np.ndarray) -> np.ndarray:
        leaves = self._trees.leaves(X)
        n = self._n_rankings()
        votes = np.zeros((len(X), self.n_labels_, self.n_labels_))
        for one in np.split(leaves, n):
            add_votes(self._sum_of_values(one), votes)
        return votes / n

    def _pair_shares(self, X: np.ndarray) -> np.ndarray:
        return self._shares_of(self._sum_of_values(self._trees.leaves(X)) / self._n_rankings())

    def _ranks_by_pairs(self, X: np.ndarray) -> np.ndarray:
        return ranks_by_pairwise(self._pair_shares(X), self.aggregation)

    def _pair_positions(self, X: np.ndarray) -> np.ndarray:
        return positions_by_pairwise(self._pair_shares(X))

    def _shares_of(self, outcomes: np.ndarray) -> np.ndarray:
        """Mean outcomes (-1 to 1) of each pair as a matrix of shares."""
        k = self.n_labels_
        first, second = np.triu_indices(k, k=1)
        shares = np.full((len(outcomes), k, k), 0.5)
        shares[:, first, second] = 0.5 + outcomes / 2
        shares[:, second, first] = 0.5 - outcomes / 2
        return shares

    def _choose_decomposition(self, ranks: np.ndarray) -> str:
        missing = np.isnan(ranks)
        if self.decomposition == "auto":
            return "pairwise" if missing.any() else "labelwise"
        if self.decomposition != "pairwise" and missing.any():
            i, j = np.argwhere(missing)[0]
            raise ValueError(
                f"y, row {i}: label {str(self.labels_[j])!r} is missing; decomposition="
                f"{self.decomposition!r} takes complete rankings only: use 'pairwise' (or 'auto')"
            )
        return self.decomposition

    def _targets(self, ranks: np.ndarray) -> Targets:
        if self.decomposition_ != "pairwise":
            return position_targets(ranks, self.decomposition_)
        targets = pairwise_targets(ranks)
        warn_of_missing_pairs((targets.values != 0).any(axis=0), self.labels_)
        return targets

    def _rules(self, n_features: int) -> Rules:
        max_splits = self._setting("max_splits")
        return Rules(
            min_leaf=min(int(self.min_samples_leaf), UNLIMITED),
            max_depth=UNLIMITED if self.max_depth is None else min(int(self.max_depth), UNLIMITED),
            max_splits=-1 if max_splits is None else min(int(max_splits), UNLIMITED),
            n_drawn=n_features_drawn(self.max_features, n_features),
        )

    def _setting(self, name: str) -> Any:
        """A parameter, or what theory set it to."""
        if self.theory_ is not None and name == self._theory_setting:
            return self.theory_["value"]
        return getattr(self, name)

    def _asks_theory(self, name: str) -> bool:
        value = getattr(self, name)
        return name == self._theory_setting and isinstance(value, str) and value == "theory"

    def _ask_theory(
        self, X: np.ndarray, ranks: np.ndarray, counts: np.ndarray
    ) -> dict[str, Any] | None:
        name = self._theory_setting
        if name is None or not self._asks_theory(name):
            return None
        if name == "max_samples":
            n = int(counts.sum())
        else:
            n = int(counts[np.isfinite(ranks).sum(axis=1) > 1].sum()) // (2 if self.honest else 1)
        return theory_setting(name, X, ranks, counts > 0, self.criterion, max(1, n))

    def _check_parameters(self) -> None:
        for name, allowed in (
            ("criterion", CRITERIA),
            ("decomposition", DECOMPOSITIONS),
            ("aggregation", AGGREGATIONS),
        ):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ValueError(
                    f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
                )
        for name in self._switches:
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        for name, least in (("max_depth", 0), ("max_splits", 0), ("min_samples_leaf", 1)):
            value = getattr(self, name)
            if (value is None and name != "min_samples_leaf") or self._asks_theory(name):
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                or_theory = " or 'theory'" if name == self._theory_setting else ""
                raise ValueError(
                    f"{name} must be a whole number from {least} up{or_theory}, got {value!r}"
                )


def theory_setting(
    name: str, X: np.ndarray, ranks: np.ndarray, used: np.ndarray, criterion: str, n: int
) -> dict[str, Any]:
    """What the theorems suggest for a parameter, with all that it rests on."""
    # imported here: other fits do without it
    from rankwise.theory import suggest_samples, suggest_splits

    suggest = suggest_splits if name == "max_splits" else suggest_samples
    gaps = ~np.isfinite(X) & used[:, None]
    if gaps.any():
        i, j = np.argwhere(gaps)[0]
        raise ValueError(
            f"X, row {i}: feature {j} is {X[i, j]}; {name}='theory' needs finite features: impute "
            f"them, or set {name} to a number"
        )
    try:
        return suggest(X[used], ranks[used], criterion, n=n).to_dict()
    except ValueError as error:
        raise ValueError(f"{name}='theory': {error}; or set {name} to a number") from None


def _compact(bag: np.ndarray) -> np.ndarray:
    """Counts in the smallest type that holds them: the bags of all trees wait together."""
    return bag.astype(np.min_scalar_type(int(bag.max())))


def _drawn(bag: np.ndarray) -> np.ndarray:
    return np.flatnonzero(bag).astype(np.int32)


def _honest_halves(bag: np.ndarray, rng: np.random.Generator) -> Sample:
    rows = _drawn(bag)
    if len(rows) < 2:
        # a single row chooses no cut, so that it may fill the only cell
        return Sample(rows, rows[:0])
    rng.shuffle(rows)
    half = (len(rows) + 1) // 2
    return Sample(np.sort(rows[:half]), np.sort(rows[half:]))
