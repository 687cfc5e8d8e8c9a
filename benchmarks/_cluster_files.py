"""Parquet files of made-up rankings, for forests of more rows than memory."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

N_FEATURES, N_LABELS = 100, 10
ROWS_PER_FILE, ROWS_PER_GROUP = 500_000, 125_000
LABELS = [f"l{j}" for j in range(N_LABELS)]


def make_files(folder: Path, n: int, n_jobs: int = 2) -> None:
    """Write rankings of noisy scores, each of ten yes/no features among a hundred."""
    numbers = range(-(-n // ROWS_PER_FILE))
    with ProcessPoolExecutor(n_jobs) as pool:
        for _ in pool.map(_make_file, [folder] * len(numbers), [n] * len(numbers), numbers):
            pass


def _make_file(folder: Path, n: int, number: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, weights = np.random.default_rng([1, number]), _weights()
    start = number * ROWS_PER_FILE
    end = min(start + ROWS_PER_FILE, n)
    with pq.ParquetWriter(folder / f"{number}.parquet", _schema(pa)) as writer:
        for first in range(start, end, ROWS_PER_GROUP):
            rows = min(ROWS_PER_GROUP, end - first)
            bits = np.frombuffer(rng.bytes(rows * -(-N_FEATURES // 8)), np.uint8)
            X = np.unpackbits(bits.reshape(rows, -1), axis=1, count=N_FEATURES)
            scores = X.astype(np.float32) @ weights
            scores += 0.5 * rng.standard_normal(scores.shape, dtype=np.float32)
            order = np.argsort(-scores, axis=1)
            ranks = np.empty(scores.shape, dtype=np.int8)
            np.put_along_axis(ranks, order, np.arange(1, N_LABELS + 1, dtype=np.int8), axis=1)
            columns = [*np.ascontiguousarray(X.T.view(bool)), *np.ascontiguousarray(ranks.T)]
            writer.write_table(pa.table(columns, schema=_schema(pa)), ROWS_PER_GROUP)


def _weights() -> np.ndarray:
    """The same for all files."""
    rng = np.random.default_rng(0)
    weights = np.zeros((N_FEATURES, N_LABELS), dtype=np.float32)
    for j in range(N_LABELS):
        weights[rng.choice(N_FEATURES, 10, replace=False), j] = rng.normal(size=10)
    return weights


def _schema(pa: Any) -> Any:
    features = [(f"x{j}", pa.bool_()) for j in range(N_FEATURES)]
    return pa.schema([*features, *((label, pa.int8()) for label in LABELS)])
