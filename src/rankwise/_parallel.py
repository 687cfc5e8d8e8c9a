"""Work shared out to threads, or to wherever ``joblib.parallel_config`` sends it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from joblib import Parallel, delayed, parallel_config
from joblib.parallel import SequentialBackend, ThreadingBackend, get_active_backend

Item = TypeVar("Item")
Result = TypeVar("Result")

# Dask warns of tasks that are larger: what is shared goes once, and would otherwise go as data.
NO_LIMIT = 1 << 60

# Threads that begin together come back to the interpreter together, task after task, and wait for each
# other each time: of MANY tasks for each the last thread begins so many seconds after the first.
LATE = 0.0004
MANY = 10


def in_threads(
    n_jobs: int | None,
    function: Callable[..., Result],
    *arguments: Iterable[Any],
    require: str | None = None,
) -> list[Result]:
    """Results of a function, as ``map`` has them, so many at a time as joblib takes `n_jobs` for.

    A function that writes to memory it shares with others says ``require="sharedmem"``. In threads
    joblib itself looks for results every 10 ms, which is as long as a small forest takes.
    """
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", require=require)
    backend, _ = get_active_backend(prefer="threads", require=require)
    if not isinstance(backend, ThreadingBackend):
        call = sent_once(function)
        return list(parallel(call(*own) for own in zip(*arguments, strict=True)))
    size = backend.effective_n_jobs(parallel.n_jobs)
    if size == 1:
        return list(map(function, *arguments))
    return _shared_out(size, function, list(zip(*arguments, strict=True)))


def in_order(function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Result]:
    """Yield results in the order of tasks: one after the other, or on a Dask cluster at the same time.

    Examples
    --------
    >>> list(in_order(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    backend, _ = get_active_backend()
    if getattr(backend, "client", None) is None:
        yield from (function(*own) for own in tasks)
        return
    call = sent_once(function)
    yield from Parallel(batch_size=1, return_as="generator")(call(*own) for own in tasks)


def no_more_than(n_tasks: int, n_jobs: int | None) -> int | None:
    """Return `n_jobs`, or the number of tasks where that is less: joblib starts all that it is told to.

    Examples
    --------
    >>> no_more_than(3, 100_000), no_more_than(3, 2), no_more_than(3, -1), no_more_than(3, None)
    (3, 2, -1, None)
    """
    return n_jobs if n_jobs is None or n_jobs < 1 else min(n_jobs, max(1, n_tasks))


def _shared_out(
    n_threads: int, function: Callable[..., Result], tasks: list[tuple[Any, ...]]
) -> list[Result]:
    """Results of tasks that threads, the caller among them, take one by one until none is left.

    A caller that waited would be woken by every result, and take the interpreter from the others.
    """
    waiting = deque(enumerate(tasks))
    results: list[Any] = [None] * len(tasks)
    n_others = min(n_threads, len(tasks)) - 1
    late = LATE if len(tasks) >= MANY * n_threads else 0.0

    def begin_late(number: int) -> None:
        time.sleep(late * number / n_others)
        work()

    def work() -> None:
        while True:
            try:
                at, own = waiting.popleft()
            except IndexError:
                return
            try:
                results[at] = function(*own)
            except BaseException:
                waiting.clear()
                raise

    with ThreadPoolExecutor(n_threads) as pool:
        others = [pool.submit(begin_late, number) for number in range(1, n_others + 1)]
        work()
    for other in others:
        other.result()
    return results


def sent_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """What joblib runs as ``delayed(function)``, of a function whose data goes to a cluster once.

    On a cluster what estimators do in parallel themselves stays with the worker that has them.
    """
    return partial(delayed(_call), shared(function))


def shared(value: Any) -> Any:
    """A value that many tasks of joblib take: as it is, or on a Dask cluster a task that makes it there.

    joblib itself would put it on one worker, and all is lost if that is killed. What a task has made is
    made again, for the scheduler keeps the bytes that it is made of.
    """
    backend, n_jobs = get_active_backend()
    client = getattr(backend, "client", None)
    # of a single worker joblib makes no use
    if client is None or backend.effective_n_jobs(n_jobs) == 1:
        return value
    # a backend with a client is that of Dask, so that these are loaded already
    import dask
    from distributed.protocol import pickle

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": NO_LIMIT}):
        name = f"rankwise-shared-{uuid4().hex}"
        return client.submit(pickle.loads, pickle.dumps(value), key=name)


def received(value: Any) -> Any:
    """A shared value where it is needed; joblib works here if all but one worker were lost meanwhile."""
    return value.result() if type(value).__module__ == "distributed.client" else value


def made_ahead(
    function: Callable[[Item], Result], items: Iterable[Item], n_ahead: int = 2
) -> Iterator[Result]:
    """Results of a function, as ``map`` yields them, so many of them made before they are asked for.

    Items are taken one by one by the caller's thread.

    Examples
    --------
    >>> list(made_ahead(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_ahead) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > n_ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for result in waiting:
                result.cancel()


def _call(function: Callable[..., Any], *own: Any) -> Any:
    function = received(function)
    backend, _ = get_active_backend()
    if isinstance(backend, (ThreadingBackend, SequentialBackend)):
        return function(*own)
    with parallel_config(backend="threading", n_jobs=1):
        return function(*own)
