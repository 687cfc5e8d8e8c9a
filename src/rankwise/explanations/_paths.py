"""Trees: what each cut on the way of a row does to the lead of one label over another.

A node's value is the mean of the leaves below it. On the way from the root to its leaf, each cut
changes the value, and the change is credited to the feature of the cut. So the value of the root and
all credits add up to the value of the leaf: what the tree predicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise.engine import CHUNK, Trees


@dataclass(frozen=True)
class Credits:
    """Signed amounts that add up to the lead of a over b: ``base + by_feature.sum()``."""

    base: float
    by_feature: np.ndarray  # (n_features,)


def tree_credits(
    model: Any, x: np.ndarray, a: int, b: int, counts: list[np.ndarray] | None
) -> Credits:
    """Credit the lead of label a over label b at x to the features, averaged over the trees.

    Leaves count by `counts`, as `leaf_rows` gives them; all alike where it is None, or where no
    row is in them.
    """
    members = model._members
    given = [None] * len(members) if counts is None else counts
    found = [_credits_of(m, x, a, b, of_it) for m, of_it in zip(members, given, strict=True)]
    bases, by_feature = zip(*found, strict=True)
    base = float(model._mean_of_members(np.array(bases)))
    return Credits(base, model._mean_of_members(list(by_feature)))


@check_arguments
def leaf_rows(model: Any, X: np.ndarray) -> list[np.ndarray]:
    """Return how many rows of `X` end in each leaf, for each set of trees that a model is made of.

    Parameters
    ----------
    model : tree or forest
        Fitted.
    X : ndarray of shape (n_samples, n_features)
        The training rows.

    Returns
    -------
    list of ndarray
        One entry per leaf, in the order of the nodes; of the smallest kind of whole number.
    """
    found = []
    for member in model._members:
        counts = _rows_per_node(member._trees, X)[member._trees.feature < 0]
        found.append(counts.astype(np.min_scalar_type(int(counts.max(initial=0)))))
    return found


def _credits_of(
    model: Any, x: np.ndarray, a: int, b: int, of_leaves: np.ndarray | None
) -> tuple[float, np.ndarray]:
    trees: Trees = model._trees
    leads = list(_leads(model, a, b))
    counts = np.zeros(len(trees.feature))
    if of_leaves is not None:
        counts[trees.feature < 0] = of_leaves
    ends = np.append(trees.roots[1:], len(trees.feature))
    base, by_feature = 0.0, np.zeros(x.shape[1])
    for tree, by_leaf in leads:
        nodes = slice(trees.roots[tree], ends[tree])
        feature, left = trees.feature[nodes], trees.left[nodes] - trees.roots[tree]
        leaf_value = np.where(feature < 0, by_leaf[trees.value_row[nodes]], 0.0)
        value = node_values(feature, left, leaf_value, counts[nodes])
        path = _path(trees, trees.roots[tree], x[0]) - trees.roots[tree]
        base += value[0]
        np.add.at(by_feature, feature[path[:-1]], np.diff(value[path]))
    return base, by_feature


def similarities(model: Any, x: np.ndarray, a: int, b: int, X: np.ndarray) -> np.ndarray:
    """The share of the trees that decide about a and b in which a row of X shares the leaf of x."""
    members = [
        _only(member._trees, [tree for tree, _ in _leads(member, a, b)])
        for member in model._members
    ]
    starts = range(0, len(X), CHUNK)
    same = [
        np.concatenate(
            [(used.leaves(X[s : s + CHUNK]) == used.leaves(x)).mean(axis=0) for s in starts]
        )
        for used in members
    ]
    similar: np.ndarray = model._mean_of_members(same)
    return similar


def node_values(
    feature: np.ndarray, left: np.ndarray, leaf_value: np.ndarray, leaf_count: np.ndarray
) -> np.ndarray:
    """The mean of the leaves below each node of one tree, weighted by their counts.

    Where all counts below are 0, leaves count alike.

    Examples
    --------
    >>> import numpy as np
    >>> feature, left = np.array([0, -1, -1]), np.array([1, -1, -1])
    >>> node_values(feature, left, np.array([0.0, 2.0, 4.0]), np.array([0, 1, 3])).tolist()
    [3.5, 2.0, 4.0]
    """
    levels = [np.zeros(1, dtype=np.int64)]
    while len(inner := levels[-1][feature[levels[-1]] >= 0]):
        levels.append(np.concatenate([left[inner], left[inner] + 1]))
    is_leaf = feature < 0
    count = np.where(is_leaf, leaf_count, 0.0)
    sums = np.stack([count, count * leaf_value, is_leaf * 1.0, is_leaf * leaf_value])
    for level in reversed(levels):
        inner = level[feature[level] >= 0]
        sums[:, inner] = sums[:, left[inner]] + sums[:, left[inner] + 1]
    empty = sums[0] == 0
    value = np.where(empty, sums[3], sums[1]) / np.where(empty, sums[2], sums[0])
    # no rounding in a leaf, where the prediction is read
    return np.where(is_leaf, leaf_value, value)


def _leads(model: Any, a: int, b: int) -> Iterator[tuple[int, np.ndarray]]:
    """Each tree with a say, by number, and what each leaf, of all trees, adds to the lead.

    The lead is the position of b minus that of a, or the certainty of the pair minus 1/2.
    """
    values, n, k = model._trees.values, model._n_rankings(), model.n_labels_
    if model.decomposition_ == "labelwise":
        for_b = values[:, 0].astype(np.float64) / n
        for_a = -for_b
        for r in range(n):
            yield r * k + a, for_a
            yield r * k + b, for_b
        return
    if model.decomposition_ == "joint":
        by_leaf = (values[:, b].astype(np.float64) - values[:, a]) / n
    else:
        first, second = np.triu_indices(k, k=1)
        pair = int(np.flatnonzero((first == min(a, b)) & (second == max(a, b)))[0])
        sign, n_pairs = 1 if a < b else -1, len(first)
        # where ties are kept a pair has two comparisons, the second against the first
        sides = [(pair, sign / 4), (n_pairs + pair, -sign / 4)]
        sides = sides if model._with_ties else [(pair, sign / 2)]
        if model.decomposition_ == "pairwise":
            for r in range(n):
                for place, share in sides:
                    yield (
                        r * len(sides) * n_pairs + place,
                        share * values[:, 0].astype(np.float64) / n,
                    )
            return
        by_leaf = sum(share * values[:, place].astype(np.float64) for place, share in sides) / n
    for r in range(n):
        yield r, by_leaf


def _only(trees: Trees, numbers: list[int]) -> Trees:
    return replace(trees, roots=trees.roots[numbers], depths=trees.depths[numbers])


def _rows_per_node(trees: Trees, X: np.ndarray) -> np.ndarray:
    """How many rows of X end in each node (0 in inner nodes)."""
    counts = np.zeros(len(trees.feature))
    for start in range(0, len(X), CHUNK):
        leaves = trees.leaves(X[start : start + CHUNK])
        counts += np.bincount(leaves.ravel(), minlength=len(counts))
    return counts


def _path(trees: Trees, root: int, x: np.ndarray) -> np.ndarray:
    """The nodes that x passes, from the root to its leaf."""
    path = [root]
    while trees.feature[node := path[-1]] >= 0:
        value = x[trees.feature[node]]
        is_missing = np.isnan(value)
        goes_left = trees.missing_left[node] if is_missing else value <= trees.threshold[node]
        path.append(int(trees.left[node]) + (0 if goes_left else 1))
    return np.array(path)
