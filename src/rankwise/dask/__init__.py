"""Forests of Dask DataFrames and arrays, grown on a cluster; the fitted model is an ordinary one."""

from rankwise.dask._client import ClusterError, find_client, naming_losses
from rankwise.dask._lazy import lazily, rowwise
from rankwise.dask._ranker import ForestRanker, PairwiseRanker
from rankwise.dask._runner import DaskRunner

__all__ = [
    "ClusterError",
    "DaskRunner",
    "ForestRanker",
    "PairwiseRanker",
    "find_client",
    "lazily",
    "naming_losses",
    "rowwise",
]
