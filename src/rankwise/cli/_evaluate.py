"""``rankwise evaluate``: how well rankings are predicted, with intervals and the floor beside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankwise.cli._console import note, print_json, print_table, say
from rankwise.cli._fit import say_compiling
from rankwise.cli._learners import (
    LeafRows,
    LearnerName,
    Seed,
    Ties,
    Trees,
    check_takes,
    learner_factory,
)
from rankwise.cli._options import AsJson, Top
from rankwise.cli._predict import Trusted, load_table_model
from rankwise.cli._source import Source, takes_source

EXAMPLES = (
    "rankwise evaluate trials.csv --labels maize,millet,sorghum",
    "rankwise evaluate iris --learner pairwise --folds 10 --repeats 5",
    "rankwise evaluate later.csv --labels maize,millet --model trials.rankwise",
)
_NAMES = {
    "tau": "Kendall's tau",
    "tau_x": "tau_x (ties count)",
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
    folds: Annotated[
        int | None, typer.Option(help="Folds to draw (default: the file's own, or 10).", min=2)
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Repetitions of the folds (default: 1).", min=1)
    ] = None,
    top: Top = 3,
    seed: Seed = 0,
    trusted: Trusted = None,
    as_json: AsJson = False,
) -> None:
    """Cross-validate a learner on a file, or score a model on new rows.

    The consensus, one ranking for all rows, is the floor: a learner that is not
    above it has learned nothing from the features. Where the file holds values
    and says which are better, what following the prediction costs stands beside:
    against the label that is the best on average over the training rows (single
    best) and the best label of every row (virtual best). Intervals hold the mean
    with 95 %: over folds by Nadeau and Bengio's correction, over rows of a model
    by Student's t.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.cli._scoring import score_learner, score_model

    say_compiling()
    if model is not None:
        # what the file holds is read by the model's own labels and columns
        if any(option is not None for option in (source.features, source.drop, source.nominal)):
            raise ValueError("--model knows its columns; leave --features, --drop, --nominal out")
        found = score_model(load_table_model(model, trusted), source, top)
        found["model"] = str(model)
    else:
        make = learner_factory(learner, trees=trees, leaf_rows=leaf_rows, ties=ties, seed=seed)
        data = source.read()
        how = check_takes(learner, data)
        protocol: dict[str, Any] = {"folds": folds, "repeats": repeats, "seed": seed}
        found = score_learner(data, make, **protocol, **how, top=top)
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
        if all(scores[who][metric] == scores[who].get(other) for who in ("prediction", "floor")):
            continue
        for label, key in ((who, "prediction"), ("consensus (floor)", "floor")):
            summary = scores[key][metric]
            rows.append((name, label, *(_number(summary[x]) for x in ("mean", "sd"))))
            rows[-1] = (*rows[-1], _interval(summary))
            name = ""
    rows += _cost_rows(found, who)
    print_table(["", "", "mean", "sd", "95 % interval"], rows)
    plan = "" if found["folds"] is None else f", {found['plan']}"
    say(f"Over {found['rows']:,} rows{plan}.")
    tau, floor = (found["scores"][key]["tau"] for key in ("prediction", "floor"))
    if tau["mean"] is not None and floor["mean"] is not None and tau["mean"] <= floor["mean"]:
        note("the features help no more than one consensus ranking for all rows does")


def _cost_rows(found: dict[str, Any], who: str) -> list[tuple[str, ...]]:
    """Return what choices cost: by the learner, the floor, the single and the virtual best."""
    scores = found["scores"]
    if "single_best" not in scores:
        return []
    in_unit = f" ({found['unit']})" if found["unit"] else ""
    penalised = "" if found["penalty"] is None else f", PAR{found['penalty']:g}"
    names = {
        "value": f"value of the choice{penalised}{in_unit}",
        "regret": f"lost against the best{in_unit}",
        "regret_of_top": f"lost, best of first {found['top']}{in_unit}",
        "gap_closed": "share of the gap closed",
    }
    everyone = {"prediction": who, "floor": "consensus (floor)"}
    everyone |= {"single_best": "single best", "virtual_best": "virtual best"}
    rows = []
    for metric, name in names.items():
        for key, label in everyone.items():
            summary = scores[key].get(metric)
            # By definition the virtual best loses nothing, and closes the gap that the single best has.
            is_known = metric != "value" and key == "virtual_best"
            if summary is None or is_known or (metric == "gap_closed" and key == "single_best"):
                continue
            written = _number if metric == "gap_closed" else _amount
            cells = [written(summary[x]) for x in ("mean", "sd", "low", "high")]
            interval = "-" if summary["low"] is None else f"{cells[2]} to {cells[3]}"
            rows.append((name, label, *cells[:2], interval))
            name = ""
    return rows


def _amount(value: float | None) -> str:
    """Write an amount in a user's unit, by four figures."""
    if value is None:
        return "-"
    if 0 < abs(value) < 0.001:
        return f"{value:.4f}" if abs(value) >= 0.00005 else "0"  # and not 1.5e-05
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(summary: dict[str, Any]) -> str:
    if summary["low"] is None:
        return "-"
    return f"{summary['low']:.3f} to {summary['high']:.3f}"
