"""Where kernels are compiled: every kernel of the package is decorated by :func:`jit`."""

from __future__ import annotations

import functools
import gc
import warnings
from collections.abc import Callable
from typing import Any

import numba

try:
    from rankwise._inner_code import InnerCompiler
except (
    ImportError
):  # a numba that is made otherwise: inner kernels take longer to compile, and work
    InnerCompiler = None  # type: ignore[assignment, misc]

_cache_is_writable = True


def jit(
    function: Callable[..., Any] | None = None,
    *,
    allocates: bool = True,
    inner: bool = False,
    inlined: bool = False,
    **options: Any,
) -> Any:
    """Compile `function` on first call, without the GIL, and keep the result on disk.

    A kernel that makes no array says ``allocates=False``: then the references to the arrays it is
    given are not counted, which costs more than the work where a node has few rows. One that only
    other kernels call says ``inner=True``: it is optimised and kept on disk as a part of these alone.
    One that stands in a single place of another says ``inlined=True``: it is compiled as a part of
    that one, and not on its own before.

    Division follows numpy (x / 0 is inf or nan, no exception): a check in every division would keep
    the compiler from using vector instructions. Where no cache folder can be written, compile in
    memory and say so once.
    """
    if function is None:
        return lambda f: jit(f, allocates=allocates, inner=inner, inlined=inlined, **options)
    options = {"nogil": True, "error_model": "numpy", "cache": _cache_is_writable, **options}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner}
    if inner and InnerCompiler is not None:
        options |= {"pipeline_class": InnerCompiler, "cache": False}
    if not allocates:
        options["_nrt"] = False
    if inlined:
        options["inline"] = "always"
    try:
        kernel = numba.njit(**options)(function)
    except RuntimeError as error:
        if "cannot cache function" not in str(error):
            raise
        _give_up_caching(error)
        kernel = numba.njit(**{**options, "cache": False})(function)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return kernel
    _survive_full_disks(kernel)
    if inner or inlined:
        return _hidden_from_python(kernel)
    kernel.compile = _without_collecting(kernel.compile)
    return kernel


def _survive_full_disks(kernel: Any) -> None:
    """Let a kernel that is compiled run, even if the disk has no room to keep it."""
    cache: Any = getattr(kernel, "_cache", None)
    save = getattr(cache, "save_overload", None)
    if save is None:
        return

    def save_if_possible(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            _give_up_caching(error)

    cache.save_overload = save_if_possible


def _hidden_from_python(kernel: Any) -> Any:
    """Let a kernel without a door for Python say so, instead of crashing the process."""
    kind = type(kernel)
    kernel.__class__ = type(kind.__name__, (kind,), {"__call__": _refuse})
    return kernel


def _without_collecting(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without a search for garbage, which takes a tenth of the time and finds little."""

    @functools.wraps(compile_)
    def compile_alone(signature: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return compile_(signature)
        finally:
            if was_on:
                gc.enable()

    return compile_alone


def _refuse(kernel: Any, *_: Any) -> None:
    raise TypeError(
        f"{kernel.__name__} is an inner kernel: only other kernels can call it. "
        "Take inner=True or inlined=True from its decorator to call it from Python."
    )


def _give_up_caching(reason: Exception) -> None:
    global _cache_is_writable
    if not _cache_is_writable:
        return  # said before
    _cache_is_writable = False
    warnings.warn(
        f"rankwise cannot keep its compiled code on disk ({reason}); every new process will compile "
        "again, for a few seconds. Set NUMBA_CACHE_DIR to a folder that you can write.",
        RuntimeWarning,
        stacklevel=3,
    )
