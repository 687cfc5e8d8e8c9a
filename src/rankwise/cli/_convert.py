"""``rankwise convert``: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankwise.cli._console import note, print_json, say
from rankwise.cli._options import (
    STANDARD,
    WRITTEN,
    AsJson,
    Force,
    check_free,
    refuse_same_file,
    write_dataset,
)
from rankwise.cli._source import Source, takes_source

EXAMPLES = (
    "rankwise convert votes.soi votes.csv",
    "rankwise convert yields.xlsx yields.csv --sheet Runs --higher-is-better",
    "rankwise convert trials.csv trials.xarff --labels maize,millet,sorghum",
    "rankwise convert runtimes.csv ranks.csv --lower-is-better --to wide",
    "rankwise convert iris iris.xarff",
)


@takes_source
def convert_command(
    *,
    source: Source,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The file to write, whose ending says the format, or - for standard output.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Format to write: {WRITTEN} (default: by the ending)."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read features and rankings in one format and write them in another.

    Endings: .csv, .xlsx, .parquet and .arrow (a long table where values are known, else a
    ranking column or A*/L* columns), .xarff, .soc .soi .toc .toi (PrefLib). Say --to wide,
    --to long or --to ranking for another layout of a table.
    """
    # Imported here, so that help needs no numpy.
    from rankwise._naming import shape_text

    if str(target) != STANDARD:
        check_free(target, force)
        refuse_same_file(target, source.path)
    elif as_json:
        raise ValueError("--json prints what was written where; name a file in place of -")
    dataset = source.read(for_learning=False)
    left_out = write_dataset(dataset, target, format=to, force=force)
    if left_out:
        # Categories and the order of labels are what a long table may lose as well.
        kept = [part for part in left_out if not part.startswith("the ")]
        remedy = f"; --to long keeps {'everything' if kept == list(left_out) else ', '.join(kept)}"
        note(f"the format has no place for {', '.join(left_out)}{remedy if kept else ''}")
    shape = {"rows": len(dataset), "features": dataset.n_features, "labels": dataset.n_labels}
    if as_json:
        print_json({"file": str(target), **shape})
    elif str(target) != STANDARD:
        say(f"Wrote {target}: {shape_text(*shape.values())}")
