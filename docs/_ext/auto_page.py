"""The tables of ``results/auto.md``, from the folds of ``make auto`` and of the comparison of all methods.

python docs/_ext/auto_page.py FOLDER    # takes FOLDER/folds.csv over, and writes the page anew
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
from blocks import ResultPage, table

from rankwise.paper import published_figures

AUTO = "Auto"
# A figure that is published with two decimals may be half of the second less.
ROUNDED = 0.005
# So far behind the first is as good as first.
NEAR = 0.005


def write_blocks(folds: pd.DataFrame, others: pd.DataFrame) -> dict[str, Iterable[str]]:
    """The lines of each block by its name."""
    means = judged(folds, others)
    return {"summary": [summary(means)], "complete": list(complete(means))}


def best_published() -> pd.DataFrame:
    """The highest tau on ranks that the paper's tables have of any system, by data set."""
    known = [figure for figure in published_figures() if figure.on == "ranks"]
    best = {figure.dataset: figure for figure in sorted(known, key=lambda figure: figure.tau)}
    return pd.DataFrame(
        {name: {"published": f.tau, "system": f.method} for name, f in best.items()}
    ).T


def judged(folds: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """By data set: tau and seconds of AutoRanker, the best published and the best of our own."""
    own = folds[(folds.method == AUTO) & (folds.missing == 0)].groupby("dataset")
    means = pd.DataFrame(
        {"tau": own.tau.mean(), "sd": own.tau.std(), "seconds": own.fit_seconds.median()}
    )
    rivals = others[others.missing == 0].pivot_table(
        index="dataset", columns="method", values="tau"
    )
    means["rival"], means["of"] = rivals.max(axis=1), rivals.idxmax(axis=1)
    return means.join(best_published())


def summary(means: pd.DataFrame) -> str:
    """How often it is at the best published figure, and first or near the first of our own."""
    published = int((means.tau >= means.published.astype(float) - ROUNDED).sum())
    near = int((means.tau >= means.rival - NEAR).sum())
    first = int((means.tau >= means.rival).sum())
    n = len(means)
    return (
        f"On {n} of 21 sets: at or above the best published figure, by its two decimals, on "
        f"{published}; first of our own learners on {first}, first or within {NEAR} of the first on "
        f"{near}. The median of a fit is {means.seconds.median():.0f} s, the longest "
        f"{means.seconds.max():.0f} s, one core each."
    )


def complete(means: pd.DataFrame) -> Iterator[str]:
    """Each data set beside the best published and the best of our own learners."""
    return table(
        ["data set", "`AutoRanker`", "best published", "best learner alone", "seconds"],
        (
            [
                str(name),
                f"{bold(row.tau, row.tau >= row.rival)} ± {row.sd:.3f}",
                f"{row.published:.2f} ({row.system})",
                f"{bold(row.rival, row.rival > row.tau)} ({row.of})",
                f"{row.seconds:.0f}",
            ]
            for name, row in means.iterrows()
        ),
    )


def bold(number: float, is_best: bool) -> str:
    """A number, bold where it is the best of our own."""
    return f"**{number:.3f}**" if is_best else f"{number:.3f}"


PAGE = ResultPage(
    "auto", ("summary", "complete"), write_blocks, borrowed={"others": "comparison/folds.csv"}
)

if __name__ == "__main__":
    PAGE.keep(Path(__file__).parents[1], folds=pd.read_csv(Path(sys.argv[1]) / "folds.csv"))
