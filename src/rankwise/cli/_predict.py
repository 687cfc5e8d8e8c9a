"""``rankwise predict``: the user's rows again, with a ranking and its certainty added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._cluster import Cluster
from rankwise.cli._console import note, print_json, print_plain, say, stdout_text
from rankwise.cli._options import (
    AsJson,
    Force,
    Sheet,
    check_free,
    refuse_other_ending,
    refuse_same_file,
)

if TYPE_CHECKING:
    from rankwise.datasets.tables import Cell, Content, FeatureColumns, Table
    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise predict trials.rankwise new.csv -o predictions.csv",
    "rankwise predict trials.rankwise new.csv | column -ts,",
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
        Path,
        typer.Argument(
            metavar="FILE",
            help="A table of new rows (CSV, .xlsx, Parquet, ARFF), or an ASlib scenario.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The .csv, .xlsx or .parquet to write (default: CSV, to stdout)."
        ),
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Print a sentence per row: what to try first.")
    ] = False,
    sheet: Sheet = None,
    prefix: Annotated[str, typer.Option(help="Put before the names of the added columns.")] = "",
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
    each label, and how far off about two thirds of the values are at most.
    Columns are matched by name, in any order. With --words: what to try first, what to expect
    of it, and what that cost at most in 9 of 10 rows that were held out at fitting.
    Of several files ('new/*.parquet') -o names a folder, which gets a file for each; with
    --cluster the workers write them.
    """
    from rankwise.cli._predict_parts import is_several, predict_files
    from rankwise.cli._words import sentence
    from rankwise.datasets.tables import open_table, write_csv

    if words and (as_json or output is not None):
        raise ValueError("--words prints sentences; leave --json and --output out")
    if output is not None and not is_several(file):
        check_free(output, force)
        refuse_other_ending(output)
        refuse_same_file(output, model)
        refuse_same_file(output, file)
    fitted = load_table_model(model, trusted)
    if is_several(file):
        if output is None or as_json or words:
            raise ValueError(
                "several files: name a folder for the predictions, such as -o predictions"
            )
        predict_files(fitted, file, output, cluster, (sheet, prefix, top), force)
        return
    if cluster is not None:
        raise ValueError("--cluster is for several files, such as 'new/*.parquet'; leave it out")
    if output is not None:
        for remark in write_predictions(fitted, file, output, sheet, prefix, top):
            note(remark)
        say(f"Wrote {output}")
        return
    with open_table(file, sheet) as table:
        features = _open(fitted, table)
        if not (as_json or words):
            _refuse_doubled(fitted, table, prefix)
        unused = [name for name in table.header if name not in features.names]
        if unused:
            say(f"Not used by the model: {', '.join(unused)}")
        rows = _predicted(fitted, table, features, top)
        if as_json:
            print_json([_as_object(fitted, line, prediction) for line, _, prediction in rows])
        elif words:
            for line, cells, prediction in rows:
                named = dict(zip(table.header, cells, strict=True))
                print_plain(sentence(fitted, named, line, prediction))
        else:
            content = _content(fitted, table, features, rows, prefix, is_text=True)
            write_csv(content, stdout_text(), _delimiter(table))
    for remark in features.unknown_remarks():
        note(remark)


def write_predictions(
    fitted: TableModel, file: Path, output: Path, sheet: str | None, prefix: str, top: int | None
) -> list[str]:
    """Write the rows of a file with what is predicted of them; return remarks on what is unknown."""
    from rankwise.datasets.tables import holds_numbers, open_table, write_content

    with open_table(file, sheet) as table:
        features = _open(fitted, table)
        _refuse_doubled(fitted, table, prefix)
        rows = _predicted(fitted, table, features, top)
        content = _content(fitted, table, features, rows, prefix, not holds_numbers(output))
        # A file appears only once it is complete.
        write_content(content, output, delimiter=_delimiter(table))
    return features.unknown_remarks()


def _open(fitted: TableModel, table: Table) -> FeatureColumns:
    for remark in table.remarks:
        note(remark)
    return features_of(fitted, table)


def _refuse_doubled(fitted: TableModel, table: Table, prefix: str) -> None:
    doubled = [name for name in fitted.output_columns(prefix) if name in table.header]
    if doubled:
        raise ValueError(
            f"{table.path} has a column {doubled[0]!r} already; choose names for the added columns "
            "with --prefix predicted_"
        )


def _content(
    fitted: TableModel,
    table: Table,
    features: FeatureColumns,
    rows: Iterator[tuple[int, tuple[str, ...], list[Any]]],
    prefix: str,
    is_text: bool,
) -> Content:
    from rankwise.datasets.tables import Content

    written = _as_texts if is_text else _as_numbers
    made = (written(cells, new, table, features) for _, cells, new in rows)
    return Content([*table.header, *fitted.output_columns(prefix)], made)


def _delimiter(table: Table) -> str:
    return table.delimiter if table.delimiter in (";", "\t", "|") else ","


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


def _as_texts(
    cells: tuple[str, ...], added: list[Any], table: Table, features: FeatureColumns
) -> list[Cell]:
    """Return a line of a text table, with decimal commas where the table has such numbers."""
    texts = ["" if cell is None else str(cell) for cell in added]
    if features.numbers.comma_line is not None:
        pairs = zip(texts, added, strict=True)
        texts = [t.replace(".", ",") if isinstance(cell, float) else t for t, cell in pairs]
    return [*cells, *texts]


def _as_numbers(
    cells: tuple[str, ...], added: list[Any], table: Table, features: FeatureColumns
) -> list[Cell]:
    """Return a row of a workbook or the like, where numbers are numbers; names stay texts."""
    known = (
        features.numbers.value(cell) if name in features.numeric and cell else None
        for name, cell in zip(table.header, cells, strict=True)
    )
    own = [cell if number is None else number for cell, number in zip(cells, known, strict=True)]
    return [*own, *(float("nan") if cell is None else cell for cell in added)]


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
