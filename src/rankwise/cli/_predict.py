"""``rankwise predict``: the user's rows again, with a ranking and its certainty added."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankwise.cli._cluster import Cluster
from rankwise.cli._console import note, say, stdout_text
from rankwise.cli._options import (
    STANDARD,
    AsJson,
    Force,
    Sheet,
    check_free,
    refuse_other_ending,
    refuse_same_file,
)
from rankwise.cli._quick_start import load_scikit_learn

if TYPE_CHECKING:
    from rankwise.datasets.tables import FeatureColumns, Table
    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise predict trials.rankwise new.csv -o predictions.csv",
    "cat new.csv | rankwise predict trials.rankwise - > predictions.csv",
    "rankwise predict trials.rankwise new.csv --top 3 --json",
    "rankwise predict yields.rankwise new.xlsx --words",
    "rankwise predict trials.rankwise 'new/*.parquet' -o predictions",
)

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file that `rankwise fit` wrote.")
]
Trusted = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="Classes to accept in a model file of your own, as its error names them.",
    ),
]


def predict_command(
    model: Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table of new rows in any format that `fit` reads, or - for standard input.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The .csv, .xlsx, .parquet or .arrow to write; - for CSV on stdout, the default but on a "
            "terminal, which shows a table.",
        ),
    ] = None,
    words: Annotated[
        bool,
        typer.Option("--words", help="Print a sentence per row: what to try first."),
    ] = False,
    sheet: Sheet = None,
    prefix: Annotated[
        str,
        typer.Option(help="Put before the names of the added columns."),
    ] = "",
    top: Annotated[
        int | None,
        typer.Option(help="Rank so many labels, and tie the others behind them.", min=1),
    ] = None,
    cluster: Cluster = None,
    trusted: Trusted = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Rank the labels for new rows; writes the rows with the prediction added.

    Added columns: ranking (a>b~c, where ~ is a tie), position_LABEL for each label
    (1 = first; tied labels share one), first_before_second and first_of_all: the chance
    that the label named first stands before the second, and before all others, with a
    decimal comma if the table has them.
    Where the model was fitted to values, value_LABEL and spread_LABEL: what to expect of
    each label, and how far off about two thirds of the values are at most; the ranking goes
    by comparisons of two labels each, and may differ from their order.
    Columns are matched by name, in any order. A long table, of one line per row and label,
    gives one prediction per row. With --words: what to try first, what to expect
    of it, and what that cost at most in 9 of 10 rows that were held out at fitting.
    Of several files ('new/*.parquet') -o names a folder, which gets a file for each; with
    --cluster the workers write them.
    """
    load_scikit_learn()
    # Imported here, so that help needs no numpy.
    from rankwise.cli._new_rows import use_rows
    from rankwise.cli._predict_parts import is_several, predict_files
    from rankwise.cli._predictions import Predictions

    if words and (as_json or output is not None):
        raise ValueError("--words prints sentences; leave --json and --output out")
    target = None if output is None or str(output) == STANDARD else output
    several = is_several(Path(file))
    if target is not None and not several:
        check_free(target, force)
        refuse_other_ending(target)
        refuse_same_file(target, model)
        refuse_same_file(target, Path(file))
    fitted = load_table_model(model, trusted)
    if several:
        if target is None or as_json or words:
            raise ValueError(
                "several files: name a folder for the predictions, such as -o predictions"
            )
        predict_files(fitted, Path(file), target, cluster, (sheet, prefix, top), force)
        return
    if cluster is not None:
        raise ValueError("--cluster is for several files, such as 'new/*.parquet'; leave it out")

    def use(table: Table, features: FeatureColumns) -> tuple[str, list[str]]:
        rows = Predictions(fitted, table, features, top=top, prefix=prefix)
        if not (as_json or words):
            rows.refuse_doubled_columns()
        if as_json:
            printed = rows.as_json()
        elif words:
            printed = rows.as_sentences()
        elif target is not None:
            rows.write(target)
            printed = ""
        elif output is None and sys.stdout.isatty():
            printed = rows.as_table()
        else:
            printed = rows.as_csv()
        return printed, rows.unused

    # All of it is made before any of it is printed: what fails prints nothing.
    (printed, unused), remarks = use_rows(fitted, file, use, sheet)
    stdout_text().write(printed) if str(output) == STANDARD else sys.stdout.write(printed)
    for remark in remarks:
        note(remark)
    if unused:
        say(f"Not used by the model: {', '.join(unused)}")
    if target is not None:
        say(f"Wrote {target}")


def load_table_model(path: Path, trusted: str | None) -> TableModel:
    """Load what ``rankwise fit`` wrote, or say how to use another model."""
    # Imported here, so that help needs no numpy.
    from rankwise.cli._options import split_names
    from rankwise.models import TableModel, load_model
    from rankwise.tables import TableRanker

    model = load_model(path, trusted=split_names(trusted) or ())
    if isinstance(model, TableRanker):
        model = TableModel.of(model)
    if not isinstance(model, TableModel):
        raise ValueError(
            f"{path} holds a {type(model).__name__} without the columns of a table; use it in Python "
            "with rankwise.load_model, or make a model with `rankwise fit`"
        )
    return model
