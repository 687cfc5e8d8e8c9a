"""The methods that experiments know by name, and how to write one with parameters."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import rankwise

# Either a known name or MODULE:NAME, and parameters in parentheses.
_SPECIFICATION = re.compile(r"\s*([\w.:-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)

_ROOMS_WITHOUT_RESULTS = ("audits", "cli", "experiments", "explanations", "plots", "report")


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
    seconds : (float, float)
        Rough time of a fold on one core: at least, and for each million of rows times features
        times labels. The time left is told by it.
    foreign : bool
        Whether the estimator is not one of this package.
    """

    name: str
    make: Callable[[], Any]
    parameters: dict[str, Any]
    seconds: tuple[float, float] = (0.1, 10.0)
    foreign: bool = False

    def cost(self, n_samples: int, n_features: int, n_labels: int) -> float:
        """Return roughly how many seconds a fold of so large a data set takes."""
        least, slope = self.seconds
        return least + slope * n_samples * n_features * n_labels * 1e-6

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
            "code": code_state(),
        }
        if self.foreign:
            # It has no version of this package that would tell when it changes.
            file = inspect.getsourcefile(kind)
            found["source"] = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
        return found


@lru_cache(maxsize=1)
def code_state() -> str:
    """Return a hash of the code that computes, or an empty text for a released version.

    A version under development changes without a new number; its results must not be reused after.

    Examples
    --------
    >>> code_state() == code_state()
    True
    """
    if "dev" not in rankwise.__version__:
        return ""
    root = Path(rankwise.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in _ROOMS_WITHOUT_RESULTS:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def known_methods(*, for_any_size: bool = False) -> tuple[str, ...]:
    """Return the names that `find_method` knows.

    Parameters
    ----------
    for_any_size : bool
        Leave out methods whose memory grows with the square of the rows.

    Examples
    --------
    >>> "RPC" in known_methods()
    True
    """
    return tuple(name for name in _METHODS if not (for_any_size and name in _BY_NAME_ONLY))


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
        return Method(name + tail, _foreign(head), parameters, foreign=True)
    for name, (make, seconds) in _METHODS.items():
        if _plain(name) == _plain(head):
            return Method(name + tail, make, parameters, seconds)
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


def _honest_forest() -> Any:
    # Half of the rows per tree, and half of those for the cuts.
    half = {"honest": True, "bootstrap": False, "max_samples": 0.5}
    return _make("forest", "ForestRanker", n_estimators=50, **half)


# Rough seconds were measured on iris, glass, wine and vehicle.
_METHODS: dict[str, tuple[Callable[[], Any], tuple[float, float]]] = {
    "Consensus": (partial(_make, "baselines", "Consensus"), (0.001, 0.01)),
    "RPC": (partial(_make, "baselines", "RPC"), (0.05, 3.0)),
    "LWD": (partial(_make, "baselines", "LWD"), (0.1, 6.0)),
    "LRT": (partial(_make, "baselines", "LRT"), (0.002, 1.7)),
    "LRRF": (partial(_make, "baselines", "LRRF"), (0.2, 8.0)),
    "KNNKemeny": (partial(_make, "baselines", "KNNKemeny"), (0.01, 10.0)),
    "BoostLR": (partial(_make, "baselines", "BoostLR"), (0.1, 50.0)),
    "InstanceMallows": (partial(_make, "baselines", "InstanceMallows"), (0.01, 10.0)),
    "InstancePlackettLuce": (partial(_make, "baselines", "InstancePlackettLuce"), (0.3, 45.0)),
    "KernelRidgeKemeny": (partial(_make, "baselines", "KernelRidgeKemeny"), (1.5, 850.0)),
    "RF": (partial(_make, "forest", "ForestRanker", n_estimators=50), (0.1, 6.0)),
    "HonestForest": (_honest_forest, (0.1, 10.0)),
    "Tree": (partial(_make, "tree", "TreeRanker"), (0.003, 0.4)),
    "Level": (partial(_make, "tree", "TreeRanker", criterion="level", max_depth=10), (0.006, 0.9)),
    "Pairwise": (partial(_make, "pairwise", "PairwiseRanker"), (0.05, 3.0)),
    "PairwiseForest": (_pairwise_forest, (0.8, 40.0)),
}
# Memory and time of these grow with the square of the rows and more.
_BY_NAME_ONLY = ("KernelRidgeKemeny",)
