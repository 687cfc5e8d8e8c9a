"""Work that kills its worker, once for each file that is not there yet."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.parts.steps import Growth, Part


def die_once(mark):
    """Kill this process, unless one was killed here before."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class DeadlyPart(Part):
    """A part that kills whoever opens it, but for the first `spared` times."""

    inner: Any
    n_rows: int
    mark: str
    spared: int = 0

    def blocks(self):
        seen = len(list(Path(self.mark).parent.glob(f"{Path(self.mark).name}-opened-*")))
        yield from self.inner.blocks()
        if seen >= self.spared:
            die_once(self.mark)
        else:
            Path(f"{self.mark}-opened-{seen}").touch()


@dataclass(frozen=True)
class SlowPart(Part):
    """A part that takes its time."""

    inner: Any
    n_rows: int

    def blocks(self):
        time.sleep(1)
        yield from self.inner.blocks()


@dataclass(frozen=True)
class DeadlyGrowth(Growth):
    """Growing that kills its worker at one tree."""

    mark: str = ""
    deadly: int = 0

    def grow(self, tree, *given):
        grown = super().grow(tree, *given)
        if tree == self.deadly:
            die_once(self.mark)
        return grown
