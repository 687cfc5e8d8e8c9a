"""Tables of tau whose cells are shaded: the more colour, the nearer to the best of their row.

A table is shaded where it stands in ``{table}`` with ``:class: rw-shaded``. Steps are differences of tau,
not places, so that cells which differ by nothing look alike.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes

# A cell is of the first step that it is within, counted from the best of its row.
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1)
CLASS = "rw-shaded"


def steps_of(cells: list[str]) -> list[int | None]:
    """Return for each cell the step it is within, None for those far behind and for words.

    Rows with a number that is no tau, such as average ranks, have no steps.

    Examples
    --------
    >>> steps_of(["iris", "0.95", "0.944", "0.3"])
    [None, 0, 1, None]
    """
    numbers = [_number(cell) for cell in cells]
    known = [number for number in numbers if number is not None]
    if not known or any(abs(number) > 1 for number in known):
        return [None] * len(cells)
    best = max(known)
    return [None if number is None else _step(best - number) for number in numbers]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _step(behind: float) -> int | None:
    return next((step for step, limit in enumerate(STEPS) if behind <= limit + 1e-9), None)


def _shade(app: Any, doctree: nodes.document) -> None:
    for table in doctree.findall(nodes.table):
        if CLASS not in table["classes"]:
            continue
        for body in table.findall(nodes.tbody):
            for row in body.findall(nodes.row):
                entries = list(row.findall(nodes.entry))
                steps = steps_of([entry.astext().strip() for entry in entries])
                for entry, step in zip(entries, steps, strict=True):
                    if step is not None:
                        entry["classes"].append(f"rw-step-{step}")


def setup(app: Any) -> None:
    """Shade tables when a page was read."""
    app.connect("doctree-read", _shade)
