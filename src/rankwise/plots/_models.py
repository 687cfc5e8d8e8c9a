"""What pictures ask a tree or forest for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.ranker import positions_by_pairwise


def is_of_trees(model: Any) -> bool:
    """Whether the model is a tree or a forest of this package."""
    # imported here: most pictures are not of trees, and the engine takes time to load
    from rankwise.tree import BaseTreeRanker

    return isinstance(model, BaseTreeRanker)


def positions_by_tree(model: Any, row: Any) -> np.ndarray:
    """Positions that the trees of each sample predict for one row, (n_rankings, n_labels)."""
    rows = np.asarray(row, dtype=np.float64)
    values = np.concatenate(
        [
            values
            for member in model._members
            for values in member._by_ranking(member._trees.leaves(rows))
        ]
    )
    return positions_by_pairwise(model._shares_of(values)) if model._compares else values
