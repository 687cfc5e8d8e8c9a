"""Parts of a page that a command writes: what stands between ``<!-- name -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

BLOCK = re.compile(r"(<!-- (?!end)([a-z ]+) -->\n).*?(<!-- end -->)", re.S)


def rewritten(page: str, blocks: Mapping[str, Iterable[str]]) -> str:
    """Return a page with its blocks made of the lines given by name."""
    texts = {name: "\n".join(lines) for name, lines in blocks.items()}
    return BLOCK.sub(lambda found: f"{found[1]}{texts[found[2]]}\n{found[3]}", page)


def table(
    header: list[str], rows: Iterable[list[str]], *, words: bool | Container[str] = ()
) -> Iterator[str]:
    """Lines of a table; the first column is text, the others are figures unless they are words.

    `words` has the heads of columns that are; True: all of them.
    """
    yield f"| {' | '.join(header)} |"
    named = header if words is True else words or ()
    yield "|:--|" + "".join(":--|" if name in named else "--:|" for name in header[1:])
    for row in rows:
        yield f"| {' | '.join(row)} |"


def added(old: pd.DataFrame, new: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Rows of an earlier run whose keys are not in the new one, and the new ones."""
    again = pd.MultiIndex.from_frame(old[keys]).isin(pd.MultiIndex.from_frame(new[keys]))
    return pd.concat([old[~again], new], ignore_index=True)


@dataclass(frozen=True)
class ResultPage:
    """A page of ``results/``, and how its blocks are made of the tables kept in a folder beside it.

    Parameters
    ----------
    name : str
        Of the page and its folder, and of the make target that runs the benchmark.
    blocks : tuple of str
        Those of the page. What `make` does not return says that there was no run.
    make : callable
        Gets the tables by the names of their files; returns the lines of each block.
    borrowed : mapping
        More tables for `make`: the names it knows them by, and their files under ``results/``.
    keys : mapping
        By table: the columns that say what a row is about, so that a part of it can be run alone.
    """

    name: str
    blocks: tuple[str, ...]
    make: Callable[..., Mapping[str, Iterable[str]]]
    borrowed: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, list[str]] = field(default_factory=dict)

    def path(self, docs: Path) -> Path:
        """The page itself."""
        return docs / "results" / f"{self.name}.md"

    def table(self, docs: Path, name: str) -> Path:
        """The file of one table of the run that the page shows."""
        return docs / "results" / self.name / f"{name}.csv"

    def keep(self, docs: Path, **tables: pd.DataFrame) -> None:
        """Keep tables beside the page, in place of those of the same names, and write its blocks anew.

        Of tables that have `keys`, rows stay whose keys were not run again.
        """
        for name, found in tables.items():
            path = self.table(docs, name)
            path.parent.mkdir(exist_ok=True)
            if name in self.keys and path.exists():
                found = added(pd.read_csv(path), found, self.keys[name])
            found.round(7).to_csv(path, index=False)
        self.path(docs).write_text(self.refreshed(docs), encoding="utf-8")

    def refreshed(self, docs: Path) -> str:
        """The page with its blocks made of the tables beside it."""
        nothing = f"Not run yet: `make {self.name}` does it."
        # said once where a sentence stands before the table
        lines: dict[str, Iterable[str]] = {
            block: [] if f"{block} summary" in self.blocks else [nothing] for block in self.blocks
        }
        tables = {path.stem: path for path in self.table(docs, "*").parent.glob("*.csv")}
        if tables:
            tables |= {name: docs / "results" / file for name, file in self.borrowed.items()}
            lines |= self.make(**{name: pd.read_csv(path) for name, path in tables.items()})
        return rewritten(self.path(docs).read_text(encoding="utf-8"), lines)
