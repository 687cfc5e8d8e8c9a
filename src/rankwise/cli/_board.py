"""The table of the learners that were tried, with what went wrong below it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rankwise._terminal import visible
from rankwise.cli._console import make_console, print_table

if TYPE_CHECKING:
    from rankwise.auto import Leaderboard

# What is longer would leave the other columns no room.
_LONGEST_NOTE = 24


def print_board(
    board: Leaderboard, *, without: Collection[str] = (), columns_without: Collection[str] = ()
) -> None:
    """Print the learners of a leaderboard, those of some names and some columns left out."""
    head, rows = board.cells()
    place = head.index("") if "" in head else None
    why: dict[str, list[str]] = {}
    shown = []
    for row in rows:
        if row[0] in without:
            continue
        if place is not None and len(row[place]) > _LONGEST_NOTE:
            why.setdefault(row[place], []).append(row[0])
            row = [*row[:place], "see below", *row[place + 1 :]]
        shown.append(
            [cell for cell, name in zip(row, head, strict=True) if name not in columns_without]
        )
    print_table([name for name in head if name not in columns_without], shown)
    console = make_console()
    is_piped = not console.is_terminal
    for reason, names in why.items():
        said = visible(f"{' and '.join(names)}: {reason}")
        console.print(said, markup=False, soft_wrap=is_piped)
