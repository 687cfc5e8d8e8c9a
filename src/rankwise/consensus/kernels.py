"""Jitted loops of consensus rules that kernels of other packages call."""

from rankwise.consensus._bucket_kernels import AMONG_ALL, DONE, WAITS, pivot_buckets

__all__ = ["AMONG_ALL", "DONE", "WAITS", "pivot_buckets"]
