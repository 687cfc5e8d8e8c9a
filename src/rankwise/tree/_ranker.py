"""One tree per label, or one for all labels or pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankwise._parameters import check_flag, check_integer
from rankwise.engine import Bags, Features, Grown, GrownSample, Targets
from rankwise.tree._base import BaseTreeRanker
from rankwise.tree._theory import is_theory


class Split(NamedTuple):
    """A cut: rows whose feature is at most the threshold go left."""

    feature: int
    threshold: float
    gain: float  # by how much it increases V_n, the explained part of the mean squared error


class TreeRanker(BaseTreeRanker):
    """Label ranking with decision trees: Level-Splits or Breiman's criterion.

    The rankings are decomposed into regression problems, each gets a tree, and the labels are sorted
    by what the trees predict (algorithms LabelRank and LearnScore of the paper). Features may be
    missing; a whole weight counts as that many equal rows. The share of a pair is that of the trees
    that put the one label before the other (a tie is half a vote), and with pairwise decomposition
    the mean of the shares in their leaves.

    Parameters
    ----------
    criterion : {"breiman", "level"}, default="breiman"
        "breiman": each node has its own best direction. "level": one direction for all cells of a
        level, the one that explains most in total (Level-Splits); features of more than two values
        are cut at a threshold shared by the level.
    max_splits : int, "theory" or None, default=None
        "breiman": how many nodes are cut, breadth first (the paper's t). "level": the number of
        levels (log t). None: until nothing is left to explain. "theory": as the paper's theorem on
        trees sets it for r and C diagnosed from the data (`rankwise.theory.suggest_splits`), with
        t = (n / log(d/delta))^(Cr/(Cr+2)), delta = 0.05: "level" makes log2 t levels (1 or more),
        "breiman" cuts t nodes (2 or more), with exponent Cr/(Cr+3); rounded up. n counts the rows
        that rank two labels or more, by their weights, and half of them if honest.
    max_depth : int, optional
        Depth at which growing stops.
    min_samples_leaf : int, default=1
        Every leaf keeps at least so many rows of those that fill it.
    honest : bool, default=False
        Half of the rows, chosen at random, chooses the cuts, the other half fills the cells. A cell
        is cut until one row of the filling half is left in it, or `min_samples_leaf` end it.
    stop_when_pure : bool, default=False
        An honest tree also stops where the rows that choose agree, or are fewer than two; other
        trees do so always.
    splitter : {"best", "random"}, default="best"
        "best": every threshold of a feature is tried. "random": one, drawn at random between the
        lowest and the highest value of a cell, and the best feature by it (extremely randomised
        trees, Geurts et al. 2006); for the Breiman criterion. A feature of two values has one threshold.
    max_bins : int or None, default=255
        From 5,000 rows on, a feature of more than four times so many values is cut into so many
        bins of about as many rows each, and thresholds between bins are tried: as accurate, and
        several times faster. None: every threshold is tried. Level-Splits tries every threshold
        always.
    decomposition : {"auto", "labelwise", "joint", "pairwise", "joint_pairwise"}, default="auto"
        "labelwise": one tree per label, on its position. "joint": one tree on all positions.
        "pairwise": one tree per pair of labels, on the rows that compare it. "joint_pairwise": one
        tree on all pairs, where missing ones are left out; a pair that a cell never saw is taken
        from the smallest cell around it that did. "auto": labelwise for complete rankings without
        ties, joint_pairwise where any label is missing, or tied and predictions may be so.
    aggregation : {"copeland", "borda"}, default="copeland"
        How shares become a ranking with pairwise decomposition: by the number of labels that beat
        a label (ties by the sum of shares), or by the sum of shares alone.
    ties : {"auto", "never"} or float, default="auto"
        Whether predictions have ties. A number from 0 to 1 is the share that must be exceeded by what
        puts one label strictly before another; else the two are tied. "auto": none where the training
        rankings have none; where they have, trees on pairs learn ties, and the number is the one that
        predicts rows left out best (three parts in turn). Trees on positions take a label that is one
        position ahead for surely before, and half of one for 3/4.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}, default="tau_x"
        The measure that "auto" fits the number to.
    by_cost : bool, default=False
        What ``fit(X, y, values=…)`` does beside keeping values for `predict_values`. True: a row counts
        for a pair by the difference of the two values, and "auto" decomposition is pairwise;
        ``ties="auto"`` then ties nothing, for a choice needs one label in front.
    max_features : float, int, {"sqrt", "log2"} or None, default=None
        How many features, drawn at random, compete for a cut; None: all.
    random_state : int, Generator or RandomState, optional
        Decides the honest halves and the features drawn.

    Attributes
    ----------
    splits_ : list of lists of Split
        For each tree its cuts. "level": in the order chosen, S_n of each label. "breiman": breadth
        first with `max_splits`, else a node before those below it.
    feature_importances_ : ndarray of shape (n_features,)
        Share of what the cuts at each feature explain.
    label_importances_ : ndarray of shape (n_labels, n_features)
        The same for each label: which features decide where it stands.
    labels_ : ndarray of shape (n_labels,)
        Names of the labels.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
    theory_ : dict or None
        With ``max_splits="theory"``: its "value", the "formula", "exact" (before rounding),
        "clipped", and the numbers that went in ("n", "d", "k", "delta", "r", "C").

    Examples
    --------
    >>> import numpy as np
    >>> import rankwise as rw
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> Y = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 1, 2]]
    >>> model = rw.TreeRanker(criterion="level").fit(X, Y)
    >>> model.predict([[1, 0]])
    array([[2, 1, 3]])
    >>> [split.feature for split in model.splits_[1]]
    [0, 1]
    """

    def __init__(
        self,
        criterion: str = "breiman",
        *,
        max_splits: int | str | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        honest: bool = False,
        stop_when_pure: bool = False,
        splitter: str = "best",
        max_bins: int | None = 255,
        decomposition: str = "auto",
        aggregation: str = "copeland",
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        by_cost: bool = False,
        max_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.max_splits = max_splits
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.honest = honest
        self.stop_when_pure = stop_when_pure
        self.splitter = splitter
        self.max_bins = max_bins
        self.decomposition = decomposition
        self.aggregation = aggregation
        self.ties = ties
        self.ties_for = ties_for
        self.by_cost = by_cost
        self.max_features = max_features
        self.random_state = random_state

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._warn_of_missing_pairs(ranks)
        bags = self._grow(X, ranks, weights, keep_inner=True)
        self._learn_values(X, ranks, weights, [bags])

    def _keep(self, grown: list[GrownSample], targets: Targets, features: Features) -> None:
        trees, unit = grown[0].trees, targets.scale**2 * targets.n_labels**2
        if targets.compares:
            unit = 1
        self._cuts = [_cuts_of(tree, features, unit) for tree in trees]
        self.__dict__.pop("splits_", None)
        super()._keep(grown, targets, features)

    def __getattr__(self, name: str) -> Any:
        # `splits_` is made when asked for: so many objects at every fit set off the garbage collector,
        # which took half of the time of a full tree. No property: a model file brings it.
        cuts = vars(self).get("_cuts") if name == "splits_" else None
        if cuts is not None:
            self.splits_ = [
                [Split(*cut) for cut in zip(*(column.tolist() for column in columns), strict=True)]
                for columns in cuts
            ]
            self.__dict__.pop("_cuts", None)
        # another thread may have made it meanwhile
        if name in vars(self):
            return vars(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_state(self) -> None:
        super()._check_state()
        if not isinstance(vars(self).get("splits_"), list):
            raise ValueError("it has no list of its cuts")

    def _saved_state(self) -> dict[str, Any]:
        self.splits_  # noqa: B018  as a list, which files hold
        return super()._saved_state()

    def _n_samples_drawn(self) -> int:
        return 1

    def _bags(self, counts: np.ndarray) -> Bags:
        return Bags(counts, int(counts.sum()), replace=False)

    def _jobs(self) -> int:
        return 1

    def _theory_sample(self, ranks: np.ndarray, counts: np.ndarray) -> tuple[str, int]:
        n = int(counts[np.isfinite(ranks).sum(axis=1) > 1].sum())
        return "max_splits", n // 2 if self.honest else n

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("by_cost", self.by_cost)
        if self.decomposition == "mixed":
            raise ValueError(
                "decomposition='mixed' takes several trees for a ranking: use ForestRanker, or "
                "'pairwise' or 'joint_pairwise' here"
            )
        if self.max_splits is not None and not is_theory(self.max_splits):
            check_integer("max_splits", self.max_splits, 0, why=" or 'theory'")


def _cuts_of(tree: Grown, features: Features, unit: float) -> list[np.ndarray]:
    """Features, thresholds and gains of the cuts of a tree, gains in units of V_n."""
    if tree.levels:
        feature, threshold, gain = (np.array(column) for column in zip(*tree.levels, strict=True))
    else:
        inner = np.flatnonzero(tree.feature >= 0)
        feature, gain = tree.feature[inner], tree.gain[inner].sum(axis=1)
        threshold = tree.thresholds(features)[inner]
    return [feature, threshold, gain / unit]
