"""The learners of the paper's experiments by the paper's names, and their cross-validation."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from rankwise.learners import find_learner
from rankwise.metrics import kendall_tau
from rankwise.paper._tuning import TunedRanker
from rankwise.validation import cross_validate
from rankwise.validation.running import derive_seed

PAPER = ("RF", "DT", "SDT")
TUNED = ("RFT", "DTT")
# What its theory is about, beside them.
ADDED = ("Level", "Honest")

# the paper's name -> ours
_KNOWN = {"RF": "RF", "DT": "Tree", "SDT": "Tree", "Level": "Level", "Honest": "HonestForest"}


def make_learner(name: str, *, depth: int, trees: int, seed: int) -> Any:
    """Return a new learner of the paper's experiments.

    Parameters
    ----------
    name : {"RF", "DT", "SDT", "Level", "Honest"}
        Random forest, fully grown tree, shallow tree; Level-Splits tree of twice `depth` levels,
        honest forest.
    depth : int
        Depth of shallow trees; `Protocol` says which.
    trees : int
        Trees of a forest.
    seed : int
        The same seed gives the same learner.

    Examples
    --------
    >>> make_learner("SDT", depth=5, trees=50, seed=0)
    TreeRanker(max_depth=5, random_state=0)
    """
    if name not in _KNOWN:
        raise ValueError(f"there is no learner {name!r}; use one of {', '.join(_KNOWN)}")
    parameters: dict[str, Any] = {}
    if name in ("RF", "Honest"):
        parameters = {"n_estimators": trees}
    elif name == "SDT":
        parameters = {"max_depth": depth}
    elif name == "Level":
        # With depth 5 that is 10 levels: one for each informative feature of a label.
        parameters = {"max_depth": None, "max_splits": 2 * depth}
    return find_learner(_KNOWN[name]).estimator(seed, **parameters)


@lru_cache
def describe_learner(name: str, depth: int, trees: int) -> str:
    """Return a learner's parameters, which belong to the configuration of its results.

    Examples
    --------
    >>> describe_learner("DT", 5, 50)
    'TreeRanker(random_state=0)'
    """
    return repr(make_learner(name, depth=depth, trees=trees, seed=0))


def validate(
    config: dict[str, Any], X: np.ndarray, Y: np.ndarray, Y_test: np.ndarray
) -> dict[str, Any]:
    """Run the folds of a configuration and return tau of each, on ranks and on orders.

    The paper learns from noisy rankings, `Y`, and validates on noiseless ones, `Y_test`.
    """
    # Imported here: planning and reading results need no scikit-learn.
    from sklearn.model_selection import KFold

    entropy = config["seed"], config["repetition"]
    rule = KFold(config["n_folds"], shuffle=True, random_state=derive_seed(*entropy, 0))
    folds = list(rule.split(X))

    def make(number: int) -> Any:
        seed = derive_seed(*entropy, 1 + config["folds"][number])
        name, trees = config["learner"], config["trees"]
        if name in TUNED:
            grid = {key: config[key] for key in ("grid_features", "grid_depths", "inner_folds")}
            return TunedRanker(name == "RFT", **grid, trees=trees, random_state=seed)
        return make_learner(name, depth=config["depth"], trees=trees, seed=seed)

    return measure(make, X, Y, [folds[fold] for fold in config["folds"]], Y_test)


def measure(
    ranker: Any, X: np.ndarray, Y: np.ndarray, cv: list[Any], Y_test: np.ndarray
) -> dict[str, Any]:
    """Cross-validate a ranker and return both readings of tau per fold, and seconds in all."""
    found = cross_validate(
        ranker,
        X,
        Y,
        cv=cv,
        metrics={"tau": kendall_tau, "tau_on_orders": partial(kendall_tau, on="orders")},
        y_test=Y_test,
    )
    return {**found.scores, "seconds": sum(found.fit_seconds) + sum(found.predict_seconds)}
