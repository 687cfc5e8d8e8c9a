"""The tables of ``results/costs.md``, from what ``benchmarks/costs.py`` found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
from blocks import rewritten, table

from rankwise.validation import shares_closed, summarize

PLAIN, DEFAULT = "plain forest", "ForestRanker"
PAIRS, LOGS = "scikit-learn per pair, weighed", "scikit-learn on log values"
WEIGHED, CHOSEN = "weighed alone", "chosen by inner folds"
# Of the generated scenarios: forests by their parameter `by_cost`.
FORESTS: dict[str, bool | str] = {PLAIN: False, WEIGHED: True, DEFAULT: "auto"}

FOLDS = [
    "scenario", "unit", "method", "fold", "n_train", "n_test", "regret", "value", "single_regret",
    "single_value", "virtual_regret", "virtual_value", "seconds",
]  # fmt: skip
GENERATED = ["scenario", "method", "gap_closed", "within"]
NOTHING = "No run is in the repository yet: `make costs`."


def write(folds: pd.DataFrame, generated: pd.DataFrame, docs: Path) -> None:
    """Keep what was found beside the page, and write its tables anew."""
    files(docs).mkdir(exist_ok=True)
    folds.round(6).to_csv(files(docs) / "folds.csv", index=False)
    generated.round(6).to_csv(files(docs) / "generated.csv", index=False)
    page(docs).write_text(refreshed(docs), encoding="utf-8")


def page(docs: Path) -> Path:
    """The page that shows the tables."""
    return docs / "results" / "costs.md"


def files(docs: Path) -> Path:
    """Every fold and share of the run that the page shows."""
    return docs / "results" / "costs"


def refreshed(docs: Path) -> str:
    """The page with its tables made of the files beside it."""
    folds, generated = (files(docs) / f"{name}.csv" for name in ("folds", "generated"))
    blocks: dict[str, Iterable[str]]
    blocks = {name: [NOTHING] for name in ("closed", "spent", "generated")}
    if folds.exists():
        blocks = write_blocks(pd.read_csv(folds), pd.read_csv(generated))
    return rewritten(page(docs).read_text(encoding="utf-8"), blocks)


def write_blocks(folds: pd.DataFrame, generated: pd.DataFrame) -> dict[str, Iterable[str]]:
    """The lines of each block by its name."""
    return {
        "closed": list(closed(folds)),
        "spent": list(spent(folds)),
        "generated": list(of_generated(generated)),
    }


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
        means = [(part[what] * part["n_test"]).sum() / part["n_test"].sum() for part, what in parts]
        name = f"{scenario} ({unit})" if unit else str(scenario)
        rows.append([name, *(f"{mean:.4g}" if mean < 1000 else f"{mean:,.0f}" for mean in means)])
    yield from table(["scenario", "single best", *methods, "virtual best"], rows)


def of_generated(generated: pd.DataFrame) -> Iterator[str]:
    """Shares closed on generated scenarios, and how far short of the better of the two forms."""
    wide = generated.assign(draw=generated.groupby(["scenario", "method"]).cumcount())
    wide = wide.pivot_table(index=["scenario", "draw"], columns="method", values="gap_closed")
    if wide.empty:
        return
    better = wide[[PLAIN, WEIGHED]].max(axis=1)
    rows = []
    for method in (PLAIN, WEIGHED, CHOSEN, DEFAULT):
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
