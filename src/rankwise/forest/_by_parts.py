"""A forest of rows that come in parts: the steps, whoever runs them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise._messages import warn_caller
from rankwise.engine import (
    PAIRWISE,
    VALUES_OF_A_BIN,
    Bags,
    add_votes,
    growing_rules,
    joined_trees,
    n_features_drawn,
    n_rows_drawn,
    seed_entropy,
    whole_weights,
)
from rankwise.forest._kinds import kinds_of_incomplete
from rankwise.metrics import kendall_tau
from rankwise.parts import Parts
from rankwise.parts.steps import (
    MOST_CODES,
    Coding,
    Draws,
    GrownForest,
    Growth,
    Question,
    Runner,
    Samples,
    Summary,
    bin_sample,
    is_bytes,
    n_bin_rows,
    ranks_of,
)
from rankwise.ranker import HALF, ranks_with_ties, some_rows
from rankwise.rankings import RankingWarning
from rankwise.tree import MANY_ROWS, warn_of_uncompared

if TYPE_CHECKING:
    from rankwise.forest._ranker import ForestRanker


@dataclass(frozen=True)
class LeftOut:
    """Some rows, and what the trees that left them out say of them."""

    true: np.ndarray  # ranks
    ranks: np.ndarray  # as they are predicted
    weights: np.ndarray | None
    forest: ForestRanker
    X: np.ndarray
    mean: np.ndarray  # of their positions, or of outcomes of pairs
    left_out: np.ndarray  # (m, n_samples)

    def with_pairs(self) -> LeftOut:
        """Those of the rows that rank two labels or more, of which alone something can be measured."""
        kept = np.count_nonzero(~np.isnan(self.true), axis=1) >= 2
        if kept.all():
            return self
        names = ("true", "ranks", "X", "mean", "left_out")
        weights = None if self.weights is None else self.weights[kept]
        return replace(self, weights=weights, **{name: getattr(self, name)[kept] for name in names})

    @cached_property
    def shares(self) -> np.ndarray:
        """The shares of pairs, (m, k, k), as `predict_pairwise` has them."""
        forest = self.forest
        if forest._compares:
            return forest._shares_of(self.mean)
        votes = np.zeros((len(self.X), forest.n_labels_, forest.n_labels_))
        for tree, positions in enumerate(forest._by_ranking(forest._trees.leaves(self.X))):
            own = np.zeros_like(votes)
            add_votes(positions[None], own, 0.5)
            votes += own * self.left_out[:, tree, None, None]
        shares: np.ndarray = votes / self.left_out.sum(axis=1)[:, None, None]
        return shares


class Member(NamedTuple):
    """A forest of one kind of trees: all there is, or one of those that a mixed forest is made of."""

    forest: ForestRanker
    entropy: int


def fit_by_parts(forest: ForestRanker, parts: Parts, runner: Runner) -> LeftOut | None:
    """Fit a forest to rows in parts; returns rows that trees left out, None where none did."""
    _refuse(forest, parts)
    entropy = seed_entropy(forest.random_state)
    if entropy is None:
        entropy = np.random.SeedSequence().entropy  # type: ignore[assignment]
    assert entropy is not None
    at_random, n = forest.splitter == "random", parts.n_rows
    # of numbers that are cut at random no more is asked than whether they are two
    max_bins = 2 if at_random else forest.max_bins
    binned = forest.criterion == "breiman" and max_bins is not None
    most = max(VALUES_OF_A_BIN * int(max_bins or 0), MANY_ROWS) if binned else MOST_CODES
    exact = VALUES_OF_A_BIN * int(max_bins or 0) if binned and n >= MANY_ROWS else None
    question = Question(
        parts.n_features, parts.n_labels, most, None if exact is None else max_bins, exact
    )
    of_bins = 1 if at_random else n_bin_rows(n, parts.n_features)
    sample = bin_sample(parts, entropy, of_bins if binned else 0)
    counts, most_weight = np.broadcast_to(np.int32(1), n), None
    samples: list[Samples] = []
    one_kind = forest.decomposition != "mixed"
    if one_kind and not parts.weighted and (at_random or is_bytes(parts.dtype)):
        samples = _samples([Member(forest, entropy)], parts, counts)
    summary, coding = runner.look(parts, question, sample, samples[0] if samples else None)
    if parts.weighted:
        counts, most_weight = _weights(summary)
    _take_names(forest, parts)
    _choose(forest, parts, summary)
    members = [Member(forest, entropy)]
    if forest.decomposition_ == "mixed":
        members = _members(forest, parts, summary, coding, entropy)
    grown = []
    for member, own in zip(members, samples or _samples(members, parts, counts), strict=True):
        growth = _growth(member, parts, summary, coding, most_weight)
        own.are_about(growth.decomposition, parts.n_labels, forest._with_ties)
        grown.append(runner.grow(parts, question, growth, own))
        _keep(member.forest, growth, grown[-1])
    if forest.decomposition_ == "mixed":
        forest._take_parts([member.forest for member in members])
    return _ask_left_out(forest, grown)


def _keep(forest: ForestRanker, growth: Growth, grown: GrownForest) -> None:
    assert grown.held is not None
    targets = growth.targets(grown.held.positions[:0]).without_rows()
    forest._keep_flat(joined_trees(grown.trees, forest.n_jobs), grown.importances, targets)


def _members(
    forest: ForestRanker, parts: Parts, summary: Summary, coding: Coding, entropy: int
) -> list[Member]:
    """The forests that a mixed one is made of, as in memory."""
    if forest._with_ties and summary.complete:
        raise ValueError(
            "decomposition='mixed' of complete rankings with ties looks at all rows at once; for rows "
            "in parts use 'auto' or 'joint_pairwise'"
        )
    drawn = forest.bootstrap and (bool(forest.oob_score) or coding.is_boolean)
    n = int(forest.n_estimators)
    kinds = kinds_of_incomplete(forest, n // 2, n - n // 2, parts.n_rows, drawn)
    found = []
    for part in forest._parts_of(kinds, np.random.SeedSequence(entropy)):
        part.decomposition_, part.theory_ = part.decomposition, None
        found.append(Member(part, int(part.random_state)))
    return found


def _refuse(forest: ForestRanker, parts: Parts) -> None:
    """Refuse what takes all rows at once."""
    if not parts.n_rows:
        raise ValueError("there are no rows in any part; give at least one with its ranking")
    if parts.n_labels < 2:
        raise ValueError(f"there are {parts.n_labels} labels; a ranking needs at least two")
    if isinstance(forest.max_samples, str):
        raise ValueError(
            "max_samples='theory' looks at all rows at once; for rows in parts set it to a number"
        )


def _samples(members: list[Member], parts: Parts, counts: np.ndarray) -> list[Samples]:
    """What each member draws; the same rows are held for all of them."""
    total = int(counts.sum()) if counts.strides[0] else len(counts)
    draws = [
        Draws(
            m.entropy, Bags(counts, n_rows_drawn(m.forest.max_samples, total), m.forest.bootstrap)
        )
        for m in members
    ]
    sizes = [int(member.forest.n_estimators) for member in members]
    held = _left_out_rows(draws, sizes, parts.n_rows)
    return [
        _samples_of(member.forest, parts, own, n, held)
        for member, own, n in zip(members, draws, sizes, strict=True)
    ]


def _samples_of(
    forest: ForestRanker, parts: Parts, draws: Draws, n_samples: int, held: np.ndarray
) -> Samples:
    # numbers, or codes of one byte or two; positions, how often a row is drawn, its weight
    wide = forest.max_bins is None or forest.criterion == "level"
    width = parts.dtype.itemsize if forest.splitter == "random" else 2 if wide else 1
    of_row = width * parts.n_features + parts.n_labels + (9 if parts.weighted else 1)
    samples = Samples(draws, n_samples, held, of_row)
    known = forest.decomposition in ("joint", "pairwise", "joint_pairwise")
    # what "auto" is is known when all rows have been seen
    samples.are_about(forest.decomposition if known else "labelwise", parts.n_labels, False)
    return samples


def _left_out_rows(draws: list[Draws], sizes: list[int], n: int) -> np.ndarray:
    """Some of the rows that at least one sample of each member left out, ascending.

    A member whose samples have every row is not asked.
    """
    asked = [(own, size) for own, size in zip(draws, sizes, strict=True) if _leaves_out(own, n)]
    if not asked:
        return np.empty(0, np.int64)
    always = np.unique(np.concatenate([_always_drawn(*own) for own in asked]))
    if not len(always):
        return some_rows(n)
    left_out = np.setdiff1d(np.arange(n), always, assume_unique=True)
    return left_out[some_rows(len(left_out))] if len(left_out) else left_out


def _leaves_out(draws: Draws, n: int) -> bool:
    return draws.bags.replace or draws.bags.size < n


def _always_drawn(draws: Draws, n_samples: int) -> np.ndarray:
    """The rows that all samples have."""
    always, _ = draws.rows(0)
    for tree in range(1, n_samples):
        if not len(always):
            break
        always = np.intersect1d(always, draws.rows(tree)[0], assume_unique=True)
    return always


def _weights(summary: Summary) -> tuple[np.ndarray, float | None]:
    weights = np.concatenate(summary.weights)
    if not weights.any():
        raise ValueError("the weight is zero in every row; give some row a weight above 0")
    counts, fractions = whole_weights(weights, len(weights))
    return counts, None if fractions is None else float(weights.max())


def _take_names(forest: ForestRanker, parts: Parts) -> None:
    forest.n_features_in_, forest.n_labels_ = parts.n_features, parts.n_labels
    forest.__dict__.pop("feature_names_in_", None)
    if parts.feature_names is not None:
        forest.feature_names_in_ = np.array(parts.feature_names, dtype=object)
    forest._labels_are_named = parts.label_names is not None
    forest.labels_ = np.arange(parts.n_labels)
    if parts.label_names is not None:
        forest.labels_ = np.array(parts.label_names)


def _choose(forest: ForestRanker, parts: Parts, summary: Summary) -> None:
    """Decide what trees are about, and whether ties are learned."""
    for name in ("_near", "_leaf_values", "_spread_factor", "oob_score_"):
        forest.__dict__.pop(name, None)
    forest._parts, forest.theory_ = [], None
    forest._keeps_ties = bool(forest._learns_ties() and summary.tied)
    chosen = forest.decomposition
    if chosen == "auto":
        by_pairs = forest._with_ties or not summary.complete
        chosen = "joint_pairwise" if by_pairs else "labelwise"
    elif chosen in ("labelwise", "joint") and not summary.complete:
        raise ValueError(
            f"some rows lack labels; decomposition={chosen!r} takes complete rankings only: use "
            "'auto', 'pairwise' or 'joint_pairwise'"
        )
    forest.decomposition_ = chosen
    if summary.n_idle:
        warn_caller(
            f"y: {summary.n_idle:,} of {summary.n_rows:,} rows rank fewer than two labels; they carry no "
            "comparison and teach nothing",
            RankingWarning,
        )
    if not summary.ordered.any() and not (summary.tied and forest._with_ties):
        raise ValueError(
            "no row puts one label before another: every label is missing or tied; at least one row "
            "must order two labels"
        )
    if chosen in (*PAIRWISE, "mixed"):
        met = summary.together if forest._with_ties else summary.ordered
        warn_of_uncompared((met > 0)[np.triu_indices(parts.n_labels, k=1)], forest.labels_)


def _growth(
    member: Member,
    parts: Parts,
    summary: Summary,
    coding: Coding,
    most_weight: float | None,
) -> Growth:
    forest = member.forest
    rules = growing_rules(
        forest.min_samples_leaf,
        forest.max_depth,
        forest.max_splits,
        n_features_drawn(forest.max_features, parts.n_features),
        forest.stop_when_pure,
        shuffle=int(forest.n_estimators) > 1,
    )
    # tied labels share their mean position, which may be a half
    scale = 2 if summary.halves else 1
    return Growth(
        coding=coding,
        dtype=parts.dtype,
        entropy=member.entropy,
        rules=rules,
        criterion=forest.criterion,
        honest=forest.honest,
        decomposition=forest.decomposition_,
        keeps_ties=forest._with_ties,
        scale=scale,
        lowest=summary.lowest * scale // 2,
        most_weight=most_weight,
        as_numbers=forest.splitter == "random",
    )


def _ask_left_out(forest: ForestRanker, grown: list[GrownForest]) -> LeftOut | None:
    """Fit the threshold of ties, and estimate tau, on held rows by the trees that left them out."""
    held = grown[0].held
    assert held is not None
    by_member = [np.concatenate(own.left_out).T for own in grown]
    of_asked = [own for own in by_member if own.any()] or by_member
    asked = np.all([own.any(axis=1) for own in of_asked], axis=0)
    if not asked.any():
        if forest.oob_score:
            _warn_of_no_row()
            forest.oob_score_ = float("nan")
        # as theory has it, where no row can be asked about
        is_fitted = forest.ties == "auto" and forest._with_ties
        forest.ties_ = HALF if is_fitted else forest._choose_ties(held.X, held.positions, None)
        return None
    X, true = held.X[asked], ranks_of(held.positions[asked])
    weights = None if held.weights is None else held.weights[asked]
    means = [
        (own.answers[asked] / left_out[asked].sum(axis=1, keepdims=True), left_out.shape[1])
        for own, left_out in zip(grown, by_member, strict=True)
        if left_out.any()
    ]
    mean = means[0][0]
    if len(means) > 1:
        mean = np.average([m for m, _ in means], axis=0, weights=[n for _, n in means])
    strict = forest._ranks_of(mean)
    if forest.oob_score:
        forest.oob_score_ = float(kendall_tau(true, strict))
    forest._left_out_last = np.arange(len(X)), mean
    forest.ties_ = forest._choose_ties(X, true, weights)
    ranks = strict
    if forest.ties_ is not None:
        ranks = ranks_with_ties(strict, forest._before_of(mean), forest.ties_)
    return LeftOut(true, ranks, weights, forest, X, mean, by_member[0][asked])


def _warn_of_no_row() -> None:
    warn_caller(
        "every tree drew every row, so there is no row left out to score: oob_score_ is NaN; use "
        "bootstrap=True or max_samples below the number of rows",
        UserWarning,
    )
