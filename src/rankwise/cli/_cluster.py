"""A Dask cluster, as commands name it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Work on a Dask cluster, such as tcp://10.0.0.5:8786: a forest of files that its workers "
        "can read, or other learners tried there on one file that is read here (default for several "
        "files: what DASK_SCHEDULER_ADDRESS says, if anything).",
    ),
]


def cluster_client(cluster: str | None) -> Any:
    """Return a client of the cluster that is named, or that the environment names; None: there is none."""
    address = cluster or os.environ.get("DASK_SCHEDULER_ADDRESS")
    if not address:
        return None
    from rankwise.dask import find_client

    return find_client(address)


@contextmanager
def working_on(cluster: str | None) -> Iterator[None]:
    """Send what runs in parallel to the cluster that is named, if one is."""
    if cluster is None:
        yield
        return
    import joblib

    from rankwise.dask import find_client, naming_losses

    with naming_losses(), find_client(cluster), joblib.parallel_config(backend="dask"):
        yield


@contextmanager
def connected(backend: str | None) -> Iterator[None]:
    """Connect to a Dask cluster where that is asked for."""
    if backend != "dask":
        yield
        return
    from rankwise._extras import require

    with require("distributed", "running on a Dask cluster").Client():
        yield
