"""Trees in few bytes, as they are sent and kept until all have grown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._parallel import in_threads
from rankwise.engine._trees import Trees, room_for_trees
from rankwise.engine.kernels.leaves import place_compact


class CompactTrees(NamedTuple):
    """Some flat trees without what the rest of them tells: about a third of their bytes."""

    roots: np.ndarray
    depths: np.ndarray
    feature: np.ndarray  # of the smallest type, -1 in a leaf
    to_left: np.ndarray  # nodes from each to its left child, 0 in a leaf, of the smallest type
    missing_left: np.ndarray  # bits
    threshold: np.ndarray | None  # None where all features are Boolean
    value_row: np.ndarray | None  # None where each leaf has a row of its own, in their order
    values: np.ndarray
    boolean_thresholds: np.ndarray | None

    @classmethod
    def of(cls, trees: Trees) -> CompactTrees:
        """The same trees in few bytes."""
        leaf = trees.feature < 0
        to_left = trees.left - np.arange(len(leaf), dtype=np.int32)
        to_left[leaf] = 0
        in_order = np.array_equal(trees.value_row[leaf], np.arange(len(trees.values)))
        return cls(
            trees.roots,
            trees.depths,
            trees.feature.astype(np.min_scalar_type(min(-1, -1 - int(trees.feature.max())))),
            to_left.astype(np.min_scalar_type(int(to_left.max()))),
            np.packbits(trees.missing_left),
            trees.own_threshold,
            None if in_order else trees.value_row,
            trees.values,
            trees.boolean_thresholds,
        )


def joined_trees(parts: list[CompactTrees], n_jobs: int | None = 1) -> Trees:
    """All trees, in the order of the parts, as flat ones; the list is emptied on the way."""
    sizes = [len(part.feature) for part in parts]
    first_nodes = np.append(0, np.cumsum(sizes))
    first_values = np.append(0, np.cumsum([len(part.values) for part in parts]))
    n_nodes, some = int(first_nodes[-1]), parts[0]
    of_values = (int(first_values[-1]), some.values.shape[1])
    feature, left, value_row, missing_left, values = room_for_trees(
        n_nodes, of_values, some.values.dtype
    )
    own_threshold = None if some.threshold is None else np.empty(n_nodes)
    whole = Trees(
        feature=feature,
        own_threshold=own_threshold,
        missing_left=missing_left,
        left=left,
        roots=np.concatenate([part.roots for part in parts])
        + np.repeat(first_nodes[:-1], [len(part.roots) for part in parts]),
        depths=np.concatenate([part.depths for part in parts]),
        value_row=value_row,
        values=values,
        boolean_thresholds=some.boolean_thresholds,
    )

    def place(number: int) -> None:
        part, parts[number] = parts[number], some._replace(feature=some.feature[:0])
        own = slice(first_nodes[number], first_nodes[number + 1])
        feature[own] = part.feature
        place_compact(
            feature[own], part.to_left.astype(np.int32), first_nodes[number], first_values[number],
            left, value_row,
        )  # fmt: skip
        missing_left[own] = np.unpackbits(part.missing_left, count=len(part.feature))
        if own_threshold is not None:
            own_threshold[own] = part.threshold
        if part.value_row is not None:
            leaf = part.feature < 0
            value_row[own][leaf] = part.value_row[leaf] + np.int32(first_values[number])
        values[first_values[number] : first_values[number + 1]] = part.values

    in_threads(n_jobs, place, range(len(parts)), require="sharedmem")
    parts.clear()
    return whole
