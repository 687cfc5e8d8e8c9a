"""Public names document their parameters in order, with types and descriptions."""

import importlib
import inspect

import pytest
from numpydoc.validate import validate

import rankwise

PACKAGES = sorted(name for name in rankwise.__all__ if inspect.ismodule(getattr(rankwise, name)))
# numpydoc's codes: no docstring; parameters that are unknown or in the wrong order, without type,
# without description.
CHECKS = {"GL08", "PR02", "PR03", "PR04", "PR07"}


def public_names(package):
    """Yield the functions, classes and methods that a package offers."""
    module = importlib.import_module(f"rankwise.{package}")
    things = [getattr(module, name) for name in module.__all__]
    classes = [thing for thing in things if inspect.isclass(thing)]
    interfaces = [kind for kind in classes if getattr(kind, "_is_protocol", False)]
    for thing in things:
        if inspect.isclass(thing) or is_ours(thing):
            yield thing
    for kind in classes:
        for name, method in inspect.getmembers(kind, is_ours):
            owners = [c for c in kind.__mro__ if name in vars(c)]
            owners += [c for c in interfaces if name in vars(c) and c is not kind]
            first = all(owner is owners[0] or not is_ours(owner) for owner in owners)
            # What a class above or an interface documents, stands there.
            if first and not name.startswith("_"):
                yield method


def is_ours(thing):
    kind = inspect.isclass(thing) or inspect.isfunction(thing)
    return kind and thing.__module__.startswith("rankwise.")


def faults(thing):
    """Return what numpydoc finds wrong, as texts."""
    found = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    return [f"{code}: {text}" for code, text in found if code in CHECKS]


def test_a_parameter_without_type_is_found(monkeypatch):
    doc = rankwise.ForestRanker.__doc__.replace("oob_score : bool, default=False", "oob_score")
    monkeypatch.setattr(rankwise.ForestRanker, "__doc__", doc)
    assert faults(rankwise.ForestRanker) == ['PR04: Parameter "oob_score" has no type']


@pytest.mark.parametrize("package", PACKAGES)
def test_documented_parameters_have_types_and_descriptions(package):
    found = {f"{t.__module__}.{t.__qualname__}": faults(t) for t in public_names(package)}
    assert {name: texts for name, texts in found.items() if texts} == {}
