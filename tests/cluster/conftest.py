"""A real cluster of two processes for the tests of this folder, and rows to learn from.

The folder is a package, so that the cluster ends with the last of its tests, and not with that of all.
"""

import logging

import numpy as np
import pytest

from rankwise.forest import ForestRanker
from rankwise.parts import array_parts

N = 6000


def compile_once():
    """Fit here before: where kernels are not on disk yet, each worker would compile them for itself."""
    y = np.array([[1, 2], [2, 1], [1, 2]] * 20)
    for kind in (bool, float):
        X = np.arange(120).reshape(-1, 2).astype(kind) % (2 if kind is bool else 7)
        ForestRanker(2, max_samples=20, oob_score=True).fit_parts(array_parts(X, y))


@pytest.fixture(scope="package")
def client():
    distributed = pytest.importorskip("distributed")
    import dask

    compile_once()
    with (
        # by default a local cluster gives a worker up for good that is not back 15 seconds after it died
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit="1GiB",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="package")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((N, 12)) < 0.5
    y = np.argsort(
        np.argsort(X @ rng.normal(size=(12, 4)) + rng.normal(size=(N, 4)), axis=1), axis=1
    )
    return X, y + 1
