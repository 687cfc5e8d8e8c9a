"""Time a function against a named peer in one run, and print a table and JSON lines.

Every benchmark makes one :class:`Bench`, adds its results and calls :meth:`Bench.show`.
All figures are single-thread: :func:`single_thread` must run before numpy is imported.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def single_thread() -> None:
    """Hold every numerical library to one thread; call it before importing numpy."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = "1"


def best_of(function: Callable[[], Any], *, repeat: int = 5, min_seconds: float = 0.05) -> float:
    """Seconds of the fastest call after a warm-up; short calls are looped to `min_seconds`."""
    function()
    once = _seconds(function, 1)
    loops = max(1, int(min_seconds / max(once, 1e-9)))
    return min(_seconds(function, loops) for _ in range(repeat))


def _seconds(function: Callable[[], Any], loops: int) -> float:
    gc.collect()
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return (time.perf_counter() - start) / loops


def in_turn(
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
    repeat: int = 5,
) -> tuple[float, float]:
    """Fewest seconds of each after a warm-up, taken in turn so that both meet the same neighbours."""
    runs: tuple[list[float], list[float]] = ([], [])
    ours()
    for _ in range(repeat):
        for function, kept in zip((ours, theirs), runs, strict=True):
            start = clock()
            function()
            kept.append(clock() - start)
    return min(runs[0]), min(runs[1])


def peak_megabytes(function: Callable[[], Any]) -> float:
    """Peak memory that one call of `function` allocates, by numpy and Python together."""
    function()
    gc.collect()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def fresh_process(code: str, *, repeat: int = 3) -> float:
    """Fewest seconds of `code` in a new interpreter, the interpreter's own start left out."""
    timed = f"import time; t = time.perf_counter()\n{code}\nprint(time.perf_counter() - t)"
    runs = []
    for _ in range(repeat):
        done = subprocess.run(
            [sys.executable, "-c", timed], check=True, capture_output=True, text=True
        )
        runs.append(float(done.stdout.split()[-1]))
    return min(runs)


@dataclass
class Result:
    """One comparison; `ratio` is the peer's figure over ours, `goal` the least that is asked."""

    bench: str
    peer: str
    figure: float
    peer_figure: float
    ratio: float
    goal: float | None = None
    note: str = ""
    unit: str = "s"

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return "met" if self.ratio >= self.goal else "SHORT"


@dataclass
class Bench:
    """The results of one benchmark file.

    Examples
    --------
    >>> bench = Bench("sums")
    >>> _ = bench.compare("sum", lambda: sum(range(9)), "loop", lambda: sum(i for i in range(9)))
    >>> bench.show()  # doctest: +SKIP
    """

    title: str
    results: list[Result] = field(default_factory=list)

    def compare(
        self,
        bench: str,
        ours: Callable[[], Any],
        peer: str,
        theirs: Callable[[], Any],
        *,
        goal: float | None = None,
        scale: float = 1.0,
        repeat: int = 5,
        note: str = "",
    ) -> Result:
        """Time both; `scale` multiplies the peer's time where it did a part of the work."""
        return self.add(
            bench,
            best_of(ours, repeat=repeat),
            peer,
            best_of(theirs, repeat=repeat) * scale,
            goal=goal,
            note=note,
        )

    def add(
        self,
        bench: str,
        figure: float,
        peer: str,
        peer_figure: float,
        *,
        goal: float | None = None,
        note: str = "",
        unit: str = "s",
    ) -> Result:
        """Record figures measured elsewhere, e.g. a limit in place of a peer, or memory in MB."""
        ratio = peer_figure / figure
        result = Result(bench, peer, figure, peer_figure, ratio, goal, note, unit)
        self.results.append(result)
        return result

    def show(self) -> None:
        """Print the table on standard error and one JSON line per result on standard output."""
        from rich.console import Console
        from rich.table import Table

        table = Table(title=self.title)
        for column in ("bench", "ours", "peer", "peer's", "ratio", "goal", "note"):
            is_text = column in ("bench", "peer", "note")
            table.add_column(column, justify="left" if is_text else "right")
        for r in self.results:
            goal = "" if r.goal is None else f"{r.goal:,g} {r.verdict}"
            ours, theirs = _readable(r.figure, r.unit), _readable(r.peer_figure, r.unit)
            ratio = f"{r.ratio:,.{0 if r.ratio >= 100 else 2}f}"
            table.add_row(r.bench, ours, r.peer, theirs, ratio, goal, r.note)
        Console(stderr=True).print(table)
        for r in self.results:
            print(json.dumps(asdict(r)))


def _readable(figure: float, unit: str) -> str:
    if unit != "s":
        return f"{figure:.3g} {unit}"
    for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if figure >= size:
            return f"{figure / size:.3g} {name}"
    return f"{figure / 1e-9:.3g} ns"
