"""How the file of a model was read at fitting: kept with the model, and used again."""

from __future__ import annotations

from typing import Any

from rankwise.datasets import Dataset
from rankwise.datasets.tables import TABLES, FittedTable, Layout
from rankwise.models import TableModel

# What a model file calls the parts of a layout, in the order of its fields.
_PARTS = ("layout", "columns", "rankings", "higher_is_better")
_VALUES = "values"
_OF_VALUES = ("unit", "cutoff", "penalty", "replicates", "within")


def reading_of(data: Dataset) -> dict[str, Any] | None:
    """Return what a model remembers of the way in which its table was read."""
    return reading_of_layout(data.layout)


def reading_of_layout(layout: Layout | None) -> dict[str, Any] | None:
    """Return the same, of the layout that was found."""
    if layout is None:
        return None
    values = layout.name, dict(layout.roles), list(layout.rankings), layout.higher_is_better
    said = {_VALUES: dict(layout.values)} if layout.values else {}
    return dict(zip(_PARTS, values, strict=True)) | said


def fitted_table(model: TableModel) -> FittedTable:
    """Return what a model keeps of its table, to read another one alike."""
    reading = model.facts.get("reading")
    layout = None
    if reading is not None:
        _check(reading)
        name, roles, rankings, higher = (reading[part] for part in _PARTS)
        layout = Layout(name, roles, rankings, higher, reading.get(_VALUES, {}))
    return FittedTable(model.recipe, model.label_names, layout)


def _check(reading: Any) -> None:
    """Refuse what `reading_of` does not write: model files come from strangers."""
    if not (
        isinstance(reading, dict)
        and set(reading) - {_VALUES} == set(_PARTS)
        and reading["layout"] in (*TABLES, "aslib")
        and isinstance(reading["columns"], dict)
        and isinstance(reading["rankings"], list)
        and all(isinstance(name, str) for pair in reading["columns"].items() for name in pair)
        and all(isinstance(name, str) for name in reading["rankings"])
        and reading["higher_is_better"] in (None, True, False)
        and isinstance(said := reading.get(_VALUES, {}), dict)
        and set(said) <= set(_OF_VALUES)
        and all(type(value) in (str, int, float) for value in said.values())
    ):
        raise ValueError(
            "the model does not say how its file was read; fit it anew with `rankwise fit`"
        )
