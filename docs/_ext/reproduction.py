"""Bring the files of a run of ``rankwise reproduce`` into the pages, and write its tables there anew.

    python docs/_ext/reproduction.py rankwise-reproduce docs/reproduction

The files that the folder of pages has already are replaced by those of the run, and so is what stands
in ``full.md`` between ``<!-- name -->`` and ``<!-- end -->``. The sentences around it are written by
hand: read them again.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

BLOCK = re.compile(r"(<!-- (?!end)([a-z ]+) -->\n).*?(<!-- end -->)", re.S)
LEARNERS = ["RF", "DT", "SDT", "RFT", "DTT"]


def main() -> None:
    """Refresh a folder of pages from the folder of a run."""
    run, pages = map(Path, sys.argv[1:])
    for old in pages.iterdir():
        if old.name != "full.md":
            shutil.copyfile(run / old.name, old)
    page = pages / "full.md"
    blocks = {
        "cut": cut(pages),
        "tau on orders": "\n".join(table(pages, orders_cell)),
        "tau on positions": "\n".join(table(pages, positions_cell)),
        "verdicts": "\n".join(verdicts(pages)),
    }
    page.write_text(
        BLOCK.sub(lambda found: found[1] + blocks[found[2]] + "\n" + found[3], page.read_text())
    )


def cut(pages: Path) -> str:
    """What the run left out of the paper's protocol."""
    manifest = json.loads((pages / "manifest.json").read_text())
    return f"Cut: {'; '.join(manifest['cut'])}." if manifest["cut"] else "Nothing was cut."


def table(pages: Path, write_cell: Callable[[pd.Series], str]) -> Iterator[str]:
    """The two result tables as one, a line per data set."""
    cells = pd.concat(
        [pd.read_csv(pages / f"table-{name}.csv") for name in ("semi-synthetic", "real")]
    )
    yield f"| data set | {' | '.join(LEARNERS)} |"
    yield "|:--|" + "--:|" * len(LEARNERS)
    for dataset, group in cells.groupby("dataset", sort=False):
        by_learner = group.set_index("method")
        texts = [write_cell(by_learner.loc[learner]) for learner in LEARNERS]
        yield f"| {dataset} | {' | '.join(texts)} |"


def orders_cell(cell: pd.Series) -> str:
    """Our figure and the paper's; a star where they differ."""
    star = r" \*" if cell.differs else ""
    return f"{cell.tau_on_orders:.3f} ({cell.paper:.2f}){star}"


def positions_cell(cell: pd.Series) -> str:
    """Our figure."""
    return f"{cell.tau_on_positions:.3f}"


def verdicts(pages: Path) -> Iterator[str]:
    """The claims of the paper's text, a line each."""
    yield "| claim | tau on | verdict | rule | measured |"
    yield "|:--|:--|:--|:--|:--|"
    for claim in pd.read_csv(pages / "verdicts.csv").itertuples():
        verdict = "holds" if claim.holds else "does not hold"
        yield f"| {claim.claim} | {claim.reading} | {verdict} | {claim.rule} | {claim.figure} |"


if __name__ == "__main__":
    main()
