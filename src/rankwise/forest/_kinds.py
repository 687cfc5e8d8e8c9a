"""What a mixed forest is made of: how many trees of which kinds.

Each kind is a forest of its own: given here are the parameters in which it differs from the whole. The
prediction is the mean of all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# With fewer rows the best cut of all pairs together is worse than one at random, with leaves of so many.
FEW_ROWS = 300
LEAF_AT_RANDOM = 3
# Where labels hardly follow from features, so many say more.
LARGE_LEAF = 10
# Trees for each pair times rows: of many labels fewer samples are drawn, for each label is in many pairs.
MOST_ROWS_OF_TREES = 32_000_000
FEWEST_SAMPLES = 10
# Share of the features that compete for the cuts of some trees on rankings with ties.
HALF = 0.5


Kind = dict[str, Any]


def kinds_of_incomplete(
    forest: Any, per_pair: int, on_all: int, n_rows: int, drawn: bool
) -> list[Kind]:
    """Trees for rankings with missing labels: so many for each pair, so many on all pairs, these last.

    `drawn` says whether trees that are cut at random draw rows, too, and are not grown on all of them.
    """
    best = on_all // 2 if n_rows >= FEW_ROWS else 0
    # all rows, as extremely randomised trees are grown, unless some are to be left out
    at_random = {"splitter": "random", "bootstrap": drawn}
    return _present(
        [
            {"decomposition": "pairwise", "n_estimators": per_pair, **at_random},
            {
                "decomposition": "joint_pairwise",
                "n_estimators": on_all - best,
                **at_random,
                # a leaf of one row says nothing about the pairs that the row does not compare
                "min_samples_leaf": _leaf(forest),
            },
            {"decomposition": "joint_pairwise", "n_estimators": best},
        ]
    )


def kinds_to_weigh(forest: Any, drawn: bool) -> list[Kind]:
    """Trees for rankings with missing labels, of which each kind may get a share.

    Leaves of one row say most where labels follow from features, and leaves of more where they hardly do.
    """
    at_random = {"splitter": "random", "bootstrap": drawn}
    several, many = ({"min_samples_leaf": _leaf(forest, n)} for n in (LEAF_AT_RANDOM, LARGE_LEAF))
    per_pair, on_all = ({"decomposition": name} for name in ("pairwise", "joint_pairwise"))
    return [
        {**per_pair, **at_random},
        {**per_pair, **at_random, **several},
        {**on_all, **at_random, **several},
        {**on_all, **at_random, **many},
        {**on_all},
    ]


def with_trees(kinds: list[Kind], numbers: Iterable[int]) -> list[Kind]:
    """So many trees of each kind, without those that have none."""
    return _present(
        [{**kind, "n_estimators": int(n)} for kind, n in zip(kinds, numbers, strict=True)]
    )


def kinds_of_tied(forest: Any, n: int, drawn: bool) -> list[Kind]:
    """Trees for complete rankings with ties: all of them on all pairs."""
    on_all_rows = n // 2
    on_samples = n - on_all_rows
    every_row = {} if drawn else {"bootstrap": False, "max_samples": None}
    most = forest.max_features
    all_compete = most is None or (isinstance(most, float) and most == 1.0)
    # where few features decide by sharp edges, trees that see many are better, and elsewhere mostly not
    competing: list[Kind] = [{}]
    if all_compete:
        competing = [{"max_features": HALF}, {"max_features": "sqrt"}, {}]
    sizes = [(on_samples + i) // len(competing) for i in reversed(range(len(competing)))]
    kinds: list[Kind] = [
        {"n_estimators": on_all_rows, "splitter": "random", **every_row},
        *({"n_estimators": m, **kind} for m, kind in zip(sizes, competing, strict=True)),
    ]
    return _present([{**kind, "decomposition": "joint_pairwise"} for kind in kinds])


def kinds_by_cost(forest: Any, n_rows: int, drawn: bool, incomplete: bool) -> list[Kind]:
    """Trees for rankings made of values: for each pair, half of them with rows weighed by differences.

    Neither form is the better one everywhere, and which one it is cannot be told from a few hundred
    rows with some large costs among them: on generated scenarios the mean of both was as good as a
    choice by the costs of inner folds, which takes ten more forests (docs/results/costs.md).
    """
    n, k = int(forest.n_estimators), forest.n_labels_
    n = min(n, max(FEWEST_SAMPLES, MOST_ROWS_OF_TREES // (n_rows * k * (k - 1) // 2)))
    n_plain = n // 2 if forest.by_cost == "auto" else 0
    per_pair: Kind = {
        "decomposition": "pairwise",
        "splitter": "random",
        "bootstrap": drawn,
        "min_samples_leaf": _leaf(forest),
    }
    plain = [{**per_pair, "n_estimators": n_plain}]
    if incomplete:
        half = n_plain // 2
        plain = kinds_of_incomplete(forest, half, n_plain - half, n_rows, drawn)
    weighing = {**per_pair, "n_estimators": n - n_plain, "by_cost": True}
    return _present([*({**kind, "by_cost": False} for kind in plain), weighing])


def _leaf(forest: Any, least: int = LEAF_AT_RANDOM) -> int:
    return max(least, int(forest.min_samples_leaf))


def _present(kinds: list[Kind]) -> list[Kind]:
    return [kind for kind in kinds if kind["n_estimators"]]
