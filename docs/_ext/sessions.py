"""Run the Python sessions of pages and write their real output below them.

    python docs/_ext/sessions.py docs/*.md docs/guide/*.md

A session is a block marked ``pycon``; all sessions of a page share their names. Look at the difference
before you commit it: ``tests/test_docs.py`` only sees that pages and code agree, not that both are right.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
import warnings
from pathlib import Path
from typing import Any

SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.M | re.S)


def rerun(page: str) -> str:
    """Return the page with the output of its sessions."""
    names: dict[str, Any] = {}
    return SESSION.sub(lambda block: f"```pycon\n{run_session(block[1], names)}```", page)


def run_session(session: str, names: dict[str, Any]) -> str:
    """Run the examples of a text; return them with their output. What they name is added to `names`."""
    lines = []
    for example in doctest.DocTestParser().get_examples(session):
        first, *more = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        lines += _output(example.source, names)
    return "".join(f"{line}\n" for line in lines)


def _output(source: str, names: dict[str, Any]) -> list[str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<page>", "single"), names)
        except Exception as error:
            print(f"Traceback (most recent call last):\n    ...\n{type(error).__name__}: {error}")
    return [
        line or "<BLANKLINE>"
        for line in said.getvalue().rstrip("\n").split("\n")
        if said.getvalue()
    ]


def main() -> None:
    """Refresh pages in place."""
    for path in map(Path, sys.argv[1:]):
        path.write_text(rerun(path.read_text()))


if __name__ == "__main__":
    main()
