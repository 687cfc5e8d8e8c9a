"""The figures of the paper's four result tables, and how far ours are from them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from rankwise.validation import Comparison, Estimate, ResultTable

# The paper's programs measured its own methods on orders; the figures that it took from the
# publications of others are on ranks.
_ON_ORDERS = ("RF", "RFT", "DT", "DTS", "DTT")
# the name in the paper's tables -> the name among our methods or data sets
_OUR_METHODS = {"LR-RF": "LRRF", "kNN-Kemeny": "KNNKemeny", "DT": "Tree"}
_OUR_DATASETS = {"cpu-small": "cpu"}

# How far a figure may be from a published one before it is marked: one of the paper's own learners,
# which are the same programs run again; and one of another system, programmed anew.
TOLERANCE_OF_LEARNERS = 0.02
TOLERANCE_OF_SYSTEMS = 0.03
# The same of a standard deviation: 0.01, and what the paper's rounding to two decimals hides.
TOLERANCE_OF_SPREAD = 0.015


@dataclass(frozen=True)
class Figure:
    """A published mean of Kendall's tau.

    Parameters
    ----------
    table : str
        The paper's name of the table.
    dataset, method : str
        By the names of this package.
    tau, sd : float
        Mean and standard deviation; NaN where the paper gives none.
    on : {"ranks", "orders"}
        What tau was computed on: the position of each label, or the label at each position.
    """

    table: str
    dataset: str
    method: str
    tau: float
    sd: float
    on: Literal["ranks", "orders"]


@lru_cache(maxsize=1)
def published_figures() -> tuple[Figure, ...]:
    """Return every figure of the paper's result tables.

    Examples
    --------
    >>> published_figures()[0].dataset, published_figures()[0].tau
    ('authorship', 0.85)
    """
    text = files("rankwise.paper").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_figure(row) for row in csv.DictReader(text.splitlines()))


def published(dataset: str, method: str) -> Figure | None:
    """Return the figure on ranks of a method on a data set, if one is published.

    Parameters
    ----------
    dataset, method : str
        By the names of this package.

    Examples
    --------
    >>> published("iris", "RPC").tau
    0.89
    >>> published("iris", "RF") is None  # measured on orders, not on ranks
    True
    """
    for figure in published_figures():
        if (figure.dataset, figure.method, figure.on) == (dataset, method, "ranks"):
            return figure
    return None


def is_far(ours: float, theirs: float, tolerance: float) -> bool:
    """Say whether a figure differs from a published one by more than the tolerance."""
    # A distance of 0.03 in decimals may be a little more in binary.
    return abs(ours - theirs) > tolerance + 1e-9


def published_table(comparison: Comparison) -> ResultTable | None:
    """Return the means of a comparison beside the paper's, or None where it has none on ranks.

    Parameters
    ----------
    comparison : Comparison
        As `rankwise.validation.compare` gives it.
    """
    if 0.0 not in comparison.missing:
        return None
    rows: list[list[Any]] = []
    notes = [f"* further than {TOLERANCE_OF_SYSTEMS} from the published figure."]
    for method in comparison.methods:
        lines: list[list[Any]] = []
        for dataset in comparison.datasets:
            figure = published(dataset, method)
            if figure is not None:
                ours = comparison.estimate(dataset, method, 0.0)
                far = "*" if is_far(ours.mean, figure.tau, TOLERANCE_OF_SYSTEMS) else ""
                theirs = Estimate(figure.tau, decimals=2)
                lines.append([dataset, method, ours, theirs, ours.mean - figure.tau, far])
        rows += lines
        done = [line for line in lines if not math.isnan(line[2].mean)]
        if done:
            near = sum(line[-1] != "*" for line in done)
            notes.append(f"{method}: {near} of {len(done)} within {TOLERANCE_OF_SYSTEMS}.")
    columns = ["data set", "method", "tau", "published", "difference", "far"]
    return ResultTable("Beside the published figures", columns, rows, notes) if rows else None


def _figure(row: dict[str, str]) -> Figure:
    method = row["method"]
    return Figure(
        table=row["table"],
        dataset=_OUR_DATASETS.get(row["dataset"], row["dataset"]),
        method=_OUR_METHODS.get(method, method),
        tau=float(row["tau"]),
        sd=float(row["std"]) if row["std"] else math.nan,
        on="orders" if method in _ON_ORDERS else "ranks",
    )
