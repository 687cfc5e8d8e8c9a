"""``rankwise fit``: learn from a file, check on held-out rows, write a model."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._audit import audit_of
from rankwise.cli._board import print_board
from rankwise.cli._cluster import Cluster, working_on
from rankwise.cli._console import make_console, note, print_json, say
from rankwise.cli._fit_parts import Memory, RowsPerTree, fit_in_parts, grows_in_parts, is_in_parts
from rankwise.cli._learners import (
    LeafRows,
    LearnerIfNamed,
    Seed,
    Ties,
    Trees,
    check_takes,
    default_learner,
    learner_factory,
)
from rankwise.cli._options import AsJson, Force, check_free, refuse_same_file
from rankwise.cli._report import check_page, write_report
from rankwise.cli._source import Source, takes_source

if TYPE_CHECKING:
    from rankwise.audits import Audit
    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise fit trials.csv --labels maize,millet,sorghum -o trials.rankwise",
    "rankwise fit yields.csv --higher-is-better --labels THF,DMF --drop operator",
    "rankwise fit votes.csv --learner pairwise --json",
    "rankwise fit votes.csv --report votes.html",
    "rankwise fit 'trials/*.parquet' --labels maize,millet,sorghum --memory '4 GB'",
)
_COMPILES = "The first run on a machine compiles the learners, which takes up to a minute."


@takes_source
def fit_command(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The model file (default: FILE with .rankwise)."),
    ] = None,
    source: Source,
    learner: LearnerIfNamed = None,
    trees: Trees = None,
    leaf_rows: LeafRows = None,
    ties: Ties = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Folds of the check on held-out rows (default: the file's own, or 5; the rows that "
            "learners were tried on, where these are tried); 0: no check.",
            min=0,
        ),
    ] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(help="Seconds that trying learners may take, roughly.", min=0.1),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE", help="Also write a report, one HTML page (`rankwise report`)."
        ),
    ] = None,
    memory: Memory = None,
    cluster: Cluster = None,
    rows_per_tree: RowsPerTree = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn to rank from a data file and write a model, with a check on held-out rows.

    Without --learner many are tried on rows left out, and the best are mixed.
    Where the file holds values, such as yields or seconds, those are best whose
    choices cost least.
    Columns of texts become one feature of 0 and 1 per category; the model keeps
    the categories. A column that names or counts the rows, or is empty, is left
    out, with a note. Empty cells are fine. Certainty is fitted to the held-out rows of
    the check.
    Several files ('trials/*.parquet', or a folder) may hold more rows than memory: a forest
    draws its rows from them in parts, and is checked on rows that trees left out.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.cli._training import fit_table_model
    from rankwise.models import save_model

    options: dict[str, Any] = {
        "trees": trees,
        "leaf_rows": leaf_rows,
        "ties": ties,
        "time_budget": time_budget,
        "rows_per_tree": rows_per_tree,
    }
    several = is_in_parts(source, memory)
    usual = "Forest" if several else default_learner(trees or rows_per_tree, leaf_rows)
    learner = learner or usual
    make = learner_factory(learner, seed=seed, **options)  # a slip shows before the file is read
    in_parts = several or (cluster is not None and grows_in_parts(make))
    if folds == 1:
        raise ValueError("--folds 1: a check needs 2 folds or more; 0 leaves it out")
    if folds == 0 and report is not None:
        raise ValueError("--report: a report is about the check, which --folds 0 leaves out")
    if in_parts and report is not None:
        raise ValueError("--report reads all rows at once; leave it out for rows in parts")
    if in_parts and output is None and not source.path.exists():
        raise ValueError("several files: name the model, such as -o trials.rankwise")
    target = output or Path(source.path.name).with_suffix(".rankwise")
    check_free(target, force)
    refuse_same_file(target, source.path)
    if report is not None:
        check_page(report, source, force)
    say_compiling()
    start = time.perf_counter()
    if in_parts:
        model = fit_in_parts(source, make, learner=learner, memory=memory, cluster=cluster)
        save_model(model, target)
        _tell(model, None, target, time.perf_counter() - start, as_json)
        return
    data = source.read(about_categories=True)
    how = check_takes(learner, data)
    audit = audit_of(data, folds or 5)
    with working_on(cluster):
        model, held = fit_table_model(data, make, learner=learner, folds=folds, seed=seed, **how)
    save_model(model, target)
    if report is not None and held is not None:
        write_report(report, source, data, audit, model, held, target)
    _tell(model, audit, target, time.perf_counter() - start, as_json, report)


def say_compiling() -> None:
    """Say why the first run takes long, unless compiled learners lie where they are kept."""
    import rankwise

    folders = (os.environ.get("NUMBA_CACHE_DIR"), Path(rankwise.__file__).parent / "engine")
    if not any(any(Path(folder).rglob("*.nbi")) for folder in folders if folder):
        say(_COMPILES)


def _tell(
    model: TableModel,
    audit: Audit | None,
    target: Path,
    seconds: float,
    as_json: bool,
    report: Path | None = None,
) -> None:
    written = {"model": str(target), **({} if report is None else {"report": str(report)})}
    if as_json:
        print_json({**written, "seconds": round(seconds, 3), **_as_json(model, audit)})
    else:
        _print(model, audit, written, seconds)


def _as_json(model: TableModel, audit: Audit | None) -> dict[str, Any]:
    return {
        **{name: fact for name, fact in model.facts.items() if name != "leaf_rows"},
        **_tried(model.ranker),
        "labels": list(model.label_names),
        "columns": [column.name for column in model.recipe.columns],
        "certainty": vars(model.certainty),
        **({} if audit is None else {"findings": _findings(audit)}),
    }


def _findings(audit: Audit) -> list[dict[str, str]]:
    return [{"severity": f.severity, "message": f.message} for f in audit.findings]


def _tried(ranker: Any) -> dict[str, Any]:
    """What an AutoRanker has tried and chosen, and why."""
    board = getattr(ranker, "leaderboard_", None)
    if board is None:
        return {}
    lines = [asdict(standing) for standing in board]
    return {"leaderboard": lines, "chosen": ranker.chosen_, "reason": ranker.reason_}


def _print(model: TableModel, audit: Audit | None, written: dict[str, str], seconds: float) -> None:
    from rich.text import Text

    from rankwise._naming import counted

    facts = model.facts
    console = make_console()

    def line(name: str, value: str) -> None:
        width, indent = max(20, console.width - 14), " " * 14
        folded = wrap(value, width, break_long_words=False, break_on_hyphens=False)
        console.print(Text.assemble((f"{name:<14}", "dim"), f"\n{indent}".join(folded)))

    counts = {"column": len(model.recipe.columns), "feature": facts["features"]}
    counts["label"] = len(model.label_names)
    parts = [f"{facts['rows']:,}", *(counted(n, what) for what, n in counts.items())]
    line("rows", ", ".join(parts))
    line("learner", facts["learner"])
    board = getattr(model.ranker, "leaderboard_", None)
    if board is not None:
        line("why", model.ranker.reason_)
    if audit is not None:
        found = [f"{f.severity}: {f.message}" for f in audit.findings if f.severity != "note"]
        for i, text in enumerate(found or ["nothing to object to"]):
            line("audit" if i == 0 else "", text)
    check = facts["check"]
    if check is None:
        line("check", "none (--folds 0); certainty is as the learner gives it")
    else:
        measure = check.get("measure", "tau")
        tau, floor = check["prediction"][measure], check["floor"][measure]
        over = f"over {check['folds']} folds" if check["folds"] else "on rows left out"
        if measure == "tau_x":
            over += " (tau_x: ties count)"
        tied = [_with_ties(check[who], measure) for who in ("prediction", "floor")]
        line("held-out tau", f"{_mean_sd(tau)} {over}{tied[0]}")
        line("floor", f"{_mean_sd(floor)} by one consensus ranking for all rows{tied[1]}")
        closed = check["prediction"].get("gap_closed", {}).get("mean")
        if closed is not None:
            line("gap closed", f"{closed:.3f} from the single best label to the best of every row")
        if tau["mean"] is not None and tau["mean"] <= floor["mean"]:
            note("the features help no more than one consensus ranking for all rows does")
        if not model.certainty.is_fitted:
            line("certainty", "too few held-out pairs; it is as the learner gives it")
        else:
            line("certainty", f"fitted to {model.certainty.n_pairs:,} held-out pairs")
    line("time", f"{seconds:.1f} s")
    for what, path in written.items():
        line(what, path)
    if board is not None:
        print_board(board)
    say(f"Next: rankwise predict {written['model']} new.csv -o predictions.csv")


def _with_ties(summaries: dict[str, Any], measure: str) -> str:
    """Tau where ties count, unless it says what is said already."""
    said, known = (_mean_sd(summaries.get(name, summaries[measure])) for name in (measure, "tau_x"))
    return "" if said == known else f"; tau_x, where ties count, {known}"


def _mean_sd(summary: dict[str, Any]) -> str:
    if summary["mean"] is None:
        return "not known (no held-out pair)"
    sd = "" if summary["sd"] is None else f" ± {summary['sd']:.3f}"
    return f"{summary['mean']:.3f}{sd}"
