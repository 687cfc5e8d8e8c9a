"""The one place that talks to numba: every kernel of the package is decorated by :func:`jit`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba.extending import intrinsic

# `prange` is offered to kernels that are never called from joblib threads (metrics, binning).
prange = numba.prange

_cache_is_writable = True


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the ones of an unsigned word: one instruction, and a vector of them in a loop."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), codegen


def _plain_popcount(word: Any) -> Any:
    return type(word)(int(word).bit_count())


# with NUMBA_DISABLE_JIT=1 kernels run as plain Python (`make coverage`), where no intrinsic can be called
popcount = _plain_popcount if numba.config.DISABLE_JIT else _popcount  # type: ignore[attr-defined]


def jit(
    function: Callable[..., Any] | None = None, *, allocates: bool = True, **options: Any
) -> Any:
    """Compile `function` on first call, without the GIL, and keep the result on disk.

    A kernel that makes no array says ``allocates=False``: then the references to the arrays it is
    given are not counted, which costs more than the work where a node has few rows. Division
    follows numpy (x / 0 is inf or nan, no exception): a check in every division would keep the
    compiler from using vector instructions. Where no cache folder can be written, compile in memory
    and say so once.
    """
    if function is None:
        return lambda f: jit(f, allocates=allocates, **options)
    options = {"nogil": True, "error_model": "numpy", "cache": _cache_is_writable, **options}
    if not allocates:
        options["_nrt"] = False
    try:
        return numba.njit(**options)(function)
    except RuntimeError as error:
        if "cannot cache function" not in str(error):
            raise
        _give_up_caching(error)
        return numba.njit(**{**options, "cache": False})(function)


def _give_up_caching(reason: Exception) -> None:
    global _cache_is_writable
    _cache_is_writable = False
    warnings.warn(
        f"rankwise cannot keep its compiled code on disk ({reason}); every new process will compile "
        "again, for a few seconds. Set NUMBA_CACHE_DIR to a folder that you can write.",
        RuntimeWarning,
        stacklevel=3,
    )
