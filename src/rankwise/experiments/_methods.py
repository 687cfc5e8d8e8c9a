"""The methods that experiments know by name, and how to write one with parameters."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

# Either a known name or MODULE:NAME, and parameters in parentheses.
_SPECIFICATION = re.compile(r"\s*([\w.:-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Method:
    """A method of a comparison: a name, and how to make its estimator.

    Parameters
    ----------
    name : str
        As it stands in tables.
    make : callable
        Returns a fresh estimator.
    parameters : dict
        Parameters that differ from those of `make`.
    cost : float
        Rough fit time per row, feature and label beside a tree's, for the time left.
    foreign : bool
        Whether the estimator is not one of this package.
    """

    name: str
    make: Callable[[], Any]
    parameters: dict[str, Any]
    cost: float = 1.0
    foreign: bool = False

    def estimator(self, seed: int | None = None) -> Any:
        """Return a fresh estimator; a seed fixes whatever it draws at random."""
        model = self.make()
        known = model.get_params()
        for name in self.parameters:
            if name not in known:
                raise ValueError(
                    f"method {self.name}: there is no parameter {name!r}; known are "
                    f"{', '.join(sorted(known))}"
                )
        model.set_params(**self.parameters)
        if seed is not None and model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=seed)
        return model

    def fingerprint(self) -> dict[str, Any]:
        """Return all that decides what the estimator does, as texts that a file can hold."""
        model = self.estimator()
        kind = type(model)
        found = {
            "class": f"{kind.__module__}.{kind.__qualname__}",
            "parameters": {name: repr(value) for name, value in model.get_params().items()},
        }
        if self.foreign:
            # It has no version of this package that would tell when it changes.
            file = inspect.getsourcefile(kind)
            found["source"] = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
        return found


def known_methods() -> tuple[str, ...]:
    """Return the names that `find_method` knows.

    Examples
    --------
    >>> "RPC" in known_methods()
    True
    """
    return tuple(_METHODS)


def find_method(text: str) -> Method:
    """Return the method that a text names.

    Parameters
    ----------
    text : str
        A known name such as ``"RF"``, with parameters such as ``"RF(n_estimators=200)"``, or your
        own estimator as ``"my_module:MyRanker"``. Case, hyphens and underscores do not matter in
        known names.

    Examples
    --------
    >>> find_method("tree(max_depth=3)").estimator()
    TreeRanker(max_depth=3)
    >>> find_method("Tee")
    Traceback (most recent call last):
    ValueError: unknown method 'Tee'; known are ... or your own as MODULE:NAME
    """
    match = _SPECIFICATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"method {text!r}: write NAME, NAME(parameter=value) or MODULE:NAME")
    head, inner = match.group(1), match.group(2)
    parameters = _parameters(text, inner or "")
    shown = f"({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"
    tail = shown if parameters else ""
    if ":" in head:
        name = head.rpartition(":")[2]
        return Method(name + tail, _foreign(head), parameters, cost=10.0, foreign=True)
    for name, (make, cost) in _METHODS.items():
        if _plain(name) == _plain(head):
            return Method(name + tail, make, parameters, cost)
    known = ", ".join(_METHODS)
    raise ValueError(f"unknown method {head!r}; known are {known}, or your own as MODULE:NAME")


def split_methods(text: str) -> list[str]:
    """Split methods at the commas that stand outside of parentheses.

    Examples
    --------
    >>> split_methods("RPC, RF(n_estimators=9, max_depth=3)")
    ['RPC', 'RF(n_estimators=9, max_depth=3)']
    """
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _parameters(text: str, inner: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
            raise ValueError
        return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise ValueError(
            f"method {text!r}: write parameters as name=value, with numbers, quoted texts, True, "
            "False or None as values"
        ) from error


def _foreign(head: str) -> Callable[[], Any]:
    module, _, name = head.rpartition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"method {head!r}: {error}; give MODULE:NAME of an estimator that Python can import"
        ) from error
    if not callable(make):
        raise ValueError(f"method {head!r} is a {type(make).__name__}; name a class or a function")
    if not hasattr(make(), "set_params"):
        raise ValueError(f"method {head!r} is no estimator; derive it from sklearn's BaseEstimator")
    return make


def _make(room: str, name: str, **parameters: Any) -> Any:
    # Imported when used, so that a list of names needs no estimator.
    return getattr(import_module(f"rankwise.{room}"), name)(**parameters)


def _pairwise_forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _make("pairwise", "PairwiseRanker", estimator=RandomForestClassifier(n_estimators=50))


_METHODS: dict[str, tuple[Callable[[], Any], float]] = {
    "Consensus": (partial(_make, "baselines", "Consensus"), 0.1),
    "RPC": (partial(_make, "baselines", "RPC"), 10.0),
    "LWD": (partial(_make, "baselines", "LWD"), 10.0),
    "LRT": (partial(_make, "baselines", "LRT"), 5.0),
    "LRRF": (partial(_make, "baselines", "LRRF"), 20.0),
    "KNNKemeny": (partial(_make, "baselines", "KNNKemeny"), 5.0),
    "KernelRidgeKemeny": (partial(_make, "baselines", "KernelRidgeKemeny"), 20.0),
    "BoostLR": (partial(_make, "baselines", "BoostLR"), 100.0),
    "InstanceMallows": (partial(_make, "baselines", "InstanceMallows"), 5.0),
    "InstancePlackettLuce": (partial(_make, "baselines", "InstancePlackettLuce"), 5.0),
    "RF": (partial(_make, "forest", "ForestRanker", n_estimators=50), 30.0),
    "HonestForest": (
        partial(
            _make,
            "forest",
            "ForestRanker",
            n_estimators=50,
            honest=True,
            bootstrap=False,
            max_samples=0.5,
        ),
        15.0,
    ),
    "Tree": (partial(_make, "tree", "TreeRanker"), 1.0),
    "Level": (partial(_make, "tree", "TreeRanker", criterion="level", max_depth=10), 1.0),
    "Pairwise": (partial(_make, "pairwise", "PairwiseRanker"), 10.0),
    "PairwiseForest": (_pairwise_forest, 500.0),
}
