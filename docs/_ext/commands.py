"""The page of the command line, made from the commands' own help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankwise.cli._app import program


def write(target: Path) -> None:
    """Write ``commands.md``: for each command what it does, examples and options."""
    group: Any = program
    parts = [_section(f"rankwise {name}", command) for name, command in group.commands.items()]
    target.mkdir(exist_ok=True)
    path, text = target / "commands.md", "\n".join(parts)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _section(name: str, command: Any) -> str:
    lines = [f"## {name}", "", _plain(command.help), ""]
    examples = [e for e in (command.epilog or "").split("\n\n") if e.startswith("rankwise ")]
    if examples:
        lines += ["```sh", *(" ".join(example.split()) for example in examples), "```", ""]
    parts = getattr(command, "commands", {})
    if not parts:
        return "\n".join([*lines, *_options(command)])
    for part, below in _leaves(name, parts):
        lines += [f"### {part}", "", _plain(below.help), "", *_options(below)]
    return "\n".join(lines)


def _leaves(name: str, parts: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the commands below a group, groups in it taken apart as well."""
    for part, below in parts.items():
        deeper = getattr(below, "commands", {})
        if deeper:
            yield from _leaves(f"{name} {part}", deeper)
        else:
            yield f"{name} {part}", below


def _options(command: Any) -> list[str]:
    shown = [
        o for o in command.params if "--help" not in o.opts and not getattr(o, "hidden", False)
    ]
    # what must be given stands first, as it is typed
    shown.sort(key=lambda option: option.opts[0].startswith("-"))
    rows = [f"| {_names(option)} | {_meaning(option)} |" for option in shown]
    return ["| option | meaning |", "|---|---|", *rows, ""] if rows else []


def _meaning(option: Any) -> str:
    """What an option is for, and its default: a column of its own would be empty mostly."""
    said = _plain(option.help).replace("|", chr(92) + "|")
    return " ".join(part for part in (said, _default(option)) if part)


def _names(option: Any) -> str:
    if not option.opts[0].startswith("-"):
        return f"`{option.opts[0].upper()}`"
    return ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])


def _default(option: Any) -> str:
    if option.required:
        return "Required."
    # 0 equals False, but is a default to be shown
    absent = option.default is False or option.default in (None, "", ())
    return "" if absent else f"Default: `{option.default}`."


def _plain(text: str | None) -> str:
    paragraphs = (text or "").replace("\b", "").split("\n\n")
    plain = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    # what is quoted is there to be typed: as code, its quotes stay straight
    return re.sub(r"(?<![\w`])'[^'`]+'(?![\w`])", lambda found: f"`{found[0]}`", plain)
