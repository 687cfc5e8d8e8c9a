"""One tree per label, or one for all labels or pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankwise.tree._base import BaseTreeRanker, Grown


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
        Half of the rows, chosen at random, chooses the cuts, the other half fills the cells.
    decomposition : {"auto", "labelwise", "joint", "pairwise"}, default="auto"
        "labelwise": one tree per label, on its position. "joint": one tree on all positions.
        "pairwise": one tree on all comparisons of two labels, where missing ones are left out; a
        comparison that a cell never saw is taken from the smallest cell around it that did.
        "auto": labelwise for complete rankings, pairwise where any label is missing.
    aggregation : {"copeland", "borda"}, default="copeland"
        How shares become a ranking with pairwise decomposition: by the number of labels that beat
        a label (ties by the sum of shares), or by the sum of shares alone.
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

    _keeps_gains = True
    _theory_setting = "max_splits"

    def __init__(
        self,
        criterion: str = "breiman",
        *,
        max_splits: int | str | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        honest: bool = False,
        decomposition: str = "auto",
        aggregation: str = "copeland",
        max_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.max_splits = max_splits
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.honest = honest
        self.decomposition = decomposition
        self.aggregation = aggregation
        self.max_features = max_features
        self.random_state = random_state

    def _keep(self, grown: list[Grown], targets: Any, features: Any) -> None:
        super()._keep(grown, targets, features)
        pairwise = targets.decomposition == "pairwise"
        unit = 1 if pairwise else (targets.scale * targets.n_labels) ** 2
        self.splits_ = [
            [
                Split(f, t, g / unit)
                for f, t, g in (levels or _cuts(tree, self._trees.threshold[root:]))
            ]
            for tree, levels, root in zip(
                grown[0].trees, grown[0].levels, self._trees.roots, strict=True
            )
        ]

    def _n_samples_drawn(self) -> int:
        return 1

    def _bag(self, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return counts

    def _jobs(self) -> int:
        return 1


def _cuts(tree: Any, threshold: np.ndarray) -> list[tuple[int, float, float]]:
    inner = np.flatnonzero(tree.feature >= 0)
    gain = tree.gain[inner].sum(axis=1)
    return list(
        zip(tree.feature[inner].tolist(), threshold[inner].tolist(), gain.tolist(), strict=True)
    )
