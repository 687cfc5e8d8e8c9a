"""``rankwise explain``: why one label stands before another in one row of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankwise.cli._console import make_console, note, print_json
from rankwise.cli._options import AsJson
from rankwise.cli._predict import Model, Trusted, load_table_model

if TYPE_CHECKING:
    import numpy as np

    from rankwise.models import TableModel

EXAMPLES = (
    "rankwise explain trials.rankwise new.csv --row 3 --first maize --second millet",
    "rankwise explain trials.rankwise new.csv --row 1 --json",
)


def explain_command(
    model: Model,
    file: Annotated[Path, typer.Argument(help="A table with the row to explain.")],
    row: Annotated[int, typer.Option(help="Which row of the table, from 1.", min=1)] = 1,
    first: Annotated[
        str | None, typer.Option("--first", "-a", help="A label (default: predicted first).")
    ] = None,
    second: Annotated[
        str | None, typer.Option("--second", "-b", help="Another (default: predicted second).")
    ] = None,
    trusted: Trusted = None,
    as_json: AsJson = False,
) -> None:
    """Tell which features put one label before another in one row."""
    # Imported here, so that help needs no numpy.
    from rankwise.explanations import explain

    fitted = load_table_model(model, trusted)
    x = _row(fitted, file, row)
    ranked = sorted(zip(fitted.predict(x).ranks[0].tolist(), fitted.label_names, strict=True))
    names = [name for _, name in ranked]
    for name in (first, second):
        if name is not None and name not in names:
            raise ValueError(f"{name!r} is no label of the model; it ranks {', '.join(names)}")
    if first is None:
        first = next(name for name in names if name != second)
    if second is None:
        second = next(name for name in names if name != first)
    explanation = explain(fitted.ranker, fitted.frame(x), first, second)
    if as_json:
        print_json({"file": str(file), "row": row, **explanation.to_dict()})
    else:
        make_console().print(str(explanation), markup=False, soft_wrap=True)


def _row(model: TableModel, file: Path, row: int) -> np.ndarray:
    from rankwise.models._columns import open_table
    from rankwise.models._table_model import unknown_remarks

    table = open_table(file)
    encoding = model.recipe.encoding(file, table.header, commas=table.delimiter != ",")
    before = 0
    for lines, rows in table.chunks():
        if row <= before + len(rows):
            place = row - before - 1
            x = encoding.encode([rows[place]], [lines[place]])
            for remark in unknown_remarks(encoding):
                note(remark)
            return x
        before += len(rows)
    raise ValueError(f"--row {row}: {file} has {before} row{'s' * (before != 1)}")
