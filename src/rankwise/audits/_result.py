"""The audit itself: facts with names, as an object, as a table, as text and as JSON."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankwise._arguments import check_arguments
from rankwise._html import Html, Number, join, notebook, table, tag
from rankwise._terminal import visible
from rankwise.audits._comparisons import Comparisons
from rankwise.audits._features import FeatureSummary
from rankwise.audits._findings import Finding, Severity, find_all
from rankwise.audits._labels import LabelSummary
from rankwise.audits._orientation import OrdersEvidence
from rankwise.audits._repeats import Repeats

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

# Standard errors from which the report says "looks like ranks"; it has no other use.
_CLEAR = 3.0
_STYLES = {"serious": "bold red", "warning": "yellow", "note": "cyan"}
# Rows of the label table; a table of 200 labels would hide the findings below it.
_MAX_LABEL_ROWS = 40
_NOTHING = "Nothing to object to."


@check_arguments
@dataclass(frozen=True)
class Audit:
    """What `audit` found; prints as a report, as a table in rich and notebooks.

    Attributes
    ----------
    n_samples, n_features, n_labels : int
    labels : tuple of LabelSummary
        Missing and tie rates, and what folds would do, per label.
    comparisons : Comparisons
        Labels that never meet, connectivity, and the consensus with its tau.
    repeats : Repeats
        Rows with equal features, and contradictions among them.
    features : FeatureSummary
        Constant, empty, missing, infinite and text features.
    orders : OrdersEvidence or None
        Whether rows look like orders; None where the data does not show it.
    n_idle_rows : int
        Rows with fewer than two observed labels.
    missing_rate, tie_rate : float
        Share of cells not observed; share of rows with a tie.
    largest_rank : float
    n_folds : int
        Folds that the labels were checked for.
    are_ranks : bool
        Whether the rankings were known to be ranks, so that nothing speaks for orders.
    findings : tuple of Finding
        What to know, the serious first.
    """

    n_samples: int
    n_features: int
    n_labels: int
    labels: tuple[LabelSummary, ...] = field(repr=False)
    comparisons: Comparisons = field(repr=False)
    repeats: Repeats = field(repr=False)
    features: FeatureSummary = field(repr=False)
    orders: OrdersEvidence | None = field(repr=False)
    n_idle_rows: int
    missing_rate: float
    tie_rate: float
    largest_rank: float
    n_folds: int
    are_ranks: bool = False

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What to know, the serious first."""
        return find_all(self)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts, lists, numbers and texts, ready for JSON."""
        facts: dict[str, Any] = _listed(asdict(self))
        facts["findings"] = [asdict(finding) for finding in self.findings]
        return facts

    def __str__(self) -> str:
        return self._print(width=80)

    def __rich__(self) -> Group:
        from rich.console import Group

        parts: list[RenderableType] = [_headline(self), _label_table(self), *_finding_lines(self)]
        return Group(*parts)

    def to_html(self) -> Html:
        """Return facts and labels as a part of a page."""
        known = table(["", ""], _facts(self), prose=[1])
        columns, rows = _label_rows(self)
        labels = table(columns, [[name, *map(Number, cells)] for name, *cells in rows])
        return join([known, labels, tag("p", _about_labels(self), class_="soft")])

    def findings_html(self) -> Html:
        """Return the findings with their remedies as a part of a page."""
        if not self.findings:
            return tag("p", _NOTHING)
        items = (
            tag("li", join([
                tag("span", finding.severity, class_=f"verdict {finding.severity}"), " ",
                finding.message, tag("span", finding.remedy, class_="soft"),
            ], " "))
            for finding in self.findings
        )  # fmt: skip
        return tag("ul", join(items), class_="findings")

    def _repr_html_(self) -> str:
        return notebook(self.to_html(), self.findings_html())

    def _print(self, width: int) -> str:
        # Imported here, as in all of this class: only who looks at an audit needs rich.
        from rich.console import Console

        out = io.StringIO()
        Console(file=out, width=width, force_terminal=False, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in visible(out.getvalue()).split("\n")).rstrip("\n")


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value


def _facts(audit: Audit) -> list[tuple[str, str]]:
    tau = audit.comparisons.consensus_tau
    return [
        ("rows, features, labels", f"{audit.n_samples:,}, {audit.n_features}, {audit.n_labels}"),
        ("cells not observed", f"{audit.missing_rate:.1%}"),
        ("rows with ties", f"{audit.tie_rate:.1%}"),
        ("tau of the Borda consensus", "none" if tau is None else f"{tau:.3f}"),
        ("ranks or orders", _orientation(audit)),
    ]


def _headline(audit: Audit) -> RenderableType:
    from rich.table import Table

    shown = Table(show_header=False, box=None, pad_edge=False)
    shown.add_column(style="dim")
    shown.add_column()
    for name, value in _facts(audit):
        shown.add_row(name, value)
    return shown


def _orientation(audit: Audit) -> str:
    evidence = audit.orders
    if audit.are_ranks:
        return "ranks, made of values or texts"
    if evidence is None:
        return "this data does not show it; taken as ranks"
    taus = f"tau {evidence.tau_as_ranks:.2f} as ranks, {evidence.tau_as_orders:.2f} as orders"
    if evidence.looks_like_orders:
        return f"looks like orders ({taus})"
    is_clear = evidence.advantage <= -_CLEAR
    return f"{'looks like ranks' if is_clear else 'not clear; taken as ranks'} ({taus})"


def _label_rows(audit: Audit) -> tuple[list[str], list[list[str]]]:
    """Return heads and cells of the table of labels, those first that the consensus puts first."""
    columns = ["label", "consensus", "mean place", "rows", "missing", "tied", "rows per fold"]
    ranks = audit.comparisons.consensus
    rows = [
        [
            label.name,
            str(ranks[label.name]) if label.n_observed else "-",
            "-" if label.mean_place is None else f"{label.mean_place:.2f}",
            f"{label.n_observed:,}",
            f"{label.missing_rate:.1%}",
            f"{label.tie_rate:.1%}",
            f"{label.per_fold:,.1f}",
        ]
        for label in sorted(audit.labels, key=lambda label: ranks[label.name])[:_MAX_LABEL_ROWS]
    ]
    return columns, rows


def _about_labels(audit: Audit) -> str:
    """Say what the columns mean, and how many labels are not shown."""
    more = audit.n_labels - _MAX_LABEL_ROWS
    left_out = f"; {more} more labels are in .labels" if more > 0 else ""
    return (
        "mean place: 0 = first in every row, 1 = last in every row; rows per fold: those that a "
        f"test fold holds of the label, with {audit.n_folds} folds{left_out}"
    )


def _label_table(audit: Audit) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    columns, rows = _label_rows(audit)
    for header in columns:
        side = "left" if header == "label" else "right"
        # heads of two lines leave room for long names
        head = header.replace(" ", "\n", 1)
        shown.add_column(head, justify=side, overflow="fold")  # type: ignore[arg-type]
    for name, *cells in rows:
        # Text objects, never markup: names of labels may hold square brackets.
        shown.add_row(Text(name), *cells)
    shown.caption, shown.caption_justify = _about_labels(audit), "left"
    return shown


def _finding_lines(audit: Audit) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    if not audit.findings:
        yield Text(_NOTHING, style="green")
    for finding in audit.findings:
        # Text objects, never markup: names of labels may hold square brackets.
        yield Text.assemble(
            (f"{finding.severity}: ", _STYLES[finding.severity]), f"{finding.message}"
        )
        yield Padding(Text(finding.remedy, style="dim"), (0, 0, 0, 4), expand=False)
