"""From many rankings to one: pairwise shares, Borda, Copeland, exact Kemeny and bucket orders."""

from rankwise.consensus._buckets import bucket_order, bucket_order_batch
from rankwise.consensus._kemeny import KemenyResult, kemeny, kemeny_batch
from rankwise.consensus._pairwise import pairwise_matrix
from rankwise.consensus._voting import borda, borda_batch, copeland, copeland_batch

__all__ = [
    "KemenyResult",
    "borda",
    "borda_batch",
    "bucket_order",
    "bucket_order_batch",
    "copeland",
    "copeland_batch",
    "kemeny",
    "kemeny_batch",
    "pairwise_matrix",
]
