"""From features and rankings to a label-ranking tree with a Mallows model in each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankwise.baselines._lrt_kernels import LANES, Rows, grow_mallows, new_work
from rankwise.baselines._mallows import fit_mallows_groups, observed_places
from rankwise.baselines._mallows_kernels import expected_distances
from rankwise.features import BooleanFeatures, CodedFeatures, code_features
from rankwise.tree._growing import Tree
from rankwise.tree._nodes_kernels import Nodes, new_nodes, start, trimmed
from rankwise.tree._sorted_kernels import filtered

# Rows that agree would have an infinite theta; at this one, 4 draws in 100,000 differ for two labels.
LARGEST_THETA = 10.0

# Scores of labels that differ by less than this share of all weight are equal.
TIE = 1e-12

# Cells of the table of thetas. Above a share of contradictions of 1e-4 it is right to 1e-3, and far
# better for most.
CELLS = 4096


@dataclass(frozen=True)
class TrainingData:
    """Features and rankings as the kernels want them; one for all trees of an ensemble."""

    features: BooleanFeatures | CodedFeatures
    codes: np.ndarray  # (d, n) int32, the place of a value among those of its feature
    order: np.ndarray  # (d, n) int32, rows by rising value
    observed: np.ndarray  # (n, k) int64, as `observed_places` has it
    kinds: np.ndarray  # what `Rows` of the kernels says of the rows
    bits: np.ndarray
    seen: np.ndarray
    signs: np.ndarray
    scores: np.ndarray
    compared: np.ndarray  # (n,) float64, number of observed comparisons


@dataclass(frozen=True)
class GrownTree:
    """A tree whose leaves hold the central positions of their models, and the thetas of these."""

    tree: Tree
    thetas: np.ndarray  # (n_leaves,)


def training_data(X: np.ndarray, ranks: np.ndarray) -> TrainingData:
    """Code features, and rankings by their comparisons."""
    features = code_features(X)
    if isinstance(features, BooleanFeatures):
        codes = features.columns.astype(np.int32)
        order = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
    else:
        codes, order = features.by_feature, features.order
    observed = observed_places(ranks)
    first, second = np.triu_indices(ranks.shape[1], k=1)
    # NaN is neither before nor behind
    before, behind = ranks[:, first] < ranks[:, second], ranks[:, first] > ranks[:, second]
    bits, seen = _as_words(before), _as_words(before | behind)
    m = (observed > 0).sum(axis=1)
    return TrainingData(
        features,
        codes,
        order,
        observed,
        kinds=_numbered(np.concatenate([bits, seen], axis=1)),
        bits=bits,
        seen=seen,
        signs=_padded(before.astype(np.int8) - behind, LANES),
        scores=np.where(observed > 0, (m + 1)[:, None] - 2.0 * observed, 0.0),
        compared=m * (m - 1) / 2.0,
    )


def _padded(pairs: np.ndarray, multiple: int) -> np.ndarray:
    return np.pad(pairs, [(0, 0), (0, -pairs.shape[1] % multiple)])


def _numbered(words: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows."""
    # as one item each, rows sort ten times faster than by columns
    items = np.ascontiguousarray(words).view(f"V{8 * words.shape[1]}").ravel()
    return np.unique(items, return_inverse=True)[1].astype(np.int32)


def _as_words(pairs: np.ndarray) -> np.ndarray:
    """Booleans as 64-bit words, the first in the lowest bit."""
    packed = np.packbits(_padded(pairs, 64), axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64)


def grow_lrt(
    data: TrainingData, counts: np.ndarray, weights: np.ndarray, min_leaf: int, max_depth: int
) -> GrownTree:
    """Grow a tree on the rows of positive count; a count is how many rows a row stands for."""
    k = data.observed.shape[1]
    rows = Rows(
        data.kinds, data.bits, data.seen, data.signs, data.scores, weights, counts, data.compared
    )
    lists = filtered(data.order, counts)
    nodes = new_nodes(lists.shape[1], weights[:, None])
    start(nodes, lists.shape[1], 0)
    sides = np.empty((len(nodes.feature), 2), dtype=np.int32)
    tie = TIE * float(weights.sum())
    work = new_work(k, lists.shape[1], len(weights), theta_table(k))
    n_nodes = grow_mallows(data.codes, lists, rows, min_leaf, max_depth, tie, work, nodes, sides)
    return _with_models(data, trimmed(nodes, n_nodes), sides[:n_nodes], lists[0], weights)


@lru_cache(maxsize=32)
def theta_table(k: int) -> np.ndarray:
    """Theta at shares of contradictions (i / CELLS) ** 2 / 2, i = 0 to CELLS.

    Rankings at random contradict any centre in half of all comparisons, and have a theta of 0.
    """
    thetas = np.linspace(0.0, LARGEST_THETA, CELLS + 1)
    distances = np.empty(CELLS + 1)
    expected_distances(thetas, k, distances)
    shares = distances / (k * (k - 1) / 2)
    # the root is far from linear in theta where both are flat or steep; np.interp wants it rising
    at = np.arange(CELLS + 1) / CELLS
    return np.interp(at, np.sqrt(2 * shares[::-1]), thetas[::-1])


def _with_models(
    data: TrainingData, nodes: Nodes, sides: np.ndarray, rows: np.ndarray, weights: np.ndarray
) -> GrownTree:
    """Fit the models of the leaves, each a run of `rows`, and put thresholds to the cuts."""
    leaf, inner = np.flatnonzero(nodes.feature < 0), np.flatnonzero(nodes.feature >= 0)
    starts = np.sort(nodes.segment[leaf, 0])
    fit = fit_mallows_groups(data.observed, rows, np.append(starts, len(rows)), weights[rows])
    group = np.searchsorted(starts, nodes.segment[leaf, 0])
    threshold, cut = np.zeros(len(nodes.feature)), nodes.feature[inner]
    if isinstance(data.features, BooleanFeatures):
        threshold[inner] = data.features.thresholds[cut]
    else:
        threshold[inner] = data.features.thresholds(cut, sides[inner, 0], sides[inner, 1])
    tree = Tree(
        feature=nodes.feature.copy(),
        left=nodes.left.copy(),
        depth=int(nodes.depth.max()),
        means=fit.centers[group].astype(np.float64),
        weight=nodes.totals[:, 0].copy(),
        gain=np.empty((0, 0)),
        threshold=threshold,
        missing_left=np.zeros(len(nodes.feature), dtype=np.uint8),
    )
    return GrownTree(tree, fit.thetas[group])
