"""The page of a report: facts laid out as one HTML file, for screens wide and narrow, light and dark."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

from rankwise._html import (
    Html,
    Number,
    beside,
    facts,
    join,
    links,
    page,
    section,
    table,
    tag,
    text,
    wide_table,
)
from rankwise._messages import for_command_line
from rankwise._naming import counted
from rankwise._svg import interval, scale
from rankwise.report._advice import advice
from rankwise.report._facts import ExplainedRow, Facts
from rankwise.report._held_out import FEW_ROWS
from rankwise.report._pictures import curve_picture, reliability_picture
from rankwise.report._words import (
    does_it_help,
    meaning_of_chances,
    meaning_of_tau,
    of_100_pairs,
)

# Columns of the table of effects, pairs of labels, and bars of an explanation.
MOST_COLUMNS, MOST_PAIRS, MOST_BARS = 12, 10, 6
_LINKS = {
    "data": "Data",
    "tau": "How good",
    "learners": "Learners",
    "chances": "Chances",
    "columns": "Columns",
    "pairs": "Pairs",
    "rows": "Rows",
    "next": "Next",
}
_KINDS = {
    "sure": "A row it is sure of",
    "unsure": "A row it is unsure of",
    "typical": "A typical row",
}


def build_page(found: Facts) -> str:
    """Build the page of a report.

    Parameters
    ----------
    found : Facts
        As `gather` works them out.

    Returns
    -------
    str
        HTML; everything is inside, and every name of the data is made safe.
    """
    sections = [
        ("data", "The data", _data(found)),
        ("tau", "How good it is", _tau(found)),
        ("learners", "What was tried", _learners(found)),
        ("chances", "Can the chances be trusted?", _chances(found)),
        ("columns", "Which columns decide which label", _columns(found)),
        ("pairs", "Labels that are hard to tell apart", _pairs(found)),
        ("rows", "Three rows explained", _rows(found)),
        ("next", "What to do next", _next(found)),
    ]
    shown = [part for part in sections if part[2]]
    title = f"Ranking {found.data.n_labels} labels: {found.file}"
    head = [tag("h1", title), links((part[0], _LINKS[part[0]]) for part in shown), _short(found)]
    body = [tag("header", join(head)), *(section(*part) for part in shown), _foot(found)]
    return page(title, join(body))


def _measured(found: Facts) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The measure, and its summaries for the model and for the floor."""
    check = found.model.facts["check"]
    measure = check.get("measure", "tau")
    return measure, check["prediction"][measure], check["floor"][measure]


def _short(found: Facts) -> Html:
    measure, tau, floor = _measured(found)
    verdict, why = does_it_help(found)
    kind = {"the features help": "holds", "worse than the consensus": "fails"}.get(verdict, "")
    first = found.held.first_is_best()
    figures = [
        (
            f"{len(found.data):,}",
            f"rows, {counted(len(found.columns), 'column')}, {counted(found.data.n_labels, 'label')}",
        ),
        (_figure(tau["mean"]),
         f"{measure} on rows left out; {_figure(floor['mean'])} by one ranking for all"),
        (f"{first.share:.0%}", "of rows left out have the best label first"),
    ]  # fmt: skip
    closed = found.model.facts["check"]["prediction"].get("gap_closed", {}).get("mean")
    if closed is not None:
        figures.append(
            (f"{closed:.0%}", "of the way from the single best label to the best of each row")
        )
    said = tag("p", join([tag("span", verdict, class_=f"verdict {kind}".strip()), why], " "))
    return join([facts(figures), said])


def _figure(number: float | None) -> str:
    return "unknown" if number is None else f"{number:.2f}"


def _data(found: Facts) -> Html:
    notes = join((tag("li", for_command_line(note)) for note in found.data.notes), "")
    read = [tag("p", "As it was read:"), tag("ul", notes)] if found.data.notes else []
    return beside(found.audit.to_html(), join([found.audit.findings_html(), *read]))


def _tau(found: Facts) -> Html:
    measure, tau, floor = _measured(found)
    if tau["mean"] is None or floor["mean"] is None:
        return tag("p", "No row left out orders two labels, so that nothing could be measured.")
    lows = [summary["low"] for summary in (tau, floor) if summary["low"] is not None]
    ends = (min(0.0, *lows, tau["mean"], floor["mean"]), 1.0)
    rows: list[list[Any]] = []
    for name, summary in (("this model", tau), ("one ranking for all rows", floor)):
        low, high = (_number(summary[end]) for end in ("low", "high"))
        drawn = interval(
            (summary["mean"], low, high), ends, f"{name}: {measure} {summary['mean']:.3f}",
            floor=floor["mean"], filled=name == "this model",
        )  # fmt: skip
        cells: list[Any] = [name, drawn, Number(f"{summary['mean']:.3f}")]
        cells.append(None if low != low else Number(f"{low:.3f} to {high:.3f}"))
        if measure == "tau":
            cells.append(Number(of_100_pairs(summary["mean"])))
        rows.append(cells)
    columns = [
        "",
        scale(ends),
        measure,
        "95 % interval",
        "pairs in\N{NO-BREAK SPACE}the\N{NO-BREAK SPACE}right\N{NO-BREAK SPACE}order",
    ]
    said = tag("p", meaning_of_tau(found, measure, tau["mean"], floor["mean"]))
    how = _how_checked(found)
    costs = _costs(found)
    return join([said, table(columns[: len(rows[0])], rows), tag("p", how, class_="soft"), costs])


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _how_checked(found: Facts) -> str:
    folds = found.model.facts["check"]["folds"]
    n = len(found.held.data)
    if folds:
        return (
            f"Each of {n:,} rows was ranked by a model of the rows in the other {folds - 1} folds."
        )
    return f"{n:,} rows were ranked by learners that had not seen them."


def _costs(found: Facts) -> Html:
    """What choices cost, where the file holds values."""
    check, unit = found.model.facts["check"], found.data.unit
    if "regret" not in check["prediction"]:
        return Html()
    rows = []
    for name, who in (("this model", "prediction"), ("the consensus", "floor")):
        summary = check[who]["regret"]
        low, high = summary["low"], summary["high"]
        rows.append([
            f"first choice of {name}", Number(_amount(summary["mean"])),
            None if low is None else Number(f"{_amount(max(0.0, low))} to {_amount(high)}"),
        ])  # fmt: skip
    in_unit = f" ({unit})" if unit else ""
    said = (
        "The file holds values, so that it is known what a wrong first choice loses against the best "
        "label of the row, on average over rows left out:"
    )
    return join([tag("p", said), table(["", f"lost{in_unit}", "95 % interval"], rows)])


def _amount(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _learners(found: Facts) -> Html:
    if found.board is None:
        learner = found.model.facts["learner"]
        why = (
            "Values were given, and a forest weighs by them what a wrong order costs. "
            if found.data.has_costs
            else ""
        )
        return tag("p", f"The learner is {learner}. {why}Others were not tried.")
    said = (
        f"{found.model.ranker.reason_}. Every learner ranked the same rows, which it had not seen; the "
        "dashed line is the consensus, filled marks are part of the model."
    )
    return join([tag("p", said), found.board.to_html()])


def _chances(found: Facts) -> Html:
    said = tag("p", meaning_of_chances(found.bins))
    if not found.bins:
        return said
    how = (
        "Each mark is a group of pairs of labels; on the dashed line chances are as good as their word. "
        "Larger marks hold more pairs, and lines are 95 % intervals. Judged by rows that neither the "
        "learners nor the chances were fitted to."
    )
    drawn = tag("figure", reliability_picture(found.bins))
    return beside(join([said, tag("p", how, class_="soft")]), drawn)


def _columns(found: Facts) -> Html:
    if not found.effects.size or not found.effects.max() > 0:
        return tag("p", "No column moves a label: the model gives every row the same ranking.")
    shown = min(len(found.columns), MOST_COLUMNS)
    largest = float(found.effects.max())
    names = found.model.label_names
    head = join([tag("th", "column", class_="text"), *(tag("th", name) for name in names)], "")
    body = []
    for j in range(shown):
        cells = (_heat(float(effect), largest) for effect in found.effects[:, j])
        body.append(f'<tr><th scope="row">{text(found.columns[j])}</th>{"".join(cells)}</tr>')
    first = found.columns[0]
    said = (
        f"By how many places a label moves, on average, where a row gets the cell of this column from "
        f"another row: 0 has no say. The most is decided by {first}."
    )
    more = len(found.columns) - shown
    rest = tag("p", f"{more} more columns move labels less.", class_="soft") if more > 0 else ""
    return join([tag("p", said), wide_table(f"<tr>{head}</tr>", body), rest])


def _heat(amount: float, largest: float) -> Html:
    shade = f"background: rgba(var(--heat), {0.65 * amount / largest:.2f})"
    return tag("td", f"{amount:.2f}", style=shade)


def _pairs(found: Facts) -> Html:
    known = [pair for pair in found.pairs if pair.right.n]
    if len(known) < 2:
        return Html()
    rows = []
    for pair in known[:MOST_PAIRS]:
        low, high = pair.right.interval
        said = f"{pair.right.share:.0%} of {pair.right.n}"
        drawn = interval(
            (pair.right.share, low, high), (0.0, 1.0), said, floor=0.5, filled=low > 0.5
        )
        rows.append([
            f"{pair.a} / {pair.b}", drawn, Number(f"{pair.right.share:.0%}"),
            Number(f"{low:.0%} to {high:.0%}"), pair.right.n,
        ])  # fmt: skip
    said = (
        "How often rows left out were put right about two labels, the hardest first. The dashed line is "
        f"a coin; hollow marks are not surely better. Below {FEW_ROWS} rows little can be said."
    )
    columns = ["labels", scale((0.0, 1.0), percent=True), "right", "95 % interval", "rows"]
    more = len(known) - MOST_PAIRS
    rest = tag("p", f"{more} more pairs are not shown.", class_="soft") if more > 0 else ""
    return join([tag("p", said), table(columns, rows), rest])


def _rows(found: Facts) -> Html:
    said = (
        "Each was ranked when it was left out. Bars tell what its columns say in the model of all rows: "
        "to the right for the label predicted first, to the left for the second."
    )
    return join([tag("p", said), beside(*map(_row, found.rows))])


def _row(row: ExplainedRow) -> Html:
    true = {
        True: "and so it was",
        False: "it was the other way round",
        None: "which it does not tell",
    }
    said = join([
        tag("li", join(["predicted: ", tag("b", row.predicted)], "")),
        tag("li", join(["observed: ", tag("b", row.observed)], "")),
        tag("li", f"chance that {row.first} stands before {row.second}: {row.chance:.0%}, "
            f"{true[row.came_true]}"),
    ])  # fmt: skip
    heading = tag("h3", f"{_KINDS[row.kind]}: {_called(row.title)}")
    return join([heading, tag("ul", said), row.explanation.bars_html(MOST_BARS)])


def _called(title: str) -> str:
    """A row by its name; lines and numbers need a word before them."""
    return f"row {title}" if title.isdigit() or title.startswith("on line ") else title


def _with_options(text: str) -> list[Any]:
    """A text in pieces, of which options of a command, such as --ties auto, are code on one line."""
    pieces = re.split(r"(--\w+ \w+)", text)
    return [tag("code", piece) if piece.startswith("--") else piece for piece in pieces]


def _next(found: Facts) -> Html:
    items = (
        tag("li", join([tag("b", f"{what}."), " ", *_with_options(why)], ""))
        for what, why in advice(found)
    )
    figure: Any = ""
    if found.curve:
        figure = tag("figure", join([
            curve_picture(found.curve),
            tag("figcaption", "A small forest, measured on a third of the rows at a time: what more "
                "rows bring, not the best that can be reached."),
        ]))  # fmt: skip
    parts: list[Any] = [beside(tag("ol", join(items)), figure)]
    if found.commands:
        lines = join((f"# {what}\n{command}\n" for what, command in found.commands), "\n")
        parts += [tag("p", "Commands to type:"), tag("pre", tag("code", lines))]
    if found.theory is not None:
        said = "What the theorems of the paper ask of data, estimated from these rows"
        parts.append(tag("details", join([tag("summary", said), found.theory.to_html()])))
    return join(parts)


def _foot(found: Facts) -> Html:
    sha = f", fingerprint {found.data.sha256[:16]}" if found.data.sha256 else ""
    said = f"Made by rankwise {version('rankwise')} from {found.file}{sha}."
    return tag("footer", tag("p", said, class_="soft"))
