"""The learners of the paper's experiments by the paper's names, and two that its theory is about."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

PAPER = ("RF", "DT", "SDT")
TUNED = ("RFT", "DTT")
ADDED = ("Level", "Honest")

FULL_NAMES = {
    "RF": "random forest",
    "DT": "fully grown tree",
    "SDT": "shallow tree",
    "RFT": "tuned random forest",
    "DTT": "tuned tree",
    "Level": "Level-Splits tree",
    "Honest": "honest forest",
}


def make_learner(name: str, *, depth: int, trees: int, seed: int) -> Any:
    """Return a new learner of the paper's experiments.

    Parameters
    ----------
    name : {"RF", "DT", "SDT", "Level", "Honest"}
        Random forest, fully grown tree, shallow tree; Level-Splits tree of twice `depth` levels,
        honest forest.
    depth : int
        Depth of shallow trees: 5 on the synthetic families, 15 on the benchmarks.
    trees : int
        Trees of a forest.
    seed : int
        The same seed gives the same learner.

    Examples
    --------
    >>> make_learner("SDT", depth=5, trees=50, seed=0)
    TreeRanker(max_depth=5, random_state=0)
    """
    # Imported here: plans and results need no learners, and these bring scikit-learn.
    from rankwise.forest import ForestRanker
    from rankwise.tree import TreeRanker

    if name == "RF":
        return ForestRanker(trees, random_state=seed)
    if name == "DT":
        return TreeRanker(random_state=seed)
    if name == "SDT":
        return TreeRanker(max_depth=depth, random_state=seed)
    if name == "Level":
        # With depth 5 that is 10 levels: one for each informative feature of a label.
        return TreeRanker(criterion="level", max_splits=2 * depth, random_state=seed)
    if name == "Honest":
        # As the theory has it: each tree on a sample without replacement.
        return ForestRanker(trees, honest=True, bootstrap=False, max_samples=0.5, random_state=seed)
    raise ValueError(f"there is no learner {name!r}; use one of {', '.join((*PAPER, *ADDED))}")


@lru_cache
def describe_learner(name: str, depth: int, trees: int) -> str:
    """Return a learner's parameters, which belong to the configuration of its results.

    Examples
    --------
    >>> describe_learner("DT", 5, 50)
    'TreeRanker(random_state=0)'
    """
    return repr(make_learner(name, depth=depth, trees=trees, seed=0))


def make_candidate(
    name: str, *, max_features: str | None, max_depth: int | None, trees: int, seed: int
) -> Any:
    """Return a candidate of a tuned learner, ``"RFT"`` or ``"DTT"``.

    Examples
    --------
    >>> make_candidate("DTT", max_features="sqrt", max_depth=5, trees=50, seed=0)
    TreeRanker(max_depth=5, max_features='sqrt', random_state=0)
    """
    from rankwise.forest import ForestRanker
    from rankwise.tree import TreeRanker

    if name not in TUNED:
        raise ValueError(f"there is no tuned learner {name!r}; use one of {', '.join(TUNED)}")
    rules: dict[str, Any] = {
        "max_features": max_features, "max_depth": max_depth, "random_state": seed,
    }  # fmt: skip
    return ForestRanker(trees, **rules) if name == "RFT" else TreeRanker(**rules)
