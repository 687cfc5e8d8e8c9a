"""How the fits of pairs are dealt out: blocks, copies of the classifier, threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from rankwise.classifiers import _threads, one_thread_if_small, seeded_copies
from rankwise.pairwise._problems import _open_workers, cut_blocks


@given(st.integers(1, 2000), st.integers(1, 64), st.integers(1, 2000))
def test_blocks_hold_every_problem_once_and_do_not_grow(n, n_jobs, largest):
    blocks = cut_blocks(n, n_jobs, largest)
    assert [i for block in blocks for i in range(n)[block]] == list(range(n))
    sizes = [block.stop - block.start for block in blocks]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= largest


def test_no_worker_waits_long_for_the_last_block():
    sizes = [block.stop - block.start for block in cut_blocks(1770, 4, largest=1770)]
    assert len(sizes) < 60
    assert max(sizes) <= 1770 / 4
    assert sizes[-1] <= 1770 / 4 / 16 + 1


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=3, class_weight={0: 1.0, 1: 2.0}),
        make_pipeline(StandardScaler(), LogisticRegression(C=3)),
        CalibratedClassifierCV(LogisticRegression()),
    ],
)
def test_copies_are_clones(estimator):
    fitted = clone(estimator).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    make = seeded_copies(fitted)
    first, second = make(None), make(None)
    assert repr(first) == repr(second) == repr(clone(fitted))
    assert not [name for name in vars(first) if name.endswith("_")]
    first.set_params(**{name: 7.0 for name in first.get_params() if name.split("__")[-1] == "C"})
    assert repr(second) == repr(make(None)) == repr(clone(fitted))


def test_what_is_frozen_stays_so_and_is_not_copied():
    frozen = FrozenEstimator(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))
    assert seeded_copies(frozen)(0).estimator is frozen.estimator


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_threads_are_limited_inside_alone_also_where_threads_overlap(monkeypatch):
    before = blas_threads()
    small = np.zeros((3, 2))
    first_in, second_in = threading.Event(), threading.Event()
    inside = []

    def first():
        with one_thread_if_small(small):
            first_in.set()
            second_in.wait(10)

    def second():
        first_in.wait(10)
        with one_thread_if_small(small):
            second_in.set()
            threads[0].join(10)
            inside.append(blas_threads())

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert inside == [{1}]
    assert blas_threads() == before
    monkeypatch.setattr(_threads, "SMALL", 5)
    with one_thread_if_small(small):
        assert blas_threads() == before


def test_a_bar_is_no_reason_to_refuse_a_backend_that_returns_all_at_once():
    with parallel_config("multiprocessing"):
        assert not _open_workers(2, one_by_one=True).return_generator
    assert _open_workers(2, one_by_one=True).return_generator
