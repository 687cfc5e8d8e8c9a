"""The progress of a long run: a bar for the whole and one for the part, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankwise.cli._console import make_console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Report = Callable[[float, float, str, float, float], None]

# Logs get a line this often, so that a run of hours does not look dead.
_SECONDS_PER_LOG_LINE = 60.0


class Pace:
    """How fast a run is, not counting what was there before it began.

    Parameters
    ----------
    clock : callable
        Gives seconds.

    Examples
    --------
    >>> pace = Pace(clock=iter([0.0, 10.0]).__next__)
    >>> pace.update(50.0)
    >>> pace.update(60.0)
    >>> pace.seconds(20.0)
    20.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, float] | None = None
        self._per_cost: float | None = None

    def update(self, done: float) -> None:
        """Take note of the cost that is done by now."""
        now = self._clock()
        if self._first is None:
            self._first = now, done
        elif done > self._first[1]:
            self._per_cost = (now - self._first[0]) / (done - self._first[1])

    def seconds(self, cost: float) -> float | None:
        """Return how long a cost will take, or None as long as nobody knows."""
        return None if self._per_cost is None else cost * self._per_cost


@contextmanager
def show_progress(title: str) -> Iterator[Report]:
    """Show the progress of `rankwise.experiments.run`, which calls what this gives.

    On a terminal there are two bars; elsewhere a line a minute goes to stderr.

    Parameters
    ----------
    title : str
        What the whole is called.
    """
    if not sys.stderr.isatty():
        yield _log_reporter(title)
        return
    # Imported here, so that help needs no rich.
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=make_console(stderr=True),
        transient=True,
    )
    with bars:
        yield _bar_reporter(title, bars)


def describe_seconds(seconds: float | None) -> str:
    """Tell a time as people do.

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


def _bar_reporter(title: str, bars: Progress) -> Report:
    pace = Pace()
    tasks: dict[str, TaskID] = {}

    def bar(name: str, done: float, total: float) -> None:
        if name not in tasks:
            tasks[name] = bars.add_task(name, total=total, left="")
        estimate = pace.seconds(total - done)
        left = "" if estimate is None else f"{describe_seconds(estimate)} left"
        # A unit without cost may be all there is; an empty bar would look as if nothing ran.
        share: dict[str, Any] = (
            {"completed": done, "total": total} if total else {"completed": 1, "total": 1}
        )
        bars.update(tasks[name], left=left, **share)

    def report(
        done: float, total: float, part: str, done_in_part: float, total_in_part: float
    ) -> None:
        pace.update(done)
        bar(title, done, total)
        if part and part != title:
            bar(part, done_in_part, total_in_part)
            bars.update(tasks[part], visible=0 < done_in_part < total_in_part)

    return report


def _log_reporter(title: str) -> Report:
    pace = Pace()
    told = time.monotonic()

    def report(
        done: float, total: float, part: str, done_in_part: float, total_in_part: float
    ) -> None:
        nonlocal told
        pace.update(done)
        now = time.monotonic()
        if now - told < _SECONDS_PER_LOG_LINE or not total:
            return
        told = now
        where = f", {part} {_percent(done_in_part, total_in_part)}" if part else ""
        left = describe_seconds(pace.seconds(total - done))
        print(f"{title} {_percent(done, total)}{where}, {left} left", file=sys.stderr, flush=True)

    return report


def _percent(done: float, total: float) -> str:
    return f"{100 * done / total:.0f} %" if total else "100 %"
