"""Arguments of another type than stands beside their name are refused, in one place."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from rankwise._naming import shown
from rankwise._parameters import is_dict, is_list, is_real, is_whole

# A function, or a class whose functions are meant.
Checked = TypeVar("Checked", bound=Callable[..., Any])
Test = Callable[[Any], bool]


def _is_sized(value: Any) -> bool:
    return is_list(value) and hasattr(value, "__len__") and not hasattr(value, "columns")


FLAG = "True or False"

# By the word that an annotation begins with: how a value is looked at, and what to give.
_KINDS: dict[str, tuple[Test, str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, bool | np.bool_), FLAG),
    "int": (is_whole, "a whole number"),
    "float": (is_real, "a number"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "os.PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Callable": (callable, "a function"),
    "Sequence": (_is_sized, "a list"),
    "tuple": (_is_sized, "a list"),
    "Iterable": (is_list, "a list"),
    "Mapping": (is_dict, "a dict"),
}
_BRACKETS = re.compile(r"\[[^\[\]]*\]")


def check_arguments(checked: Checked) -> Checked:
    """Refuse arguments of another type than their annotations say, by name, before a function begins.

    An annotation that says anything but numbers, flags, texts, paths, functions, lists, dicts, None
    and classes that its module knows is passed over. What is in a list or a dict, and which numbers
    are allowed, the function checks itself. Of a class all public functions are held to their
    annotations, and its making if it is a dataclass that takes its fields as they are.

    Examples
    --------
    >>> @check_arguments
    ... def brew(minutes: float, names: Sequence[str] | None = None) -> None: ...
    >>> brew(3, "tea")
    Traceback (most recent call last):
    TypeError: names is the text 'tea'; give a list, ['tea']
    """
    if not isinstance(checked, type):
        return typing.cast(Checked, _gated(checked))
    for name, function in list(vars(checked).items()):
        # what a dataclass is given may be more than what it keeps
        converts = hasattr(checked, "__post_init__")
        is_made = name == "__init__" and hasattr(checked, "__dataclass_fields__") and not converts
        if inspect.isfunction(function) and (is_made or not name.startswith("_")):
            setattr(checked, name, _gated(function))
    return checked


def _gated(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    n_most = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in signature.parameters.values())
    first_names = list(signature.parameters)[:n_most]

    @functools.cache
    def kinds(name: str) -> list[tuple[Test, str]]:
        # not before the first call: by then the module has all its classes
        parameter = signature.parameters.get(name)
        many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        if parameter is None or parameter.kind in many:
            return []
        return list(_kinds(str(parameter.annotation), inspect.unwrap(function).__globals__))

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        # too many or too few, Python says itself, of the call below
        for name, value in (*zip(first_names, args, strict=False), *kwargs.items()):
            _refuse_other(name, value, kinds(name))
        return function(*args, **kwargs)

    return checked


def check_fields(made: Any) -> None:
    """Refuse a dataclass with a field of another type than its annotation says; for its `__post_init__`."""
    known = vars(sys.modules[type(made).__module__])
    for field in dataclasses.fields(made):
        _refuse_other(field.name, getattr(made, field.name), list(_kinds(str(field.type), known)))


def _refuse_other(name: str, value: Any, wanted: list[tuple[Test, str]]) -> None:
    if not wanted or any(is_one(value) for is_one, _ in wanted):
        return
    what = list(dict.fromkeys(what for _, what in wanted))
    if isinstance(value, str) and "a list" in what:
        raise TypeError(f"{name} is the text {shown(value)}; give a list, [{shown(value)}]")
    verb = "use" if what == [FLAG] else "give"  # as `check_flag` says it
    raise TypeError(f"{name} is {shown(value)}; {verb} {' or '.join(what)}")


def _kinds(text: str, known: dict[str, Any]) -> Iterator[tuple[Test, str]]:
    """What an annotation allows; nothing where it says what is not looked at here."""
    before = ""
    while text != before:
        before, text = text, _BRACKETS.sub("", text)
    found = [_kind(word.strip(), known) for word in text.split("|")]
    return iter(()) if None in found else (kind for kind in found if kind is not None)


def _kind(word: str, known: dict[str, Any]) -> tuple[Test, str] | None:
    if word in _KINDS:
        return _KINDS[word]
    first, *rest = word.split(".")
    meant = functools.reduce(lambda cls, name: getattr(cls, name, None), rest, known.get(first))
    # a name for one of some texts, for numbers in an array, for a function or for a dict
    stands_for = typing.get_origin(meant)
    if stands_for is typing.Literal:
        choices = typing.get_args(meant)
        shown_choices = f"{', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
        return (lambda value: isinstance(value, str) and value in choices), shown_choices
    if stands_for in (Callable, Mapping):
        return _KINDS[stands_for.__name__]
    if stands_for is np.ndarray:
        meant = np.ndarray
    is_plain = isinstance(meant, type) and not getattr(meant, "_is_protocol", False)
    if not is_plain or meant.__module__ in ("typing", "builtins"):
        return None
    cls = typing.cast(type, meant)
    article = "an" if cls.__name__[0] in "AEIOU" else "a"
    what = "an array of numpy" if cls is np.ndarray else f"{article} {cls.__name__}"
    return (lambda value: isinstance(value, cls)), what
