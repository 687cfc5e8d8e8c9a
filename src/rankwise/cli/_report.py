"""``rankwise report``: learn from a file, and write a page about it that a colleague can read."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._audit import audit_of
from rankwise.cli._console import print_plain
from rankwise.cli._learners import (
    LearnerIfNamed,
    Seed,
    Ties,
    check_takes,
    default_learner,
    learner_factory,
)
from rankwise.cli._options import Force, check_free, refuse_same_file
from rankwise.cli._source import Source, takes_source, typed

if TYPE_CHECKING:
    from rankwise.audits import Audit
    from rankwise.datasets import Dataset
    from rankwise.models import TableModel
    from rankwise.report import HeldOutRows

EXAMPLES = (
    "rankwise report trials.csv --labels maize,millet,sorghum -o trials.html",
    "rankwise report reactions.csv --higher-is-better --drop operator",
)


@takes_source
def report_command(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page (default: FILE with .html)."),
    ] = None,
    source: Source,
    learner: LearnerIfNamed = None,
    ties: Ties = None,
    time_budget: Annotated[
        float | None,
        typer.Option(help="Seconds that trying learners may take, roughly.", min=0.1),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Learn from a data file, and write a report: one HTML page that needs no network.

    It tells what is odd about the data, how well rankings of rows left out are
    predicted and what that means, which learners were tried, whether the chances
    can be trusted, which columns decide which label, why three rows are ranked as
    they are, and what to do next.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.cli._fit import say_compiling
    from rankwise.cli._training import fit_table_model

    options: dict[str, Any] = {"trees": None, "leaf_rows": None, "ties": ties}
    options["time_budget"] = time_budget
    if learner is not None:
        learner_factory(learner, seed=seed, **options)  # a slip shows before the file is read
    target = output or Path(source.path.name).with_suffix(".html")
    check_page(target, source, force)
    say_compiling()
    data = source.read()
    learner = learner or default_learner()
    make = learner_factory(learner, seed=seed, **options)
    how = check_takes(learner, data)
    audit = audit_of(data, 5)
    model, held = fit_table_model(data, make, learner=learner, folds=None, seed=seed, **how)
    assert held is not None
    write_report(target, source, data, audit, model, held)
    print_plain(str(target))


def check_page(target: Path, source: Source, force: bool) -> None:
    """Find out before the long work whether the page can be written."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{target}: the report is a page; end its name in .html")
    check_free(target, force)
    refuse_same_file(target, source.path)


def write_report(
    target: Path,
    source: Source,
    data: Dataset,
    audit: Audit,
    model: TableModel,
    held: HeldOutRows,
    model_file: Path | None = None,
) -> None:
    """Write the page of a fitted model, whole or not at all."""
    from rankwise._progress import Progress
    from rankwise._replacing import write_whole
    from rankwise.report import N_STEPS, build_page, gather

    commands = next_commands(source, model.facts["learner"], model_file)
    with Progress("report", N_STEPS) as progress:
        done = count()

        def each_step(name: str) -> None:
            progress.step(f"report: {name}")
            progress.report(next(done), N_STEPS)

        found = gather(
            source.path.name, data, audit, model, held, commands=commands, each_step=each_step
        )
        write_whole(target, build_page(found))


def next_commands(
    source: Source, learner: str, model_file: Path | None = None
) -> list[tuple[str, str]]:
    """Return what to type next, with the options by which the file was read."""
    named = [] if learner == "Auto" else ["--learner", learner]
    # each fold of `Auto` tries all learners again, so that once must do
    again = ["--learner", learner, *([] if learner == "Auto" else ["--repeats", "5"])]
    fitted = str(model_file or Path(source.path.name).with_suffix(".rankwise"))
    read = source.words()
    new = f"new{source.path.suffix or '.csv'}"
    fit = [("keep the model", ["fit", *read, *named, "-o", fitted])]
    steps = [
        *(fit if model_file is None else []),
        ("rank new rows, in a file with the same columns", ["predict", fitted, new]),
        ("why are two labels ranked so in its first row?", ["explain", fitted, new, "--row", "1"]),
        ("measure more thoroughly", ["evaluate", *read, *again, "--folds", "10"]),
        ("look at the data again, after mending it", ["audit", *read]),
    ]
    return [(what, typed(["rankwise", *words])) for what, words in steps]
