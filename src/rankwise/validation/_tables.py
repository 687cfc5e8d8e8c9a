"""Tables of results, written for the screen, for papers, for spreadsheets and for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rankwise._arguments import check_arguments, check_fields
from rankwise._html import Html, Number, join, notebook, tag
from rankwise._html import table as html_table
from rankwise._naming import shown
from rankwise._parameters import is_list
from rankwise._terminal import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "—": "---",
}
_MARKDOWN = {letter: f"\\{letter}" for letter in "\\|*_`<>[]~&"}
_ABSENT = "—"


@check_arguments
@dataclass(frozen=True)
class Estimate:
    """A mean with its standard deviation, as a cell of a table.

    Parameters
    ----------
    mean, sd : float
        NaN where there is none.
    best : bool
        Whether it stands out in its row.
    note : str
        What follows it, such as a published figure.
    decimals : int
        How many are shown.
    low, high : float
        An interval of the mean, which is shown behind it; NaN where there is none.

    Examples
    --------
    >>> str(Estimate(0.91234, 0.04567))
    '0.912 ± 0.046'
    >>> str(Estimate(0.91234, 0.04567, low=0.85, high=0.97))
    '0.912 ± 0.046 (0.850 to 0.970)'
    """

    mean: float
    sd: float = math.nan
    best: bool = False
    note: str = ""
    decimals: int = 3
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether an interval of the mean is known."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        return " ".join(filter(None, [self.figure(), self.note]))

    def figure(self) -> str:
        """Return mean, standard deviation and interval without the note."""
        if math.isnan(self.mean):
            return _ABSENT
        mean, sd, low, high = (
            f"{number:.{self.decimals}f}" for number in (self.mean, self.sd, self.low, self.high)
        )
        shown = mean if math.isnan(self.sd) else f"{mean} ± {sd}"
        return f"{shown} ({low} to {high})" if self.has_interval else shown


class PValue(float):
    """A p-value: shown by two digits that count, however small it is."""


@check_arguments
@dataclass(frozen=True)
class ResultTable:
    """Rows of cells under column names, with a title and remarks.

    Parameters
    ----------
    title : str
        What is shown.
    columns : sequence of str
        Names of the columns.
    rows : sequence of sequences
        Texts, numbers, `Estimate` or None; as many as there are columns.
    notes : sequence of str
        Remarks below the table.

    Examples
    --------
    >>> table = ResultTable("Tau", ["data set", "forest"], [["drinks", Estimate(0.9, 0.1, best=True)]])
    >>> print(table.to_markdown())
    **Tau**
    <BLANKLINE>
    | data set | forest |
    |:--|--:|
    | drinks | **0.900 ± 0.100** |
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        check_fields(self)
        for i, row in enumerate(self.rows):
            if not is_list(row) or not hasattr(row, "__len__"):
                raise TypeError(f"row {i} is {shown(row)}; give a list, with one cell per column")
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {i} of table {self.title!r} has {len(row)} cells for "
                    f"{len(self.columns)} columns; give one per column"
                )

    def to_rows(self) -> list[list[str]]:
        """Return the cells as texts for the screen."""
        return [[_text(cell) for cell in row] for row in self.rows]

    def to_csv(self) -> str:
        """Return the table as CSV; deviations and intervals of estimates have columns of their own."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        tails = [_csv_tails([row[j] for row in self.rows]) for j in self._numbers()]
        head = [f"{name}{tail}" for j, name in enumerate(self.columns) for tail in tails[j]]
        writer.writerow(head)
        for row in self.rows:
            cells = [_csv_cells(cell, len(tails[j])) for j, cell in enumerate(row)]
            writer.writerow([value for values in cells for value in values])
        return out.getvalue()

    def to_json(self) -> str:
        """Return the table as JSON; figures that are absent are null."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return title, columns, rows and notes as JSON can hold them."""
        rows = [
            {name: _value(cell) for name, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": rows,
            "notes": list(self.notes),
        }

    def to_markdown(self) -> str:
        """Return the table in Markdown, the best of each row in bold."""
        marks = [":--" if left else "--:" for left in self._are_left()]
        lines = [
            f"**{_escaped(self.title, _MARKDOWN)}**",
            "",
            _markdown_line([_escaped(name, _MARKDOWN) for name in self.columns]),
            f"|{'|'.join(marks)}|",
        ]
        for row in self.rows:
            lines.append(_markdown_line([_decorated(cell, _MARKDOWN, "**{}**") for cell in row]))
        lines += [line for note in self.notes for line in ("", _escaped(note, _MARKDOWN))]
        return "\n".join(lines) + "\n"

    def to_html(self) -> Html:
        """Return the table as a part of a page, the best of each row in bold."""
        left = self._are_left()
        rows = [
            [_html_cell(cell, is_text) for cell, is_text in zip(row, left, strict=True)]
            for row in self.rows
        ]
        notes = (tag("p", note, class_="soft") for note in self.notes)
        return join([tag("p", tag("b", self.title)), html_table(self.columns, rows), *notes])

    def _repr_html_(self) -> str:
        return notebook(self.to_html())

    def to_latex(self) -> str:
        """Return the table as a LaTeX tabular, the best of each row in bold (needs booktabs)."""
        layout = "".join("l" if left else "r" for left in self._are_left())
        lines = [
            f"% {' '.join(visible(self.title).split())}",
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            _latex_line([_escaped(name, _LATEX) for name in self.columns]),
            r"\midrule",
            *(
                _latex_line([_decorated(cell, _LATEX, r"\textbf{{{}}}") for cell in row])
                for row in self.rows
            ),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {' '.join(visible(note).split())}" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"

    def _numbers(self) -> range:
        return range(len(self.columns))

    def _are_left(self) -> list[bool]:
        return [not any(_is_number(row[j]) for row in self.rows) for j in self._numbers()]


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float, Estimate))


def _text(cell: Any) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return _ABSENT
    if isinstance(cell, PValue):
        return f"{cell:.2g}"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _html_cell(cell: Any, is_text: bool) -> Any:
    shown = _text(cell)
    return shown if is_text else Number(shown, is_best=isinstance(cell, Estimate) and cell.best)


def _value(cell: Any) -> Any:
    if isinstance(cell, Estimate):
        shown = {"mean": _value(cell.mean), "sd": _value(cell.sd)}
        if cell.has_interval:
            shown |= {"low": cell.low, "high": cell.high}
        return {**shown, "note": cell.note} if cell.note else shown
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _csv_tails(cells: Sequence[Any]) -> list[str]:
    """Return what is added to the name of a column, for each of the columns that it takes."""
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    if not estimates:
        return [""]
    return ["", " sd", *([" low", " high"] if any(e.has_interval for e in estimates) else [])]


def _csv_cells(cell: Any, width: int) -> list[Any]:
    given: list[Any] = [cell, None, None, None]
    if isinstance(cell, Estimate):
        given = [cell.mean, cell.sd, cell.low, cell.high]
    return ["" if value is None or value != value else value for value in given[:width]]


def _escaped(text: str, letters: dict[str, str]) -> str:
    words = " ".join(visible(str(text)).split())
    return "".join(letters.get(letter, letter) for letter in words)


def _decorated(cell: Any, letters: dict[str, str], bold: str) -> str:
    text = _escaped(_text(cell), letters)
    return bold.format(text) if isinstance(cell, Estimate) and cell.best else text


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
