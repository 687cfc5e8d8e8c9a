"""Read a run again from its files, to judge it by the rules of today without running it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from rankwise.paper._protocol import Protocol
from rankwise.paper._records import Record
from rankwise.paper._reproduce import Reproduction, judge
from rankwise.paper._tables import TABLES, Cell, PaperTable, vc_records

# column of a table's file -> attribute of a cell; the others follow from these
_CELL = {
    "paper": "paper", "paper_sd": "paper_sd", "tau_on_orders": "orders",
    "tau_on_orders_sd": "orders_sd", "tau_on_ranks": "ranks", "tau_on_ranks_sd": "ranks_sd",
    "tau_on_ranks_of_published_file": "published_ranks", "validations": "validations",
}  # fmt: skip


def read_report(folder: str | Path) -> tuple[Reproduction, dict[str, Any]]:
    """Read what `write_report` wrote, and judge every claim on it.

    Parameters
    ----------
    folder : path-like
        Of a run; its CSV files and its manifest are read, its verdicts are not.

    Returns
    -------
    Reproduction
        With the verdicts of today's rules; claims about what the run did not measure have none.
    dict
        The manifest, which says now that verdicts are younger than the run.
    """
    folder = Path(folder)
    path = folder / "manifest.json"
    if not path.exists():
        raise ValueError(f"{folder} has no manifest.json; give the folder of a run of reproduce")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    parts = tuple(manifest["parts"])
    records = {name: _read(folder / f"{name}.csv") for name in (*parts, "timing")}
    if "table-vc" in parts:
        # made of formulas, not of a run
        records["table-vc"] = vc_records()
    tables = {name: _table(name, records[name]) for name in parts if name in TABLES}
    protocol: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in manifest["protocol"].items()
    }
    result = Reproduction(
        parts,
        Protocol(**protocol),
        tables,
        records,
        judge(tables, records),
        manifest["failures"],
        n_units=manifest["units"],
        n_reused=manifest["units_from_earlier_runs"],
        seconds=manifest["wall_seconds"],
    )
    return result, manifest | {"judged_after_the_run": True}


def _table(name: str, records: list[Record]) -> PaperTable:
    shape = TABLES[name]
    rows: dict[str, dict[str, Cell]] = {}
    for record in records:
        cell = Cell(**{attribute: record[column] for column, attribute in _CELL.items()})
        rows.setdefault(record["dataset"], {})[record["method"]] = cell
    return PaperTable(name, shape.title, shape.methods, rows)


def _read(path: Path) -> list[Record]:
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> Any:
    """Read a cell as it was before it was written; what is empty was not there."""
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
