"""What a ranking is: one gate that checks rankings, and conversions from every form users bring."""

from rankwise.rankings._check import RankingWarning, check_rankings
from rankwise.rankings._labels import label_names, natural_sorted
from rankwise.rankings._lists import ranks_from_top_k
from rankwise.rankings._long import long_from_ranks, ranks_from_long
from rankwise.rankings._orders import orders_from_ranks, ranks_from_orders
from rankwise.rankings._pairs import pairs_from_ranks, ranks_from_pairs
from rankwise.rankings._row_order import check_row_order
from rankwise.rankings._scores import ranks_from_scores
from rankwise.rankings._text import format_rankings, parse_rankings
from rankwise.rankings._tokens import split_text
from rankwise.rankings._true_positions import check_true_positions

__all__ = [
    "RankingWarning",
    "check_rankings",
    "check_row_order",
    "check_true_positions",
    "format_rankings",
    "label_names",
    "long_from_ranks",
    "natural_sorted",
    "orders_from_ranks",
    "pairs_from_ranks",
    "parse_rankings",
    "ranks_from_long",
    "ranks_from_orders",
    "ranks_from_pairs",
    "ranks_from_scores",
    "ranks_from_top_k",
    "split_text",
]
