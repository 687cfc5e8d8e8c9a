"""The tables of ``results/auto.md``, from the folds of ``benchmarks/auto.py`` and of the comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd
from blocks import ResultPage, table

from rankwise.paper import published_figures

AUTO = "Auto"
COMPLETE = "complete"
# A figure that is published with two decimals may be half of the second less.
ROUNDED = 0.005
# So far behind the first is as good as first.
NEAR = 0.005
PLACE = ["part", "dataset", "missing"]
# What is kept of each fold, beside its place.
KEPT = [*PLACE, "method", "repetition", "fold", "tau", "tau_x", "fit_seconds"]


def write_blocks(folds: pd.DataFrame, others: pd.DataFrame) -> dict[str, Iterable[str]]:
    """The lines of each block of the kinds of data that were run."""
    by_part = dict(iter(judged(folds, others).groupby(level="part", sort=False)))
    return {
        f"{part}{what}": make(means)
        for part, means in by_part.items()
        for what, make in ((" summary", lambda found: [summary(found)]), ("", rows_of))
    }


def judged(folds: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """By data set: what the default reaches, the best of the others, and how far that is ahead."""
    measured = pd.concat([folds, others.assign(part=COMPLETE)], ignore_index=True)
    measured["figure"] = measured.tau_x.fillna(measured.tau)
    wide = measured.pivot_table(
        index=[*PLACE, "repetition", "fold"], columns="method", values="figure", sort=False
    )
    seconds = folds[folds.method == AUTO].groupby(PLACE).fit_seconds.median()
    found = []
    for place, rows in wide[wide[AUTO].notna()].groupby(level=PLACE, sort=False):
        rivals = rows.drop(columns=AUTO).dropna(axis=1).mean()
        behind = rows[rivals.idxmax()] - rows[AUTO]
        found.append(
            {
                **dict(zip(PLACE, place, strict=True)),
                "figure": rows[AUTO].mean(),
                "sd": rows[AUTO].std(),
                "rival": rivals.max(),
                "of": rivals.idxmax(),
                "behind": behind.mean(),
                "error": behind.std() / len(behind) ** 0.5,
                "seconds": seconds[place],
            }
        )
    return pd.DataFrame(found).set_index(PLACE).join(best_published(), on="dataset")


def best_published() -> pd.DataFrame:
    """The highest tau on ranks that the paper's tables have of any system, by data set."""
    known = [figure for figure in published_figures() if figure.on == "ranks"]
    best = {figure.dataset: figure for figure in sorted(known, key=lambda figure: figure.tau)}
    return pd.DataFrame(
        {name: {"published": f.tau, "system": f.method} for name, f in best.items()}
    ).T


def summary(means: pd.DataFrame) -> str:
    """How often it is first or near the first of our own, and at the best published figure."""
    text = f"Of {len(means)}: first on {int((means.behind <= 0).sum())}"
    if len(means) > 1:
        worst = means.behind.idxmax()
        text += (
            f", first or within {NEAR} of the first on {int((means.behind <= NEAR).sum())}; furthest "
            f"behind on {worst[1]}{f' at {worst[2]:.0%}' if worst[2] else ''}, by {means.behind.max():.3f}"
        )
    if means.index[0][0] == COMPLETE:
        reached = int((means.figure >= means.published.astype(float) - ROUNDED).sum())
        text += f". At or above the best published figure, by its two decimals, on {reached}"
    return (
        f"{text}. The median of a fit is {means.seconds.median():.0f} s, the longest "
        f"{means.seconds.max():.0f} s, one core each."
    )


def rows_of(means: pd.DataFrame) -> Iterator[str]:
    """Each data set beside the best of our own learners, and the best published on complete rankings."""
    part = means.index[0][0]
    is_complete, is_incomplete = part == COMPLETE, bool(means.index[0][2])
    header = ["data set", "`AutoRanker`", "best learner alone", "ahead of it"]
    if is_incomplete:
        header.insert(1, "missing")
    if is_complete:
        header.insert(2, "best published")
    yield from table(
        [*header, "seconds"],
        (
            [
                str(name),
                *([f"{missing:.0%}"] if is_incomplete else []),
                f"{bold(row.figure, row.behind <= 0)} ± {row.sd:.3f}",
                *([f"{row.published:.2f} ({row.system})"] if is_complete else []),
                f"{bold(row.rival, row.behind > 0)} ({row.of})",
                f"{-row.behind:+.3f} ± {row.error:.3f}",
                f"{row.seconds:.0f}",
            ]
            for (_, name, missing), row in means.iterrows()
        ),
    )


def bold(number: float, is_best: bool) -> str:
    """A number, bold where it is the best of our own."""
    return f"**{number:.3f}**" if is_best else f"{number:.3f}"


PARTS = (COMPLETE, "incomplete", "tied", "sushi")
PAGE = ResultPage(
    "auto",
    tuple(f"{part}{what}" for part in PARTS for what in (" summary", "")),
    write_blocks,
    borrowed={"others": "comparison/folds.csv"},
    keys={"folds": [*PLACE, "method"]},
)
