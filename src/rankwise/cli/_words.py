"""A prediction in a sentence: what to try first, what to expect of it, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets import Dataset
from rankwise.datasets.tables import texts_of
from rankwise.metrics import regret
from rankwise.models import TableModel

# Held-out rows in which the first choice costs no more than is said.
SHARE = 0.9


def lost_at_most(data: Dataset, ranks: NDArray[np.float64]) -> float | None:
    """Return what the label ranked first loses against the best in most rows; None without values.

    Of labels that a row did not measure nothing is known: the first of those that it did is taken.
    """
    if data.values is None or data.higher_is_better is None:
        return None
    lost = regret(data.values, ranks, higher_is_better=data.higher_is_better, average=False)
    return float(np.nanquantile(lost, SHARE, method="higher"))


def row_name(model: TableModel, cells: Mapping[str, str]) -> str:
    """Return a row's name: by the column that named the training rows, or the first that is no feature."""
    reading = model.facts.get("reading") or {}
    named = reading.get("columns", {}).get("row", "row")
    known = {column.name for column in model.recipe.columns} | set(reading.get("rankings", ()))
    # Nor is a ranking a name, of which XARFF files call the column as they like.
    other = next((c for name, c in cells.items() if name not in known and ">" not in c), "")
    return cells.get(named) or other


def row_names(model: TableModel, header: Sequence[str], columns: Sequence[Any]) -> list[str]:
    """Return the names of rows whose cells stand in columns; empty where a row has none."""
    rows = zip(*map(texts_of, columns), strict=True)
    return [row_name(model, dict(zip(header, cells, strict=True))) for cells in rows]


def sentence(model: TableModel, cells: Mapping[str, str], line: int, added: Sequence[Any]) -> str:
    """Say what to try first in a row; `added` is what the prediction adds to it."""
    k = len(model.label_names)
    positions, (pair, _, *expected) = added[1 : k + 1], added[k + 1 :]
    name = row_name(model, cells) or f"line {line}"
    first = [label for label, p in zip(model.label_names, positions, strict=True) if p == 1]
    said = f"{name}: try {' or '.join(first)} first"
    if not expected:
        return said + f"; the chance that it is before the next one is {chance_text(pair)}."
    unit = f" {model.facts['unit']}" if model.facts.get("unit") else ""
    known = dict(
        zip(model.label_names, zip(expected[::2], expected[1::2], strict=True), strict=True)
    )
    hopes = [
        f"{_figures(value)} ± {_figures(spread)}{unit}"
        for value, spread in (known[label] for label in first)
        if value is not None and spread is not None
    ]
    said += (
        f", expected {' or '.join(hopes)}" if hopes else ", which no row like this one has measured"
    )
    lost = (model.facts.get("check") or {}).get("lost_at_most")
    if lost is not None:
        costs = f"costs at most {_figures(lost)}{unit}" if lost > 0 else "costs nothing"
        said += f"; it {costs} against the best (in {SHARE:.0%} of the rows held out at fitting)"
    return said + "."


def chance_text(chance: float) -> str:
    """Write a chance as a percentage, which is 100 % of nothing but what is certain.

    Examples
    --------
    >>> chance_text(0.984), chance_text(0.996), chance_text(1.0)
    ('98%', 'over 99%', '100%')
    """
    text = f"{chance:.0%}"
    return "over 99%" if text == "100%" and chance < 1 else text


def _figures(number: float) -> str:
    """Write a number by two figures, or whole where it is large."""
    return f"{number:,.0f}" if abs(number) >= 10 else f"{number:.2g}"
