"""A real cluster of two processes for the tests of a file, and rows to learn from.

A folder is no package to pytest, so that a fixture of that scope would live, and poll, until all tests end.
"""

import logging

import numpy as np
import pytest

N = 6000


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
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


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((N, 12)) < 0.5
    y = np.argsort(
        np.argsort(X @ rng.normal(size=(12, 4)) + rng.normal(size=(N, 4)), axis=1), axis=1
    )
    return X, y + 1
