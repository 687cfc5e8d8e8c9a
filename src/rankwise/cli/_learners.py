"""``rankwise learners``, and the options by which `fit` and `evaluate` choose one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import note, print_json, print_table
from rankwise.cli._options import AsJson

if TYPE_CHECKING:
    from rankwise.datasets import Dataset

EXAMPLES = (
    "rankwise learners",
    "rankwise fit trials.csv --labels maize,rice --learner 'LRRF(n_estimators=200)'",
)

_LEARNER = typer.Option(
    "--learner",
    metavar="NAME",
    help="A learner by name, with parameters as in 'RF(max_depth=5)', or your own as "
    "MODULE:NAME; `rankwise learners` lists them.",
)
LearnerName = Annotated[str, _LEARNER]
LearnerIfNamed = Annotated[str | None, _LEARNER]
Trees = Annotated[
    int | None, typer.Option(help="Number of trees of a forest (default: the learner's).", min=1)
]
LeafRows = Annotated[
    int | None,
    typer.Option("--leaf-rows", help="Rows that every leaf of a tree keeps, at least.", min=1),
]
Ties = Annotated[
    str | None,
    typer.Option(
        metavar="auto|never|SHARE",
        help="Ties in predictions: auto (where the rankings learned from have them), never, or the "
        "share, from 0 to 1, that must put a label before another; else the two are tied "
        "(default: the learner's).",
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0)]


def learners_command(as_json: AsJson = False) -> None:
    """List the learners that `fit`, `evaluate` and `compare` know by name, and what they take."""
    # Imported here, as in all of this module: help needs no numpy.
    from rankwise.learners import known_learners

    found: list[dict[str, Any]] = [
        {
            "name": learner.name,
            "aliases": list(learner.aliases),
            "description": learner.description,
            "takes": learner.takes._asdict(),
            "seconds": learner.cost(1000, 10, 5),
        }
        for learner in known_learners()
    ]
    if as_json:
        print_json(found)
        return
    print_table(
        ["name", "takes", "seconds", "what it is"],
        [
            [
                " or ".join([row["name"], *row["aliases"]]),
                "".join(
                    letter if taken else "-"
                    for letter, taken in zip("mtwg", row["takes"].values(), strict=True)
                ),
                f"{row['seconds']:.2g}",
                row["description"],
            ]
            for row in found
        ],
    )
    print(
        "takes: m = rankings with missing labels, t = ties, w = weights, g = gaps in\n"
        "features (without g, they are filled with the mean of the training rows)\n"
        "seconds: roughly, a fit to 1,000 rows, 10 features and 5 labels"
    )


def default_learner(trees: int | None = None, leaf_rows: int | None = None) -> str:
    """Return the name of the learner that is taken where none was named."""
    # Who speaks of trees wants a forest.
    return "Auto" if trees is None and leaf_rows is None else "Forest"


def learner_factory(
    text: str,
    *,
    trees: int | None,
    leaf_rows: int | None,
    ties: str | None,
    seed: int,
    time_budget: float | None = None,
    rows_per_tree: int | None = None,
) -> Callable[[], Any]:
    """Return a function that makes the unfitted ranker that the options describe."""
    from rankwise.learners import find_learner

    learner = find_learner(text)
    known = learner.estimator().get_params()
    options = {
        "n_estimators": ("--trees", trees),
        "min_samples_leaf": ("--leaf-rows", leaf_rows),
        "ties": ("--ties", None if ties is None else _ties_of(ties)),
        "time_budget": ("--time-budget", time_budget),
        "max_samples": ("--rows-per-tree", rows_per_tree),
    }
    chosen = {name: value for name, (_, value) in options.items() if value is not None}
    for name in [name for name in chosen if name not in known]:
        note(f"{options[name][0]} does not apply to {learner.name}, and changes nothing")
        del chosen[name]
    # Trees grow in threads; other learners would start processes, which take seconds.
    if {"n_estimators", "candidates"} & {*known} and known.get("n_jobs", 0) is None:
        chosen["n_jobs"] = -1
    if "candidates" in known:
        chosen["verbose"] = 1
    return lambda: learner.estimator(seed, **chosen)


def _ties_of(text: str) -> str | float:
    if text in ("auto", "never"):
        return text
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"--ties {text}: use auto, never or a share from 0 to 1")
    return share


def check_takes(text: str, data: Dataset) -> dict[str, bool]:
    """Refuse data that a learner does not take; return how it is to be fitted.

    Whether gaps in features are filled, and whether it learns from values as well.
    """
    import numpy as np

    from rankwise.learners import find_learner, needs_filling

    learner = find_learner(text)
    rising = np.sort(data.ranks, axis=1)
    cells = {
        "an incomplete ranking": (np.isnan(data.ranks), learner.takes.missing_labels),
        "tied labels": (rising[:, 1:] == rising[:, :-1], learner.takes.ties),
    }
    for what, (where, is_taken) in cells.items():
        if where.any() and not (is_taken or learner.is_foreign):
            row = data.row_titles()[int(where.any(axis=1).argmax())]
            raise ValueError(
                f"row {row} has {what}, which {learner.name} does not take; "
                "choose a --learner that does: `rankwise learners` lists them"
            )
    fill = needs_filling(learner, data.features)
    if fill:
        n = int(np.isnan(data.features).any(axis=1).sum())
        note(
            f"{learner.name} takes no gaps in features: {n} rows have some, which are filled with the "
            "mean of the training rows"
        )
    # Others than those on pairs alone learn from ranks as well, and keep values to be asked for.
    needs_values = learner.by_cost and not hasattr(learner.estimator(), "predict_values")
    if needs_values and not data.has_costs:
        note(f"the file holds no values for {learner.name} to weigh pairs by; they count alike")
    return {"fill": fill, "by_cost": learner.by_cost and data.has_costs}
