"""``rankwise evaluate``: how well rankings are predicted, with intervals and the floor beside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankwise.cli._console import note, print_json, print_table, say
from rankwise.cli._fit import COMPILES
from rankwise.cli._learners import (
    LeafRows,
    LearnerName,
    Seed,
    Ties,
    Trees,
    check_takes,
    learner_factory,
)
from rankwise.cli._options import AsJson
from rankwise.cli._predict import Trusted, load_table_model
from rankwise.cli._source import Source, takes_source

EXAMPLES = (
    "rankwise evaluate trials.csv --labels maize,millet,sorghum",
    "rankwise evaluate iris --learner pairwise --folds 10 --repeats 5",
    "rankwise evaluate later.csv --labels maize,millet,sorghum --model trials.rankwise",
)
_NAMES = {
    "tau": "Kendall's tau",
    "tau_x": "tau_X (ties count)",
    "exact": "exact match",
    "compatible": "compatible match",
    "top1": "first label right",
}
# Without ties these say what the one named says, and are left out.
_WITH_TIES = {"tau_x": "tau", "compatible": "exact"}


@takes_source
def evaluate_command(
    *,
    model: Annotated[
        Path | None,
        typer.Option(help="Score this model on the file as new rows, instead of cross-validating."),
    ] = None,
    source: Source,
    learner: LearnerName = "forest",
    trees: Trees = None,
    leaf_rows: LeafRows = None,
    ties: Ties = None,
    folds: Annotated[int, typer.Option(help="Folds.", min=2)] = 10,
    repeats: Annotated[int, typer.Option(help="Repetitions of the folds.", min=1)] = 1,
    seed: Seed = 0,
    trusted: Trusted = None,
    as_json: AsJson = False,
) -> None:
    """Cross-validate a learner on a file, or score a model on new rows.

    The consensus, one ranking for all rows, is the floor: a learner that is not
    above it has learned nothing from the features. Intervals hold the mean with
    95 %: over folds by Nadeau and Bengio's correction, over rows of a model by
    Student's t.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.cli._scoring import score_learner, score_model

    say(COMPILES)
    if model is not None:
        # what the file holds is read by the model's own labels and columns
        if any(option is not None for option in (source.features, source.drop, source.nominal)):
            raise ValueError("--model knows its columns; leave --features, --drop, --nominal out")
        found = score_model(load_table_model(model, trusted), source)
        found["model"] = str(model)
    else:
        make = learner_factory(learner, trees=trees, leaf_rows=leaf_rows, ties=ties, seed=seed)
        data = source.read()
        check_takes(learner, data)
        found = score_learner(data, make, folds=folds, repeats=repeats, seed=seed)
        found["learner"] = learner
    found = {"file": source.file, **found}
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    who = found.get("learner") or found["model"]
    rows = []
    scores = found["scores"]
    for metric, name in _NAMES.items():
        other = _WITH_TIES.get(metric, "")
        if all(by[metric] == by.get(other) for by in scores.values()):
            continue
        for label, key in ((who, "prediction"), ("consensus (floor)", "floor")):
            summary = scores[key][metric]
            rows.append((name, label, *(_number(summary[x]) for x in ("mean", "sd"))))
            rows[-1] = (*rows[-1], _interval(summary))
            name = ""
    print_table(["", "", "mean", "sd", "95 % interval"], rows)
    folds = found["folds"]
    over = (
        f"{found['rows']:,} rows"
        if folds is None
        else f"{found['rows']:,} rows, {folds} folds, {found['repeats']} time"
        + "s" * (found["repeats"] != 1)
    )
    say(f"Over {over}.")
    tau, floor = (found["scores"][key]["tau"] for key in ("prediction", "floor"))
    if tau["mean"] is not None and floor["mean"] is not None and tau["mean"] <= floor["mean"]:
        note("the features help no more than one consensus ranking for all rows does")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(summary: dict[str, Any]) -> str:
    if summary["low"] is None:
        return "-"
    return f"{summary['low']:.3f} to {summary['high']:.3f}"
