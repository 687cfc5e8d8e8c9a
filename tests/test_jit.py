"""Kernels that only kernels call."""

import gc

import numba
import pytest

from rankwise._jit import jit


@jit(inner=True, cache=False)
def twice(x):
    """Double a number."""
    return 2 * x


@jit(inlined=True, cache=False)
def one_more(x):
    """Add one to a number."""
    return x + 1


@jit(cache=False)
def twice_and_one(x):
    """Call kernels from a kernel."""
    return one_more(twice(x))


def test_an_inner_kernel_serves_other_kernels():
    assert twice_and_one(3) == 7


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_an_inner_kernel_says_what_it_is_when_python_calls_it():
    twice_and_one(3)  # compiled: what crashed without the message
    with pytest.raises(TypeError, match="twice is an inner kernel"):
        twice(3)
    with pytest.raises(TypeError, match="one_more is an inner kernel"):
        one_more(3)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_garbage_is_collected_after_a_compilation_if_it_was_before(monkeypatch):
    during = []

    def kernel(x):
        return x

    monkeypatch.setattr(
        type(jit(kernel, cache=False)), "compile", lambda *_: during.append(gc.isenabled())
    )
    compiled = jit(kernel, cache=False)
    compiled.compile(())
    assert gc.isenabled()
    gc.disable()
    try:
        compiled.compile(())
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert during == [False, False]


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
