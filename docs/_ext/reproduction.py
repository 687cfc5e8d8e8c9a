"""Bring the files of a run of ``rankwise reproduce`` into the pages, and write its tables there anew.

    python docs/_ext/reproduction.py rankwise-reproduce docs [programs]

The files of ``reproduction/`` are replaced by those of the run, and so is what stands in its page, and
in that of the paper, between ``<!-- name -->`` and ``<!-- end -->``. The sentences around it are written
by hand: read them again. ``programs`` is the folder of a run of ``figure-noise`` with
``--set noise_grid=programs``, whose files go to ``reproduction/programs/``.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from blocks import rewritten, table

SHOWN = (".csv", ".html", ".json", ".png")
LEARNERS = ["RF", "DT", "SDT", "RFT", "DTT"]
OTHERS = {"LWD": "LWD", "RPC": "RPC", "LRT": "LRT", "LRRF": "LR-RF",
          "KNNKemeny": "kNN-Kemeny", "BoostLR": "BoostLR"}  # fmt: skip


def main() -> None:
    """Refresh the pages from the folder of a run."""
    run, docs, *programs = map(Path, sys.argv[1:])
    files = docs / "reproduction"
    bring(run, files)
    for folder in programs:
        bring(folder, files / "programs")
    for page in pages(docs):
        page.write_text(refreshed(page.read_text(), files))


def bring(run: Path, files: Path) -> None:
    """Replace the files of a run; the pages need no SVG."""
    files.mkdir(exist_ok=True)
    for old in files.iterdir():
        if old.is_file() and old.suffix != ".md":
            old.unlink()
    for new in run.iterdir():
        if new.suffix in SHOWN:
            shutil.copyfile(new, files / new.name)


def pages(docs: Path) -> tuple[Path, ...]:
    """The pages that show tables of the run."""
    return docs / "reproduction" / "full.md", docs / "paper.md"


def refreshed(page: str, files: Path) -> str:
    """Return a page with its blocks written anew from the files of the run."""
    return rewritten(page, write_blocks(files))


def write_blocks(files: Path) -> dict[str, Iterable[str]]:
    """The lines of each block by its name."""
    results, real = read(files, "semi-synthetic"), read(files, "real")
    return {
        "cut": cut(files),
        "tau on orders": by_learner(pd.concat([results, real]), orders_cell),
        "tau on ranks": by_learner(pd.concat([results, real]), ranks_cell),
        "verdicts": verdicts(files),
        "sparsity": sparsity(files / "table-sparsity.csv"),
        "verdicts of the programs": verdicts_of_programs(files / "programs"),
        "forest on both": forest_on_both(results),
        "like for like": like_for_like(read(files, "comparison")),
        "inverted files": inverted_files(real),
    }


def read(files: Path, name: str) -> pd.DataFrame:
    """One table of the run, a row for each cell."""
    return pd.read_csv(files / f"table-{name}.csv")


def cut(files: Path) -> Iterator[str]:
    """What the run left out of the paper's protocol."""
    manifest = json.loads((files / "manifest.json").read_text())
    yield f"Cut: {'; '.join(manifest['cut'])}." if manifest["cut"] else "Nothing was cut."


def by_learner(cells: pd.DataFrame, write_cell: Callable[[pd.Series], str]) -> Iterator[str]:
    """The result tables as one, a line per data set."""
    groups = cells.groupby("dataset", sort=False)
    return table(
        ["data set", *LEARNERS],
        (
            [name, *(write_cell(group.set_index("method").loc[m]) for m in LEARNERS)]
            for name, group in groups
        ),
    )


def orders_cell(cell: pd.Series) -> str:
    """Our figure and the paper's; a star where they differ."""
    star = r" \*" if cell.differs else ""
    return f"{cell.tau_on_orders:.3f} ({cell.paper:.2f}){star}"


def ranks_cell(cell: Any) -> str:
    """Our figure."""
    return f"{cell.tau_on_ranks:.3f}"


def forest_on_both(cells: pd.DataFrame) -> Iterator[str]:
    """The paper's column of forests, and ours on both readings."""
    return table(
        ["data set", "paper", "on orders", "on ranks"],
        (
            [cell.dataset, f"{cell.paper:.2f}", f"{cell.tau_on_orders:.3f}", ranks_cell(cell)]
            for cell in cells[cells.method == "RF"].itertuples()
        ),
    )


def like_for_like(cells: pd.DataFrame) -> Iterator[str]:
    """The paper's comparison with its own column on ranks."""
    rows = []
    for name, group in cells.groupby("dataset", sort=False):
        cell = group.set_index("method")
        paper = cell.paper.reindex(["RF", *OTHERS]).map(
            lambda tau: "" if pd.isna(tau) else f"{tau:.2f}"
        )
        rows.append([name, paper["RF"], f"{cell.tau_on_ranks['RF']:.2f}", *paper[list(OTHERS)]])
    return table(
        ["data set", "RF on orders (the paper)", "RF on ranks (ours)", *OTHERS.values()], rows
    )


def inverted_files(cells: pd.DataFrame) -> Iterator[str]:
    """The sets of inverted files, as published and corrected."""
    return table(
        ["data set", "paper", "as published, on orders", "as published, on ranks",
         "corrected, on ranks"],
        (
            [cell.dataset, f"{cell.paper:.2f}", f"{cell.tau_on_orders:.3f}",
             f"{cell.tau_on_ranks_of_published_file:.3f}", ranks_cell(cell)]
            for cell in cells[cells.method == "RF"].itertuples()
        ),
    )  # fmt: skip


def verdicts(files: Path) -> Iterator[str]:
    """The claims of the paper's text, a line each."""
    return table(
        ["claim", "tau on", "verdict", "rule", "measured"],
        (
            [v.claim, v.reading, "holds" if v.holds else "does not hold", v.rule, v.figure]
            for v in pd.read_csv(files / "verdicts.csv").itertuples()
        ),
        words=True,
    )


def sparsity(file: Path) -> Iterable[str]:
    """How many features are seen to matter in each benchmark, where it was diagnosed."""
    if not file.exists():
        return ["They were not diagnosed yet."]
    return table(
        ["data set", "features", "seen to matter", "range of repeats", "verdict"],
        (
            [r.dataset, f"{r.features}", f"{r.r:g}", f"{r.r_low:g} to {r.r_high:g}", r.verdict]
            for r in pd.read_csv(file).itertuples()
        ),
    )


def verdicts_of_programs(files: Path) -> Iterable[str]:
    """The same on the noise levels of the paper's programs, where they were run."""
    if files.exists():
        return verdicts(files)
    return ["They were not run yet."]


if __name__ == "__main__":
    main()
