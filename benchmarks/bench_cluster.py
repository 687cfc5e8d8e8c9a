"""Forests of more rows than memory: Parquet made on the fly, read in parts, on one machine and on Dask.

    python benchmarks/bench_cluster.py --rows 1000000
    python benchmarks/run.py cluster -- --rows 10000000     # kept in history.jsonl

Every stage runs in a process of its own, whose peak of memory is told; kernels are loaded before the
clock runs. Seconds of the processor stand in the notes: other work beside it does not count there. The
files are deleted at the end, unless `--files` says where some were made before.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _cluster_files import LABELS, N_FEATURES, N_LABELS, make_files
from _peers import Bench

GIGABYTE = 1 << 30


def main() -> None:
    options = arguments()
    if options.stage:
        print(json.dumps(STAGES[options.stage](options)))
        return
    if options.files:
        measure(options, Path(options.files))
        return
    folder = Path(tempfile.mkdtemp(prefix="rankwise-bench-", dir=options.folder))
    try:
        make_files(folder, options.rows)
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
    parser.add_argument("--files", help="a folder of such files, to be left as it is")
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
    size = sum(path.stat().st_size for path in folder.iterdir())
    read = stage(options, folder, "read")
    local = stage(options, folder, "local")
    about = (
        f"{size / 1e6:,.0f} MB of files, held-out tau {local['tau']:.3f}; {processor(local, read)}"
    )
    bench.add(f"{n:,} rows", local["seconds"], "reading with pyarrow", read["seconds"], note=about)
    if n >= 10_000_000:
        bench.add(f"{n:,} rows, time", local["seconds"], "limit", 600.0, goal=1)
    bench.add(
        f"{n:,} rows, memory", local["gigabytes"], "limit", 8.0, goal=1, unit="GB",
        note=f"of which {local['trees']:.2f} GB are trees",
    )  # fmt: skip
    bench.add(
        f"{n:,} rows, until trees grow", local["until_grown"], "reading with pyarrow",
        read["seconds"], note=f"seconds of the processor: {local['cpu_until_grown']:.1f}",
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
    bench.add(
        f"{n:,} rows, Dask", two["seconds"], "threads of one machine", local["seconds"],
        note=processor(two, local),
    )  # fmt: skip
    bench.add(
        f"{n:,} rows, two workers",
        two["seconds"],
        "one worker, halved",
        one["seconds"] / 2,
        goal=0.8,
        note=f"{processor(two, one)}; of the client {two['cpu_of_client']:.1f}, and "
        f"{one['cpu_of_client']:.1f}; of the scheduler {two['cpu_of_scheduler']:.1f}, and "
        f"{one['cpu_of_scheduler']:.1f}",
    )
    bench.add(
        f"{n:,} rows, two workers, processor", with_workers(two, options.trees, 2),
        "one worker, halved", with_workers(one, options.trees, 1) / 2, goal=0.8,
        note="half of the workers' seconds, and all of the client's and the scheduler's",
    )  # fmt: skip
    asked = options.sample * (N_FEATURES + N_LABELS)
    bench.add(
        f"{n:,} rows, bytes moved for a tree", two["bytes"] / 1e6, "s x (d + k)", asked / 1e6,
        goal=0.8, unit="MB",
    )  # fmt: skip
    bench.add(f"{n:,} rows, memory of a worker", two["gigabytes"], "limit", 8.0, goal=1, unit="GB")
    print(forecast(options, one, asked), file=sys.stderr)


def processor(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """What two stages took of the processor."""
    return f"seconds of the processor: {ours['cpu']:.1f}, and {theirs['cpu']:.1f}"


def with_workers(found: dict[str, Any], trees: int, workers: int, moved: float = 0.0) -> float:
    """Seconds with so many workers of one core, by what some took of the processor.

    Reading is shared equally, growing tree by tree; what client and scheduler do is added as if nobody
    else worked meanwhile, and so is the time that a tree's rows take to come.
    """
    rounds = -(-trees // min(workers, trees))
    seconds: float = found["cpu_of_look"] / workers + rounds * (
        found["cpu_of_grow"] / trees + moved
    )
    return seconds + found["cpu_of_client"] + found["cpu_of_scheduler"]


def forecast(options: argparse.Namespace, one: dict[str, Any], asked: int) -> str:
    """What more workers would do: a table, and what it assumes."""
    lines = [
        "what more workers of one core would do, by one worker's seconds of the processor "
        f"({one['cpu_of_look']:.1f} to read, {one['cpu_of_grow']:.1f} to grow):",
        "  reading is shared equally, a tree is not divided, the client's and the scheduler's work "
        f"({one['cpu_of_client'] + one['cpu_of_scheduler']:.1f} s)",
        "  is never hidden; each tree's rows go over a network of 1 GB/s of the worker",
        "  workers  seconds  times as fast as one",
    ]
    whole = with_workers(one, options.trees, 1, asked / 1e9)
    for workers in (1, 2, 8, 64, 512):
        seconds = with_workers(one, options.trees, workers, asked / 1e9)
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
    start, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(2) as pool:
        total = sum(pool.map(read_file, files))
    assert total == options.rows * (N_FEATURES + N_LABELS)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"seconds": seconds, "cpu": cpu, "gigabytes": peak()}


def local(options: argparse.Namespace) -> dict[str, Any]:
    """Fit in threads."""
    from rankwise.parts.steps import LocalRunner

    warm_up()
    timed = Timed(LocalRunner(2, options.memory))
    found = fit(options, timed) | {"gigabytes": peak()}
    return found | {"until_grown": timed.looked, "cpu_until_grown": timed.cpu_of_look}


def dask(options: argparse.Namespace) -> dict[str, Any]:
    """Fit on a cluster of processes of this machine: client, scheduler and workers apart."""
    import distributed

    from rankwise.dask import DaskRunner

    with (
        tempfile.TemporaryDirectory() as folder,
        started(Path(folder), options.workers) as file,
        distributed.Client(scheduler_file=str(file)) as client,
    ):
        client.wait_for_workers(options.workers)
        client.run(warm_up)
        # modules are loaded, by the scheduler too
        fit_small(DaskRunner(client, progress=False))
        runner = DaskRunner(client, progress=False)
        timed = Timed(runner, lambda: sum(client.run(time.process_time).values()))
        of_scheduler = client.run_on_scheduler(time.process_time)
        found = fit(options, timed)
        of_scheduler = client.run_on_scheduler(time.process_time) - of_scheduler
        found |= {"cpu_of_client": found["cpu"], "cpu_of_scheduler": of_scheduler}
        found |= {"cpu_of_look": timed.cpu_of_look, "cpu_of_grow": timed.cpu_of_grow}
        found["cpu"] += of_scheduler + timed.cpu_of_look + timed.cpu_of_grow
        found["gigabytes"] = max(client.run(peak).values())
        found["bytes"] = sum(runner.bytes_moved) / len(runner.bytes_moved)
    return found


@contextmanager
def started(folder: Path, workers: int) -> Iterator[Path]:
    """A scheduler and workers of one thread each, by the file in which the scheduler says where it is."""
    file = folder / "scheduler.json"
    kind = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    commands = [[*kind, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny"]
    worker += ["--memory-limit", "8GiB", "--no-dashboard", "--local-directory", str(folder)]
    # what is asked of workers stands in this file
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    own = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    running = []
    try:
        for command in commands + [worker] * workers:
            given = [*command, "--scheduler-file", str(file)]
            running.append(subprocess.Popen(given, env=own, stderr=subprocess.DEVNULL))
        yield file
    finally:
        for process in running:
            process.kill()
            process.wait()


class Timed:
    """A runner that tells how long its two steps took."""

    def __init__(self, runner: Any, cpu: Callable[[], float] = time.process_time) -> None:
        self.runner, self.cpu = runner, cpu
        self.looked = self.cpu_of_look = self.cpu_of_grow = 0.0

    def look(self, *given: Any) -> Any:
        """What is known of all parts."""
        start, cpu = time.perf_counter(), self.cpu()
        found = self.runner.look(*given)
        self.looked, self.cpu_of_look = time.perf_counter() - start, self.cpu() - cpu
        return found

    def grow(self, *given: Any) -> Any:
        """The trees."""
        cpu = self.cpu()
        found = self.runner.grow(*given)
        self.cpu_of_grow = self.cpu() - cpu
        return found


def fit(options: argparse.Namespace, runner: Any) -> dict[str, Any]:
    from rankwise.forest import ForestRanker
    from rankwise.parts import open_parts

    start, cpu = time.perf_counter(), time.process_time()
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
    return {
        "seconds": seconds,
        "cpu": time.process_time() - cpu,
        "tau": forest.oob_score_,
        "trees": size / GIGABYTE,
    }


def warm_up() -> None:
    """Load the kernels."""
    from rankwise.parts.steps import LocalRunner

    fit_small(LocalRunner())


def fit_small(runner: Any) -> None:
    """Fit to a few rows."""
    import numpy as np

    from rankwise.forest import ForestRanker
    from rankwise.parts import array_parts

    rng = np.random.default_rng(0)
    X, y = rng.random((1000, N_FEATURES)) < 0.5, rng.random((1000, N_LABELS)).argsort(axis=1) + 1
    ForestRanker(2, max_samples=200, oob_score=True)._fit_parts(array_parts(X, y), runner)


def peak() -> float:
    """The most memory that this process has had, in GB."""
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 30)


STAGES = {"read": read, "local": local, "dask": dask}

if __name__ == "__main__":
    main()
