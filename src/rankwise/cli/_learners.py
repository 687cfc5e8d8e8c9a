"""The learners that `fit` and `evaluate` offer by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

LEARNERS = {
    "forest": "a forest of 100 trees; labelwise for complete rankings, pairwise for others",
    "honest": "the same, where half of the rows choose the cuts and half fill the cells",
    "tree": "one tree, fully grown",
    "level": "one Level-Splits tree: the same feature for all cells of a level",
    "pairwise": "logistic regression for each pair of labels; gaps get the column's mean",
}

Learner = Annotated[
    str,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="; ".join(f"{name}: {LEARNERS[name]}" for name in LEARNERS),
    ),
]
Trees = Annotated[int, typer.Option(help="Number of trees of a forest.", min=1)]
LeafRows = Annotated[
    int, typer.Option("--leaf-rows", help="Rows that every leaf of a tree keeps, at least.", min=1)
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0)]


def learner_factory(name: str, *, trees: int, leaf_rows: int, seed: int) -> Callable[[], Any]:
    """Return a function that makes an unfitted ranker; an unknown name lists the known ones."""
    if name not in LEARNERS:
        raise ValueError(f"--learner {name}: unknown; choose one of {', '.join(LEARNERS)}")
    if name == "pairwise":
        return lambda: _pairwise(seed)
    if name in ("forest", "honest"):
        # imported here, as in all of this module: help needs no numpy
        from rankwise.forest import ForestRanker

        return lambda: ForestRanker(
            trees,
            honest=name == "honest",
            min_samples_leaf=leaf_rows,
            n_jobs=-1,
            random_state=seed,
        )
    from rankwise.tree import TreeRanker

    criterion = "level" if name == "level" else "breiman"
    return lambda: TreeRanker(criterion, min_samples_leaf=leaf_rows, random_state=seed)


def _pairwise(seed: int) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from rankwise.pairwise import PairwiseRanker

    steps = make_pipeline(
        SimpleImputer(keep_empty_features=True), StandardScaler(), LogisticRegression()
    )
    return PairwiseRanker(steps, random_state=seed)
