"""Where growing stops: limits as users give them, and as the kernels take them."""

from __future__ import annotations

from typing import Any

from rankwise._parameters import check_integer
from rankwise.engine.kernels.nodes import Rules

UNLIMITED = 1 << 30

# A forest of more would be grown for days, or fill all memory before the first tree.
MOST_TREES = 10**6


def check_tree_limits(min_samples_leaf: Any, max_depth: Any) -> None:
    """Raise an error unless both are whole numbers in their range (no depth: no limit)."""
    check_integer("min_samples_leaf", min_samples_leaf, 1)
    if max_depth is not None:
        check_integer("max_depth", max_depth, 0)


def check_forest_size(n_estimators: Any) -> None:
    """Raise an error unless the number of trees is one that a machine can grow."""
    if check_integer("n_estimators", n_estimators, 1) > MOST_TREES:
        raise ValueError(f"n_estimators is {n_estimators}; give {MOST_TREES:,} trees or fewer")


def limit(value: int | None) -> int:
    """A limit that kernels can count to; None: no limit."""
    return UNLIMITED if value is None else min(int(value), UNLIMITED)


def growing_rules(
    min_samples_leaf: int,
    max_depth: int | None,
    max_splits: int | None,
    n_drawn: int,
    stop_when_pure: bool = False,
    shuffle: bool = False,
) -> Rules:
    """The rules of the kernels, from checked limits."""
    budget = -1 if max_splits is None else limit(max_splits)
    return Rules(
        limit(min_samples_leaf), limit(max_depth), budget, n_drawn, bool(stop_when_pure), shuffle
    )
