"""Help that fits 80 columns: options in groups, every name in full, examples line by line."""

from __future__ import annotations

import re
import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

YOUR_DATA, RESEARCH = "Your data", "Research"
# What the options of commands that read data are about, by the names of their parameters.
_GROUPS = {
    "Your data": (
        *(
            "file",
            "files",
            "datasets",
            "labels",
            "features",
            "drop",
            "nominal",
            "format",
            "sheet",
        ),
        *("column", "groups", "data", "data_sheet"),
    ),
    "Your data, where cells hold values": (
        *("higher_is_better", "unit", "cutoff", "penalty", "replicates", "within"),
    ),
    "Your model": ("model", "trusted"),
    "Learner and its check": (
        *("learner", "methods", "trees", "leaf_rows", "ties", "grid", "folds", "repeats"),
        *("missing", "time_budget", "seed", "jobs", "backend"),
        *("rows_per_tree", "memory", "cluster"),
    ),
    "Output": (
        *(
            "target",
            "output",
            "out",
            "report",
            "to",
            "row",
            "first",
            "second",
            "words",
            "prefix",
            "top",
        ),
        *("formats", "strict", "force", "as_json"),
    ),
}
# Stands for a hyphen while lines are broken.
_HYPHEN = "\N{NON-BREAKING HYPHEN}"
# What is to be filled in, as people say it.
_KINDS = {"str": "TEXT", "path": "PATH", "int": "N", "float": "NUMBER", "bool": ""}


class _Plain:
    """What commands and groups of commands share: sections, and a line for each example."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        command: Any = self
        params = command.get_params(ctx)
        reads_data = {"file", "datasets"} & {param.name for param in params}
        sections: dict[str, list[tuple[str, str]]] = {
            name: [] for name in (*(_GROUPS if reads_data else ()), "Arguments", "Options")
        }
        for param in params:
            record = param.get_help_record(ctx)
            if record is None:
                continue
            is_argument = param.param_type_name == "argument"
            name = "Arguments" if is_argument else "Options"
            if reads_data:
                name = next((g for g, names in _GROUPS.items() if param.name in names), name)
            names, said = _filled_in(record[0]), re.sub(r"x>=([\d.]+)", r"at least \1", record[1])
            if is_argument:
                names, said = names.split()[0], said.removesuffix("[required]").rstrip()
            sections[name].append((names, said))
        for name, records in sections.items():
            _write(formatter, name, records)
        if hasattr(command, "commands"):
            command.format_commands(ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        above: Any = super()
        return [piece.strip("{}") for piece in above.collect_usage_pieces(ctx)]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        lines = [line for line in (getattr(self, "epilog", "") or "").splitlines() if line]
        if lines:
            formatter.write("\n")
        for i, line in enumerate(lines):
            # Not broken: an example is there to be copied.
            formatter.write(f"{_bold(line) if i == 0 < len(lines) - 1 else '  ' + line}\n")


class Command(_Plain, TyperCommand):
    """A command whose help is laid out here."""


class Group(_Plain, TyperGroup):
    """A group of commands, which its help divides by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, a section for each purpose."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            purpose = getattr(command, "rich_help_panel", None)
            purpose = purpose if isinstance(purpose, str) else "Commands"
            said = command.short_help or (command.help or "").split("\n\n")[0]
            sections.setdefault(purpose, []).append((name, " ".join(said.split())))
        for purpose, records in sections.items():
            _write(formatter, purpose, records)


def _write(formatter: Any, heading: str, records: list[tuple[str, str]]) -> None:
    if records:
        # names such as table-real are not broken at their hyphens
        whole = [(names, said.replace("-", _HYPHEN)) for names, said in records]
        with formatter.section(_bold(heading)):
            formatter.write_dl(whole, col_max=26)
        formatter.buffer = [text.replace(_HYPHEN, "-") for text in formatter.buffer]


def _filled_in(names: str) -> str:
    """Say what an option takes: ``--trees N``, not ``--trees <int range>``."""
    said = re.sub(r"<(\w+)[^<>]*>", lambda kind: _KINDS.get(kind[1], kind[1].upper()), names)
    return re.sub(
        r"\s*RANGE|\s+$|\s*\[.*", "", said.replace("INTEGER", "N").replace("FLOAT", "NUMBER")
    )


def _bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text
