"""``rankwise datasets``: the benchmarks that are known by name, and where they are."""

from __future__ import annotations

from typing import Annotated

import typer

from rankwise.cli._console import print_json, print_table
from rankwise.cli._options import AsJson

EXAMPLES = (
    "rankwise datasets",
    "rankwise datasets --kind partial --json",
)


def datasets_command(
    kind: Annotated[
        str | None,
        typer.Option(help="Only those: complete, partial (with ties), generated or bundled."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the benchmarks that can be loaded by name, with their shapes and where they are."""
    # Imported here, so that help needs no numpy.
    from rankwise.datasets import available, whereabouts

    found = [
        {
            "name": entry.name,
            "kind": entry.kind,
            "rows": entry.n_samples,
            "features": entry.n_features,
            "labels": entry.n_labels,
            "found": whereabouts(entry.name),
        }
        for entry in available(kind).entries  # type: ignore[arg-type]
    ]
    if as_json:
        print_json(found)
    else:
        print_table(list(found[0]), [tuple(entry.values()) for entry in found])
