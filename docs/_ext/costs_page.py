"""The tables of ``results/costs.md``, from what ``benchmarks/costs.py`` found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd
from blocks import ResultPage, table

from rankwise.validation import shares_closed, summarize

PLAIN, DEFAULT, AUTO = "plain forest", "ForestRanker", "AutoRanker"
PAIRS, LOGS = "scikit-learn per pair, weighed", "scikit-learn on log values"
WEIGHED, CHOSEN = "weighed alone", "chosen by inner folds"
METHODS = [PLAIN, PAIRS, LOGS, WEIGHED, DEFAULT, AUTO]
# Of the generated scenarios: forests by their parameter `by_cost`.
FORESTS: dict[str, bool | str] = {PLAIN: False, WEIGHED: True, DEFAULT: "auto"}

FOLDS = [
    "scenario", "unit", "method", "fold", "n_train", "n_test", "regret", "value", "single_regret",
    "single_value", "virtual_regret", "virtual_value", "seconds",
]  # fmt: skip
GENERATED = ["scenario", "method", "gap_closed", "within"]


def write_blocks(
    folds: pd.DataFrame | None = None, generated: pd.DataFrame | None = None
) -> dict[str, Iterable[str]]:
    """The lines of each block by its name; none of what was not run."""
    blocks: dict[str, Iterable[str]] = {}
    if folds is not None:
        place = folds["method"].map(METHODS.index)
        folds = folds.assign(place=place).sort_values(["scenario", "place", "fold"])
        blocks |= {"closed": list(closed(folds)), "spent": list(spent(folds))}
    if generated is not None:
        blocks["generated"] = list(of_generated(generated))
    return blocks


def closed(folds: pd.DataFrame) -> Iterator[str]:
    """Shares of the gap closed by scenario, with an interval; the best in bold."""
    methods = list(dict.fromkeys(folds["method"]))
    rows = []
    for scenario, of_scenario in folds.groupby("scenario", sort=False):
        found = {}
        for method, own in of_scenario.groupby("method", sort=False):
            shares = shares_closed(own["regret"], own["single_regret"], own["n_test"])
            found[method] = summarize(shares, own["n_test"].sum() / own["n_train"].sum())
        best = max(float(summary["mean"] or 0.0) for summary in found.values())
        cells = []
        for method in methods:
            if method not in found:
                cells.append("—")
                continue
            mean, low, high = (float(found[method][x] or 0.0) for x in ("mean", "low", "high"))
            shown = f"**{mean:.3f}**" if mean == best else f"{mean:.3f}"
            cells.append(f"{shown} ({low:.2f} to {high:.2f})")
        rows.append([str(scenario), *cells])
    yield from table(["scenario", *methods], rows)


def spent(folds: pd.DataFrame) -> Iterator[str]:
    """What the choice costs on average over all instances, in the scenario's unit."""
    methods = list(dict.fromkeys(folds["method"]))
    rows = []
    for (scenario, unit), own in folds.fillna({"unit": ""}).groupby(
        ["scenario", "unit"], sort=False
    ):
        first = own[own["method"] == methods[0]]
        parts = [(first, "single_value"), *((own[own["method"] == m], "value") for m in methods)]
        parts.append((first, "virtual_value"))
        cells = []
        for part, what in parts:
            mean = (part[what] * part["n_test"]).sum() / max(1, part["n_test"].sum())
            shown = f"{mean:.4g}" if mean < 1000 else f"{mean:,.0f}"
            cells.append(shown if len(part) else "—")
        rows.append([f"{scenario} ({unit})" if unit else str(scenario), *cells])
    yield from table(["scenario", "single best", *methods, "virtual best"], rows)


def of_generated(generated: pd.DataFrame) -> Iterator[str]:
    """Shares closed on generated scenarios, and how far short of the better of the two forms."""
    wide = generated.assign(draw=generated.groupby(["scenario", "method"]).cumcount())
    wide = wide.pivot_table(index=["scenario", "draw"], columns="method", values="gap_closed")
    if wide.empty:
        return
    better = wide[[PLAIN, WEIGHED]].max(axis=1)
    rows = []
    for method in (PLAIN, WEIGHED, CHOSEN, DEFAULT, AUTO):
        if method not in wide:
            continue
        short = better - wide[method]
        rows.append(
            [
                method,
                f"{wide[method].mean():.3f}",
                f"{short.mean():+.3f}",
                f"{short.max():+.3f}",
                f"{(short > 0.03).mean():.0%}",
            ]
        )
    yield from table(
        [
            "method",
            "mean share closed",
            "short of the better form",
            "at worst",
            "by more than 0.03",
        ],
        rows,
    )
    within = generated[generated["method"] == DEFAULT]["within"]
    yield ""
    yield (
        f"Of the values of new rows {within.mean():.0%} lie within one spread of what was expected "
        f"(from {within.min():.0%} to {within.max():.0%} over the scenarios)."
    )


PAGE = ResultPage(
    "costs",
    ("closed", "spent", "generated"),
    write_blocks,
    keys={"folds": ["scenario", "method"]},
)
