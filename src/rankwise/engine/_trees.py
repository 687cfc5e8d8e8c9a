"""Many trees as one set of flat arrays, which predicts fast and pickles small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankwise._parallel import in_threads
from rankwise.engine._growing import Tree
from rankwise.engine._sound_trees import check_tree_meaning, check_trees
from rankwise.engine.kernels.descent import (
    COLUMN_BYTES,
    TILE,
    TOP,
    Tops,
    leaves_any,
    leaves_boolean,
    new_room,
    write_bits,
)
from rankwise.engine.kernels.leaves import add_rows_of_values, add_values, place

# Rows sent down the trees together where there are many.
CHUNK = 4096

# The same where their leaves are let go tree by tree: then a tree is fetched for more rows.
LONG_CHUNK = 16_384

# Leaves that wait to be summed up: 1 MB.
NEAR = 1 << 18

# Trees are copied in so many shares, by as many threads as there are.
N_SHARES = 16

# Leaves of at most so many values are summed up value by value.
FEW_VALUES = 8


class Nodes(NamedTuple):
    """The nodes of trees as prediction reads them."""

    words: np.ndarray  # left child in its tree << shift | first cell of the column
    shift: np.uint64
    usual: np.ndarray  # (n_trees,) how deep a row falls if the tree is balanced


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees, one after the other."""

    feature: np.ndarray  # (n_nodes,) int32, -1 in a leaf
    threshold: np.ndarray  # (n_nodes,) a value goes left if it is at most this
    missing_left: np.ndarray  # (n_nodes,) uint8
    left: np.ndarray  # (n_nodes,) int32, the left child; the right one follows it
    roots: np.ndarray  # (n_trees,) int64
    depths: np.ndarray  # (n_trees,) int64
    value_row: np.ndarray  # (n_nodes,) int32, where the values of a leaf are, -1 in an inner node
    values: np.ndarray  # (n_leaves, n_outputs)
    boolean_thresholds: np.ndarray | None  # (n_features,) where all features are Boolean

    def _check_state(self) -> None:
        check_trees(self)

    @cached_property
    def _boolean(self) -> Nodes:
        """What the Boolean kernel reads."""
        assert self.boolean_thresholds is not None
        return self._nodes(self.feature, len(self.boolean_thresholds), COLUMN_BYTES)

    @cached_property
    def _any(self) -> Nodes:
        """What the kernel for features of any kind reads, of rows without gaps."""
        return self._nodes(self.feature, self._n_columns, 1)

    @cached_property
    def _any_with_gaps(self) -> Nodes:
        """The same of rows with gaps, which have each feature twice; see `_with_an_end`."""
        n = self._n_columns
        return self._nodes(self.feature + n * self.missing_left.astype(np.int32), 2 * n, 1)

    def _nodes(self, column: np.ndarray, n_columns: int, size: int) -> Nodes:
        """Pack nodes that look at columns of so many cells; a leaf looks at one column more."""
        is_leaf = self.feature < 0
        # the roots may be those of some of the trees, in any order: nodes of others are never reached
        starts = np.unique(np.append(0, self.roots))
        sizes = np.diff(np.append(starts, len(is_leaf)))
        shift = (n_columns * size).bit_length()
        word = np.uint32 if int(sizes.max()) << shift < 1 << 32 else np.uint64
        nodes = (self._left - np.repeat(starts, sizes)).astype(word) << word(shift)
        nodes |= (np.where(is_leaf, n_columns, column) * size).astype(word)
        usual = np.log2(sizes[np.searchsorted(starts, self.roots)]).astype(np.int64)
        return Nodes(nodes, np.uint64(shift), np.minimum(usual, self.depths))

    @cached_property
    def _tops(self) -> Tops:
        """The first levels of every tree."""
        assert self.boolean_thresholds is not None
        is_leaf, left = self.feature < 0, self._left
        column = np.where(is_leaf, len(self.boolean_thresholds), self.feature)
        levels, ends = [], self.roots[:, None]
        for _ in range(TOP):
            levels.append(column[ends])
            children = np.stack([left[ends], left[ends] + ~is_leaf[ends]], axis=2)
            ends = children.reshape(len(ends), -1)
        return Tops(
            columns=np.concatenate(levels, axis=1).astype(np.uint32),
            ends=(ends - self.roots[:, None]).astype(np.uint32),
        )

    @property
    def _left(self) -> np.ndarray:
        """Left children; that of a leaf is itself."""
        return np.where(self.feature < 0, np.arange(len(self.feature)), self.left)

    @cached_property
    def _n_columns(self) -> int:
        """How many features the trees look at, up to the last one."""
        return max(1, int(self.feature.max()) + 1)

    @cached_property
    def _thresholds(self) -> np.ndarray:
        """Thresholds, and a number in every leaf: it is compared, whatever comes of that."""
        unknown = np.isnan(self.threshold)
        return np.where(unknown, 0.0, self.threshold) if unknown.any() else self.threshold

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf of every row in every tree, as node numbers (n_trees, n_samples)."""
        return self._descent(X)(slice(None))

    def _descent(self, X: np.ndarray) -> Callable[[slice], np.ndarray]:
        """A function that returns the leaves of the rows in some of the trees."""
        gaps = _has_nan(X)
        if self.boolean_thresholds is not None and not gaps:
            fall = self._boolean_descent(_tiles(_above(X, self.boolean_thresholds)))
        else:
            fall = self._any_descent(_with_an_end(X[:, : self._n_columns], gaps), gaps)

        def leaves(trees: slice) -> np.ndarray:
            result = np.empty((len(self.roots[trees]), len(X)), dtype=np.int32)
            fall(trees, result)
            return result

        return leaves

    def _boolean_descent(self, bits: np.ndarray) -> Callable[[slice, np.ndarray], None]:
        packed, tops, room = self._boolean, self._tops, new_room()
        words = bits.view(np.uint64)
        flat, line = bits.reshape(len(bits), bits[:1].size), np.empty(TILE, np.uint32)

        def fall(trees: slice, leaves: np.ndarray) -> None:
            leaves_boolean(
                words, flat, packed.words, packed.shift, Tops(tops.columns[trees], tops.ends[trees]),
                self.roots[trees], self.depths[trees], room, line, leaves,
            )  # fmt: skip

        return fall

    def _any_descent(self, X: np.ndarray, gaps: bool) -> Callable[[slice, np.ndarray], None]:
        packed, cells = self._any_with_gaps if gaps else self._any, X.reshape(-1)
        rows, line = np.empty(TILE + 8, np.uint32), np.empty(TILE, np.uint32)

        def fall(trees: slice, leaves: np.ndarray) -> None:
            leaves_any(
                cells, np.uint64(X.shape[1]), packed.words, self._thresholds, packed.shift,
                packed.usual[trees], self.roots[trees], self.depths[trees], rows, line, leaves,
            )  # fmt: skip

        return fall

    def sums_of(self, X: np.ndarray, n_targets: int) -> np.ndarray:
        """Sums of the values of each row's leaves, (n_samples, n_targets); see `sums`."""
        leaves, total = self._descent(X), self._no_sums(len(X), n_targets)
        step = max(1, NEAR // max(1, len(X)))
        for first in range(0, len(self.roots), step):
            self._add(leaves(slice(first, first + step)), first, total)
        return self._by_row(total)

    def sums(self, leaves: np.ndarray, n_targets: int) -> np.ndarray:
        """Sums of the values of each row's leaves, (n_samples, n_targets), of leaves (n_trees, n_samples).

        Where leaves hold one value each, tree t is about target t % n_targets.
        """
        total = self._no_sums(leaves.shape[1], n_targets)
        self._add(leaves, 0, total)
        return self._by_row(total)

    @property
    def _sums_by_target(self) -> bool:
        """Whether sums of many rows stand together while they are made, or those of a row."""
        return self.values.shape[1] <= FEW_VALUES

    def _no_sums(self, n: int, n_targets: int) -> np.ndarray:
        return np.zeros((n_targets, n) if self._sums_by_target else (n, n_targets))

    def _add(self, leaves: np.ndarray, first: int, total: np.ndarray) -> None:
        """Add the values of leaves of the trees from `first` on."""
        if self._sums_by_target:
            places = np.empty(TILE, dtype=np.int32)
            add_values(leaves, first, self.value_row, self.values, places, total)
        else:
            add_rows_of_values(leaves, self.value_row, self.values, total)

    def _by_row(self, total: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(total.T) if self._sums_by_target else total


def check_trees_of(model: Any, decomposition: str) -> None:
    """Refuse an estimator that came out of a file without trees of its features and labels."""
    trees = vars(model).get("_trees")
    if not isinstance(trees, Trees):
        raise ValueError("it has no trees")
    check_tree_meaning(trees, model.n_features_in_, model.n_labels_, decomposition)


def _above(X: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Which values are above the threshold of their feature."""
    if X.dtype != bool:
        return np.greater(X, thresholds)
    # True is 1 and False is 0: this way no number is converted
    below_one, negative = thresholds < 1, thresholds < 0
    above = X if below_one.all() else X & below_one
    return above | negative if negative.any() else above


def _tiles(above: np.ndarray) -> np.ndarray:
    """Booleans of rows as bits in tiles of TILE rows, with a feature of 0 behind the others."""
    n, d = above.shape
    tiles = np.zeros((-(-n // TILE), d + 1, COLUMN_BYTES), dtype=np.uint8)
    write_bits(np.ascontiguousarray(above).view(np.uint8), tiles)
    return tiles


def _with_an_end(X: np.ndarray, gaps: bool) -> np.ndarray:
    """Rows of numbers, with a feature of -inf behind the others.

    With gaps each feature is there twice: what is missing goes right first, as NaN, then left.
    """
    n, d = X.shape
    cells = np.empty((n, 2 * d + 1 if gaps else d + 1))
    cells[:, :d] = X
    if gaps:
        cells[:, d:-1] = np.where(np.isnan(X), -np.inf, X)
    cells[:, -1] = -np.inf
    return cells


def flatten(
    trees: list[Tree], boolean_thresholds: np.ndarray | None, dtype: type, n_jobs: int | None = 1
) -> Trees:
    """Put trees one after the other, emptying the list of them; values keep the given dtype."""
    sizes = np.array([len(t.feature) for t in trees])
    n_nodes = int(sizes.sum())
    roots = (np.cumsum(sizes) - sizes).astype(np.int64)
    feature, left, value_row = (np.empty(n_nodes, dtype=np.int32) for _ in range(3))
    missing_left = np.empty(n_nodes, dtype=np.uint8)
    values: np.ndarray = np.empty(
        ((n_nodes + len(trees)) // 2, trees[0].means.shape[1]), dtype=dtype
    )
    depths = np.array([t.depth for t in trees], dtype=np.int64)
    threshold = np.zeros(n_nodes)
    thresholds = np.empty(0) if boolean_thresholds is None else boolean_thresholds
    # a binary tree has one leaf more than inner nodes
    first_leaves = (roots + np.arange(len(trees))) // 2
    waiting = list(zip(roots, first_leaves, trees, strict=True))
    trees.clear()

    def place_some(n_trees: int) -> None:
        for _ in range(n_trees):
            # a tree is let go once it is copied, the last one first: then its memory can be given back
            root, leaf, t = waiting.pop()
            means = t.means if len(t.means) < len(t.feature) else t.means[t.feature < 0]
            # a missing value that was never seen goes to the larger child
            place(
                t.feature, t.left, t.weight, means, root, leaf, thresholds, feature, left,
                missing_left, threshold, value_row, values,
            )  # fmt: skip
            if t.threshold is not None and t.missing_left is not None:
                threshold[root : root + len(t.feature)] = t.threshold
                missing_left[root : root + len(t.feature)] = t.missing_left

    shares = np.array_split(roots, N_SHARES)
    in_threads(n_jobs, place_some, map(len, shares), require="sharedmem")
    return Trees(
        feature=feature,
        threshold=threshold,
        missing_left=missing_left,
        left=left,
        roots=roots,
        depths=depths,
        value_row=value_row,
        values=values,
        boolean_thresholds=boolean_thresholds,
    )


def _has_nan(X: np.ndarray) -> bool:
    # the sum is NaN if a number is, and costs a fraction of looking at each
    with np.errstate(over="ignore", invalid="ignore"):
        return X.dtype.kind == "f" and bool(np.isnan(X.sum())) and bool(np.isnan(X).any())
