"""Who was tried, how well each did on rows left out, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._arguments import check_arguments, check_fields
from rankwise._html import Html, Number, notebook, table
from rankwise._naming import shown
from rankwise._parameters import check_numbers
from rankwise._svg import interval as interval_picture
from rankwise._terminal import visible
from rankwise.auto._candidates import FLOOR

MIXTURE = "the mixture"
# Columns of the table that hold texts.
_TEXTS = ("learner", "")


@check_arguments
@dataclass(frozen=True)
class Standing:
    """One line of the leaderboard.

    Parameters
    ----------
    learner : str
        As `--learner` takes it, or "the mixture".
    tau, low, high : float
        Mean over rows left out, each row by the pairs it compares, and a 95 % interval of it.
    seconds : float
        What trying it took.
    weight : float
        Its share of the mixture; 0: no part of it.
    rows : int
        How many rows it was tried on: fewer than all where it fell behind early, or time ran out.
    note : str
        Why it was tried no further, where that is so.
    """

    learner: str
    tau: float
    low: float
    high: float
    seconds: float
    weight: float
    rows: int
    note: str = ""

    def _check_state(self) -> None:
        if (
            type(self.learner) is not str
            or type(self.note) is not str
            or type(self.rows) is not int
        ):
            raise ValueError("its leaderboard names no learner, or no rows")
        if any(type(number) is not float for number in self._numbers()):
            raise ValueError("its leaderboard holds something else where a number belongs")

    def _numbers(self) -> tuple[float, ...]:
        return self.tau, self.low, self.high, self.seconds, self.weight


@check_arguments
@dataclass(frozen=True)
class Leaderboard:
    """What `AutoRanker` has tried, the best first.

    Print it, look at it in a notebook, or take it as a DataFrame.

    Parameters
    ----------
    standings : tuple of Standing
        Best first; of those tried on fewer rows the last.
    measure : str
        What `tau` is: "kendall_tau", what ties were fitted to, or "gap_closed" where values decided.
    """

    standings: tuple[Standing, ...]
    measure: str = "kendall_tau"

    def __post_init__(self) -> None:
        check_fields(self)
        for one in self.standings:
            if not isinstance(one, Standing):
                raise TypeError(f"standings holds {shown(one)}; give what Standing makes")

    def __len__(self) -> int:
        return len(self.standings)

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings)

    def __getitem__(self, place: int) -> Standing:
        return self.standings[place]

    def to_frame(self) -> Any:
        """Return it as a DataFrame of pandas."""
        import pandas as pd

        return pd.DataFrame([asdict(standing) for standing in self])

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of the table as people read them.

        Rows are counted, and notes made, only where not all learners were tried on the same rows.
        """
        table = [_cells(standing, self.measure_name) for standing in self]
        alike = len({standing.rows for standing in self}) == 1 and not any(s.note for s in self)
        shown = [name for name in table[0] if not (alike and name in ("rows", ""))]
        return shown, [[row[name] for name in shown] for row in table]

    @property
    def measure_name(self) -> str:
        """The measure in words."""
        return {"kendall_tau": "tau", "gap_closed": "gap closed"}.get(self.measure, self.measure)

    def __str__(self) -> str:
        head, rows = self.cells()
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = (
            "  ".join(
                cell.ljust(width) if head[i] in _TEXTS else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (head, *rows)
        )
        return visible("\n".join(lines))

    def to_html(self) -> Html:
        """Return the table as a part of a page, with a picture of the intervals in it."""
        head, rows = self.cells()
        figures = [s.low for s in self] + [s.high for s in self] + [s.tau for s in self]
        known = [figure for figure in figures if not np.isnan(figure)]
        ends = (min(known), max(known)) if known else (0.0, 1.0)
        floor = next((s.tau for s in self if s.learner == FLOOR), None)
        place = head.index("95 % interval")
        shown = []
        for standing, row in zip(self, rows, strict=True):
            cells: list[Any] = [
                cell if name in _TEXTS else Number(cell)
                for name, cell in zip(head, row, strict=True)
            ]
            drawn = interval_picture(
                (standing.tau, standing.low, standing.high),
                ends,
                f"{row[place - 1]}, {row[place]}",
                floor=floor,
                filled=standing.weight > 0,
                ink="against" if standing.learner == MIXTURE else "mark",
            )
            shown.append([*cells[:place], drawn, *cells[place:]])
        return table([*head[:place], "", *head[place:]], shown)

    def _repr_html_(self) -> str:
        return notebook(self.to_html())

    def _check_state(self) -> None:
        lines = self.standings
        if type(self.measure) is not str or type(lines) is not tuple or not lines:
            raise ValueError("its leaderboard is none")
        if any(type(standing) is not Standing for standing in lines):
            raise ValueError("its leaderboard has a line that is none")


@check_arguments
def interval(
    values: ArrayLike, share: ArrayLike, least: float = -1.0, most: float = 1.0
) -> tuple[float, float, float]:
    """Return the mean of what rows reach, each by its share, and a 95 % interval of it.

    No row can reach less than `least`, or more than `most`.

    Examples
    --------
    >>> interval(np.array([0.5, 1.0, np.nan]), np.ones(3))
    (0.75, 0.40..., 1.0)
    """
    values, share = check_numbers("values", values, 1), check_numbers("share", share, 1)
    if len(values) != len(share):
        raise ValueError(
            f"there are {len(values)} values and {len(share)} shares; give one per row"
        )
    known = ~np.isnan(values) & (share > 0)
    if not known.any():
        return np.nan, np.nan, np.nan
    parts = share[known] / share[known].sum()
    mean = float(parts @ values[known])
    half = 1.96 * float(np.sqrt(parts**2 @ (values[known] - mean) ** 2))
    return mean, max(least, mean - half), min(most, mean + half)


def three_digits(number: float) -> str:
    """Write a number as people do, without a sign where it is nothing.

    Examples
    --------
    >>> three_digits(-0.00004), three_digits(-0.25)
    ('0.000', '-0.250')
    """
    return f"{round(number, 3) + 0.0:.3f}"


def _cells(standing: Standing, measure: str) -> dict[str, str]:
    return {
        "learner": standing.learner,
        measure: "" if np.isnan(standing.tau) else three_digits(standing.tau),
        "95 % interval": ""
        if np.isnan(standing.low)
        else f"{three_digits(standing.low)} to {three_digits(standing.high)}",
        "weight": f"{standing.weight:.0%}" if standing.weight else "",
        "rows": f"{standing.rows:,}",
        "seconds": f"{standing.seconds:.1f}",
        "": standing.note,
    }
