"""A real cluster of two processes for all tests here, and rows to learn from."""

import logging

import numpy as np
import pytest

N = 6000


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((N, 12)) < 0.5
    y = np.argsort(
        np.argsort(X @ rng.normal(size=(12, 4)) + rng.normal(size=(N, 4)), axis=1), axis=1
    )
    return X, y + 1
