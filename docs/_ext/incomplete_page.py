"""The tables of ``results/incomplete.md``, from the folds of ``benchmarks/incomplete.py``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from blocks import ResultPage, table

# The default forest is judged by the best of these on each set.
OURS, BEST_OF = "default", ("joint", "RF per pair", "ET per pair")
NEAR = 0.005
# Sets by which nothing was chosen; they are judged by themselves.
UNSEEN = ("authorship", "vowel", "wisconsin", "fried", "pendigits", "diau", "dtt", "spo")
PLACE = ["dataset", "missing"]


def write_blocks(folds: pd.DataFrame) -> dict[str, Iterable[str]]:
    """The lines of each block by its name; none of sets that were not run."""
    blocks: dict[str, Iterable[str]] = {}
    for prefix, is_unseen in (("", False), ("unseen ", True)):
        own = folds[folds.dataset.isin(UNSEEN) == is_unseen]
        if len(own):
            found = judged(own)
            blocks[f"{prefix}summary"] = [summary(found)]
            blocks[f"{prefix}tables"] = list(tables(found))
    return blocks


def judged(folds: pd.DataFrame) -> pd.DataFrame:
    """Mean tau by set, rate and method; how far ours is behind the best, and the error of that."""
    methods = list(dict.fromkeys(folds.method))
    index = [*PLACE, "repetition", "fold"]
    wide = folds.pivot_table(index=index, columns="method", values="tau", sort=False)[methods]
    by_set = wide.groupby(level=PLACE, sort=False)
    found = by_set.mean()
    best = found[list(BEST_OF)].idxmax(axis=1)
    behind, error = [], []
    for place, rows in by_set:
        gaps = rows[best[place]] - rows[OURS]
        behind.append(gaps.mean())
        error.append(gaps.std() / np.sqrt(len(gaps)))
    return found.assign(best=best, behind=behind, error=error)


def summary(found: pd.DataFrame) -> str:
    """How often the default forest is as good as the best, and where it is furthest behind."""
    near = int((found.behind <= NEAR).sum())
    name, rate = found.behind.idxmax()
    return (
        f"The default forest is within {NEAR} of the best of the three in {near} of {len(found)}, and "
        f"ahead of it in {int((found.behind < 0).sum())}; it is furthest behind on {name} at {rate:.0%}, "
        f"by {found.behind.max():.3f}."
    )


def tables(found: pd.DataFrame) -> Iterator[str]:
    """A table for each missing rate."""
    methods = [name for name in found if name not in ("best", "behind", "error")]
    for rate, rows in found.groupby(level="missing"):
        yield f"{rate:.0%} of the labels missing:"
        yield ""
        yield from table(
            ["data set", *methods, "best of the three", "behind it"],
            ([name, *(cell(row[m], row[m] == row[methods].max()) for m in methods), row.best,
              f"{row.behind:.3f} ± {row.error:.3f}"] for (name, _), row in rows.iterrows()),
        )  # fmt: skip
        yield ""


def cell(tau: float, is_best: bool) -> str:
    """A figure, bold where it is the best of its row."""
    return f"**{tau:.3f}**" if is_best else f"{tau:.3f}"


PAGE = ResultPage(
    "incomplete", ("summary", "tables", "unseen summary", "unseen tables"), write_blocks
)
