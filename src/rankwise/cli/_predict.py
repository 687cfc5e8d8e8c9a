"""``rankwise predict``: the user's rows again, with a ranking and its certainty added."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise._replacing import replacing_text
from rankwise.cli._console import note, print_json, say
from rankwise.cli._options import AsJson, Force, check_free, refuse_other_ending, refuse_same_file

if TYPE_CHECKING:
    from rankwise.datasets.tables import FeatureColumns, Table
    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise predict trials.rankwise new.csv -o predictions.csv",
    "rankwise predict trials.rankwise new.csv | column -ts,",
    "rankwise predict trials.rankwise new.csv --top 3 --json",
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
        Path,
        typer.Argument(
            metavar="FILE", help="A table of new rows (CSV, Parquet, ARFF), or an ASlib scenario."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The CSV to write (default: stdout).")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Put before the names of the added columns.")] = "",
    top: Annotated[
        int | None,
        typer.Option(help="Rank so many labels, and tie the others behind them.", min=1),
    ] = None,
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
    each label, and how far off about two thirds of the values are at most.
    Columns are matched by name, in any order.
    """
    from rankwise.datasets.tables import open_table

    if output is not None:
        check_free(output, force)
        refuse_other_ending(output)
        refuse_same_file(output, model)
        refuse_same_file(output, file)
    fitted = load_table_model(model, trusted)
    with open_table(file) as table:
        features = features_of(fitted, table)
        added = fitted.output_columns(prefix)
        doubled = [name for name in added if name in table.header]
        if doubled and not as_json:
            raise ValueError(
                f"{file} has a column {doubled[0]!r} already; choose names for the added columns "
                "with --prefix predicted_"
            )
        unused = [name for name in table.header if name not in features.names]
        if unused:
            say(f"Not used by the model: {', '.join(unused)}")
        rows = _predicted(fitted, table, features, top)
        if as_json:
            print_json([_as_object(fitted, line, prediction) for line, _, prediction in rows])
        else:
            # A file appears only once it is complete.
            with nullcontext(sys.stdout) if output is None else replacing_text(output) as handle:
                delimiter = table.delimiter if table.delimiter in (";", "\t", "|") else ","
                writer = csv.writer(handle, delimiter=delimiter, lineterminator="\n")
                writer.writerow([*table.header, *added])
                writer.writerows(
                    [*cells, *_as_cells(prediction, features)] for _, cells, prediction in rows
                )
    for remark in features.unknown_remarks():
        note(remark)
    if output is not None:
        say(f"Wrote {output}")


def load_table_model(path: Path, trusted: str | None) -> TableModel:
    """Load what ``rankwise fit`` wrote, or say how to use another model."""
    # Imported here, so that help needs no numpy.
    from rankwise.cli._options import split_names
    from rankwise.models import TableModel, load_model

    model = load_model(path, trusted=split_names(trusted) or ())
    if not isinstance(model, TableModel):
        raise ValueError(
            f"{path} holds a {type(model).__name__} without the columns of a table; use it in Python "
            "with rankwise.load, or make a model with `rankwise fit`"
        )
    return model


def features_of(model: TableModel, table: Table) -> FeatureColumns:
    """Return what makes the features of the model of the columns of a table."""
    from rankwise.datasets.tables import FeatureColumns

    commas = table.delimiter != ","
    return FeatureColumns.by_recipe(model.recipe, table.path, table.header, allow_comma=commas)


def _predicted(
    model: TableModel, table: Table, features: FeatureColumns, top: int | None
) -> Iterator[tuple[int, tuple[str, ...], list[Any]]]:
    """Yield line, cells and what is added, a chunk of the file at a time."""
    from rankwise.datasets.tables import texts_of

    for lines, columns in table.chunks():
        X = features.encode(columns, lines)
        try:
            prediction = model.predict(X, top)
        except ValueError as error:
            raise ValueError(f"{table.path}, lines {lines[0]} to {lines[-1]}: {error}") from error
        rows = zip(*map(texts_of, columns), strict=True)
        yield from zip(lines, rows, prediction.rows(), strict=True)


def _as_cells(added: list[Any], features: FeatureColumns) -> list[Any]:
    """Write chances with a decimal comma where the table has such numbers."""
    if features.numbers.comma_line is None:
        return added
    return [str(cell).replace(".", ",") if isinstance(cell, float) else cell for cell in added]


def _as_object(model: TableModel, line: int, added: list[Any]) -> dict[str, Any]:
    k = len(model.label_names)
    text, *positions = added[: k + 1]
    pair, top, *expected = added[k + 1 :]
    found = {
        "line": line,
        "ranking": text,
        "positions": dict(zip(model.label_names, positions, strict=True)),
        "first_before_second": pair,
        "first_of_all": top,
    }
    if expected:
        pairs = zip(model.label_names, expected[::2], expected[1::2], strict=True)
        found["values"] = {label: {"expected": v, "spread": s} for label, v, s in pairs}
    return found
