"""Forests of more rows than memory: Parquet made on the fly, read in parts, on one machine and on Dask.

    python benchmarks/bench_cluster.py --rows 1000000
    python benchmarks/run.py cluster -- --rows 10000000     # kept in history.jsonl

Every stage runs in a process of its own, whose peak of memory is told; kernels are loaded before the
clock runs. The files are deleted at the end.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _peers import Bench

N_FEATURES, N_LABELS = 100, 10
ROWS_PER_FILE, ROWS_PER_GROUP = 500_000, 125_000
LABELS = [f"l{j}" for j in range(N_LABELS)]
GIGABYTE = 1 << 30


def main() -> None:
    options = arguments()
    if options.stage:
        print(json.dumps(STAGES[options.stage](options)))
        return
    folder = Path(tempfile.mkdtemp(prefix="rankwise-bench-", dir=options.folder))
    try:
        measure(options, folder)
    finally:
        shutil.rmtree(folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--sample", type=int, help="rows of a tree (a tenth, 100,000 at most)")
    parser.add_argument("--memory", default="4 GB", help="limit on one machine, without the trees")
    parser.add_argument("--folder", help="where files are made (the system's folder for such)")
    parser.add_argument("--without-cluster", action="store_true")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=2, help=argparse.SUPPRESS)
    found = parser.parse_args()
    found.sample = found.sample or min(100_000, found.rows // 10)
    return found


def measure(options: argparse.Namespace, folder: Path) -> None:
    n, trees, s = options.rows, options.trees, options.sample
    bench = Bench(
        f"{n:,} x {N_FEATURES} yes/no, {N_LABELS} labels, {trees} trees of {s:,} rows, two cores"
    )
    make_files(folder, n)
    size = sum(path.stat().st_size for path in folder.iterdir())
    read = stage(options, folder, "read")
    local = stage(options, folder, "local")
    about = f"{size / 1e6:,.0f} MB of files, held-out tau {local['tau']:.3f}"
    bench.add(f"{n:,} rows", local["seconds"], "reading with pyarrow", read["seconds"], note=about)
    if n >= 10_000_000:
        bench.add(f"{n:,} rows, time", local["seconds"], "limit", 600.0, goal=1)
    bench.add(
        f"{n:,} rows, memory", local["gigabytes"], "limit", 8.0, goal=1, unit="GB",
        note=f"of which {local['trees']:.2f} GB are trees",
    )  # fmt: skip
    bench.add(
        f"{n:,} rows, until trees grow", local["until_grown"], "reading with pyarrow",
        read["seconds"],
    )  # fmt: skip
    if not options.without_cluster:
        on_cluster(bench, options, folder, local)
    bench.show()


def on_cluster(
    bench: Bench, options: argparse.Namespace, folder: Path, local: dict[str, Any]
) -> None:
    n = options.rows
    one, two = (stage(options, folder, "dask", workers=w) for w in (1, 2))
    if one["tau"] != local["tau"] or two["tau"] != local["tau"]:
        raise AssertionError("forests of one machine and of the cluster differ")
    bench.add(f"{n:,} rows, Dask", two["seconds"], "threads of one machine", local["seconds"])
    bench.add(
        f"{n:,} rows, two workers",
        two["seconds"],
        "one worker, halved",
        one["seconds"] / 2,
        goal=0.8,
    )
    asked = options.sample * (N_FEATURES + N_LABELS)
    bench.add(
        f"{n:,} rows, bytes moved for a tree", two["bytes"] / 1e6, "s x (d + k)", asked / 1e6,
        goal=0.8, unit="MB",
    )  # fmt: skip
    bench.add(f"{n:,} rows, memory of a worker", two["gigabytes"], "limit", 8.0, goal=1, unit="GB")
    print(forecast(options, one, asked), file=sys.stderr)


def forecast(options: argparse.Namespace, one: dict[str, Any], asked: int) -> str:
    """What more workers would do: a table, and what it assumes."""
    lines = [
        "what more workers of one core would do, by one worker's seconds of reading and growing:",
        "  shared equally, but no more workers grow than there are trees; drawing and the client's work",
        f"  ({one['serial']:.1f} s) stay; each tree's rows go over a network of 1 GB/s of the worker",
        "  workers  seconds  times as fast as one",
    ]
    whole = None
    for workers in (1, 8, 64, 512):
        growers = min(workers, options.trees)
        rounds = -(-options.trees // growers)
        moved = rounds * asked / 1e9
        seconds = one["reading"] / workers + rounds * one["growing"] / options.trees + moved
        seconds += one["serial"]
        whole = whole or seconds
        lines.append(f"  {workers:7,} {seconds:8.1f}  {whole / seconds:8.1f}")
    return "\n".join(lines)


def stage(options: argparse.Namespace, folder: Path, name: str, workers: int = 2) -> dict[str, Any]:
    """Run a stage in a process of its own."""
    command = [sys.executable, __file__, "--stage", name, "--folder", str(folder)]
    for key in ("rows", "trees", "sample", "memory"):
        command += [f"--{key}", str(getattr(options, key))]
    done = subprocess.run(
        [*command, "--workers", str(workers)], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(name, workers, {k: round(v, 3) for k, v in found.items()}, file=sys.stderr)
    return found


def make_files(folder: Path, n: int) -> None:
    """Write rankings of noisy scores, each of ten yes/no features among a hundred."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    weights = np.zeros((N_FEATURES, N_LABELS), dtype=np.float32)
    for j in range(N_LABELS):
        weights[rng.choice(N_FEATURES, 10, replace=False), j] = rng.normal(size=10)
    for i, start in enumerate(range(0, n, ROWS_PER_FILE)):
        with pq.ParquetWriter(folder / f"{i}.parquet", schema_of(pa)) as writer:
            end = min(start + ROWS_PER_FILE, n)
            for first in range(start, end, ROWS_PER_GROUP):
                rows = min(ROWS_PER_GROUP, end - first)
                X = rng.random((rows, N_FEATURES), dtype=np.float32) < 0.5
                scores = X.astype(np.float32) @ weights
                scores += 0.5 * rng.standard_normal(scores.shape, dtype=np.float32)
                ranks = np.empty(scores.shape, dtype=np.int8)
                order = np.argsort(-scores, axis=1)
                np.put_along_axis(ranks, order, np.arange(1, N_LABELS + 1, dtype=np.int8), axis=1)
                columns = [*np.ascontiguousarray(X.T), *np.ascontiguousarray(ranks.T)]
                writer.write_table(pa.table(columns, schema=schema_of(pa)), ROWS_PER_GROUP)


def schema_of(pa: Any) -> Any:
    features = [(f"x{j}", pa.bool_()) for j in range(N_FEATURES)]
    return pa.schema([*features, *((label, pa.int8()) for label in LABELS)])


def read(options: argparse.Namespace) -> dict[str, Any]:
    """Read all columns of all files and let go of them, a batch after the other, in two threads."""
    from concurrent.futures import ThreadPoolExecutor

    import pyarrow.parquet as pq

    def read_file(path: Path) -> int:
        n = 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(65_536, use_threads=False):
                n += sum(len(c.to_numpy(zero_copy_only=False)) for c in batch.columns)
        return n

    files = sorted(Path(options.folder).iterdir())
    with pq.ParquetFile(files[0]) as file:  # what is loaded at first use is loaded
        next(file.iter_batches(10)).column(0).to_numpy(zero_copy_only=False)
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        total = sum(pool.map(read_file, files))
    assert total == options.rows * (N_FEATURES + N_LABELS)
    return {"seconds": time.perf_counter() - start, "gigabytes": peak()}


def local(options: argparse.Namespace) -> dict[str, Any]:
    """Fit in threads."""
    from rankwise.parts.steps import LocalRunner

    warm_up()
    timed = Timed(LocalRunner(2, options.memory))
    return fit(options, timed) | {"gigabytes": peak(), "until_grown": timed.looked}


def dask(options: argparse.Namespace) -> dict[str, Any]:
    """Fit on a cluster of processes of this machine."""
    import distributed

    from rankwise.dask import DaskRunner

    with (
        distributed.LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit="8GiB",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(warm_up)
        runner = DaskRunner(client, progress=False)
        timed = Timed(runner)
        found = fit(options, timed)
        found["gigabytes"] = max(client.run(peak).values())
        found["bytes"] = sum(runner.bytes_moved) / len(runner.bytes_moved)
    found |= {"reading": timed.looked, "growing": timed.grown}
    return found | {"serial": found["seconds"] - timed.looked - timed.grown}


class Timed:
    """A runner that tells how long its two steps took."""

    def __init__(self, runner: Any) -> None:
        self.runner, self.looked, self.grown = runner, 0.0, 0.0

    def look(self, *given: Any) -> Any:
        """What is known of all parts."""
        start = time.perf_counter()
        found = self.runner.look(*given)
        self.looked = time.perf_counter() - start
        return found

    def grow(self, *given: Any) -> Any:
        """The trees."""
        start = time.perf_counter()
        found = self.runner.grow(*given)
        self.grown = time.perf_counter() - start
        return found


def fit(options: argparse.Namespace, runner: Any) -> dict[str, Any]:
    from rankwise.forest import ForestRanker
    from rankwise.parts import open_parts

    start = time.perf_counter()
    parts = open_parts(options.folder, labels=LABELS)
    forest = ForestRanker(
        n_estimators=options.trees,
        bootstrap=False,
        max_samples=options.sample,
        oob_score=True,
        n_jobs=2,
        random_state=0,
    )
    forest._fit_parts(parts, runner)
    seconds, own = time.perf_counter() - start, vars(forest._trees).values()
    size = sum(array.nbytes for array in own if hasattr(array, "nbytes"))
    return {"seconds": seconds, "tau": forest.oob_score_, "trees": size / GIGABYTE}


def warm_up() -> None:
    """Load the kernels."""
    import numpy as np

    from rankwise.forest import ForestRanker
    from rankwise.parts import array_parts

    rng = np.random.default_rng(0)
    X, y = rng.random((1000, N_FEATURES)) < 0.5, rng.random((1000, N_LABELS)).argsort(axis=1) + 1
    ForestRanker(2, max_samples=200, oob_score=True).fit_parts(array_parts(X, y))


def peak() -> float:
    """The most memory that this process has had, in GB."""
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 30)


STAGES = {"read": read, "local": local, "dask": dask}

if __name__ == "__main__":
    main()
