"""Many trees as one set of flat arrays, which predicts fast and pickles small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from rankwise._blocks import LANES, empty_together
from rankwise._parallel import in_threads
from rankwise.engine._features import BooleanFeatures, Features
from rankwise.engine._growing import Grown
from rankwise.engine._packing import (
    Columns,
    Nodes,
    Paths,
    boolean_nodes,
    boolean_tops,
    coded_nodes,
    paths,
    usual_depths,
)
from rankwise.engine._sound_trees import check_tree_meaning, check_trees
from rankwise.engine._targets import Targets
from rankwise.engine.kernels.descent import (
    COLUMN_BYTES,
    TILE,
    Tops,
    leaves_boolean,
    write_bits,
)
from rankwise.engine.kernels.leaves import (
    add_lanes_of_values,
    add_rows_of_values,
    add_values,
    place,
)
from rankwise.engine.kernels.walking import (
    HEIGHT,
    ROWS,
    leaves_any,
    leaves_few,
    write_cells,
)

# Rows sent down the trees together where there are many.
CHUNK = 4096

# The same where their leaves are let go tree by tree: then a tree is fetched for more rows.
LONG_CHUNK = 32_768

# Leaves that wait to be summed up: 1 MB.
NEAR = 1 << 18

# Trees are copied in so many shares, by as many threads as there are.
N_SHARES = 16

# Threads that copy trees of fewer nodes wait for each other longer than copying takes.
NODES_OF_A_COPY = 1 << 16

# With fewer rows each goes its own way.
FEW_ROWS = 6

# Nodes of a tree that are coded in the time that a row takes on its own way.
NODES_OF_A_ROW = 3


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees, one after the other."""

    feature: np.ndarray  # (n_nodes,) int32, -1 in a leaf
    own_threshold: np.ndarray | None  # (n_nodes,), or None where those of Boolean features say it
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
    def threshold(self) -> np.ndarray:
        """The threshold of every node, 0 in a leaf: a value goes left if it is at most this."""
        if self.own_threshold is not None:
            return self.own_threshold
        assert self.boolean_thresholds is not None
        # -1, the feature of a leaf, takes the 0 at the end
        return np.append(self.boolean_thresholds, 0.0).take(self.feature, mode="wrap")

    def __getstate__(self) -> dict[str, Any]:
        # what is made when it is first needed is not pickled
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _boolean(self) -> tuple[Nodes, Tops, np.ndarray]:
        """What the Boolean kernel reads, and how deep rows fall mostly."""
        return boolean_nodes(self), boolean_tops(self), usual_depths(self)

    @cached_property
    def _coded(self) -> tuple[Columns, np.ndarray] | None:
        """What features of any kind are held against, and the nodes as words; None if these do not fit."""
        return coded_nodes(self)

    @cached_property
    def _rows_alone(self) -> list[int]:
        """How many rows have gone their own way, as the only entry."""
        return [0]

    def _is_worth_coding(self, n_rows: int) -> bool:
        """Whether these rows and those before would take as long on their own way as coding the trees."""
        if "_coded" in vars(self):
            return True
        self._rows_alone[0] += n_rows
        return self._rows_alone[0] * NODES_OF_A_ROW * len(self.roots) >= len(self.feature)

    @cached_property
    def _any(self) -> dict[bool, Paths]:
        """What the kernel for features of any kind reads, by whether rows have gaps."""
        return {}

    def _paths(self, gaps: bool) -> Paths:
        assert self._coded is not None
        if gaps not in self._any:
            self._any[gaps] = paths(self, *self._coded, gaps)
        return self._any[gaps]

    @cached_property
    def _n_columns(self) -> int:
        """How many features the trees look at, up to the last one."""
        return max(1, int(self.feature.max()) + 1)

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf of every row in every tree, as node numbers (n_trees, n_samples)."""
        return self._descent(X)(slice(None))

    def _descent(self, X: np.ndarray) -> Callable[[slice], np.ndarray]:
        """A function that returns the leaves of the rows in some of the trees."""
        booleans = self.boolean_thresholds
        needed = self._n_columns if booleans is None else len(booleans)
        # kernels know no bounds: the last door before them, whatever a file has said of its columns
        if X.shape[1] < needed:
            raise ValueError(f"rows have {X.shape[1]} features, and the trees look at {needed}")
        gaps = _has_nan(X)
        if self.boolean_thresholds is not None and not gaps:
            fall = self._boolean_descent(_tiles(_above(X, self.boolean_thresholds)))
        else:
            fall = self._any_descent(X[:, : self._n_columns], gaps)

        def leaves(trees: slice) -> np.ndarray:
            result = np.empty((len(self.roots[trees]), len(X)), dtype=np.int32)
            fall(trees, result)
            return result

        return leaves

    def _boolean_descent(self, bits: np.ndarray) -> Callable[[slice, np.ndarray], None]:
        packed, tops, usual = self._boolean
        words = bits.view(np.uint64)
        flat = bits.reshape(len(bits), bits[:1].size)
        places, line = np.empty(TILE, np.uint8), np.empty(TILE, np.uint32)

        def fall(trees: slice, leaves: np.ndarray) -> None:
            leaves_boolean(
                words, flat, packed.words, packed.shift, Tops(tops.columns[trees], tops.ends[trees]),
                self.roots[trees], usual[trees], places, line, leaves,
            )  # fmt: skip

        return fall

    def _any_descent(self, X: np.ndarray, gaps: bool) -> Callable[[slice, np.ndarray], None]:
        single = np.result_type(X, np.float32) == np.float32
        X = np.ascontiguousarray(X, dtype=np.float32 if single else np.float64)
        if len(X) < FEW_ROWS or not self._is_worth_coding(len(X)) or self._coded is None:
            return lambda trees, leaves: leaves_few(
                X, self.feature, self.threshold, self.left, self.missing_left,
                self.roots[trees], leaves,
            )  # fmt: skip
        path, tiles = self._paths(gaps), _columns(X, gaps, self._coded[0])
        places, line = np.zeros(HEIGHT, dtype=np.uint8), np.empty(HEIGHT, dtype=np.uint32)

        def fall(trees: slice, leaves: np.ndarray) -> None:
            leaves_any(
                tiles, path.nodes, path.tests[trees], path.ends[trees], path.usual[trees],
                self.roots[trees], places, line, leaves,
            )  # fmt: skip

        return fall

    def sums_of(self, X: np.ndarray, n_targets: int) -> np.ndarray:
        """Sums of the values of each row's leaves, (n_samples, n_targets); see `sums`."""
        leaves, total = self._descent(X), self._no_sums(len(X), n_targets)
        step = max(1, NEAR // max(1, len(X)))
        for first in range(0, len(self.roots), step):
            self._add(leaves(slice(first, first + step)), first, total)
        return self._by_row(total, n_targets)

    def sums(self, leaves: np.ndarray, n_targets: int) -> np.ndarray:
        """Sums of the values of each row's leaves, (n_samples, n_targets), of leaves (n_trees, n_samples).

        Where leaves hold one value each, tree t is about target t % n_targets.
        """
        total = self._no_sums(leaves.shape[1], n_targets)
        self._add(leaves, 0, total)
        return self._by_row(total, n_targets)

    def _no_sums(self, n: int, n_targets: int) -> np.ndarray:
        """Sums of many rows stand together while they are made, or those of a row, in lanes if few."""
        n_values = self.values.shape[1]
        if n_values == 1:
            return np.zeros((n_targets, n))
        return np.zeros((n, max(n_targets, LANES)))

    def _add(self, leaves: np.ndarray, first: int, total: np.ndarray) -> None:
        """Add the values of leaves of the trees from `first` on."""
        n_values = self.values.shape[1]
        if n_values == 1:
            add_values(leaves, first, self.value_row, self.values, total)
        elif n_values <= LANES:
            add_lanes_of_values(leaves, self.value_row, self.values.reshape(-1), n_values, total)
        else:
            add_rows_of_values(leaves, self.value_row, self.values, total)

    def _by_row(self, total: np.ndarray, n_targets: int) -> np.ndarray:
        by_row = total.T if self.values.shape[1] == 1 else total[:, :n_targets]
        return np.ascontiguousarray(by_row)


def check_trees_of(model: Any, decomposition: str) -> None:
    """Refuse an estimator that came out of a file without trees of its features and labels."""
    trees = vars(model).get("_trees")
    if not isinstance(trees, Trees):
        raise ValueError("it has no trees")
    check_tree_meaning(
        trees,
        model.n_features_in_,
        model.n_labels_,
        decomposition,
        getattr(model, "_with_ties", False),
    )


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


def _columns(X: np.ndarray, gaps: bool, columns: Columns) -> np.ndarray:
    """Rows as codes in tiles, column by column, behind one of 0.

    A tile that is not full has any codes below its rows. They go down the trees as rows do, and like
    these must never leave a leaf.
    """
    n_columns, n_tiles = len(columns.features) * (2 if gaps else 1) + 1, -(-len(X) // ROWS)
    tiles = np.empty((n_tiles, n_columns, HEIGHT), dtype=np.uint16)
    tiles[:, 0] = 0
    numbers, counts = np.zeros(ROWS), np.empty(ROWS, dtype=np.uint64)
    write_cells(X, gaps, *columns, numbers, counts, tiles)
    return tiles.reshape(n_tiles, -1)


def room_for_trees(n_nodes: int, of_values: tuple[int, int], dtype: Any) -> tuple[np.ndarray, ...]:
    """Memory for features, left children, rows of values, sides of gaps and these values."""
    of_nodes = (np.int32, np.int32, np.int32, np.uint8)
    return tuple(empty_together(*(((n_nodes,), kind) for kind in of_nodes), (of_values, dtype)))


def flatten(
    trees: list[Grown], boolean_thresholds: np.ndarray | None, dtype: type, n_jobs: int | None = 1
) -> Trees:
    """Put trees one after the other, emptying the list of them; values keep the given dtype."""
    sizes = np.concatenate([t.sizes for t in trees])
    depths = np.concatenate([t.depths for t in trees])
    waiting, n_nodes, n_values = [], 0, 0
    for t in trees:
        waiting.append((n_nodes, n_values, t))
        n_nodes += len(t.feature)
        # with the means of inner nodes, or one row for each leaf unless leaves share them
        n_values += min(len(t.means), (len(t.feature) + len(t.sizes)) // 2)
    of_values = n_values, trees[0].means.shape[1]
    trees.clear()
    feature, left, value_row, missing_left, values = room_for_trees(n_nodes, of_values, dtype)
    own_threshold = np.empty(n_nodes) if boolean_thresholds is None else None

    def place_some(n: int) -> None:
        for _ in range(n):
            # trees are let go once copied, the last ones first: then their memory can be given back
            root, leaf, t = waiting.pop()
            nodes = slice(root, root + len(t.feature))
            means = t.means if len(t.means) < len(t.feature) else t.means[t.feature < 0]
            values[leaf : leaf + len(means)] = means
            feature[nodes] = t.feature
            missing_left[nodes] = t.missing_left
            place(t.sizes, t.feature, t.left, root, leaf, left, value_row)
            if t.shared is not None:
                value_row[nodes][t.feature < 0] = leaf + t.shared
            if own_threshold is not None:
                own_threshold[nodes] = t.threshold

    shares = np.array_split(np.arange(len(waiting)), N_SHARES)
    jobs = n_jobs if n_nodes >= NODES_OF_A_COPY * len(waiting) else 1
    in_threads(jobs, place_some, map(len, shares), require="sharedmem")
    return Trees(
        feature=feature,
        own_threshold=own_threshold,
        missing_left=missing_left,
        left=left,
        roots=np.cumsum(sizes) - sizes,
        depths=depths,
        value_row=value_row,
        values=values,
        boolean_thresholds=boolean_thresholds,
    )


def flat_trees(
    trees: list[Grown], targets: Targets, features: Features, n_jobs: int | None = 1
) -> Trees:
    """The trees that have grown from features to targets as flat ones, emptying the list of them."""
    thresholds = features.thresholds if isinstance(features, BooleanFeatures) else None
    flat = flatten(trees, thresholds, np.float32 if targets.compares else np.float64, n_jobs)
    if targets.compares:
        np.nan_to_num(flat.values, copy=False, nan=0.0)
    return flat


def _has_nan(X: np.ndarray) -> bool:
    # the sum is NaN if a number is, and costs a fraction of looking at each
    with np.errstate(over="ignore", invalid="ignore"):
        return X.dtype.kind == "f" and bool(np.isnan(X.sum())) and bool(np.isnan(X).any())
