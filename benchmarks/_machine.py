"""How fast this machine reads and adds: the limits that growing a tree can come near.

Each function runs a loop that does nothing else, for long enough to be timed, and returns its rate;
the best of several runs, one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from rankwise._jit import jit

# Less than a core's own cache (1 MB and more nowadays), and more than the largest that is shared.
CACHE_BYTES, MEMORY_BYTES = 512 * 1024, 512 * 1024 * 1024
# Bytes that a run reads, or additions that it makes, at least.
WORK = 256 * 1024 * 1024
N_BINS = 256


def read_rate(n_bytes: int) -> float:
    """Gigabytes per second of reading so many bytes again and again, eight at a time."""
    words = np.ones(n_bytes // 8, dtype=np.uint64)
    passes = max(1, WORK // n_bytes)
    return n_bytes * passes / _best(lambda: _read(words, passes)) / 1e9


def triad_rate(n_bytes: int) -> float:
    """Gigabytes per second of a = b + s c over three arrays of so many bytes together (STREAM)."""
    a, b, c = (np.ones(n_bytes // 24) for _ in range(3))
    passes = max(1, WORK // n_bytes)
    return 24 * len(a) * passes / _best(lambda: _triad(a, b, c, passes)) / 1e9


def count_rate(n_rows: int = 4_096, n_features: int = 20) -> float:
    """Billions of words per second added to histograms that fit the nearest cache.

    This is what a histogram of codes does for each row and feature: read the code, read the word in
    its bin, add, write it back. The next addition may go to the same bin, and then has to wait.
    """
    rng = np.random.default_rng(0)
    codes = rng.integers(0, N_BINS, size=(n_rows, n_features), dtype=np.uint8)
    words = rng.integers(0, 1 << 20, size=n_rows)
    bins = np.zeros((n_features, N_BINS), dtype=np.int64)
    passes = max(1, WORK // 4 // codes.size)
    return codes.size * passes / _best(lambda: _count(codes, words, bins, passes)) / 1e9


def lane_rate(n_rows: int = 1_024, n_features: int = 512) -> float:
    """Billions of additions per second to sums of 16 bits, many to one instruction.

    This is what yes/no features need for each row and feature: add the row's word or nothing.
    """
    bits = np.random.default_rng(0).integers(0, 2, size=(n_rows, n_features), dtype=np.uint8)
    words = np.ones(n_rows, dtype=np.int16)
    sums = np.zeros(n_features, dtype=np.int16)
    passes = max(1, WORK // bits.size)
    return bits.size * passes / _best(lambda: _add_lanes(bits, words, sums, passes)) / 1e9


def _best(work: Callable[[], object], repeat: int = 5) -> float:
    """Seconds of the fastest run after one that compiles."""
    work()
    runs = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        runs.append(time.perf_counter() - start)
    return min(runs)


@jit
def _read(words, passes):
    total = np.uint64(0)
    for turn in range(passes):
        # changes from one pass to the next, or the compiler would make one pass of all
        words[0] = turn
        for i in range(len(words)):
            total += words[i]
    return total


@jit
def _triad(a, b, c, passes):
    for turn in range(passes):
        b[0] = turn
        for i in range(len(a)):
            a[i] = b[i] + 3.0 * c[i]


@jit
def _add_lanes(bits, words, sums, passes):
    for _ in range(passes):
        for i in range(bits.shape[0]):
            word = words[i]
            for j in range(bits.shape[1]):
                sums[j] += np.int16(word * bits[i, j])


@jit
def _count(codes, words, bins, passes):
    for _ in range(passes):
        for i in range(codes.shape[0]):
            word = words[i]
            for j in range(codes.shape[1]):
                bins[j, codes[i, j]] += word
