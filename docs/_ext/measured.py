"""The list of pages under results/ and reproduction/, which come and go with longer runs."""

from __future__ import annotations

from pathlib import Path

FOLDERS = ("results", "reproduction")


def write(docs: Path, target: Path) -> None:
    """Write ``measured.md``: a table of contents of what is there, or a sentence."""
    pages = [
        str(path.relative_to(docs).with_suffix(""))
        for folder in FOLDERS
        for path in sorted((docs / folder).glob("**/*.md"))
    ]
    text = "No report is in the repository yet.\n"
    if pages:
        text = "\n".join(["```{toctree}", ":maxdepth: 1", "", *pages, "```", ""])
    target.mkdir(exist_ok=True)
    path = target / "measured.md"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
