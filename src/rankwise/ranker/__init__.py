"""What all estimators share: one `fit` and `predict`, the checks of their input, shares and positions.

Functions of arrays here are for who writes a ranker: they take arrays that were checked.
"""

from rankwise.ranker._assignment import (
    LEAST,
    balance,
    pairwise_by_table,
    positions_by_table,
    ranks_by_cost,
    ranks_by_table,
)
from rankwise.ranker._base import BaseRanker
from rankwise.ranker._certainty import Certainty, fit_certainty
from rankwise.ranker._checks import (
    as_floats,
    at_most_64_bits,
    check_table,
    compares,
    comparing_rows,
    finite_answers,
    is_plain_table,
    is_sparse,
    missing_as_nan,
    refuse_bad_numbers,
    refuse_texts,
    refuse_uneven,
    take_rows,
)
from rankwise.ranker._kernel_ridge import ridge_left_out, solve_ridge
from rankwise.ranker._kernels import has_tie
from rankwise.ranker._shares import (
    AGGREGATIONS,
    SAME_POSITION_DECIMALS,
    pairwise_by_position,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
)
from rankwise.ranker._ties import (
    HALF,
    MEASURES,
    HeldOut,
    before_by_position,
    best_values,
    check_ties,
    is_more,
    ranks_with_ties,
    some_rows,
    top_places,
)
from rankwise.ranker._values import ExpectsValues, ValuesRanker, pair_weights

__all__ = [
    "AGGREGATIONS",
    "HALF",
    "LEAST",
    "MEASURES",
    "SAME_POSITION_DECIMALS",
    "BaseRanker",
    "Certainty",
    "ExpectsValues",
    "HeldOut",
    "ValuesRanker",
    "as_floats",
    "at_most_64_bits",
    "balance",
    "before_by_position",
    "best_values",
    "check_table",
    "check_ties",
    "compares",
    "comparing_rows",
    "finite_answers",
    "fit_certainty",
    "has_tie",
    "is_more",
    "is_plain_table",
    "is_sparse",
    "missing_as_nan",
    "pair_weights",
    "pairwise_by_position",
    "pairwise_by_table",
    "positions_by_pairwise",
    "positions_by_table",
    "ranks_by_cost",
    "ranks_by_pairwise",
    "ranks_by_position",
    "ranks_by_table",
    "ranks_with_ties",
    "refuse_bad_numbers",
    "refuse_texts",
    "refuse_uneven",
    "ridge_left_out",
    "solve_ridge",
    "some_rows",
    "take_rows",
    "top_places",
]
