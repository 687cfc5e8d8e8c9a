"""What `bench_trees.py` must measure in a process of its own; prints one line of JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from _peers import single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)

STATUS = Path("/proc/self/status")


def main() -> None:
    task, size = sys.argv[1], int(sys.argv[2])
    print(json.dumps(memory(size) if task == "memory" else first_fit(task, size)))


def first_fit(kind: str, n: int) -> dict[str, Any]:
    """Seconds of the first fit of this process, on `kind` boolean or continuous features."""
    from rankwise import ForestRanker

    X, Y = small_problem(kind, n)
    model = ForestRanker(5, random_state=0)
    start, cpu_start = time.perf_counter(), time.process_time()
    model.fit(X, Y)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
    }


def small_problem(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, 20))
    if kind == "boolean":
        X = (X > 0.5).astype(float)
    return X, (X[:, :5] + rng.random((n, 5))).argsort(axis=1).argsort(axis=1) + 1.0


def memory(n: int, d: int = 100, k: int = 5) -> dict[str, Any]:
    """Peak megabytes before and after a joint forest of 10 trees on n x d Boolean features."""
    from rankwise import ForestRanker

    # compiled, or loaded, before the data is there
    ForestRanker(1, decomposition="joint").fit(*small_problem("boolean", 100))
    X, Y = np.empty((n, d), dtype=np.uint8), np.empty((n, k))
    rng = np.random.default_rng(0)
    for start in range(0, n, 10_000):
        rows = slice(start, min(n, start + 10_000))
        X[rows] = rng.integers(0, 2, size=X[rows].shape, dtype=np.uint8)
        scores = X[rows, : 2 * k : 2] + X[rows, 1 : 2 * k : 2] + rng.random(Y[rows].shape)
        Y[rows] = scores.argsort(axis=1).argsort(axis=1) + 1
    before = peak_megabytes()
    start_time = time.perf_counter()
    ForestRanker(10, decomposition="joint", random_state=0).fit(X, Y)
    seconds = time.perf_counter() - start_time
    return {"before": before, "peak": peak_megabytes(), "seconds": seconds}


def peak_megabytes() -> float:
    """Most memory that this process ever held."""
    if STATUS.exists():
        # ru_maxrss of a new process starts at its parent's on Linux; VmHWM is its own
        line = next(x for x in STATUS.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
