"""Write a run to a folder: the page, a CSV for each table and figure, PNG and SVG, the manifest."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rankwise._replacing import write_whole
from rankwise.paper._figures import pictures_of
from rankwise.paper._page import build_page
from rankwise.paper._reproduce import Reproduction
from rankwise.validation.running import describe_environment


def write_report(
    result: Reproduction, manifest: Mapping[str, Any], folder: str | Path
) -> list[Path]:
    """Write everything that came out of a run; each file appears whole or not at all.

    Parameters
    ----------
    result : Reproduction
        What came out.
    manifest : mapping
        As `make_manifest` gives it.
    folder : path-like
        Made if it is not there.

    Returns
    -------
    list of Path
        The files, the page first.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = pictures_of(result)
    contents: dict[str, str | bytes] = {"report.html": build_page(result, manifest, pictures)}
    for name, records in result.records.items():
        contents[f"{name}.csv"] = _csv(records)
    contents["verdicts.csv"] = _csv([asdict(verdict) for verdict in result.verdicts])
    for picture in pictures:
        contents[f"{picture.name}.svg"] = picture.svg
        contents[f"{picture.name}.png"] = picture.png
    contents["manifest.json"] = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [folder / name for name in contents]


def _csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as CSV; what is not there is left empty."""
    stream = io.StringIO()
    if records:
        writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {name: _text(value) for name, value in record.items()} for record in records
        )
    return stream.getvalue()


def _text(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return f"{value:.6g}" if value == value else ""


def make_manifest(result: Reproduction, **more: Any) -> dict[str, Any]:
    """Describe a run so that it can be repeated.

    Parameters
    ----------
    result : Reproduction
        What came out.
    **more
        Further entries, such as ``jobs``.

    Returns
    -------
    dict
        For a JSON file: command, times, parts, protocol and what was cut of it, seeds, failures,
        versions, machine.
    """
    around = describe_environment()
    return {
        "command": around.pop("command"),
        "wall_seconds": round(result.seconds, 1),
        # Also of units that earlier runs finished; each runs on one core.
        "seconds_of_all_units": round(sum(r["seconds"] for r in result.records["timing"]), 1),
        "units": result.n_units,
        "units_from_earlier_runs": result.n_reused,
        "failures": result.failures,
        "parts": list(result.parts),
        "cut": result.protocol.cuts(),
        "seed": result.protocol.seed,
        "protocol": asdict(result.protocol),
        **more,
        **around,
    }
