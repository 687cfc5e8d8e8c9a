"""`kendall_tau` against a loop of `scipy.stats.kendalltau`; its memory; time to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from _peers import Bench, fresh_process, peak_megabytes, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from scipy.stats import kendalltau, spearmanr  # noqa: E402

from rankwise.metrics import kendall_tau, spearman_rho  # noqa: E402

N_ROWS, N_LABELS = 100_000, 10
# SciPy needs half a minute for all rows: it is timed on a sample of them and the time is scaled.
SAMPLE = 1_000


def main() -> None:
    bench = Bench(f"metrics, {N_ROWS:,} x {N_LABELS}, one thread")
    rng = np.random.default_rng(0)
    true, pred = (rng.random((N_ROWS, N_LABELS)).argsort(axis=1) + 1.0 for _ in range(2))
    against_scipy(bench, "kendall_tau", kendall_tau, kendalltau, true, pred, goal=1_000)
    against_scipy(bench, "spearman_rho", spearman_rho, spearmanr, true, pred)
    memory(bench, true, pred)
    start_up(bench)
    bench.show()


def against_scipy(
    bench: Bench,
    name: str,
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    true: np.ndarray,
    pred: np.ndarray,
    goal: float | None = None,
) -> None:
    def loop() -> list[float]:
        return [theirs(t, p).statistic for t, p in zip(true[:SAMPLE], pred[:SAMPLE], strict=True)]

    gap = np.abs(ours(true[:SAMPLE], pred[:SAMPLE], average=False) - loop()).max()
    bench.compare(
        name,
        lambda: ours(true, pred),
        f"loop of scipy.stats.{theirs.__name__}",
        loop,
        goal=goal,
        scale=N_ROWS / SAMPLE,
        repeat=3,
        note=f"peer timed on {SAMPLE:,} rows and scaled; max abs difference {gap:.1e}",
    )


def memory(bench: Bench, true: np.ndarray, pred: np.ndarray) -> None:
    used = peak_megabytes(lambda: kendall_tau(true, pred))
    size = (true.nbytes + pred.nbytes) / 1e6
    bench.add("kendall_tau, peak memory", used, "the two inputs", size, goal=1, unit="MB")


def start_up(bench: Bench) -> None:
    bench.add("import rankwise", fresh_process("import rankwise"), "limit", 0.5, goal=1)
    first = "import rankwise.metrics as m; m.kendall_tau([[1, 2]], [[1, 2]])"
    note = "in a new process; the kernels were compiled before"
    bench.add("import, first kendall_tau", fresh_process(first), "limit", 2.0, note=note)


if __name__ == "__main__":
    main()
