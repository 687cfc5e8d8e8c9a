"""Arguments of another type than stands beside their name are refused, in one place."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from rankwise._naming import shown
from rankwise._parameters import is_dict, is_list, is_real, is_whole

P = ParamSpec("P")
R = TypeVar("R")


# By the word that an annotation begins with: how a value is looked at, and what to give.
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "int": (is_whole, "a whole number"),
    "float": (is_real, "a number"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "os.PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Callable": (callable, "a function"),
    "Sequence": (lambda value: is_list(value) and hasattr(value, "__len__"), "a list"),
    "tuple": (lambda value: is_list(value) and hasattr(value, "__len__"), "a list"),
    "Iterable": (is_list, "a list"),
    "Mapping": (is_dict, "a dict"),
}
_BRACKETS = re.compile(r"\[[^\[\]]*\]")


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments of another type than their annotations say, by name, before `function` begins.

    An annotation that says anything but numbers, flags, texts, paths, functions, lists, dicts and None
    is passed over. What is in a list or a dict, and which numbers are allowed, `function` checks itself.

    Examples
    --------
    >>> @check_arguments
    ... def brew(minutes: float, names: Sequence[str] | None = None) -> None: ...
    >>> brew(3, "tea")
    Traceback (most recent call last):
    TypeError: names is the text 'tea'; give a list, ['tea']
    """
    signature = inspect.signature(function)
    kinds = {name: _kinds(parameter.annotation) for name, parameter in signature.parameters.items()}

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            given = {}  # too many or too few, which Python says itself, of the call below
        for name, value in given.items():
            if kinds[name] and not any(is_one(value) for is_one, _ in kinds[name]):
                wanted = " or ".join(dict.fromkeys(what for _, what in kinds[name]))
                if isinstance(value, str) and "a list" in wanted:
                    raise TypeError(
                        f"{name} is the text {shown(value)}; give a list, [{shown(value)}]"
                    )
                raise TypeError(f"{name} is {shown(value)}; give {wanted}")
        return function(*args, **kwargs)

    return checked


def _kinds(annotation: Any) -> list[tuple[Callable[[Any], bool], str]]:
    """What an annotation allows; nothing where it says what is not looked at here."""
    text, before = str(annotation), ""
    while text != before:
        before, text = text, _BRACKETS.sub("", text)
    words = [word.strip() for word in text.split("|")]
    return [_KINDS[word] for word in words] if all(word in _KINDS for word in words) else []
