"""Strict JSON that keeps what a result holds: NaN, infinities and numbers of numpy."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

# JSON knows neither NaN nor infinity: such a number becomes an object of this one key.
_NUMBER = "$number"


def encode(value: Any) -> str:
    """Write a value as canonical JSON: equal values give equal texts."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def decode(text: str) -> Any:
    """Read what `encode` wrote."""
    return json.loads(text, object_hook=_number)


def plain(value: Any, where: str = "value") -> Any:
    """Turn a value into what JSON can hold, or say which part of it cannot be."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {_NUMBER: str(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {_key(key, where): plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    raise TypeError(
        f"{where} is a {type(value).__name__}; give numbers, texts, lists and dicts, which a file "
        "can hold"
    )


def _key(key: Any, where: str) -> str:
    if not isinstance(key, str) or key == _NUMBER:
        raise TypeError(f"{where} has the key {key!r}; keys are texts other than {_NUMBER!r}")
    return key


def _number(value: dict[str, Any]) -> Any:
    return float(value[_NUMBER]) if value.keys() == {_NUMBER} else value
