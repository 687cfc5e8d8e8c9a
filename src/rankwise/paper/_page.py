"""The page: verdicts, tables, figures and the manifest in one HTML file that needs no network."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from rankwise._html import Html, facts, join, links, page, section, tag, text
from rankwise._progress import describe_seconds
from rankwise.paper._figures import Picture
from rankwise.paper._page_tables import paper_table_html, records_html, verdicts_html
from rankwise.paper._published import TOLERANCE_OF_LEARNERS
from rankwise.paper._reproduce import Reproduction

_TITLE = "Label Ranking through Nonparametric Regression, run again"
_READINGS = Html("""<p>The paper defines Kendall's tau on <b>ranks</b>: where each label stands. Its
programs took it on <b>orders</b>: which label stands at each place, compared as numbers. The two
differ, and only orders reproduce its own columns; the columns of other methods were always on
ranks. Both are shown. The files of the five real-world sets hold orders where ranks are
meant: <i>orders</i> uses them as published, <i>ranks</i> uses them corrected.</p>""")
_TABLE_NOTES = {
    "table-semi-synthetic": f"Shaded: more than {TOLERANCE_OF_LEARNERS} from the paper on its own reading. "
    "Bold: best on ranks.",
    "table-real": f"Shaded: more than {TOLERANCE_OF_LEARNERS} from the paper on its own reading. Orders: "
    "file as published; ranks: file corrected.",
    "table-comparison": "Like for like: RF and RFT on ranks beside the published figures of "
    "the others, which are on ranks. Bold: best of these.",
    "table-comparison-real": "RPC's published figures are on corrected data; so is the column of "
    "ranks.",
}
# Tables that are not of the paper's figures: records as they are.
PLAIN_TABLES = {
    "table-vc": "VC dimensions and sample complexity",
    "table-sparsity": "Sparsity of the benchmarks",
}


def build_page(
    result: Reproduction, manifest: Mapping[str, Any], pictures: Sequence[Picture] = ()
) -> str:
    """Build the page of a run.

    Parameters
    ----------
    result : Reproduction
        Tables, records, verdicts and failures.
    manifest : mapping
        As `make_manifest` gives it.
    pictures : sequence of Picture
        Figures; each is drawn for light and for dark.

    Returns
    -------
    str
        HTML; everything is inside.
    """
    sections = [
        _head(result, manifest, bool(pictures)),
        _failures(result.failures),
        section("verdicts", "Verdicts", _verdicts(result)),
        *(section(part, _part_title(result, part), _part(result, part)) for part in result.parts
          if part.startswith("table")),
        section("figures", "Figures", join(map(_figure, pictures))) if pictures else "",
        section("timing", "Where the time went", records_html(result.records["timing"])),
        section("manifest", "Manifest", _manifest(manifest)),
    ]  # fmt: skip
    return page(_TITLE, join(sections))


def _head(result: Reproduction, manifest: Mapping[str, Any], has_figures: bool) -> Html:
    good = sum(v.holds for v in result.verdicts)
    own = [t for name, t in result.tables.items() if "comparison" not in name]
    within, compared = map(sum, zip((0, 0), *(table.counts() for table in own), strict=True))
    figures = [
        *([(f"{within} of {compared}", "cells of the paper's two result tables within "
            f"{TOLERANCE_OF_LEARNERS}, tau on orders")] if compared else []),
        *([(f"{good} of {len(result.verdicts)}", "verdicts hold")] if result.verdicts else []),
        (describe_seconds(result.seconds), "this run; "
         f"{result.n_reused:,} of {result.n_units:,} units came from earlier ones"),
        (str(len(result.failures)), "failures"),
    ]  # fmt: skip
    anchors = [("verdicts", "Verdicts"), *((p, p) for p in result.parts if p.startswith("table")),
               *([("figures", "Figures")] if has_figures else []), ("timing", "Time"),
               ("manifest", "Manifest")]  # fmt: skip
    cut = manifest.get("cut") or []
    cuts = f"Cut against the full protocol: {'; '.join(cut)}." if cut else "Nothing was cut."
    parts = [tag("h1", _TITLE), links(anchors), facts(figures), _READINGS]
    return tag("header", join([*parts, tag("p", cuts, class_="soft")]))


def _failures(failures: Sequence[str]) -> Html:
    if not failures:
        return Html()
    items = join((tag("li", failure, class_="failure") for failure in failures), "")
    said = tag("p", "The other results are not touched by these.")
    return section("failures", "Failures", join([said, tag("ul", items)]))


def _verdicts(result: Reproduction) -> Html:
    if not result.verdicts:
        return tag("p", "The parts that were run bear on no claim.", class_="soft")
    return verdicts_html(result.verdicts, is_short=result.protocol.is_short)


def _part_title(result: Reproduction, part: str) -> str:
    return PLAIN_TABLES[part] if part in PLAIN_TABLES else result.tables[part].title


def _part(result: Reproduction, part: str) -> Html:
    if part in PLAIN_TABLES:
        return records_html(result.records[part])
    return join(
        [tag("p", _TABLE_NOTES[part], class_="soft"), paper_table_html(result.tables[part])]
    )


def _figure(picture: Picture) -> Html:
    light, dark = _data_uri(picture.svg), _data_uri(picture.dark_svg)
    caption = text(picture.caption)
    return Html(
        f'<figure id="{text(picture.name)}"><picture>'
        f'<source srcset="{dark}" media="(prefers-color-scheme: dark)">'
        f'<img src="{light}" alt="{caption}"></picture><figcaption>{caption}</figcaption></figure>'
    )


def _data_uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"


def _manifest(manifest: Mapping[str, Any]) -> Html:
    return tag("pre", json.dumps(manifest, indent=2, ensure_ascii=False))
