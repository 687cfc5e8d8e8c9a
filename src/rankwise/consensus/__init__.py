"""From many rankings to one: pairwise shares, Borda, Copeland and exact Kemeny, also in batches."""

from rankwise.consensus._kemeny import KemenyResult, kemeny, kemeny_batch
from rankwise.consensus._pairwise import pairwise_matrix
from rankwise.consensus._voting import borda, borda_batch, copeland, copeland_batch

__all__ = [
    "KemenyResult",
    "borda",
    "borda_batch",
    "copeland",
    "copeland_batch",
    "kemeny",
    "kemeny_batch",
    "pairwise_matrix",
]
