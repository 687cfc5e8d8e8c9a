"""Work in threads: results in order, errors, and other places that joblib sends it to."""

import os
import threading

import pytest
from joblib import parallel_config

from rankwise._parallel import in_threads, made_ahead


def place(_number):
    return os.getpid(), threading.current_thread().name


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_arguments(n_jobs):
    assert in_threads(n_jobs, divmod, range(20), range(1, 21)) == [
        divmod(a, b) for a, b in zip(range(20), range(1, 21), strict=True)
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_reaches_the_caller(n_jobs):
    with pytest.raises(ZeroDivisionError):
        in_threads(n_jobs, divmod, [1, 2], [1, 0])


def test_after_an_error_nothing_more_is_begun():
    begun = []

    def fail(number):
        begun.append(number)
        raise KeyError(number)

    with pytest.raises(KeyError):
        in_threads(2, fail, range(1000))
    assert len(begun) <= 2


def test_the_caller_works_too():
    both = threading.Barrier(2, timeout=60)  # passed only where two tasks run at once

    def meet(_number):
        both.wait()
        return threading.current_thread()

    found = in_threads(2, meet, range(2))
    assert threading.main_thread() in found
    assert len(set(found)) == 2


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_tasks_than_threads(size):
    assert in_threads(4, abs, range(size)) == list(range(size))


def test_one_job_needs_no_thread():
    assert set(in_threads(1, place, range(4))) == {place(0)}


def test_joblib_may_send_work_elsewhere_unless_memory_is_shared():
    with parallel_config("multiprocessing"):
        elsewhere = {process for process, _ in in_threads(2, place, range(4))}
        here = {process for process, _ in in_threads(2, place, range(4), require="sharedmem")}
    assert os.getpid() not in elsewhere
    assert here == {os.getpid()}


@pytest.mark.parametrize("n_ahead", [1, 2, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 20])
def test_what_is_made_ahead_comes_in_order(n_ahead, size):
    assert list(made_ahead(abs, range(-size, 0), n_ahead)) == list(range(size, 0, -1))


def test_only_a_few_are_made_ahead():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    results = made_ahead(abs, items(), 2)
    assert next(results) == 0
    assert len(taken) == 3
    results.close()
    assert len(taken) == 3


def test_an_error_comes_in_its_turn():
    def invert(number):
        return 1 / number

    results = made_ahead(invert, [1, 2, 0, 4], 2)
    assert [next(results), next(results)] == [1, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)
