"""The cluster: how it is found, and what is said when it is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankwise._extras import require

ADDRESS = "DASK_SCHEDULER_ADDRESS"

# Seconds to wait for a scheduler.
PATIENCE = 10

# To reach a worker, which may stand where only the scheduler does.
SHORT_PATIENCE = 2

# For the first worker to come, or the last to come back: where much else runs that takes its time.
LONG_PATIENCE = 60

# Of Dask: the scheduler is gone, or the tasks that were asked for.
_LOST = (
    "CommClosedError",
    "CancelledError",
    "FutureCancelledError",
    "FuturesCancelledError",
    "ClosedClientError",
)


class ClusterError(ConnectionError):
    """The cluster was not found, or was lost; nothing was written, and the work can be started again."""


def find_client(client: Any = None) -> Any:
    """Return a client: as it is, of an address, of the environment, or the one that is there already.

    Parameters
    ----------
    client : distributed.Client or str, optional
        A client, or the address of a scheduler such as ``"tcp://10.0.0.5:8786"``; by default the client
        that was made last, else the scheduler that ``DASK_SCHEDULER_ADDRESS`` names.
    """
    distributed = require("distributed", "a Dask cluster")
    if client is not None and not isinstance(client, str):
        return client
    if client is None:
        try:
            return distributed.get_client()
        except ValueError:
            client = os.environ.get(ADDRESS)
    if not client:
        raise ClusterError(
            "there is no Dask client, and no address of a scheduler; make a distributed.Client, or set "
            f"{ADDRESS}"
        )
    try:
        return distributed.Client(client, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {client} ({type(error).__name__}); start one with `dask "
            "scheduler`, and check the address and the network"
        ) from error


def known_workers(client: Any) -> dict[str, dict[str, Any]]:
    """What the scheduler knows of its workers, by their addresses; waits for one where there is none.

    The scheduler is asked here. What `Client.scheduler_info` returns is overwritten meanwhile, every two
    seconds, by what says nothing of workers.
    """
    deadline = time.monotonic() + LONG_PATIENCE
    while True:
        if client.scheduler is None:
            raise ConnectionError("the client was closed")
        found: dict[str, dict[str, Any]] = client.sync(client.scheduler.identity)["workers"]
        if found:
            return found
        if time.monotonic() > deadline:
            raise ClusterError(
                f"the Dask cluster has had no workers for {LONG_PATIENCE} seconds; start some with "
                "`dask worker ADDRESS`, and then this"
            )
        time.sleep(0.1)


def can_reach_workers(client: Any) -> bool:
    """Whether workers can be connected to from here, as far as the first of them tells."""
    comm = require("distributed.comm", "a Dask cluster")
    address = next(iter(known_workers(client)))

    async def try_first() -> bool:
        try:
            found = await comm.connect(address, SHORT_PATIENCE, **client.connection_args)
        except OSError:  # no way, or none in time
            return False
        found.abort()
        return True

    return bool(client.sync(try_first))


@contextmanager
def naming_losses() -> Iterator[None]:
    """Say what it means when a cluster is lost, or its workers are killed again and again."""
    try:
        yield
    except Exception as error:
        kind = type(error).__name__
        if kind == "KilledWorker":
            raise ClusterError(
                f"a task was lost with its worker too often ({error}); workers may be short of memory: "
                "give them more, let each run fewer threads, or draw fewer rows with max_samples"
            ) from error
        if is_loss(error):
            raise ClusterError(
                f"the Dask scheduler was lost, or a worker with data that was sent to it ({kind}); nothing "
                "was written: start what is missing, and then this"
            ) from error
        raise


def is_loss(error: BaseException) -> bool:
    """Whether it is the cluster that failed, or a part of it, and not what was done there."""
    kind = type(error).__name__
    return kind == "KilledWorker" or kind in _LOST or _is_connection(error)


def _is_connection(error: BaseException) -> bool:
    if isinstance(error, ClusterError):
        return False
    # what Dask raises where nobody answers is neither of these
    return isinstance(error, (ConnectionError, TimeoutError)) or (
        type(error) is OSError and str(error).startswith("Timed out trying to connect")
    )
