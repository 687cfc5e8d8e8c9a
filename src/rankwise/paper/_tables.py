"""The paper's tables again: its figure beside ours, cell by cell, for both readings of tau."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankwise.paper._learners import PAPER, TUNED
from rankwise.paper._protocol import REAL, SEMI_SYNTHETIC
from rankwise.paper._published import (
    TOLERANCE_OF_LEARNERS,
    TOLERANCE_OF_SPREAD,
    Figure,
    is_far,
    published_figures,
)
from rankwise.paper._records import Record
from rankwise.theory import class_sample_size, vc_dimension

# our name of a learner -> its name among the published figures
_PUBLISHED_NAMES = {"DT": "Tree", "SDT": "DTS"}


class Shape(NamedTuple):
    """A table of the paper: its title, its name there, its data sets, and its methods."""

    title: str
    source: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]


_OWN = (*PAPER, *TUNED)
_OTHERS = ("RF", "RFT", "LWD", "RPC", "LRT", "LRRF", "KNNKemeny", "BoostLR")
TABLES = {
    "table-semi-synthetic": Shape(
        "Semi-synthetic benchmarks", "tab:our-results", SEMI_SYNTHETIC, _OWN
    ),
    "table-real": Shape("Real-world benchmarks", "tab:our-results-r", REAL, _OWN),
    "table-comparison": Shape(
        "Comparison on semi-synthetic benchmarks", "tab:comparison", SEMI_SYNTHETIC, _OTHERS
    ),
    "table-comparison-real": Shape(
        "Comparison on real-world benchmarks", "tab:comparison-r", REAL,
        ("RF", "RFT", "RPC", "BoostLR"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One figure of the paper, and ours for it.

    ``orders`` is tau as the paper's programs take it, on the file as published; ``ranks`` is tau as
    its text defines it, on the corrected data.
    """

    paper: float | None = None
    paper_sd: float | None = None
    orders: float | None = None
    orders_sd: float | None = None
    ranks: float | None = None
    ranks_sd: float | None = None
    published_ranks: float | None = None  # on ranks, but of the file as published
    validations: int = 0

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, on the paper's own reading."""
        if self.paper is None or self.orders is None:
            return None
        return self.orders - self.paper

    @property
    def is_off(self) -> bool:
        """Whether it is further from the paper than the tolerance."""
        if self.paper is None or self.orders is None:
            return False
        return is_far(self.orders, self.paper, TOLERANCE_OF_LEARNERS)

    @property
    def is_spread_off(self) -> bool | None:
        """Whether its standard deviation is; None where there are not both."""
        if self.paper_sd is None or self.orders_sd is None or math.isnan(self.orders_sd):
            return None
        return is_far(self.orders_sd, self.paper_sd, TOLERANCE_OF_SPREAD)


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper: data sets down, methods across."""

    name: str
    title: str
    methods: tuple[str, ...]
    rows: dict[str, dict[str, Cell]] = field(default_factory=dict)

    def cells(self) -> list[tuple[str, str, Cell]]:
        """All cells, with data set and method."""
        return [(d, m, cell) for d, row in self.rows.items() for m, cell in row.items()]

    def counts(self) -> tuple[int, int]:
        """How many cells are within the tolerance, and how many could be compared."""
        compared = [cell for _, _, cell in self.cells() if cell.difference is not None]
        return sum(not cell.is_off for cell in compared), len(compared)

    def records(self) -> list[Record]:
        """One record per cell, for a file."""
        return [
            {
                "dataset": dataset, "method": method, "paper": cell.paper,
                "paper_sd": cell.paper_sd, "tau_on_orders": cell.orders,
                "tau_on_orders_sd": cell.orders_sd, "difference": cell.difference,
                "differs": cell.is_off, "tau_on_ranks": cell.ranks,
                "tau_on_ranks_sd": cell.ranks_sd,
                "tau_on_ranks_of_published_file": cell.published_ranks,
                "validations": cell.validations,
            }
            for dataset, method, cell in self.cells()
        ]  # fmt: skip


def paper_table(name: str, records: list[Record]) -> PaperTable:
    """Build a table from the paper's figures and the records of the benchmarks."""
    shape = TABLES[name]
    figures = {(f.dataset, f.method): f for f in published_figures() if f.table == shape.source}
    ours = {(r["dataset"], r["as_published"], r["learner"]): r for r in records}
    rows: dict[str, dict[str, Cell]] = {}
    for dataset in dict.fromkeys(dataset for dataset, _ in figures):
        row = {}
        for method in shape.methods:
            figure = figures.get((dataset, _PUBLISHED_NAMES.get(method, method)))
            row[method] = _cell(figure, ours, dataset, method)
        rows[dataset] = row
    return PaperTable(name, shape.title, shape.methods, rows)


def _cell(figure: Figure | None, ours: dict[Any, Record], dataset: str, method: str) -> Cell:
    paper = None if figure is None else figure.tau
    paper_sd = None if figure is None or math.isnan(figure.sd) else figure.sd
    right = ours.get((dataset, False, method), {})
    published = ours.get((dataset, True, method), {})
    # The paper used the real-world files as published; figures of corrected ones are no substitute.
    as_paper = published if dataset in REAL else right
    return Cell(
        paper,
        paper_sd,
        orders=as_paper.get("tau_on_orders"),
        orders_sd=as_paper.get("tau_on_orders_sd"),
        ranks=right.get("tau"),
        ranks_sd=right.get("tau_sd"),
        published_ranks=published.get("tau"),
        validations=as_paper.get("validations", 0),
    )


def vc_records() -> list[Record]:
    """Return the paper's table of VC classes, with values for an example of each class.

    Both columns of the paper are there: the VC dimension, and how many rankings are needed for
    5 labels, Tsybakov noise a = 1/2 and B = 1, pairs seen by half of the rows, eps = 0.1, delta = 0.05.
    """
    of_features = "N0 (log(k/delta) or d log d)"
    examples: list[tuple[str, str, str, str, dict[str, int]]] = [
        ("half-spaces", "d + 1", of_features, "halfspace", {"d": 10}),
        ("axis-aligned rectangles", "2 d", of_features, "rectangle", {"d": 10}),
        ("balls", "d + 1", of_features, "ball", {"d": 10}),
        ("networks, sigmoid activation", "O(M² N²)", "N0 (log(k/delta) or M² N² log(M N))",
         "sigmoid network", {"n_parameters": 50, "n_neurons": 5}),
        ("networks, sign activation", "O(M log M)", "N0 (log(k/delta) or M log² M)",
         "sign network", {"n_parameters": 50}),
    ]  # fmt: skip
    letters = {"d": "d", "n_parameters": "M", "n_neurons": "N"}
    task = {"k": 5, "a": 0.5, "B": 1.0, "tolerance": 0.5, "eps": 0.1, "delta": 0.05}
    return [
        {
            "class": title,
            "paper": formula,
            "at": ", ".join(f"{letters[key]} = {value}" for key, value in sizes.items()),
            "VC dimension": vc_dimension(name, **sizes),
            "sample complexity in the paper": complexity,
            "rows": class_sample_size(name, **task, **sizes),  # type: ignore[arg-type]
        }
        for title, formula, complexity, name, sizes in examples
    ]
