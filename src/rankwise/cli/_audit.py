"""``rankwise audit``: look at a file before learning from it."""

from __future__ import annotations

from typing import Annotated

import typer

from rankwise.cli._console import make_console, print_json
from rankwise.cli._options import AsJson
from rankwise.cli._source import Source, takes_source

EXAMPLES = (
    "rankwise audit drinks.csv",
    "rankwise audit trials.csv --labels maize,millet,sorghum --features rain,height",
    "rankwise audit runs.csv --lower-is-better --labels cbc,scip,highs",
    "rankwise audit iris --json",
)


@takes_source
def audit_command(
    *,
    source: Source,
    folds: Annotated[int, typer.Option(help="Folds that every label should survive.")] = 10,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 on warnings as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at a data file as a careful colleague would: what is missing, tied, odd or wrong.

    Exit code: 0 if nothing is serious, 1 if something is (with --strict:
    if there is any warning), 2 if the file cannot be read.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.audits import audit

    dataset = source.read()
    report = audit(
        dataset.X,
        dataset.Y,
        labels=dataset.label_names,
        features=dataset.feature_names,
        n_folds=folds,
        first_row=1,
    )
    if as_json:
        print_json({"file": source.file, **report.to_dict()})
    else:
        make_console().print(report)
    n_bad = report.count("serious") + (report.count("warning") if strict else 0)
    raise typer.Exit(1 if n_bad else 0)
