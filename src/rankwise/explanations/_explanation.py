"""The answer to "why a before b?": numbers, text and picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

from rankwise._arguments import check_arguments
from rankwise._canvas import (
    COLOURS,
    get_axes,
    letters_for,
    plain,
    rounded,
    shorten_all,
    text_colour,
    tidy,
)
from rankwise._cells import is_missing
from rankwise._html import Html, Number, join, notebook, table, tag
from rankwise._svg import bar
from rankwise._terminal import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Features that the text and the picture name; the others are added up.
SHOWN_IN_TEXT = 5
SHOWN_IN_PLOT = 10
# Smaller amounts are left over from sums that cancel.
NOTHING = 1e-9


@check_arguments
@dataclass(frozen=True)
class Contribution:
    """What one feature does: above 0 it speaks for a before b, below 0 against it.

    Attributes
    ----------
    feature : str
    value : number, text or None
        Of the feature in this row; NaN = missing.
    amount : float
        In the unit of the `Explanation`.
    """

    feature: str
    value: Any
    amount: float


@check_arguments
@dataclass(frozen=True)
class SimilarRow:
    """A training row that the trees treat like this one.

    Attributes
    ----------
    row : int
        Number of the row, counted from 0.
    name : str
        From the index of X, else the number.
    similarity : float
        Share of the trees in which it falls into the same leaf.
    rank_a, rank_b : float
        Where it puts the two labels.
    """

    row: int
    name: str
    similarity: float
    rank_a: float
    rank_b: float

    @property
    def agrees(self) -> bool:
        """Whether it puts a before b."""
        return self.rank_a < self.rank_b


@check_arguments
@dataclass(frozen=True)
class Explanation:
    """Why label a stands before label b, or does not; printing it gives a short text.

    Attributes
    ----------
    a, b : str
        Names of the two labels.
    contributions : tuple of Contribution
        One per feature, the largest amounts first. With `base` they add up to `lead`.
    base : float
        The lead of a over b before any feature is looked at.
    lead : float
        The predicted lead of a over b; above 0 speaks for a before b.
    unit : {"positions", "certainty"}
        What leads and amounts are: the position of b minus that of a, or the certainty that a stands
        before b minus one half.
    certainty : float
        That a stands before b, as `predict_pairwise` gives it: of trees a share of votes.
    ranks, positions : tuple of two
        What `predict` and `predict_positions` give for a and b.
    n_labels : int
    similar_rows : tuple of SimilarRow or None
        Training rows that rank both labels, the most similar first; None where they are not known.
    hint : str
        What else can be shown, and how to get it; may be empty.
    over : str
        What `base` is an average over, in words.
    """

    a: str
    b: str
    contributions: tuple[Contribution, ...] = field(repr=False)
    base: float
    lead: float
    unit: str
    certainty: float
    ranks: tuple[int, int]
    positions: tuple[float, float]
    n_labels: int
    similar_rows: tuple[SimilarRow, ...] | None = field(repr=False)
    hint: str = field(default="", repr=False)
    over: str = field(default="", repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts, lists, numbers and texts, ready for JSON."""
        facts = asdict(self)
        for part in facts["contributions"]:
            part["value"] = _plain_value(part["value"])
        for name in ("contributions", "similar_rows", "ranks", "positions"):
            facts[name] = None if facts[name] is None else list(facts[name])
        return facts

    def __str__(self) -> str:
        lines = [self._headline(), self._summary()]
        lines += [
            f"  {self._amount(amount)}  {name}{value}"
            for name, value, amount in self._bars(SHOWN_IN_TEXT, "{:.6g}".format)
        ]
        lines += self._row_lines()
        return visible("\n".join([*lines, self.hint] if self.hint else lines))

    def to_html(self) -> Html:
        """Return summary, bars and similar rows as a part of a page."""
        rows = self._row_lines()
        items = join((tag("li", line.strip()) for line in rows[1:]), "")
        similar = [tag("p", rows[0]), tag("ul", items)] if rows else []
        hint = tag("p", self.hint, class_="soft") if self.hint else ""
        said = (tag("p", line) for line in (self._headline(), self._summary().replace("\n", " ")))
        return join([*said, self.bars_html(), *similar, hint])

    def bars_html(self, most: int = SHOWN_IN_PLOT) -> Html:
        """Return what features do as a table of bars; `most` are named, the others added up."""
        bars = self._bars(most)
        largest = max((abs(amount) for _, _, amount in bars), default=0.0)
        rows = [
            (name + value, bar(amount, largest, f"{said} {name}"), Number(said))
            for name, value, amount in bars
            for said in [self._amount(amount).strip()]
        ]
        sides = f"{self.b} ← → {self.a}"
        return table(["speaks for", sides, self._unit_name()], rows) if rows else Html()

    def _repr_html_(self) -> str:
        return notebook(self.to_html())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the contributions as bars: to the right speaks for a before b, to the left against it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        bars = self._bars(SHOWN_IN_PLOT)
        scale = 100 if self.unit == "certainty" else 1
        amounts = [scale * amount for _, _, amount in bars]
        ax = get_axes(ax, 7.0, 2.0 + 0.32 * max(len(bars), 3))
        colours = [COLOURS[0 if amount > 0 else 1] for amount in amounts]
        ax.barh(range(len(bars)), amounts, color=colours, height=0.7)
        ax.axvline(0, color=text_colour(), linewidth=0.8)
        names = shorten_all([name for name, _, _ in bars], letters_for(ax, 10))
        texts = [name + value for name, (_, value, _) in zip(names, bars, strict=True)]
        ax.set_yticks(range(len(bars)), [plain(text) for text in texts])
        ax.set_ylim(max(len(bars), 3) - 0.4, -0.6)
        for y, (amount, (_, _, raw)) in enumerate(zip(amounts, bars, strict=True)):
            ax.annotate(
                self._amount(raw).strip(), (amount, y), xytext=(4 if amount > 0 else -4, 0),
                textcoords="offset points", va="center", ha="left" if amount > 0 else "right",
                fontsize=9,
            )  # fmt: skip
        # room for the numbers at the ends of the bars
        ax.margins(x=0.2)
        ax.set_xlabel(f"against  ←  {self._unit_name()}  →  for")
        ax.set_title(plain(self._title()), fontsize=10)
        tidy(ax)
        return ax

    def _title(self) -> str:
        a, b = shorten_all([self.a, self.b], 36)
        gap = "\n" if len(a) + len(b) > 30 else " "
        change = f"lead on average {self.base:+.2f}, here {self.lead:+.2f}"
        if self.unit == "certainty":
            change = f"certainty on average {0.5 + self.base:.0%}, here {0.5 + self.lead:.0%}"
        is_tied = self.ranks[0] == self.ranks[1]
        return f"Why {a}{gap}{'tied with' if is_tied else 'before'} {b}?\n{change}"

    def _unit_name(self) -> str:
        return "percentage points" if self.unit == "certainty" else "positions"

    def _headline(self) -> str:
        first, second = self.ranks
        verdict = {-1: "stands before", 0: "is tied with", 1: "stands behind"}
        what = verdict[(first > second) - (first < second)]
        places = f"predicted ranks {first:g} and {second:g} of {self.n_labels}"
        return (
            f"{self.a} {what} {self.b} here: {places}; certainty that {self.a} stands before {self.b}: "
            f"{self.certainty:.0%}."
        )

    def _summary(self) -> str:
        base, lead = _lead_text(self.base), _lead_text(self.lead)
        average = f"On average over {self.over}" if self.over else "On average"
        change = f"{average} {self.a} is {base} {self.b}, here {lead} it."
        to = f"to the lead of {self.a}"
        if self.unit == "certainty":
            base, lead = f"{0.5 + self.base:.0%}", f"{0.5 + self.lead:.0%}"
            change = f"{average} that certainty is {base}, here {lead}."
            to = "to that certainty"
        if not self._moving():
            return f"{change} No feature changes it."
        return f"{change}\nWhat features add {to}, in {self._unit_name()}:"

    def _amount(self, amount: float) -> str:
        return f"{100 * amount:+z6.1f}" if self.unit == "certainty" else f"{amount:+z6.2f}"

    def _moving(self) -> list[Contribution]:
        """The features that change anything, but for what rounding leaves."""
        return [part for part in self.contributions if abs(part.amount) > NOTHING]

    def _bars(
        self, most: int, write: Callable[[float], str] = rounded
    ) -> list[tuple[str, str, float]]:
        """Name, value and amount of the features that matter most, and the sum of the others."""
        moving = self._moving()
        # one feature more takes no more room than "1 other feature"
        shown = moving if len(moving) <= most + 1 else moving[:most]
        bars = [(part.feature, f" = {_value(part.value, write)}", part.amount) for part in shown]
        rest = moving[len(shown) :]
        if rest:
            total = math.fsum(part.amount for part in rest)
            bars.append((f"{len(rest)} other features", "", total))
        return bars

    def _row_lines(self) -> list[str]:
        if self.similar_rows is None:
            return []
        total = len(self.similar_rows)
        if not total:
            return [
                f"No training row that ranks {self.a} and {self.b} shares a leaf with this one."
            ]
        agreeing = sum(row.agrees for row in self.similar_rows)
        tied = sum(row.rank_a == row.rank_b for row in self.similar_rows)
        others = f", {tied} tie{'s' if tied == 1 else ''} them" if tied else ""
        return [
            "Most similar training rows (share of trees in which they fall into the same leaf):",
            *(f"  row {r.name}: {r.similarity:.0%}, {self._order(r)}" for r in self.similar_rows),
            f"  {agreeing} of {total} put {self.a} before {self.b}{others}.",
        ]

    def _order(self, row: SimilarRow) -> str:
        """The two labels of a row as the package writes rankings, with their ranks."""
        ranked = [(row.rank_a, self.a), (row.rank_b, self.b)]
        (low, first), (high, second) = sorted(ranked, key=lambda pair: pair[0])
        return f"{first} ({low:g}) {'~' if low == high else '>'} {second} ({high:g})"


def _lead_text(lead: float) -> str:
    return f"{abs(lead):.2f} positions {'behind' if lead < 0 else 'ahead of'}"


def _plain_value(value: Any) -> float | str | None:
    """A cell for JSON: a number, a text, or None where it is missing."""
    if is_missing(value):
        return None
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return float(value) if is_number else str(value)


def _value(value: Any, write: Callable[[float], str]) -> str:
    value = _plain_value(value)
    return "missing" if value is None else value if isinstance(value, str) else write(value)
