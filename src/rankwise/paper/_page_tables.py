"""Tables of the page: the paper's figures beside ours, verdicts, and plain records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise._html import Html, table, tag, text, wide_table
from rankwise.paper._claims import Verdict
from rankwise.paper._learners import PAPER, TUNED
from rankwise.paper._tables import Cell, PaperTable

_ABSENT = "-"
# What stands under the name of a learner: a heading, and the value and its spread.
_COLUMNS = {
    "paper": ("paper", "paper", "paper_sd"),
    "orders": ("orders", "orders", "orders_sd"),
    "ranks": ("ranks", "ranks", "ranks_sd"),
    "file": ("ranks, uncorrected", "published_ranks", None),
}


def paper_table_html(table: PaperTable) -> Html:
    """Lay out a table of the paper with our figures beside its own."""
    columns = {method: _columns_of(table, method) for method in table.methods}
    top = "".join(
        f'<th class="group" colspan="{len(names)}" scope="colgroup">{text(method)}</th>'
        for method, names in columns.items()
    )
    second = "".join(
        f"<th>{text(_COLUMNS[name][0])}</th>" for names in columns.values() for name in names
    )
    body = []
    for dataset, row in table.rows.items():
        best = _best(row)
        cells = "".join(
            _cell_html(row[method], name, is_first=i == 0, is_best=(method, name) in best)
            for method, names in columns.items()
            for i, name in enumerate(names)
        )
        body.append(f'<tr><th scope="row">{text(dataset)}</th>{cells}</tr>')
    head = f'<tr><th rowspan="2"></th>{top}</tr><tr>{second}</tr>'
    return wide_table(head, body)


def _columns_of(table: PaperTable, method: str) -> list[str]:
    cells = [row[method] for row in table.rows.values()]
    if all(cell.orders is None for cell in cells):
        return ["paper"]
    columns = ["paper", "orders", "ranks"]
    return [*columns, "file"] if any(c.published_ranks is not None for c in cells) else columns


def _best(row: dict[str, Cell]) -> set[tuple[str, str]]:
    """The best figures on ranks: ours, and those that others published."""
    taus = {(method, "ranks"): cell.ranks for method, cell in row.items() if cell.ranks is not None}
    taus |= {
        (method, "paper"): cell.paper
        for method, cell in row.items()
        if method not in (*PAPER, *TUNED) and cell.paper is not None
    }
    if not taus:
        return set()
    most = max(round(tau, 2) for tau in taus.values())
    return {key for key, tau in taus.items() if round(tau, 2) == most}


def _cell_html(cell: Cell, name: str, *, is_first: bool, is_best: bool) -> str:
    _, value_name, sd_name = _COLUMNS[name]
    value = getattr(cell, value_name)
    classes = [
        *(["first"] if is_first else []),
        *(["paper"] if name == "paper" else []),
        *(["off"] if name == "orders" and cell.is_off else []),
        *(["best"] if is_best else []),
    ]
    about = f' class="{" ".join(classes)}"' if classes else ""
    if value is None:
        return f"<td{about}>{_ABSENT}</td>"
    sd = getattr(cell, sd_name) if sd_name else None
    title = f' title="standard deviation {sd:.3f}"' if sd is not None and sd == sd else ""
    figure = f"{value:.2f}" if name == "paper" else f"{value:.3f}"
    return f"<td{about}{title}>{figure}</td>"


def verdicts_html(verdicts: Sequence[Verdict], *, is_short: bool = False) -> Html:
    """Lay out the claims with their verdicts; both readings of one claim stand together."""
    head = "".join(
        f'<th class="{"prose narrow" if name in ("tau on", "verdict") else "prose"}">{name}</th>'
        for name in ("claim of the paper", "it holds if", "tau on", "verdict", "measured")
    )
    together: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        together.setdefault(verdict.claim, []).append(verdict)
    body = []
    for claim, readings in together.items():
        shared = "".join(
            f'<td class="prose" rowspan="{len(readings)}">{text(said)}</td>'
            for said in (claim, readings[0].rule)
        )
        for i, verdict in enumerate(readings):
            body.append(f"<tr>{shared if i == 0 else ''}{_verdict_cells(verdict, is_short)}</tr>")
    return wide_table(f"<tr>{head}</tr>", body)


def _verdict_cells(verdict: Verdict, is_short: bool) -> str:
    word = verdict.word(is_short=is_short)
    kind = {"holds": "holds", "does not hold": "fails"}.get(word, "note")
    return (
        f'<td class="prose narrow">{text(verdict.reading)}</td>'
        f'<td class="prose narrow"><span class="verdict {kind}">{word}</span></td>'
        f'<td class="prose">{text(verdict.figure)}</td>'
    )


def records_html(records: Sequence[dict[str, Any]]) -> Html:
    """Lay out plain records."""
    if not records:
        return tag("p", "Nothing to show.", class_="soft")
    return table(list(records[0]), [[str(v) for v in r.values()] for r in records])
