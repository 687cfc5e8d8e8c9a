"""``rankwise convert``: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankwise.cli._console import print_json, say
from rankwise.cli._options import (
    FORMATS,
    AsJson,
    Columns,
    Features,
    Force,
    Format,
    HigherIsBetter,
    Labels,
    Nominal,
    check_free,
    read_dataset,
    write_dataset,
)

EXAMPLES = (
    "rankwise convert votes.soi votes.csv",
    "rankwise convert trials.csv trials.xarff --labels maize,millet,sorghum",
    "rankwise convert runtimes.csv ranks.csv --lower-is-better --to wide",
    "rankwise convert iris iris.xarff",
)


def convert_command(
    source: Annotated[str, typer.Argument(help="A data file, or the name of a benchmark.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its ending says the format.")],
    to: Annotated[
        str | None, typer.Option(help=f"Format to write: {FORMATS}, without aslib.")
    ] = None,
    labels: Labels = None,
    features: Features = None,
    nominal: Nominal = None,
    format: Format = None,
    column: Columns = None,
    higher_is_better: HigherIsBetter = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read features and rankings in one format and write them in another.

    Endings: .csv (a ranking column, or A*/L* columns), .xarff, .parquet,
    .soc .soi .toc .toi (PrefLib). Say --to wide or --to long for the other
    CSV layouts.
    """
    check_free(target, force)
    dataset = read_dataset(
        source,
        labels=labels,
        features=features,
        nominal=nominal,
        format=format,
        columns=column,
        higher_is_better=higher_is_better,
    )
    write_dataset(dataset, target, format=to, force=force)
    shape = {
        "rows": dataset.n_samples,
        "features": dataset.n_features,
        "labels": dataset.n_labels,
    }
    if as_json:
        print_json({"file": str(target), **shape})
    else:
        say(f"Wrote {target}: " + ", ".join(f"{count:,} {what}" for what, count in shape.items()))
