"""Duels between our learners and a peer: both timed in turn, both scored, one table."""

from __future__ import annotations

import gc
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from _peers import Bench, Result, _readable

from rankwise.metrics import kendall_tau

# How far behind the peer's our mean Kendall tau may be, beyond two standard errors.
TAU_TOLERANCE = 0.003

Fit = Callable[[int, int], Any]  # from a number of trees and a seed to something with predict(X)


@dataclass
class TreeResult(Result):
    """A comparison that counts only where ours predicts as well; `error` is of the gap in tau."""

    tau: float | None = None
    peer_tau: float | None = None
    error: float = 0.0

    @property
    def verdict(self) -> str:
        if math.isnan(self.peer_figure):
            return "not installed"
        behind = (self.peer_tau or 0.0) - (self.tau or 0.0)
        if self.peer_tau is not None and behind > TAU_TOLERANCE + 2 * self.error:
            return f"{super().verdict}, tau BEHIND".lstrip(", ")
        return super().verdict


@dataclass
class TreeBench(Bench):
    """Results of `bench_trees.py`; `clock` is the wall's or the CPU's of this process."""

    clock: Callable[[], float] = time.perf_counter
    reports: list[dict[str, Any]] = field(default_factory=list)
    rows: list[TreeResult] = field(default_factory=list)

    def timed(self, function: Callable[[], Any]) -> tuple[float, Any]:
        """Seconds of one call, and what it returned."""
        gc.collect()
        start = self.clock()
        result = function()
        return self.clock() - start, result

    def best(self, function: Callable[[], Any], repeat: int = 5) -> float:
        """Seconds of the fastest of several calls, after one that warms up."""
        function()
        return min(self.timed(function)[0] for _ in range(repeat))

    def duel(
        self,
        bench: str,
        ours: Fit,
        peer: str,
        theirs: Fit | None,
        test: tuple[np.ndarray, np.ndarray],
        *,
        trees: int,
        peer_trees: int | None = None,
        share: float = 1.0,
        repeat: int = 3,
        goal: float | None = None,
        note: str = "",
    ) -> TreeResult:
        """Fit both in turn, record the best times and the mean tau on `test`.

        A peer that is too slow grows fewer trees (`peer_trees`), and its time is scaled; tau is then
        that of equally many trees on both sides. `share` multiplies both times, for figures per tree.
        """
        few = trees if peer_trees is None else peer_trees
        if few < trees:
            note = f"{note}; peer: {few} of {trees} trees, scaled".lstrip("; ")
        times, peer_times, taus, peer_taus = [], [], [], []
        ours(2, 0)  # a forest on incomplete rankings has trees of two kinds
        if theirs is not None and few > 1:
            theirs(1, 0)
        for seed in range(repeat):
            seconds, model = self.timed(lambda seed=seed: ours(trees, seed))  # type: ignore[misc]
            times.append(seconds)
            taus.append(row_taus(model if few == trees else ours(few, seed), test))
            if theirs is not None:
                seconds, model = self.timed(lambda seed=seed: theirs(few, seed))  # type: ignore[misc]
                peer_times.append(seconds * trees / few)
                peer_taus.append(row_taus(model, test))
        tau, peer_tau, error = compare_taus(taus, peer_taus)
        return self.record(
            bench,
            min(times) * share,
            peer,
            min(peer_times) * share if peer_times else math.nan,
            goal=goal,
            note=note,
            tau=tau,
            peer_tau=peer_tau,
            error=error,
        )

    def limit(
        self, bench: str, figure: float, limit: float, *, unit: str = "s", note: str = "",
        tau: float | None = None,
    ) -> TreeResult:  # fmt: skip
        """Record a figure that may be as large as a limit."""
        return self.record(bench, figure, "limit", limit, goal=1, unit=unit, note=note, tau=tau)

    def record(
        self,
        bench: str,
        figure: float,
        peer: str,
        peer_figure: float,
        *,
        goal: float | None = None,
        note: str = "",
        unit: str = "s",
        tau: float | None = None,
        peer_tau: float | None = None,
        error: float = 0.0,
    ) -> TreeResult:
        """Add a result, and tell it at once on standard error: the whole takes minutes."""
        ratio = peer_figure / figure
        result = TreeResult(
            bench, peer, figure, peer_figure, ratio, goal, note, unit, tau, peer_tau, error
        )
        self.rows.append(result)
        print(f"{bench}: {'  '.join(_cells(result)[1:])}", file=sys.stderr, flush=True)
        return result

    def report(self, bench: str, text: str, **figures: Any) -> None:
        """Add a line of a profile, which has no peer."""
        self.reports.append({"bench": bench, "text": text, **figures})

    def show(self) -> None:
        """Print the tables on standard error and one JSON line per result on standard output."""
        from rich.console import Console
        from rich.table import Table

        console = Console(stderr=True, width=None if sys.stderr.isatty() else 200)
        table = Table(title=self.title)
        for column in ("work", "ours", "peer", "peer's", "ratio", "at least", "tau", "peer's tau",
                       "±", "note"):  # fmt: skip
            is_text = column in ("work", "peer", "note")
            table.add_column(column, justify="left" if is_text else "right")
        for result in self.rows:
            table.add_row(*_cells(result))
        if self.rows:
            console.print(table)
        for line in self.reports:
            console.print(f"{line['bench']}: {line['text']}", highlight=False)
        for result in self.rows:
            print(_json(asdict(result) | {"verdict": result.verdict}))
        for line in self.reports:
            print(_json(line))


def row_taus(model: Any, test: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Kendall's tau of each new row."""
    X, Y = test
    taus: np.ndarray = kendall_tau(Y, model.predict(X), average=False)
    return taus


def compare_taus(
    taus: list[np.ndarray], peer_taus: list[np.ndarray]
) -> tuple[float, float | None, float]:
    """Mean tau of both, and the standard error of their difference: other rows, other seeds."""
    if not peer_taus:
        return float(np.mean(taus)), None, 0.0
    gaps = np.array(taus) - np.array(peer_taus)  # (n_runs, n_rows)
    errors = [line.std(ddof=1) ** 2 / len(line) for line in (gaps.mean(axis=0), gaps.mean(axis=1))
              if len(line) > 1]  # fmt: skip
    return float(np.mean(taus)), float(np.mean(peer_taus)), math.sqrt(sum(errors))


def _cells(r: TreeResult) -> list[str]:
    missing = math.isnan(r.peer_figure)
    goal = "" if r.goal is None else f"{r.goal:,.3g} "
    return [
        r.bench,
        _figure(r.figure, r.unit),
        r.peer,
        "" if missing else _figure(r.peer_figure, r.unit),
        "" if missing else f"{r.ratio:,.{0 if r.ratio >= 100 else 2}f}",
        goal + r.verdict,
        "" if r.tau is None else f"{r.tau:.3f}",
        "" if r.peer_tau is None else f"{r.peer_tau:.3f}",
        f"{r.error:.3f}" if r.error else "",
        r.note,
    ]


def _figure(figure: float, unit: str) -> str:
    return (
        _readable(figure, unit)
        if unit == "s"
        else f"{figure:,.{0 if figure >= 100 else 2}f} {unit}"
    )


def _json(figures: dict[str, Any]) -> str:
    is_nan = {k: isinstance(v, float) and math.isnan(v) for k, v in figures.items()}
    return json.dumps({k: None if is_nan[k] else v for k, v in figures.items()})
