"""Run the commands of a page and write their real output below them.

    python docs/_ext/transcript.py docs/first_hour.md docs/first_hour

In every block marked ``console`` the lines that start with ``$`` are run, in a copy of the folder;
the rest of the block is replaced by what they print. ``tests/test_docs.py`` runs the pages again.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# What no two runs have in common.
TIMES = re.compile(r"^(time +)\d.*$", re.M)
# Seconds at the end of a leaderboard's line, behind interval and weight.
SECONDS = re.compile(r"^(\S.* to -?\d+\.\d+ +(?:\d+% +)?)\d+\.\d$", re.M)


def rerun(page: str, folder: Path) -> str:
    """Return the page with the output of its commands, run in a copy of `folder`."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(folder, work, dirs_exist_ok=True)
        os.chdir(work)
        try:
            return BLOCK.sub(lambda block: f"```console\n{_run_all(block[1])}```", page)
        finally:
            os.chdir(before)


def without_times(page: str) -> str:
    """Return the page without the times that were taken."""
    return SECONDS.sub(r"\1...", TIMES.sub(r"\1...", page))


def _run_all(block: str) -> str:
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)\n", block, re.M)
    return "".join(f"$ {command}\n{_output(command)}" for command in commands)


def _output(command: str) -> str:
    name, *arguments = shlex.split(command.replace("\\\n", " "))
    if name in PLAIN:
        return PLAIN[name](*arguments)
    if name != "rankwise":
        raise ValueError(f"pages may run rankwise and {', '.join(PLAIN)}, not {name!r}")
    # Imported here: the plain commands need nothing.
    from rankwise.cli import main

    said = io.StringIO()
    quiet = contextlib.suppress(SystemExit)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), quiet:
        main(arguments)
    return re.sub(r" +$", "", said.getvalue(), flags=re.M)


def _head(lines: str, path: str) -> str:
    text = Path(path).read_text(encoding="utf-8-sig")
    return "".join(text.splitlines(keepends=True)[: int(lines.lstrip("-"))])


def _cut(separator: str, fields: str, path: str) -> str:
    wanted = [int(field) - 1 for field in fields.removeprefix("-f").split(",")]
    rows = [line.split(separator[2:]) for line in Path(path).read_text().splitlines()]
    return "".join(separator[2:].join(row[i] for i in wanted) + "\n" for row in rows)


def _sed(_: str, command: str, path: str) -> str:
    _, old, new, _ = command.split("/")
    Path(path).write_text(Path(path).read_text().replace(old, new))
    return ""


PLAIN = {"cat": lambda path: Path(path).read_text(), "cut": _cut, "head": _head, "sed": _sed}


def main() -> None:
    """Refresh a page in place."""
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    page.write_text(rerun(page.read_text(), folder))


if __name__ == "__main__":
    main()
