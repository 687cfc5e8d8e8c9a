"""From features and rankings with ties to a partial-label-ranking tree."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankwise._cells import for_kernels
from rankwise.baselines._plr_consensus_kernels import (
    DISAGREEMENTS,
    DISTANCE,
    ENTROPY,
    TIE_WITHIN,
)
from rankwise.baselines._plr_kernels import Rules
from rankwise.baselines._plr_tree_kernels import PartialData, code_partial, grow_partial
from rankwise.consensus import bucket_order_batch
from rankwise.engine import Grown, limit

CRITERIA = {"disagreements": DISAGREEMENTS, "distance": DISTANCE, "entropy": ENTROPY}

# Entropies of larger whole weights are calculated and not looked up.
LARGEST_WEIGHT = 1 << 20

# Whole numbers are exact in floats up to here.
EXACT = 2.0**52


def partial_data(X: np.ndarray, ranks: np.ndarray) -> PartialData:
    """Code features by the places of their values, and rankings by what they say of pairs."""
    columns = for_kernels(X.T, np.float64)
    by_value = np.argsort(columns, axis=1)
    return PartialData(columns, *code_partial(columns, by_value, for_kernels(ranks, np.float64)))


def growing_rules(
    data: PartialData,
    criterion: str,
    min_leaf: int,
    max_depth: int | None,
    n_drawn: int,
    shuffle: bool,
    weights: np.ndarray,
) -> Rules:
    """The rules of the kernels, for trees whose rows have such weights."""
    code = CRITERIA[criterion]
    scale = 1.0
    if code == ENTROPY:
        total = max(2.0, float(weights.sum()))
        largest = 8.0 * data.relations.shape[1] * total * np.log2(total)
        scale = 2.0 ** min(30.0, np.floor(np.log2(EXACT / largest)))
    return Rules(code, data.complete, limit(min_leaf), limit(max_depth), n_drawn, shuffle, scale)


def grow_plr(
    data: PartialData,
    counts: np.ndarray,
    weights: np.ndarray,
    rules: Rules,
    seed: int,
    *,
    keep_shares: bool,
) -> tuple[Grown, np.ndarray]:
    """Grow a tree on the rows of positive count; a count is how many rows a row stands for.

    Returns the tree, whose leaves hold ranks, and of each leaf the shares of pairs, or nothing.
    """
    total = float(weights.sum())
    table = np.zeros(0)
    if rules.criterion == ENTROPY and total < LARGEST_WEIGHT and (weights == counts).all():
        table = entropy_table(1 << int(np.ceil(np.log2(total + 2))), rules.scale)
    feature, threshold, left, ranks, shares, depth = grow_partial(
        data, counts.astype(np.int32, copy=False), weights, rules, table,
        np.array([seed | 1], dtype=np.uint64), keep_shares,
    )  # fmt: skip
    tree = Grown(
        sizes=np.array([len(feature)]),
        depths=np.array([depth]),
        feature=feature,
        left=left,
        means=ranks,
        missing_left=np.zeros(len(feature), dtype=np.uint8),
        threshold=threshold,
    )
    return tree, shares


@lru_cache(maxsize=4)
def entropy_table(n: int, scale: float) -> np.ndarray:
    """Of every whole number c below n, c * log2(c) in whole parts of 1 / scale."""
    c = np.arange(n, dtype=np.float64)
    return np.rint(scale * c * np.log2(np.maximum(c, 1.0)))


def published_buckets(support: np.ndarray) -> np.ndarray:
    """The bucket orders of supports (n, k, k) by the rule of the publications.

    Examples
    --------
    >>> published_buckets(np.array([[[0, 1, 0.1], [1, 0, 0.2], [0.9, 0.8, 0]]]))
    array([[2, 2, 1]])
    """
    return bucket_order_batch(support, method="several pivots twice", tie_within=TIE_WITHIN)
