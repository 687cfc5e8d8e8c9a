"""``rankwise explain``: why one label stands before another in one row of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from rankwise._messages import for_command_line
from rankwise.cli._console import make_console, note, print_json
from rankwise.cli._options import AsJson, HigherIsBetter, Sheet
from rankwise.cli._predict import Model, Trusted, load_table_model
from rankwise.cli._source import Source

if TYPE_CHECKING:
    import numpy as np

    from rankwise.datasets.tables import FeatureColumns, Table
    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise explain trials.rankwise new.csv --row 3 --first maize --second millet",
    "rankwise explain trials.rankwise new.xlsx --row plot-7 --json",
)


def explain_command(
    model: Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table with the row to explain, as `predict` takes it; - for standard input.",
        ),
    ],
    row: Annotated[
        str,
        typer.Option(
            metavar="N|NAME",
            help="Which row: 1 is the first one below the header; or its name, as `predict` shows it.",
        ),
    ] = "1",
    first: Annotated[
        str | None,
        typer.Option("--first", "-a", metavar="LABEL", help="A label (default: predicted first)."),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second", "-b", metavar="LABEL", help="Another (default: predicted second)."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The file that the model was fitted to, for similar rows."
        ),
    ] = None,
    higher_is_better: HigherIsBetter = None,
    sheet: Sheet = None,
    data_sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="The same for the workbook of --data.")
    ] = None,
    trusted: Trusted = None,
    as_json: AsJson = False,
) -> None:
    """Say which features put one label before another in one row.

    What the row is compared with is the average over the training rows. With --data, those that are
    most similar are named as well, by their name or line.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.cli._scoring import read_for_model
    from rankwise.cli._words import chance_text
    from rankwise.explanations import explain, in_recipe

    fitted = load_table_model(model, trusted)
    number, x = _row(fitted, file, row, sheet)
    ranks, shares = fitted.ranks_and_shares(x)
    ranked = sorted(zip(ranks[0].tolist(), fitted.label_names, strict=True))
    names = [name for _, name in ranked]
    for name in (first, second):
        if name is not None and name not in names:
            raise ValueError(f"{name!r} is no label of the model; it ranks {', '.join(names)}")
    if first is None:
        first = next(name for name in names if name != second)
    if second is None:
        second = next(name for name in names if name != first)
    alone = ("feature_importances_", "comparison_rows_")
    if data is None and not any(hasattr(fitted.ranker, name) for name in alone):
        raise ValueError(
            f"a {type(fitted.ranker).__name__} is explained against its training rows; name them "
            "with --data FILE"
        )
    X = Y = None
    if data is not None:
        X, training = read_for_model(
            fitted, Source(data, higher_is_better=higher_is_better, sheet=data_sheet)
        )
        X, Y = fitted.frame(X), training.ranks
        X.index = training.row_titles()
    counted = fitted.facts.get("leaf_rows")
    explanation = explain(
        fitted.ranker, fitted.frame(x), first, second, X=X, Y=Y, leaf_rows=counted
    )
    explanation = in_recipe(explanation, fitted.ranker, fitted.recipe, x)
    if data is not None:
        over = explanation.over.replace("rows of X", f"rows of {data}")
        explanation = replace(explanation, over=over)
    explanation = replace(explanation, hint=for_command_line(explanation.hint))
    i, j = (fitted.label_names.index(name) for name in (first, second))
    chance = float(fitted.certainty.pairwise(shares)[0, i, j])
    if as_json:
        where = {"file": str(file), "row": number}
        print_json({**where, **explanation.to_dict(), "held_out_chance": chance})
        return
    console = make_console()
    console.print(str(explanation), markup=False, soft_wrap=not console.is_terminal)
    if fitted.certainty.is_fitted and f"{chance:.0%}" != f"{explanation.certainty:.0%}":
        console.print(
            f"Judged by held-out rows, the chance is {chance_text(chance)}.", markup=False
        )


def _row(model: TableModel, file: str, row: str, sheet: str | None) -> tuple[int, np.ndarray]:
    """Return the number of a row, from 1, and its features."""
    from rankwise.cli._new_rows import use_rows
    from rankwise.cli._words import row_names

    number = int(row) if row.isascii() and row.isdecimal() else None
    if number == 0:
        raise ValueError("--row 0: rows are counted from 1, the first one below the header")

    def use(table: Table, features: FeatureColumns) -> tuple[int, np.ndarray]:
        before = 0
        found, names = [], []
        for lines, columns in table.chunks():
            if number is not None:
                places = [number - before - 1] if number <= before + len(lines) else []
            else:
                of_chunk = row_names(model, table.header, columns)
                places = [i for i, name in enumerate(of_chunk) if name == row]
                names += of_chunk
            for i in places:
                one = slice(i, i + 1)
                cells = [column[one] for column in columns]
                found.append((before + i + 1, features.encode(cells, lines[one])))
            if number is not None and found:
                break
            before += len(lines)
        if not found:
            raise ValueError(_no_such_row(table.path, row, number, names, before))
        if len(found) > 1:
            both = " and ".join(str(at) for at, _ in found[:2])
            raise ValueError(
                f"--row {row}: {len(found)} rows of {table.path} are called so (first: {both}); say "
                "which by its number"
            )
        return found[0]

    found, remarks = use_rows(model, file, use, sheet)
    for remark in remarks:
        note(remark)
    return found


def _no_such_row(path: object, row: str, number: int | None, names: list[str], n_rows: int) -> str:
    if number is not None:
        return f"--row {row}: {path} has {n_rows} row{'s' * (n_rows != 1)}"
    from rankwise._naming import name_some, suggest

    known = [name for name in names if name]
    if not known:
        return f"--row {row}: rows of {path} have no names; say the number of one, 1 to {n_rows}"
    meant = suggest(row, known) or f"they are called {name_some(known)}"
    return f"--row {row}: no row of {path} is called so; {meant}"
