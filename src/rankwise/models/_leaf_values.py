"""Expected values of labels, from the training rows that share the leaves of a new row.

A tree puts a new row beside the training rows of its leaf: the mean and the spread of what was
measured there are what to expect. Over the trees of a forest means are averaged, and the spread is
that of the mixture, as in quantile regression forests (Meinshausen, 2006). A run that was stopped
counts as the penalty says, so that an expected run time is an expected penalised run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.tree import BaseTreeRanker

# Rows times trees times labels that are looked at together.
_CELLS = 2_000_000


@dataclass(frozen=True)
class LeafValues:
    """Mean and variance of the values of labels in each leaf of a tree or forest.

    Parameters
    ----------
    means, variances : list of ndarray of shape (n_leaves, n_labels), or (n_leaves, 1) by label
        For each set of trees that the ranker is made of and that has one tree for all labels, or
        one for each; NaN where no row of a leaf was measured.
    higher_is_better : bool
        Which values are better.
    unit : str
        Of the values.

    Examples
    --------
    >>> import rankwise as rw
    >>> X, seconds = [[1.0], [2.0], [8.0], [9.0]], np.array([[1, 9], [3, 9], [50, 8], [54, 8]])
    >>> tree = rw.TreeRanker(min_samples_leaf=2).fit(X, rw.ranks_from_scores(-seconds))
    >>> values = fit_values(tree, np.array(X), seconds, higher_is_better=False, unit="s")
    >>> expected, spread = values.predict(tree, np.array([[1.5]]))
    >>> expected, spread
    (array([[2., 9.]]), array([[1., 0.]]))
    """

    means: list[NDArray[np.float32]]
    variances: list[NDArray[np.float32]]
    higher_is_better: bool
    unit: str = ""

    def predict(self, ranker: Any, X: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray]:
        """Return the expected value of each label in some rows, and its spread.

        Parameters
        ----------
        ranker : tree or forest
            The one that this was made for.
        X : ndarray of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        expected, spread : ndarray of shape (n_samples, n_labels)
            NaN where no training row in the leaves was measured.
        """
        members, k = _usable(ranker), ranker.n_labels_
        found: list[tuple[np.ndarray, np.ndarray]] = []
        for member, means, variances in zip(members, self.means, self.variances, strict=True):
            first = means.astype(np.float64)
            second = variances + first**2
            step = max(1, _CELLS // (k * len(member._trees.roots)))
            leaves = [_leaf_numbers(member, X[s : s + step]) for s in range(0, len(X), step)]
            one, two = (
                np.concatenate([_mean_of_trees(member, table, part, k) for part in leaves])
                for table in (first, second)
            )
            found.append((one, two))
        weights = np.array([member._n_rankings() for member in members], dtype=np.float64)
        expected, square = (_weighted(list(tables), weights) for tables in zip(*found, strict=True))
        return expected, np.sqrt(np.maximum(square - expected**2, 0.0))

    def check(self, ranker: Any) -> None:
        """Raise a ValueError unless there is a table for each set of trees of the ranker."""
        shapes = [_shape(member) for member in _usable(ranker)]
        if not shapes or any(
            [table.shape for table in tables] != shapes for tables in (self.means, self.variances)
        ):
            raise ValueError("its values of leaves are not those of its trees")

    def _check_state(self) -> None:
        for tables in (self.means, self.variances):
            if not isinstance(tables, list) or not all(
                isinstance(table, np.ndarray) and table.dtype == np.float32 and table.ndim == 2
                for table in tables
            ):
                raise ValueError("its values of leaves are no tables of numbers")
        if type(self.higher_is_better) is not bool or type(self.unit) is not str:
            raise ValueError("it does not say which values are better, or in which unit they are")


def fit_values(
    ranker: Any,
    X: NDArray[np.float64],
    values: NDArray[np.float64],
    *,
    higher_is_better: bool,
    unit: str = "",
) -> LeafValues | None:
    """Keep what was measured in each leaf of a fitted tree or forest.

    Parameters
    ----------
    ranker : ranker
        Fitted to these rows.
    X : ndarray of shape (n_samples, n_features)
        The training rows.
    values : ndarray of shape (n_samples, n_labels)
        What each label is worth in them; NaN = not measured.
    higher_is_better : bool
        Which values are better.
    unit : str
        Of the values.

    Returns
    -------
    LeafValues or None
        To be asked for the values of new rows; None for a ranker that has no trees for all labels
        or for each of them.
    """
    values = np.asarray(values, dtype=np.float64)
    means, variances = [], []
    for member in _usable(ranker):
        shape = _shape(member)
        count, one, two = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        # Distances from a mean of all keep the digits of large values that differ little.
        centre = _known_mean(values)
        known = ~np.isnan(values)
        moved = np.where(known, values - centre, 0.0)
        for t, leaves in enumerate(_leaf_numbers(member, X)):
            of = [t % values.shape[1]] if _is_labelwise(member) else slice(None)
            np.add.at(count, leaves, known[:, of])
            np.add.at(one, leaves, moved[:, of])
            np.add.at(two, leaves, moved[:, of] ** 2)
        with np.errstate(invalid="ignore"):
            mean = one / count
            variance = np.maximum(two / count - mean**2, 0.0)
        owner = _label_of_leaves(member) if _is_labelwise(member) else None
        centres = centre[None] if owner is None else centre[owner][:, None]
        means.append((mean + centres).astype(np.float32))
        variances.append(variance.astype(np.float32))
    return LeafValues(means, variances, bool(higher_is_better), unit) if means else None


def _usable(ranker: Any) -> list[Any]:
    """Return the sets of trees that say something of whole labels, not of pairs alone."""
    if not isinstance(ranker, BaseTreeRanker):
        return []
    return [member for member in ranker._members if member.decomposition_ != "pairwise"]


def _is_labelwise(member: Any) -> bool:
    return bool(member.decomposition_ == "labelwise")


def _shape(member: Any) -> tuple[int, int]:
    n_leaves = int((member._trees.feature < 0).sum())
    return n_leaves, 1 if _is_labelwise(member) else int(member.n_labels_)


def _label_of_leaves(member: Any) -> np.ndarray:
    """Return which label each leaf is about, where there is a tree for each."""
    trees = member._trees
    is_leaf = trees.feature < 0
    ends = np.append(trees.roots[1:], len(is_leaf))
    counts = [int(is_leaf[a:b].sum()) for a, b in zip(trees.roots, ends, strict=True)]
    return np.repeat(np.arange(len(trees.roots)) % member.n_labels_, counts)


def _leaf_numbers(member: Any, X: NDArray[np.float64]) -> np.ndarray:
    """Return the leaf of every row in every tree, leaves counted from 0 (n_trees, n_samples)."""
    number = np.cumsum(member._trees.feature < 0) - 1
    return np.asarray(number[member._trees.leaves(X)])


def _mean_of_trees(member: Any, table: np.ndarray, leaves: np.ndarray, k: int) -> np.ndarray:
    """Average a table of leaves over the trees that a label is judged by."""
    if not _is_labelwise(member):
        return _known_mean(table[leaves])
    return np.stack([_known_mean(table[leaves[j::k], 0]) for j in range(k)], axis=1)


def _known_mean(values: np.ndarray) -> np.ndarray:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


def _weighted(tables: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    values = np.stack(tables)
    shares = np.where(np.isnan(values), 0.0, weights[:, None, None])
    with np.errstate(invalid="ignore"):
        return np.asarray((np.nan_to_num(values) * shares).sum(axis=0) / shares.sum(axis=0))
