"""Arrays as plain bytes: which dtypes there are, and whether a declared shape can be true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankwise.models._archive import POOL, Archive, sha256_of
from rankwise.models._errors import RefusedError

# Everything a model keeps in numbers; objects and records have no place in a file.
DTYPES = ("|b1", "|u1", "<u2", "<u4", "<u8", "<i2", "<i4", "<i8", "<f4", "<f8")
_MAX_DIMENSIONS = 4


def plain(array: np.ndarray) -> np.ndarray:
    """Return the array as it is written: C-contiguous and little-endian."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.dtype.str not in DTYPES:
        raise TypeError(f"arrays of dtype {array.dtype} cannot be saved in a model file")
    return little.reshape(array.shape)


def describe(array: np.ndarray) -> dict[str, Any]:
    """Return what the manifest keeps of an array that `plain` made."""
    sha256 = sha256_of(as_bytes(array))
    return {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": sha256}


def as_bytes(array: np.ndarray) -> memoryview:
    """Return the bytes of a contiguous array without a copy."""
    return array.reshape(-1).view(np.uint8).data


def read_array(archive: Archive, name: str, entry: Any) -> np.ndarray:
    """Return a new, writable array of a member, once its declaration holds."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "sha256"}:
        raise RefusedError(f"its member {name!r} is not described as arrays are")
    dtype, shape, sha256 = entry["dtype"], entry["shape"], entry["sha256"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise RefusedError(
            f"its member {name!r} has dtype {dtype!r}; a model holds {', '.join(DTYPES)} only"
        )
    if not isinstance(sha256, str):
        raise RefusedError(f"its member {name!r} has no checksum")
    sizes = _checked_shape(name, shape)
    # Python's integers: a product beyond 64 bits is still the true one
    n_bytes = math.prod(sizes) * np.dtype(dtype).itemsize
    if n_bytes != archive.size(name):
        raise RefusedError(
            f"its member {name!r} is declared as {shape} of {dtype}, {n_bytes:,} bytes, but holds "
            f"{archive.size(name):,}"
        )
    array = np.empty(sizes, dtype=dtype)
    archive.read_into(name, as_bytes(array), sha256)
    return _sound(name, array)


def _sound(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype == np.bool_ and array.size and int(array.view(np.uint8).max()) > 1:
        raise RefusedError(f"its member {name!r} holds truth values that are neither 0 nor 1")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def array_of(pool: np.ndarray | None, piece: list[Any]) -> np.ndarray:
    """Return a new array of a piece of many arrays that were written one behind the other."""
    if pool is None or pool.dtype != np.uint8 or pool.ndim != 1:
        raise RefusedError("its small arrays are not there")
    if len(piece) != 3 or type(piece[0]) is not int or piece[1] not in DTYPES:
        raise RefusedError("its manifest describes a small array as none is")
    start, dtype, shape = piece
    sizes = _checked_shape(POOL, shape)
    end = start + math.prod(sizes) * np.dtype(dtype).itemsize
    if not 0 <= start <= end <= len(pool):
        raise RefusedError("its manifest describes a small array that is not there")
    return _sound(POOL, pool[start:end].view(dtype).reshape(sizes).copy())


def _checked_shape(name: str, shape: Any) -> tuple[int, ...]:
    is_list = isinstance(shape, list) and len(shape) <= _MAX_DIMENSIONS
    fits = is_list and all(type(size) is int and size >= 0 for size in shape)
    # numpy multiplies the sizes of empty arrays as well
    if not fits or math.prod(max(1, size) for size in shape) >= 1 << 48:
        shown = repr(shape)
        raise RefusedError(f"its member {name!r} has the impossible shape {shown[:80]}")
    return tuple(shape)
