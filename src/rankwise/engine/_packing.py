"""The nodes of flat trees as the kernels of prediction read them; made from the trees when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.engine.kernels.descent import COLUMN_BYTES, TOP, Tops
from rankwise.engine.kernels.walking import ENTRY, MARGIN, ROWS, WALKERS

if TYPE_CHECKING:
    from rankwise.engine._trees import Trees

# Cells of a tile, unless it is as low as can be.
CELLS = 1 << 16


class Nodes(NamedTuple):
    """The nodes of trees in words."""

    words: np.ndarray  # left child in its tree << shift | first cell of the column
    shift: np.uint64


class Paths(NamedTuple):
    """The nodes of trees, for features of any kind."""

    nodes: np.ndarray  # a word of each node, as above, and the bits of its threshold
    shift: int
    height: int  # cells of a column
    usual: np.ndarray  # (n_trees,) how deep a row falls if the tree is balanced
    columns: np.ndarray  # (n_trees, 2^ENTRY - 1) what the first levels look at
    thresholds: np.ndarray  # (n_trees, 2^ENTRY - 1)
    ends: np.ndarray  # (n_trees, 2^ENTRY) the nodes below them


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


def paths(trees: Trees, n_columns: int, gaps: bool, single: bool) -> Paths:
    """What the kernel for features of any kind reads, of single precision if that can be.

    Rows with gaps have each feature twice: what is missing goes right in the first, left in the second.
    """
    is_leaf, end = trees.feature < 0, 2 * n_columns if gaps else n_columns
    column = trees.feature + n_columns * trees.missing_left.astype(np.int32) * gaps
    column = np.where(is_leaf, end, column)
    n_rows = min(ROWS, max(WALKERS, CELLS // (end + 1) // WALKERS * WALKERS))
    height = n_rows + MARGIN
    words, shift = _pack(trees, column, end, height)
    # a leaf needs a number: it is compared, whatever comes of that
    threshold = np.where(is_leaf, 0.0, trees.threshold)
    if single and words.dtype == np.uint32:
        threshold = _rounded_down(threshold)
    word = np.uint32 if threshold.dtype == np.float32 else np.uint64
    tests, ends = _first_levels(trees, ENTRY)
    return Paths(
        nodes=np.stack([words.astype(word), threshold.view(word)], axis=1).reshape(-1),
        shift=int(shift),
        height=height,
        usual=usual_depths(trees),
        columns=(column[tests].astype(np.int64) * height).astype(np.uint32),
        thresholds=threshold[tests],
        ends=ends,
    )


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
    starts = np.unique(np.append(0, trees.roots))
    return starts, np.diff(np.append(starts, len(trees.feature)))


def _rounded_down(numbers: np.ndarray) -> np.ndarray:
    """The largest float32 that is not larger: exactly the same float32 are at most that."""
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    too_large = single > numbers
    single[too_large] = np.nextafter(single[too_large], np.float32(-np.inf))
    return single
