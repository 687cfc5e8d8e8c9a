"""Between Python values and JSON with arrays beside it: the few kinds of values a model is made of.

Plain JSON values stand for themselves; everything else is an object with one tag:

====================  =====================================================================
``{"float": …}``      "nan", "inf" or "-inf", which JSON has no numbers for
``{"tuple": [...]}``  a tuple
``{"dict": [...]}``   pairs of key and value
``{"array": name}``   the member that holds the numbers; of small objects start, dtype and shape
                      in one member of them all
``{"columns": name}`` the same, where columns and not rows are contiguous
``{"texts": [...]}``  an array of texts, ``"as": "object"`` or ``"str"``
``{"splits": …}``     a list of cuts, as three arrays
``{"dtype": name}``   the type of an array
``{"part": number}``  a scikit-learn object, kept by skops
``{"object": name}``  an object of a class in the fixed table, with its ``"state"``
====================  =====================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankwise.models._archive import POOL, array_name
from rankwise.models._arrays import array_of, as_bytes, plain
from rankwise.models._errors import RefusedError
from rankwise.tree import Split

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_DTYPES = ("bool", "int32", "int64", "float32", "float64", "object")
_MAX_DEPTH = 40


@dataclass(frozen=True)
class Kind:
    """How objects of one class are taken apart, put together and checked before they are used."""

    cls: type
    take_apart: Callable[[Any], dict[str, Any]]
    put_together: Callable[[dict[str, Any]], Any]
    check: Callable[[Any], None]
    alone: bool  # whether a file may hold such an object and nothing around it
    is_meant: Callable[[Any], bool] = lambda value: True  # of its class, whether it is kept so
    is_small: bool = False  # whether there may be thousands, with a few numbers each

    def keeps(self, value: Any) -> bool:
        """Whether this is how `value` is kept."""
        return type(value) is self.cls and self.is_meant(value)


@dataclass
class Encoder:
    """Turns values into JSON; collects arrays and foreign objects on the way."""

    kinds: Mapping[str, Kind]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    # The arrays of small objects, one behind the other; members of their own would be thousands.
    pool: bytearray = field(default_factory=bytearray)
    _is_pooling: bool = False

    def encode(self, value: Any, where: str) -> Any:
        """Return JSON for `value`; `where` names it in errors."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray):
            return self._encode_array(value, where)
        if isinstance(value, np.dtype) and value.name in _DTYPES:
            return {"dtype": value.name}
        if isinstance(value, (list, tuple)):
            return self._encode_sequence(value, where)
        if isinstance(value, dict):
            items = [
                [self.encode(k, where), self.encode(v, f"{where}[{k!r}]")] for k, v in value.items()
            ]
            return {"dict": items}
        return self._encode_object(value, where)

    def _encode_array(self, array: np.ndarray, where: str) -> dict[str, Any]:
        if array.dtype.kind in "UO":
            texts = array.tolist()
            if array.ndim != 1 or not all(isinstance(text, str) for text in texts):
                raise TypeError(f"{where} is an array of objects; texts and numbers can be saved")
            return {"texts": texts, "as": "object" if array.dtype.kind == "O" else "str"}
        # products of matrices may round differently in another layout
        by_columns = array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous
        try:
            ready = plain(array.T if by_columns else array)
        except TypeError as error:
            raise TypeError(f"{where}: {error}") from None
        return {"columns" if by_columns else "array": self._kept(ready)}

    def _kept(self, ready: np.ndarray) -> Any:
        if self._is_pooling:
            start = len(self.pool)
            self.pool += as_bytes(ready)
            return [start, ready.dtype.str, list(ready.shape)]
        name = array_name(len(self.arrays))
        self.arrays[name] = ready
        return name

    def _encode_sequence(self, values: Any, where: str) -> Any:
        if isinstance(values, list) and values and all(isinstance(v, Split) for v in values):
            columns = (np.array(column) for column in zip(*values, strict=True))
            return {"splits": [self._encode_array(column, where) for column in columns]}
        items = [self.encode(v, f"{where}[{i}]") for i, v in enumerate(values)]
        return items if isinstance(values, list) else {"tuple": items}

    def _encode_object(self, value: Any, where: str) -> dict[str, Any]:
        for name, kind in self.kinds.items():
            if kind.keeps(value):
                parts = kind.take_apart(value).items()
                before, self._is_pooling = self._is_pooling, self._is_pooling or kind.is_small
                state = {key: self.encode(part, f"{where}.{key}") for key, part in parts}
                self._is_pooling = before
                return {"object": name, "state": state}
        if hasattr(value, "get_params") and not type(value).__module__.startswith("rankwise."):
            self.parts.append(value)
            return {"part": len(self.parts) - 1}
        raise TypeError(
            f"{where} is of {type(value).__module__}.{type(value).__name__}, which model files do not "
            "know; saved can be rankers of this package, with scikit-learn's estimators in them"
        )


@dataclass
class Decoder:
    """Turns JSON back into values, and takes nothing for granted."""

    kinds: Mapping[str, Kind]
    arrays: Mapping[str, np.ndarray]
    parts: list[Any]

    def decode(self, value: Any, depth: int = 0) -> Any:
        """Return the value that JSON stands for."""
        if depth > _MAX_DEPTH:
            raise RefusedError("its manifest is nested deeper than any model is; do not use it")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, list):
            return [self.decode(item, depth + 1) for item in value]
        for tag in ("float", "tuple", "dict", "array", "columns", "splits", "part", "dtype"):
            if tag in value and len(value) == 1:
                return getattr(self, f"_decode_{tag}")(value[tag], depth + 1)
        if "texts" in value and len(value) == 2:
            return self._decode_texts(value["texts"], value.get("as"))
        if "object" in value and len(value) == 2:
            return self._decode_object(value["object"], value.get("state"), depth + 1)
        raise RefusedError(f"its manifest holds an unknown kind of value, {sorted(value)[:5]}")

    def _decode_float(self, text: Any, depth: int) -> float:
        if not isinstance(text, str) or text not in _FLOATS:
            raise RefusedError(f"its manifest holds the odd number {str(text)[:40]!r}")
        return _FLOATS[text]

    def _decode_dtype(self, name: Any, depth: int) -> np.dtype[Any]:
        if not isinstance(name, str) or name not in _DTYPES:
            raise RefusedError(f"its manifest holds the odd type {str(name)[:40]!r}")
        return np.dtype(name)

    def _decode_tuple(self, items: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self.decode(item, depth) for item in _list(items))

    def _decode_dict(self, pairs: Any, depth: int) -> dict[Any, Any]:
        result = {}
        for pair in _list(pairs):
            if len(_list(pair)) != 2:
                raise RefusedError("its manifest holds a table entry without key or value")
            key = self.decode(pair[0], depth)
            try:
                doubled = key in result
            except TypeError:
                raise RefusedError("its manifest holds a table with a key that is none") from None
            if doubled:
                raise RefusedError(f"its manifest holds the key {key!r} twice")
            result[key] = self.decode(pair[1], depth)
        return result

    def _decode_columns(self, name: Any, depth: int) -> np.ndarray:
        return self._decode_array(name, depth).T

    def _decode_array(self, name: Any, depth: int) -> np.ndarray:
        if isinstance(name, list):
            return array_of(self.arrays.get(POOL), name)
        if not isinstance(name, str) or name not in self.arrays:
            raise RefusedError(
                f"its manifest names the array {str(name)[:40]!r}, which is not there"
            )
        return self.arrays[name]

    def _decode_texts(self, texts: Any, kind: Any) -> np.ndarray:
        are_texts = all(isinstance(text, str) for text in _list(texts))
        if not are_texts or kind not in ("object", "str"):
            raise RefusedError("its manifest holds a list of texts with something else in it")
        return np.array(texts, dtype=object if kind == "object" else np.str_)

    def _decode_splits(self, value: Any, depth: int) -> list[Split]:
        columns = [self.decode(column, depth) for column in _list(value)]
        arrays = all(isinstance(c, np.ndarray) and c.ndim == 1 for c in columns)
        if len(columns) != 3 or not arrays or len({len(c) for c in columns}) != 1:
            raise RefusedError("its manifest holds a list of cuts that is none")
        return [Split(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]

    def _decode_part(self, number: Any, depth: int) -> Any:
        if type(number) is not int or not 0 <= number < len(self.parts):
            raise RefusedError("its manifest names a part that is not there")
        return self.parts[number]

    def _decode_object(self, name: Any, state: Any, depth: int) -> Any:
        if not isinstance(name, str) or name not in self.kinds:
            raise RefusedError(
                f"holds a {str(name)[:60]!r}, which this rankwise does not know; a newer version may"
            )
        if not isinstance(state, dict):
            raise RefusedError(f"its {name} has no state")
        kind, decoded = self.kinds[name], {k: self.decode(v, depth) for k, v in state.items()}
        try:
            result = kind.put_together(decoded)
            kind.check(result)
        except (RefusedError, ValueError) as error:
            raise RefusedError(str(error)[:500]) from None
        except Exception as error:  # a crafted state may make a check stumble over anything
            reason = f"{type(error).__name__}: {str(error)[:200]}"
            raise RefusedError(f"its {name} is not sound ({reason})") from None
        return result


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise RefusedError("its manifest holds something else where a list belongs")
    return value
