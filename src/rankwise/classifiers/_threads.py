"""One thread for the linear algebra of many small fits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Features with more cells may gain from threads inside a fit.
SMALL = 1_000_000


class _Limit:
    """How many blocks of fits are at work in this process, and what ends the limit."""

    lock = threading.Lock()
    inside = 0
    end = ExitStack()


def one_thread_if_small(X: Any) -> AbstractContextManager[None]:
    """Hold linear algebra to one thread while small fits run, see `one_thread`."""
    return nullcontext() if X.size > SMALL else one_thread()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold linear algebra to one thread, in this and all other threads.

    A solver of a few weights asks for threads many times over matrices of a few cells. Alone on a
    machine that costs little; beside other work each call waits for its turn, and a fit took 25
    times as long.
    """
    with _Limit.lock:
        if _Limit.inside == 0:
            _Limit.end.enter_context(_controller().limit(limits=1, user_api="blas"))
        _Limit.inside += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.inside -= 1
            # the first to come sets the limit and the last to leave lifts it, whatever their order
            if _Limit.inside == 0:
                _Limit.end.close()


@cache
def _controller() -> Any:
    return ThreadpoolController()
