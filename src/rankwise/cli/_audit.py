"""``rankwise audit``: look at a file before learning from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rankwise.cli._console import make_console, print_json
from rankwise.cli._options import AsJson
from rankwise.cli._source import Source, takes_source

if TYPE_CHECKING:
    from rankwise.audits import Audit
    from rankwise.datasets import Dataset

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
    folds: Annotated[
        int, typer.Option(help="Folds you plan; labels too rare for them are named.")
    ] = 10,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 on warnings as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at a data file as a careful colleague would: what is missing, tied, odd or wrong.

    Exit code: 0 if nothing is serious, 1 if something is (with --strict:
    if there is any warning), 2 if the file cannot be read.
    """
    report = audit_of(source.read(about_categories=True), folds)
    if as_json:
        print_json({"file": source.file, **report.to_dict()})
    else:
        make_console().print(report)
    n_bad = report.count("serious") + (report.count("warning") if strict else 0)
    raise typer.Exit(1 if n_bad else 0)


def audit_of(data: Dataset, folds: int) -> Audit:
    """Audit a dataset; rows are called by name or by line, as in all commands."""
    # Imported here, so that help needs no numpy.
    from rankwise.audits import audit

    layout = data.layout
    in_columns = layout is not None and layout.name in ("wide", "scikit-lr")
    return audit(
        data.features,
        data.ranks,
        labels=data.label_names,
        features=data.feature_names,
        n_folds=folds,
        rows=data.row_titles(),
        # Numbers in columns may be ranks or orders; values and texts leave no doubt.
        are_ranks=data.higher_is_better is not None or not in_columns,
    )
