"""The one maker of HTML: pages, tables and notebook outputs that need no network, light and dark.

Everything that comes from data goes through `text`, which leaves no letter that a browser would act
on. What is HTML already is marked as `Html`, so that nothing is escaped twice or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any

# Tables, bars and verdicts: shared by pages and notebooks. A page sets the colours by its own two
# themes; a notebook has a theme that nobody tells, so that there all follows the colour of its text.
_PARTS = """
.rankwise .wide { overflow-x: auto; margin: .8rem 0; }
.rankwise table { border-collapse: collapse; border: none; font-size: .86rem; margin: 0;
  font-variant-numeric: tabular-nums; color: inherit; }
.rankwise tr, .rankwise tbody tr:nth-child(odd) { background: none; }
.rankwise th, .rankwise td { padding: .26rem .55rem; text-align: right; border: none;
  border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: baseline; }
.rankwise thead th { vertical-align: bottom; font-weight: 600; white-space: normal;
  background: var(--band); }
.rankwise th[scope=row] { text-align: left; font-weight: 500; }
.rankwise th.text, .rankwise td.text { text-align: left; }
.rankwise td.prose, .rankwise th.prose { text-align: left; white-space: normal; min-width: 9rem; }
.rankwise td.narrow, .rankwise th.narrow { min-width: 5rem; }
.rankwise td.picture, .rankwise th.picture { text-align: left; }
.rankwise td.picture { padding-block: 0; vertical-align: middle; }
.rankwise td.picture:has(> .verdict) { padding-block: .26rem; vertical-align: baseline; }
.rankwise td.best { font-weight: 700; }
.rankwise td.missing { color: var(--soft); }
.rankwise svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.rankwise td svg { max-width: none; }
.rankwise .scale { display: flex; justify-content: space-between; width: 180px; font-weight: 400; }
.rankwise svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.rankwise .soft { color: var(--soft); font-size: .9rem; }
.rankwise .verdict { display: inline-block; border-radius: 1rem; padding: .05rem .65rem;
  font-size: .82rem; font-weight: 600; white-space: nowrap; background: var(--band); }
.rankwise .holds { background: var(--good-ground); color: var(--good); }
.rankwise .fails, .rankwise .serious { background: var(--bad-ground); color: var(--bad); }
.rankwise .warning { background: var(--odd-ground); color: var(--odd); }
.rankwise ul.findings { list-style: none; padding: 0; }
.rankwise ul.findings li { margin: .5rem 0; }
.rankwise ul.findings .soft { display: block; }
"""
_NOTEBOOK = """
.rankwise { --ink: currentColor; --soft: color-mix(in srgb, currentColor 70%, transparent);
  --line: rgba(127, 127, 127, .35); --band: rgba(127, 127, 127, .13); --good: currentColor;
  --good-ground: rgba(0, 158, 115, .3); --bad: currentColor; --bad-ground: rgba(213, 94, 0, .35);
  --odd: currentColor; --odd-ground: rgba(200, 160, 0, .3); --for: #0072B2; --against: #D55E00;
  --mark: #0072B2; }
.rankwise p { margin: .35rem 0; }
"""
_PAGE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1c2024; --soft: #5d6670;
  --line: #d9dee3; --band: #f4f6f8; --good: #19703d; --good-ground: #e3f4e9; --bad: #a3340b;
  --bad-ground: #fdebe2; --odd: #7a5a00; --odd-ground: #fdf3d3; --accent: #0b5fa5;
  --for: #0072B2; --against: #D55E00; --mark: #0072B2; --heat: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e4e7eb; --soft: #9aa4ae;
  --line: #343b42; --band: #1c2126; --good: #7fd6a0; --good-ground: #16301f; --bad: #ffab85;
  --bad-ground: #3a2013; --odd: #f0cf70; --odd-ground: #332a10; --accent: #7cbcf5;
  --for: #4ba3de; --against: #f08a45; --mark: #4ba3de; --heat: 75, 163, 222; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--ground);
  color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; margin: 3rem 0 .6rem; padding-bottom: .3rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; overflow-wrap: anywhere; }
p, li { max-width: 46rem; overflow-wrap: anywhere; } a { color: var(--accent); }
nav a { margin-right: 1.1rem; white-space: nowrap; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem;
  margin: 1.4rem 0; padding: 0; list-style: none; }
.facts li { background: var(--band); border-radius: .5rem; padding: .7rem .9rem; }
.facts b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
/* A shade at the right end of a table that goes on, which its own end covers. */
.rankwise .wide { background:
  linear-gradient(to left, var(--ground) 40%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--line), transparent) right / 1.2rem 100% no-repeat scroll; }
.rankwise th[scope=row] { position: sticky; left: 0; background: var(--ground); z-index: 1; }
td.first { border-left: 2px solid var(--band) !important; }
td.paper { color: var(--soft); } td.off { background: var(--bad-ground); color: var(--bad); }
.beside { display: grid; gap: 1rem 2rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(23rem, 100%), 1fr)); }
.beside > * { min-width: 0; }
.rankwise .beside td svg { width: 120px; }
.rankwise .beside th[scope=row] { white-space: normal; }
@media (max-width: 600px) { .rankwise td svg, .rankwise .scale { width: 110px; }
  .rankwise th[scope=row] { white-space: normal; min-width: 7rem; } }
figure { margin: 1.2rem 0 2rem; } .beside figure { margin: 0; }
figure img { max-width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
pre { background: var(--band); border-radius: .5rem; padding: .9rem; overflow-x: auto;
  font-size: .82rem; } .failure { color: var(--bad); }
code { font-size: .9em; } li code { white-space: nowrap; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--accent); }
@media print { body { max-width: none; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
"""
# A word of more letters may break.
_LONG = 16
# Letters that no text holds to be read: they steer a terminal, or turn the letters around.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


class Html(str):
    """Text that is HTML already; `text` leaves it as it is.

    Examples
    --------
    >>> text(Html("<b>tea</b>")), text("<b>tea</b>")
    ('<b>tea</b>', '&lt;b&gt;tea&lt;/b&gt;')
    """


def text(value: Any) -> str:
    r"""Return a value as HTML that shows it letter by letter, whatever it holds.

    Letters that steer a terminal or turn the reading direction are spelled out.

    Examples
    --------
    >>> text('tea & "milk"'), text("red \x1b[31m"), text("\u202eaet")
    ('tea &amp; &quot;milk&quot;', 'red \\x1b[31m', '\\u202eaet')
    """
    if isinstance(value, Html):
        return value
    return escape(_UNSEEN.sub(lambda found: ascii(found[0])[1:-1], str(value)))


def tag(name: str, content: Any, **attributes: str) -> Html:
    """Return an element; `class_` is its class, and content is made safe.

    Examples
    --------
    >>> tag("p", "1 < 2", class_="soft")
    '<p class="soft">1 &lt; 2</p>'
    """
    about = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    return Html(f"<{name}{about}>{text(content)}</{name}>")


def join(parts: Iterable[Any], between: str = "\n") -> Html:
    """Put parts side by side; those that are empty are left out.

    Examples
    --------
    >>> join([tag("b", "tea"), "", "<"], " ")
    '<b>tea</b> &lt;'
    """
    return Html(between.join(text(part) for part in parts if part))


def table(
    columns: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    prose: Iterable[int] = (),
    named: bool = True,
) -> Html:
    """Return a table; it scrolls sideways where there is no room.

    Parameters
    ----------
    columns : sequence
        Heads; there is no head where all are empty.
    rows : iterable of sequences
        Cells: texts stand left, numbers and texts in columns of numbers right; None = nothing known.
    prose : iterable of int
        Columns whose texts may take several lines.
    named : bool
        Whether the first cell of a row is its name, which stays in sight.

    Examples
    --------
    >>> table(["label", "rows"], [["tea", 3]])
    '<div class="wide"><table><thead><tr><th class="text">label</th><th>rows</th></tr></thead>...'
    """
    lines = [list(row) for row in rows]
    sides = [_kind([line[j] for line in lines]) for j in range(len(columns))]
    for j in prose:
        sides[j] = "prose"
    if named and sides:
        sides[0] = "text"
    cells = "".join(_cell("th", name, sides[j], {}) for j, name in enumerate(columns))
    head = f"<tr>{cells}</tr>" if any(columns) else ""
    body = []
    for line in lines:
        cells = "".join(
            _cell("th", _breakable(cell), "", {"scope": "row"})
            if named and j == 0
            else _cell("td", cell, sides[j], {})
            for j, cell in enumerate(line)
        )
        body.append(f"<tr>{cells}</tr>")
    return wide_table(head, body)


def _breakable(name: Any) -> Any:
    """Let the long words of a name break behind signs, where a page is narrow; others at spaces.

    Examples
    --------
    >>> _breakable("MW (g/mol) = 204"), _breakable("Tree(min_samples_leaf=5)")
    ('MW (g/mol) = 204', 'Tree(<wbr>min_<wbr>samples_<wbr>leaf=<wbr>5)')
    """
    if not isinstance(name, str) or isinstance(name, Html | Number):
        return name
    words = (
        join(re.split(r"(?<=[(=,/_-])(?=\w|')", word), "<wbr>") if len(word) > _LONG else word
        for word in name.split(" ")
    )
    return Html(" ".join(map(text, words)))


def wide_table(head: str, body: Iterable[str]) -> Html:
    """Return a table of rows that are HTML already; it scrolls sideways where there is no room."""
    rows = "\n".join(body)
    return Html(
        f'<div class="wide"><table><thead>{head}</thead>\n<tbody>\n{rows}\n</tbody></table></div>'
    )


def _kind(cells: Sequence[Any]) -> str:
    known = [cell for cell in cells if cell is not None and cell != ""]
    if any(isinstance(cell, Html) for cell in known):
        return "picture"
    return "" if known and all(isinstance(cell, Real | Number) for cell in known) else "text"


class Number(str):
    """A number as it is to be read: it stands right in a table, and bold where it is the best."""

    is_best: bool

    def __new__(cls, shown: str, is_best: bool = False) -> Number:
        number = super().__new__(cls, shown)
        number.is_best = is_best
        return number


def _cell(name: str, cell: Any, kind: str, more: Mapping[str, str]) -> str:
    if cell is None:
        cell, kind = "—", f"{kind} missing".strip()
    if isinstance(cell, Number) and cell.is_best:
        kind = f"{kind} best".strip()
    elif isinstance(cell, int) and not isinstance(cell, bool):
        cell = f"{cell:,}"
    elif isinstance(cell, float):
        cell = f"{cell:.4g}"
    about = {"class_": kind, **more} if kind else dict(more)
    return tag(name, cell, **about)


def facts(pairs: Iterable[tuple[Any, Any]]) -> Html:
    """Return large figures, each with a few words below it."""
    items = (f"<li><b>{text(big)}</b>{text(small)}</li>" for big, small in pairs)
    return Html(f'<ul class="facts">{"".join(items)}</ul>')


def section(anchor: str, title: str, content: Any) -> Html:
    """Return a part of a page that links lead to."""
    return Html(f'<section id="{text(anchor)}"><h2>{text(title)}</h2>\n{text(content)}\n</section>')


def beside(*parts: Any) -> Html:
    """Put parts side by side where there is room, else below each other."""
    return tag("div", join(tag("div", part) for part in parts if part), class_="beside")


def links(anchors: Iterable[tuple[str, str]]) -> Html:
    """Return links within a page, from pairs of anchor and text."""
    found = (f'<a href="#{text(anchor)}">{text(name)}</a>' for anchor, name in anchors)
    return Html(f"<nav>{' '.join(found)}</nav>")


def page(title: str, content: Any) -> str:
    """Return a whole page: one file that needs no network.

    Examples
    --------
    >>> page("Drinks", tag("p", "tea")).startswith("<!doctype html>")
    True
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{_PARTS}{_PAGE}</style></head>\n"
        f'<body class="rankwise">\n{text(content)}\n</body></html>\n'
    )


def notebook(*parts: Any) -> str:
    """Return what a notebook shows: it takes the colours of the text around it, light or dark.

    Examples
    --------
    >>> notebook(tag("b", "tea")).endswith("<b>tea</b></div>")
    True
    """
    return f'<div class="rankwise"><style>{_PARTS}{_NOTEBOOK}</style>{join(parts)}</div>'
