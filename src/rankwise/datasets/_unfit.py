"""Columns of a table that cannot be features as they stand: all are told at once, with one remedy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankwise._messages import Arg


@dataclass(frozen=True)
class Unfit:
    """What is wrong with some columns.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    said : str
        All that is to be said where nothing else is wrong, with the remedy.
    briefly : str
        What is wrong, without the remedy.
    instead : str
        What to do where they are to stay.
    line : int, optional
        Where it was seen.
    """

    columns: Sequence[str]
    said: str
    briefly: str
    instead: str
    line: int | None = None


def refuse_unfit(error: Callable[[str, int | None], Exception], unfit: Sequence[Unfit]) -> None:
    """Raise one error about all columns that cannot be features, if there are any."""
    if not unfit:
        return
    if len(unfit) == 1:
        raise error(unfit[0].said, unfit[0].line)
    names = [name for part in unfit for name in part.columns]
    instead = "; ".join(dict.fromkeys(part.instead for part in unfit))
    raise error(
        f"{len(names)} columns cannot be features as they stand: "
        f"{'; '.join(part.briefly for part in unfit)}. What to do: {left_out(names)}; or mend them: "
        f"{instead}",
        None,
    )


def left_out(names: Sequence[str]) -> str:
    """Say how to leave columns out."""
    them = "it" if len(names) == 1 else "them"
    option = (
        f"{Arg.DROP_ONE:{names[0]}}" if len(names) == 1 else f"{Arg.DROP_SOME:{','.join(names)}}"
    )
    return f"leave {them} out with {option}"
