"""``rankwise datasets``: the benchmarks that are known by name, and where they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import print_json, print_table
from rankwise.cli._options import AsJson

if TYPE_CHECKING:
    from rankwise.datasets._catalogue import Entry

EXAMPLES = (
    "rankwise datasets",
    "rankwise datasets --kind partial --json",
)


def datasets_command(
    kind: Annotated[
        str | None, typer.Option(help="Only those: complete, partial (with ties) or generated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the benchmarks that can be loaded by name, with their shapes and where they are."""
    # Imported here, so that help needs no numpy.
    from rankwise.datasets import available
    from rankwise.datasets._catalogue import CATALOGUE

    entries = [CATALOGUE[name] for name in available(kind)]  # type: ignore[arg-type]
    found = [{**_shape(entry), "found": _where(entry)} for entry in entries]
    if as_json:
        print_json(found)
        return
    rows = [(*_shape(entry).values(), _where(entry)) for entry in entries]
    print_table(["name", "kind", "rows", "features", "labels", "found"], rows)


def _shape(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "rows": entry.n_samples,
        "features": entry.n_features,
        "labels": entry.n_labels,
    }


def _where(entry: Entry) -> str:
    """Say where `load` would find a benchmark, without downloading it."""
    from rankwise.datasets._fetch import FOLDER_VARIABLE, _cache_folder

    if entry.kind == "generated":
        return "made on the spot"
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder and (Path(folder) / entry.file).is_file():
        return FOLDER_VARIABLE
    try:
        path = _cache_folder(None) / entry.file
    except ImportError:
        return "not here (rankwise[data] downloads it)"
    return "cache" if path.is_file() else "download on first use"
