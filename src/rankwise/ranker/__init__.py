"""What all estimators share: one `fit` and `predict`, the checks of their input, shares and positions."""

from rankwise.ranker._base import BaseRanker
from rankwise.ranker._checks import (
    at_most_64_bits,
    is_plain_table,
    refuse_bad_numbers,
)
from rankwise.ranker._shares import (
    AGGREGATIONS,
    SAME_POSITION_DECIMALS,
    pairwise_by_position,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
)

__all__ = [
    "AGGREGATIONS",
    "SAME_POSITION_DECIMALS",
    "BaseRanker",
    "at_most_64_bits",
    "is_plain_table",
    "pairwise_by_position",
    "positions_by_pairwise",
    "ranks_by_pairwise",
    "ranks_by_position",
    "refuse_bad_numbers",
]
