"""The nodes of flat trees as the kernels of prediction read them; made from the trees when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise._falling import CODE_BITS, COLUMN_BITS
from rankwise.engine.kernels.descent import COLUMN_BYTES, TOP, Tops
from rankwise.engine.kernels.packing import sort_by_digit
from rankwise.engine.kernels.walking import CODES, ENTRY, HEIGHT

if TYPE_CHECKING:
    from rankwise.engine._trees import Trees

# Levels below those of a balanced tree that all rows go at first, for features of any kind: mostly all that
# go together come to a leaf there, and to look whether they have takes longer than a step.
BEYOND = 6


# Bits by which thresholds are put in order at a time.
DIGIT = 11


class Nodes(NamedTuple):
    """The nodes of trees in words."""

    words: np.ndarray  # left child in its tree << shift | first cell of the column
    shift: np.uint64


class Columns(NamedTuple):
    """What features of any kind are held against, column by column."""

    features: np.ndarray  # (n_columns,) of which feature
    starts: np.ndarray  # (n_columns + 1,) where its thresholds begin
    thresholds: np.ndarray  # the distinct ones, in ascending order


class Paths(NamedTuple):
    """The nodes of trees, for features of any kind."""

    nodes: np.ndarray  # (n_nodes,) words
    tests: np.ndarray  # (n_trees, 2^ENTRY - 1) those of the first levels
    ends: np.ndarray  # (n_trees, 2^ENTRY) the nodes below them
    usual: np.ndarray  # (n_trees,) how deep all rows go at first


def boolean_nodes(trees: Trees) -> Nodes:
    """What the Boolean kernel reads below the first levels."""
    assert trees.boolean_thresholds is not None
    end = len(trees.boolean_thresholds)
    return _pack(trees, np.where(trees.feature < 0, end, trees.feature), end, COLUMN_BYTES)


def boolean_tops(trees: Trees) -> Tops:
    """The first levels of every tree."""
    assert trees.boolean_thresholds is not None
    tests, ends = _first_levels(trees, TOP)
    features = trees.feature[tests]
    return Tops(
        columns=np.where(features < 0, len(trees.boolean_thresholds), features).astype(np.uint32),
        ends=ends,
    )


def coded_nodes(trees: Trees) -> tuple[Columns, np.ndarray] | None:
    """The columns that trees look at, and their nodes as words; None where these do not fit."""
    nodes, keys = _by_threshold(trees)
    feature = trees.feature[nodes]
    firsts, n_nodes = _runs((keys[1:] != keys[:-1]) | (feature[1:] != feature[:-1]), len(nodes))
    thresholds, feature = trees.threshold[nodes[firsts]], feature[firsts]
    # a column for each feature, and for each CODES thresholds of it
    starts, n_thresholds = _runs(feature[1:] != feature[:-1], len(feature))
    code = (np.arange(len(feature)) - np.repeat(starts, n_thresholds)) % CODES
    columns = np.flatnonzero(code == 0)
    # each column again, for gaps
    n_cells, sizes = (2 * len(columns) + 1) * HEIGHT, _starts_and_sizes(trees)[1]
    if n_cells >> COLUMN_BITS or int(sizes.max()) >> (64 - COLUMN_BITS - CODE_BITS):
        return None
    words = _left_children(trees, np.uint64)
    words <<= np.uint64(COLUMN_BITS + CODE_BITS)
    # the first column of all is that of leaves
    looks = (CODES - code) << COLUMN_BITS | np.cumsum(code == 0) * HEIGHT
    words[nodes] |= np.repeat(looks.astype(np.uint64), n_nodes)
    starts = np.append(columns, len(feature))
    return Columns(feature[columns].astype(np.int64), starts, thresholds), words


def _by_threshold(trees: Trees) -> tuple[np.ndarray, np.ndarray]:
    """The inner nodes by feature, those of a feature by threshold; and keys in the order of thresholds."""
    nodes = np.flatnonzero(trees.feature >= 0).astype(np.int32)
    # bits are in the order of their floats but for signs; 0 is added since -0 is the same threshold
    bits = (trees.threshold[nodes] + 0.0).view(np.uint64)
    keys = np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))
    sorted_nodes, sorted_keys = np.empty_like(nodes), np.empty_like(keys)
    # digit by digit, the lowest first, and by feature at last
    for shift in (*range(0, 64, DIGIT), None):
        if shift is None:
            digits = trees.feature[nodes]
        else:
            digits = (keys >> np.uint64(shift) & np.uint64((1 << DIGIT) - 1)).astype(np.int32)
        counts = np.bincount(digits)
        if counts.max(initial=0) < len(nodes):
            places = np.cumsum(counts) - counts
            sort_by_digit(digits, keys, nodes, places, sorted_keys, sorted_nodes)
            keys, sorted_keys, nodes, sorted_nodes = sorted_keys, keys, sorted_nodes, nodes
    return nodes, keys


def _runs(changes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where runs of n equal things start, and how long they are, given where things change."""
    starts = np.append(0, np.flatnonzero(changes) + 1)[:n]
    return starts, np.diff(np.append(starts, n))


def paths(trees: Trees, columns: Columns, nodes: np.ndarray, gaps: bool) -> Paths:
    """What the kernel for features of any kind reads.

    Rows with gaps have each column twice: what is missing goes right in the first, left in the second.
    """
    if gaps:
        second = np.uint64(len(columns.features) * HEIGHT)
        nodes = nodes + second * (trees.missing_left * (trees.feature >= 0))
    tests, ends = _first_levels(trees, ENTRY)
    usual = np.minimum(usual_depths(trees) + BEYOND, trees.depths)
    return Paths(nodes=nodes, tests=nodes[tests], ends=ends, usual=usual)


def usual_depths(trees: Trees) -> np.ndarray:
    """How deep a row falls if its tree is balanced; in no tree deeper than it is."""
    starts, sizes = _starts_and_sizes(trees)
    balanced = np.log2(sizes[np.searchsorted(starts, trees.roots)]).astype(np.int64)
    return np.minimum(balanced, trees.depths)


def _pack(trees: Trees, column: np.ndarray, end: int, size: int) -> Nodes:
    """Words of nodes that look at columns of so many cells; a leaf looks at column `end`."""
    sizes = _starts_and_sizes(trees)[1]
    shift = (end * size).bit_length()
    word = np.uint32 if int(sizes.max()) << shift < 1 << 32 else np.uint64
    words = _left_children(trees, word)
    words <<= word(shift)
    words |= np.multiply(column, size, dtype=word, casting="unsafe")
    return Nodes(words, np.uint64(shift))


def _left_children(trees: Trees, word: type) -> np.ndarray:
    """The left child of each node, counted from its root; that of a leaf is the leaf."""
    own = np.arange(len(trees.feature), dtype=np.int32)
    left: np.ndarray = np.where(trees.feature < 0, own, trees.left).astype(word)
    for start, n in zip(*(a.tolist() for a in _starts_and_sizes(trees)), strict=True):
        left[start : start + n] -= word(start)
    return left


def _first_levels(trees: Trees, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes of the first levels, level by level, and those below, counted from their root."""
    levels, ends = [], trees.roots[:, None]
    for _ in range(n_levels):
        levels.append(ends)
        is_inner = trees.feature[ends] >= 0
        left = np.where(is_inner, trees.left[ends], ends)
        ends = np.stack([left, left + is_inner], axis=2).reshape(len(ends), -1)
    return np.concatenate(levels, axis=1), (ends - trees.roots[:, None]).astype(np.uint32)


def _starts_and_sizes(trees: Trees) -> tuple[np.ndarray, np.ndarray]:
    """Where the nodes of trees begin, and how many there are.

    The roots may be those of some of the trees, in any order: nodes of others are never reached.
    """
    starts = np.unique(np.append(0, trees.roots))
    return starts, np.diff(np.append(starts, len(trees.feature)))
