"""Parts of a page that a command writes: what stands between ``<!-- name -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

BLOCK = re.compile(r"(<!-- (?!end)([a-z ]+) -->\n).*?(<!-- end -->)", re.S)


def rewritten(page: str, blocks: Mapping[str, Iterable[str]]) -> str:
    """Return a page with its blocks made of the lines given by name."""
    texts = {name: "\n".join(lines) for name, lines in blocks.items()}
    return BLOCK.sub(lambda found: f"{found[1]}{texts[found[2]]}\n{found[3]}", page)


def table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Lines of a table; the first column is text."""
    yield f"| {' | '.join(header)} |"
    yield "|:--|" + "--:|" * (len(header) - 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"
