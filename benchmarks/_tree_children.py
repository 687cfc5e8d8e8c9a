"""What `bench_trees.py` must measure in a process of its own; prints one line of JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from _peers import single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)

STATUS = Path("/proc/self/status")


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)  # labels are deleted on purpose
    task, size, *words = sys.argv[1:]
    work = {"start": first_fit, "million": million}[task]
    print(json.dumps(work(int(size), *words)))


def first_fit(n: int, kind: str) -> dict[str, Any]:
    """Seconds of the first fit of this process, on data of one kind."""
    from rankwise import ForestRanker

    X, Y = small_problem(kind, n)
    weights = np.random.default_rng(1).random(n) if kind == "gaps, weights, ties" else None
    model = ForestRanker(6, random_state=0)
    start, cpu_start = time.perf_counter(), time.process_time()
    model.fit(X, Y, weights)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
    }


def small_problem(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty features and five labels, made without this package."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 20))
    if kind == "yes/no":
        X = (X > 0.5).astype(float)
    Y = (X[:, :5] + rng.random((n, 5))).argsort(axis=1).argsort(axis=1) + 1.0
    if kind == "incomplete":
        Y[rng.random(Y.shape) < 0.3] = np.nan
    if kind == "gaps, weights, ties":
        X[rng.random(X.shape) < 0.05] = np.nan
        Y = np.ceil(Y / 2)
    return X, Y


def million(n: int, kind: str, decomposition: str) -> dict[str, Any]:
    """Seconds and peak megabytes of ten trees on two cores, and tau; a peer's tree if joint."""
    from _tree_problems import linear
    from _tree_table import compare_taus, row_taus

    from rankwise import ForestRanker

    def forest(trees: int) -> ForestRanker:
        return ForestRanker(trees, decomposition=decomposition, random_state=0, n_jobs=2)

    # compiled, or loaded, before the data is there
    forest(1).fit(*small_problem(kind, 500))
    X, Y, test = linear(kind, n, 100 if kind == "yes/no" else 20, 10)
    before = peak_megabytes()
    start = time.perf_counter()
    model = forest(10).fit(X, Y)
    found = {"seconds": time.perf_counter() - start, "before": before, "peak": peak_megabytes()}
    found["tau"] = float(row_taus(model, test).mean())
    if decomposition == "joint":
        import _tree_peers as peers

        one, fit = forest(1).fit(X, Y), peers.joint(X, Y)
        start = time.perf_counter()
        theirs = fit(1, 0)
        found["peer_seconds"] = time.perf_counter() - start
        taus = compare_taus([row_taus(one, test)], [row_taus(theirs, test)])
        found |= dict(zip(("tau_of_one", "peer_tau", "error"), taus, strict=True))
    return found


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
