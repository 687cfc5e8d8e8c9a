"""Progress: the one way in which long work shows on stderr where it is and how long it will take."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Self

from rankwise._terminal import visible

# Work that takes less shows nothing.
PATIENCE = 2.0
# How much must be done before its pace says something of the rest.
_LEAST_SHARE = 0.05
# Logs get a line this often, so that a run of hours does not look dead.
_SECONDS_PER_LOG_LINE = 60.0


class Progress:
    """Shows bars on a terminal, once the work has taken some seconds, and leaves no trace of them.

    `total` is how much work there is, where that is known; `shown` says whether to show anything
    (by default on a terminal), `patience` after how many seconds (by default two). Where there is
    no terminal a line a minute goes to stderr if `logs` says so.

    Examples
    --------
    >>> with Progress("counting", total=3, shown=False) as progress:
    ...     progress.advance()
    """

    def __init__(
        self,
        title: str = "",
        total: float | None = None,
        *,
        shown: bool | None = None,
        patience: float | None = None,
        logs: bool = False,
    ) -> None:
        try:
            self._shown = sys.stderr.isatty() if shown is None else bool(shown)
        except Exception:
            kind = type(shown).__name__
            raise TypeError(f"progress is a {kind}; use True, False or None") from None
        self._logs = logs and not self._shown
        self._patience = PATIENCE if patience is None else patience
        self._title = title
        self._done, self._total = 0.0, total
        # How much was there before anything was done, where work goes on that was stopped.
        self._before = None if total is None else 0.0
        # When the first piece was done, and how much was done then.
        self._first: tuple[float, float] | None = None
        self._logged = time.monotonic()
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._ended = False

    def __enter__(self) -> Self:
        if self._shown and self._patience:
            self._timer = threading.Timer(self._patience, self._show)
            self._timer.daemon = True
            self._timer.start()
        elif self._shown:
            self._show()
        return self

    def step(self, what: str) -> None:
        """Name what comes next."""
        with self._lock:
            self._title = what
            self._draw("", what, self._done, self._total)

    def advance(self, amount: float = 1.0) -> None:
        """Count what is done."""
        self.report(self._done + amount, self._total)

    def report(
        self,
        done: float,
        total: float | None,
        part: str = "",
        done_in_part: float = 0.0,
        total_in_part: float = 0.0,
    ) -> None:
        """Say how much is done, of all and of the part that was just worked at."""
        with self._lock:
            self._before = done if self._before is None else self._before
            if self._first is None and done > self._before:
                self._first = time.monotonic(), done
            self._done, self._total = done, total
            self._draw("", self._title, done, total)
            if part and part != self._title:
                self._draw(part, part, done_in_part, total_in_part)
                if self._bars is not None:
                    is_running = 0 < done_in_part < total_in_part
                    self._bars.update(self._tasks[part], visible=is_running)
            if self._logs and total and time.monotonic() - self._logged >= _SECONDS_PER_LOG_LINE:
                self._logged = time.monotonic()
                where = f", {part} {_percent(done_in_part, total_in_part)}" if part else ""
                line = f"{self._title} {_percent(done, total)}{where}{self._left(total - done)}"
                print(visible(line), file=sys.stderr, flush=True)

    def seconds_left(self, amount: float) -> float | None:
        """Return how long an amount will take at the pace of this run, or None before anyone knows.

        The first piece tells nothing of the pace: before it, kernels were compiled and files read.
        """
        if self._first is None:
            return None
        start, first = self._first
        done, all_of_it = self._done - first, (self._total or 0.0) - (self._before or 0.0)
        if done <= 0 or done < _LEAST_SHARE * all_of_it:
            return None
        return amount * (time.monotonic() - start) / done

    def _left(self, amount: float) -> str:
        seconds = self.seconds_left(amount)
        return "" if seconds is None else f", {describe_seconds(seconds)} left"

    def _show(self) -> None:
        # Imported here: most work is done before anything need be shown.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        with self._lock:
            if self._ended:
                return
            console = Console(stderr=True)
            self._bars = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=max(10, min(40, console.width - 70))),
                TaskProgressColumn(),
                TextColumn("{task.fields[left]}", markup=False),
                console=console,
                transient=sys.stderr.isatty(),
            )
            self._draw("", self._title, self._done, self._total)
            self._bars.start()

    def _draw(self, key: str, title: str, done: float, total: float | None) -> None:
        if self._bars is None:
            return
        if key not in self._tasks:
            self._tasks[key] = self._bars.add_task(visible(title), total=total, left="")
        left = "" if total is None else self._left(total - done).removeprefix(", ")
        # Work without cost may be all there is; an empty bar would look as if nothing ran.
        share = {"completed": 1, "total": 1} if total == 0 else {"completed": done, "total": total}
        self._bars.update(self._tasks[key], description=visible(title), left=left, **share)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            if self._timer is not None:
                self._timer.cancel()
            if self._bars is not None:
                self._bars.stop()


def describe_seconds(seconds: float | None) -> str:
    """Write a time as people do.

    Examples
    --------
    >>> describe_seconds(42.4), describe_seconds(200), describe_seconds(7300), describe_seconds(None)
    ('42 s', '3 min 20 s', '2 h 01 min', 'unknown')
    """
    if seconds is None:
        return "unknown"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _percent(done: float, total: float) -> str:
    return f"{100 * done / total:.0f} %" if total else "100 %"
