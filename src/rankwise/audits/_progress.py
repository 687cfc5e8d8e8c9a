"""Say what is being done, on a terminal, once it has taken two seconds."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

_PATIENCE = 2.0


class Progress:
    """Shows the step of a long piece of work on stderr, and leaves no trace.

    Parameters
    ----------
    shown : bool, optional
        Whether to show anything; by default on a terminal.

    Examples
    --------
    >>> with Progress(shown=False) as progress:
    ...     progress.step("counting")
    """

    def __init__(self, shown: bool | None = None) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._step = ""
        self._status: Status | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._done = False

    def __enter__(self) -> Progress:
        if self._shown:
            self._timer = threading.Timer(_PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def step(self, what: str) -> None:
        """Name what comes next."""
        with self._lock:
            self._step = what
            if self._status is not None:
                self._status.update(f"{what} ...")

    def _show(self) -> None:
        # Imported here: most work is done before anything need be shown.
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if not self._done:
                self._status = Status(f"{self._step} ...", console=Console(stderr=True))
                self._status.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._done = True
            if self._timer is not None:
                self._timer.cancel()
            if self._status is not None:
                self._status.stop()
