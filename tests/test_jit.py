"""Kernels that only kernels call."""

import numba
import pytest

from rankwise._jit import jit


@jit(inner=True, cache=False)
def twice(x):
    """Double a number."""
    return 2 * x


@jit(cache=False)
def twice_and_one(x):
    """Call a kernel from a kernel."""
    return twice(x) + 1


def test_an_inner_kernel_serves_other_kernels():
    assert twice_and_one(3) == 7


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_an_inner_kernel_says_what_it_is_when_python_calls_it():
    twice_and_one(3)  # compiled: what crashed without the message
    with pytest.raises(TypeError, match="twice is an inner kernel"):
        twice(3)


def thrice(x):
    return 3 * x


def four_times(x):
    return 4 * x


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled then")
def test_a_full_disk_keeps_no_kernel_from_running_and_is_told_once(monkeypatch, recwarn):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    monkeypatch.setattr("rankwise._jit._cache_is_writable", True)
    kernels = [jit(thrice), jit(four_times)]
    assert [kernel(2) for kernel in kernels] == [6, 8]
    told = [str(found.message) for found in recwarn if found.category is RuntimeWarning]
    assert len(told) == 1
    assert "No space left on device" in told[0]
