"""How the file of a model was read at fitting: kept with the model, and used again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankwise.cli._console import note
from rankwise.cli._options import column_roles, quoted, split_names
from rankwise.cli._source import Source
from rankwise.datasets.tables import open_table, ranking_columns

LAYOUTS = ("scikit-lr", "wide", "ranking", "long")


def reading_of(source: Source) -> dict[str, Any] | None:
    """Return what a model remembers of the way in which its table was read."""
    if not source.is_table:
        return None
    header = open_table(source.path).header
    layout = source.layout(header)
    roles = {r: n for r, n in (column_roles(source.column) or {}).items() if r != "weight"}
    rankings = ranking_columns(header, split_names(source.labels), roles, layout=layout)
    higher = source.higher_is_better
    if higher is None and layout == "long" and source.holds_values(header):
        # values without a word about them
        higher = True
    return {
        "layout": layout,
        "columns": roles,
        "rankings": rankings,
        "higher_is_better": higher,
    }


def as_at_fitting(source: Source, reading: Any, labels: Sequence[str]) -> Source:
    """Return the source with what the user left open as it was at fitting.

    Layout and special columns are taken over where the file has the columns that held the
    rankings; which scores are better, where the file holds numbers. What the user says goes first.
    """
    if not source.is_table:
        return source
    source = replace(source, labels=source.labels or quoted(labels))
    if reading is None:
        return source
    _check(reading)
    header = open_table(source.path).header
    unsaid = source.format is None and source.column is None
    if unsaid and reading["rankings"] and set(reading["rankings"]) <= set(header):
        columns = [f"{role}={name}" for role, name in reading["columns"].items()]
        source = replace(source, format=reading["layout"], column=columns or None)
    higher = reading["higher_is_better"]
    if higher is None or source.higher_is_better is not None or not source.holds_values(header):
        return source
    if source.layout(header) != "long" or not higher:
        told = "higher is better" if higher else "lower is better"
        remedy = "; say --lower-is-better if they are ranks" if higher else ""
        note(f"{source.file}: cells are read as scores, {told}, as at fitting{remedy}")
    return replace(source, higher_is_better=higher)


def _check(reading: Any) -> None:
    """Refuse what `reading_of` does not write: model files come from strangers."""
    parts = {"layout", "columns", "rankings", "higher_is_better"}
    if not (
        isinstance(reading, dict)
        and set(reading) == parts
        and reading["layout"] in LAYOUTS
        and isinstance(reading["columns"], dict)
        and all(isinstance(name, str) for pair in reading["columns"].items() for name in pair)
        and isinstance(reading["rankings"], list)
        and all(isinstance(name, str) for name in reading["rankings"])
        and reading["higher_is_better"] in (None, True, False)
    ):
        raise ValueError(
            "the model does not tell how its file was read; fit it anew with `rankwise fit`"
        )
