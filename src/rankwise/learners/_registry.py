"""The learners that are known by name, and how to write one with parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from rankwise._arguments import check_arguments
from rankwise.learners._learner import Learner

# Either a known name or MODULE:NAME, and parameters in parentheses.
_SPECIFICATION = re.compile(r"\s*([\w.:-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def known_learners() -> tuple[Learner, ...]:
    """Return the learners that `find_learner` knows by name.

    Examples
    --------
    >>> [learner.name for learner in known_learners()][:3]
    ['Auto', 'Forest', 'RF']
    """
    return _LEARNERS


def find_learner(text: str) -> Learner:
    """Return the learner that a text names.

    Parameters
    ----------
    text : str
        A known name such as ``"RF"``, with parameters such as ``"RF(n_estimators=200)"``, or your
        own estimator as ``"my_module:MyRanker"``. Case, hyphens and underscores do not matter in
        known names.

    Examples
    --------
    >>> find_learner("tree(max_depth=3)").estimator()
    TreeRanker(max_depth=3)
    >>> find_learner("Tee")
    Traceback (most recent call last):
    ValueError: unknown learner 'Tee'; choose one of ..., or your own as MODULE:NAME
    """
    match = _SPECIFICATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"learner {text!r}: write NAME, NAME(parameter=value) or MODULE:NAME")
    head, inner = match.group(1), match.group(2)
    parameters = _parameters(text, inner or "")
    shown = f"({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"
    tail = shown if parameters else ""
    if ":" in head:
        name = head.rpartition(":")[2]
        return Learner(name + tail, "your own", _foreign(head), parameters, is_foreign=True)
    for known in _LEARNERS:
        if _plain(head) in map(_plain, (known.name, *known.aliases)):
            return replace(known, name=known.name + tail, parameters=parameters)
    names = ", ".join(learner.name for learner in _LEARNERS)
    raise ValueError(f"unknown learner {head!r}; choose one of {names}, or your own as MODULE:NAME")


@check_arguments
def split_learners(text: str) -> list[str]:
    """Split learners at the commas that stand outside of parentheses.

    Examples
    --------
    >>> split_learners("RPC, RF(n_estimators=9, max_depth=3)")
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
        found = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        if len(found) < len(call.keywords):
            raise ValueError
        return found
    # the last two where signs are nested too deep
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(
            f"learner {text[:200]!r}: write each parameter once as name=value, with numbers, quoted "
            "texts, True, False or None as values"
        ) from error


def _foreign(head: str) -> Callable[[], Any]:
    module, _, name = head.rpartition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"learner {head!r}: {error}; give MODULE:NAME of an estimator that Python can import"
        ) from error
    if not callable(make):
        raise ValueError(f"learner {head!r} is a {type(make).__name__}; name a class or a function")
    if not hasattr(make(), "set_params"):
        raise ValueError(
            f"learner {head!r} is no estimator; derive it from sklearn's BaseEstimator"
        )
    return make


def _known(
    name: str,
    description: str,
    seconds: tuple[float, float],
    *,
    package: str = "baselines",
    kind: str = "",
    aliases: tuple[str, ...] = (),
    in_all: bool = True,
    fills_gaps: bool = False,
    given_values: bool = False,
    shorthands: dict[str, str] | None = None,
    **parameters: Any,
) -> Learner:
    make = partial(_make, package, kind or name, parameters)
    more: dict[str, Any] = {"in_all": in_all, "fills_gaps": fills_gaps, "by_cost": given_values}
    more["shorthands"] = shorthands or {}
    return Learner(name, description, make, {}, aliases, seconds, **more)


def _make(package: str, kind: str, parameters: dict[str, Any]) -> Any:
    # Imported when used, so that a list of names needs no estimator.
    made = {key: value() if callable(value) else value for key, value in parameters.items()}
    return getattr(import_module(f"rankwise.{package}"), kind)(**made)


def _filling_logistic() -> Any:
    from rankwise.classifiers import FillingLogistic

    return FillingLogistic()


def _squares_logistic() -> Any:
    from rankwise.classifiers import FillingLogistic

    return FillingLogistic(squares=True, max_iter=500)


def _forest_classifier() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=50)


_FOREST: dict[str, Any] = {"package": "forest", "kind": "ForestRanker", "given_values": True}
_TREE: dict[str, Any] = {"package": "tree", "kind": "TreeRanker", "given_values": True}
# Values are kept for predictions, and change nothing in the trees.
_PLAIN: dict[str, Any] = {"by_cost": False}
_PAIRS: dict[str, Any] = {"package": "pairwise", "kind": "PairwiseRanker"}
# Half of the rows per tree, and half of those for the cuts: the honest forest of the theory.
_HONEST: dict[str, Any] = {"honest": True, "bootstrap": False, "max_samples": 0.5}

# Rough seconds were measured on iris, glass, wine and vehicle.
_LEARNERS = (
    _known("Auto", "tries many of these on rows left out, mixes the best; default of `fit`",
           (4.0, 120.0), in_all=False, given_values=True, package="auto", kind="AutoRanker"),
    _known("Forest", "forest of 100 trees; by cost, given values",
           (0.2, 12.0), in_all=False, **_FOREST),  # RF stands for it
    _known("RF", "forest of 50 trees, as in the paper's experiments", (0.1, 6.0),
           n_estimators=50, **_PLAIN, **_FOREST),
    _known("ExtraTrees", "100 trees cut at random, each on all rows", (0.1, 8.0), aliases=("ET",),
           in_all=False, splitter="random", bootstrap=False, **_FOREST),
    _known("HonestForest", "50 trees; half of a tree's rows choose the cuts, half fill the cells",
           (0.1, 10.0), aliases=("honest",), n_estimators=50, **_HONEST, **_PLAIN,
           **_FOREST),
    _known("Tree", "one tree, fully grown", (0.003, 0.4), aliases=("DT",), **_PLAIN, **_TREE),
    _known("Level", "Level-Splits tree: one feature for all cells of a level, 10 levels",
           (0.006, 0.9), criterion="level", max_depth=10, **_PLAIN, **_TREE),
    _known("Pairwise", "logistic regression for each pair of labels; gaps get the column's mean",
           (0.05, 3.0), fills_gaps=True, estimator=_filling_logistic,
           shorthands={"C": "estimator__C"}, **_PAIRS),
    _known("PairwiseSquares", "the same on features and their squares", (0.05, 6.0),
           fills_gaps=True, estimator=_squares_logistic,
           shorthands={"C": "estimator__C"}, **_PAIRS),
    _known("PairwiseForest", "forest of classification trees for each pair of labels",
           (0.8, 40.0), estimator=_forest_classifier, **_PAIRS),
    _known("CostForest", "such forests; pairs count by the difference of their values, if there are any",
           (0.8, 40.0), in_all=False, given_values=True, estimator=_forest_classifier, **_PAIRS),
    _known("CostPairwise", "logistic regressions of pairs, which count by the difference of values",
           (0.05, 3.0), in_all=False, given_values=True, fills_gaps=True, estimator=_filling_logistic,
           shorthands={"C": "estimator__C"}, **_PAIRS),
    _known("Kernel", "ridge regression of pairs on a Gaussian kernel of the features", (0.1, 20.0),
           package="pairwise", kind="KernelRanker"),
    _known("Consensus", "one ranking for all rows: the floor", (0.001, 0.01)),
    _known("RPC", "ranking by pairwise comparison: logistic regressions vote", (0.05, 3.0)),
    _known("LWD", "labelwise decomposition: logistic regression for each label", (0.1, 6.0)),
    _known("LRT", "label ranking tree, by Mallows models", (0.002, 1.7)),
    _known("LRRF", "label ranking random forest", (0.2, 8.0)),
    _known("KNNKemeny", "Kemeny consensus of the nearest rows", (0.01, 10.0), given_values=True),
    _known("BoostLR", "boosted label ranking trees", (0.1, 50.0)),
    _known("InstanceMallows", "Mallows model of the nearest rows", (0.01, 10.0), given_values=True),
    _known("InstancePlackettLuce", "Plackett-Luce model of the nearest rows", (0.3, 45.0),
           given_values=True),
    _known("PLRTree", "tree for rankings with ties, which it predicts too", (0.0003, 0.07)),
    _known("PLRForest", "50 such trees, a few features for each cut", (0.006, 0.9)),
    _known("PLRBagging", "50 such trees, all features for each cut", (0.006, 2.3), in_all=False),
    _known("InstancePLR", "bucket order of the nearest rows", (0.004, 1.0), given_values=True),
    # Memory and time grow with the square of the rows and more.
    _known("KernelRidgeKemeny", "kernel ridge regression onto Kemeny's embedding; small data only",
           (1.5, 850.0), in_all=False),
)  # fmt: skip
