"""The nodes of flat trees as the kernels of prediction read them; made from the trees when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.engine.kernels.descent import COLUMN_BYTES, TOP, Tops
from rankwise.engine.kernels.packing import DIGIT, pack_children, pack_codes
from rankwise.engine.kernels.walking import CELL, CODES, ENTRY, HEIGHT, LEFT

if TYPE_CHECKING:
    from rankwise.engine._trees import Trees

# Levels below those of a balanced tree that all rows go at first, for features of any kind: mostly all that
# go together come to a leaf there, and to look whether they have takes longer than a step.
BEYOND = 6


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


def coded_nodes(trees: Trees, n_features: int) -> tuple[Columns, np.ndarray] | None:
    """The columns that trees look at, and their nodes as words; None where these do not fit."""
    bounds, n = np.append(_starts(trees), len(trees.feature)), np.count_nonzero(trees.feature >= 0)
    words = np.empty(len(trees.feature), dtype=np.uint64)
    counts = np.zeros(n_features, dtype=np.int64)
    keys, nodes = np.empty((2, n), dtype=np.uint64), np.empty((2, n), dtype=np.int32)
    bits = trees.threshold.view(np.uint64)
    pack_children(trees.feature, trees.left, bits, bounds, words, keys[0], nodes[0], counts)
    columns = np.empty((2, np.count_nonzero(counts) + n // CODES + 1), dtype=np.int64)
    thresholds, digits = np.empty(n), np.empty(1 << int(DIGIT), dtype=np.int64)
    n_columns = pack_codes(
        keys[0], nodes[0], keys[1], nodes[1], trees.feature,
        np.cumsum(counts) - counts, digits, columns, thresholds.view(np.uint64), words,
    )  # fmt: skip
    # each column again, for gaps
    n_cells = (2 * n_columns + 1) * HEIGHT
    if n_cells > CELL or int(np.diff(bounds).max()) >> (64 - int(LEFT)):
        return None
    features, starts = columns[0, :n_columns], columns[1, : n_columns + 1]
    return Columns(features, starts, thresholds[: starts[-1]].copy()), words


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
    starts, sizes = _starts_and_sizes(trees)
    shift = (end * size).bit_length()
    word = np.uint32 if int(sizes.max()) << shift < 1 << 32 else np.uint64
    # the left child, counted from its root; that of a leaf is the leaf
    own = np.arange(len(trees.feature), dtype=np.int32)
    words: np.ndarray = np.where(trees.feature < 0, own, trees.left).astype(word)
    for start, n in zip(starts.tolist(), sizes.tolist(), strict=True):
        words[start : start + n] -= word(start)
    words <<= word(shift)
    words |= np.multiply(column, size, dtype=word, casting="unsafe")
    return Nodes(words, np.uint64(shift))


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
    starts = _starts(trees)
    return starts, np.diff(np.append(starts, len(trees.feature)))


def _starts(trees: Trees) -> np.ndarray:
    return np.unique(np.append(0, trees.roots))
