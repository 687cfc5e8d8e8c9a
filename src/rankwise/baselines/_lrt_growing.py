"""From features and rankings to a label-ranking tree with a Mallows model in each leaf."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rankwise.baselines._lrt_coding_kernels import Kinds, code_columns, code_rankings, new_kinds
from rankwise.baselines._lrt_kernels import grow_mallows, new_work
from rankwise.baselines._lrt_runs_kernels import Rows
from rankwise.baselines._mallows import fit_mallows_runs, for_kernels
from rankwise.baselines._mallows_kernels import expected_distances
from rankwise.tree._growing import Tree
from rankwise.tree._nodes_kernels import Nodes, new_nodes, start
from rankwise.tree._sorted_kernels import filtered

# Rows that agree would have an infinite theta; at this one, 4 draws in 100,000 differ for two labels.
LARGEST_THETA = 10.0

# Scores of labels that differ by less than this share of all weight are equal.
TIE = 1e-12

# Cells of the table of thetas. Above a share of contradictions of 1e-4 it is right to 1e-3, and far
# better for most.
CELLS = 4096

NO_GAINS = np.empty((0, 0))


class TrainingData(NamedTuple):
    """Features and rankings as the kernels want them; one for all trees of an ensemble."""

    columns: np.ndarray  # (d, n) float64, the values of each feature
    codes: np.ndarray  # (d, n) int32, the place of a value among those of its feature
    order: np.ndarray  # (d, n) int32, rows by rising value, then by kind
    observed: np.ndarray  # (n, k) int64, as `observed_places` has it
    kind: np.ndarray  # (n,) int32, which of the distinct rankings a row has
    kinds: Kinds

    @property
    def compared(self) -> np.ndarray:
        """How many comparisons were observed in each row."""
        return self.kinds.compared[self.kind]


class GrownTree(NamedTuple):
    """A tree whose leaves hold the central positions of their models, and the thetas of these."""

    tree: Tree
    thetas: np.ndarray  # (n_leaves,)


def training_data(X: np.ndarray, ranks: np.ndarray) -> TrainingData:
    """Code features by the places of their values, and rankings by their comparisons."""
    n, k = ranks.shape
    observed, kind, kinds = np.empty((n, k), np.int64), np.empty(n, np.int32), new_kinds(n, k)
    slots = np.full(2 << n.bit_length(), -1, np.int32)
    n_kinds = code_rankings(for_kernels(ranks, np.float64), observed, kind, kinds, slots)
    kinds = Kinds(*(array[:n_kinds] for array in kinds))
    columns = for_kernels(X.T, np.float64)
    order = np.argsort(columns, axis=1).astype(np.int32)
    codes, starts = np.empty(order.shape, np.int32), np.empty(n, np.int32)
    code_columns(columns, order, codes, np.argsort(kind, kind="stable"), starts)
    return TrainingData(columns, codes, order, observed, kind, kinds)


def grow_lrt(
    data: TrainingData, counts: np.ndarray, weights: np.ndarray, min_leaf: int, max_depth: int
) -> GrownTree:
    """Grow a tree on the rows of positive count; a count is how many rows a row stands for."""
    k = data.observed.shape[1]
    rows = Rows(data.kind, weights, counts.astype(np.int32, copy=False))
    lists = filtered(data.order, rows.counts)
    n_rows = lists.shape[1]
    nodes = new_nodes(n_rows, weights[:, None])
    start(nodes, n_rows, 0)
    thresholds = np.zeros(len(nodes.feature))
    tie = TIE * float(weights.sum())
    work = new_work(k, data.kinds.lines.shape[1], n_rows, len(weights), tie, theta_table(k))
    n_nodes = grow_mallows(
        data.columns, data.codes, lists, rows, data.kinds, min_leaf, max_depth, work, nodes,
        thresholds,
    )  # fmt: skip
    return _with_models(data, nodes, n_nodes, thresholds, lists[0], weights)


@lru_cache(maxsize=32)
def theta_table(k: int) -> np.ndarray:
    """Theta at shares of contradictions (i / CELLS) ** 2 / 2, i = 0 to CELLS; the last one twice.

    Rankings at random contradict any centre in half of all comparisons, and have a theta of 0.
    """
    thetas = np.linspace(0.0, LARGEST_THETA, CELLS + 1)
    distances = np.empty(CELLS + 1)
    expected_distances(thetas, k, distances)
    shares = distances / (k * (k - 1) / 2)
    # the root is far from linear in theta where both are flat or steep; np.interp wants it rising
    at = np.arange(CELLS + 1) / CELLS
    table = np.interp(at, np.sqrt(2 * shares[::-1]), thetas[::-1])
    return np.append(table, table[-1])


def _with_models(
    data: TrainingData,
    nodes: Nodes,
    n_nodes: int,
    thresholds: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> GrownTree:
    """Fit the models of the leaves, each a run of `rows`."""
    feature = nodes.feature[:n_nodes].copy()
    runs = nodes.segment[:n_nodes][feature < 0]
    fit = fit_mallows_runs(data.observed, rows, runs[:, 0], runs[:, 1], weights[rows])
    tree = Tree(
        feature=feature,
        left=nodes.left[:n_nodes].copy(),
        depth=int(nodes.depth[:n_nodes].max()),
        means=fit.centers.astype(np.float64),
        weight=nodes.totals[:n_nodes, 0].copy(),
        gain=NO_GAINS,
        threshold=thresholds[:n_nodes].copy(),
        missing_left=np.zeros(n_nodes, dtype=np.uint8),
    )
    return GrownTree(tree, fit.thetas)
