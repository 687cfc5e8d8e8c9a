"""The claims of the paper's text about its tables, judged on both readings of tau."""

from __future__ import annotations

from functools import partial

import numpy as np

from rankwise.paper._claims import Claim, Measured, Verdict
from rankwise.paper._learners import PAPER, TUNED
from rankwise.paper._published import TOLERANCE_OF_LEARNERS as TOLERANCE
from rankwise.paper._published import TOLERANCE_OF_SPREAD
from rankwise.paper._tables import Cell, PaperTable

Tables = dict[str, PaperTable]

_OWN = ("table-semi-synthetic", "table-real")
_OLDER = ("LWD", "RPC", "LRT")
_RECENT = ("LRRF", "KNNKemeny", "BoostLR")
_ON_REAL = ("RPC", "BoostLR")


def judge_tables(tables: Tables) -> list[Verdict]:
    """Judge what the text says of its tables, as far as they are there."""
    return [
        *(v for claim in _REPRODUCED for v in claim.judge(tables, "orders")),
        *(v for on in ("orders", "ranks") for claim in _ON_OWN for v in claim.judge(tables, on)),
        *(v for on in ("orders", "ranks") for claim in _ON_OTHERS for v in claim.judge(tables, on)),
    ]


def _reproduced(tables: Tables, _: str) -> Measured:
    own = [tables[name] for name in _OWN if name in tables]
    near, compared = map(sum, zip((0, 0), *(table.counts() for table in own), strict=True))
    off = [
        f"{dataset} {method} {cell.orders:.3f} for {cell.paper:.2f}"
        for table in own
        for dataset, method, cell in table.cells()
        if cell.is_off
    ]
    if compared:
        more = f"; not: {', '.join(off)}" if off else ""
        yield f"{near} of {compared} cells{more}", near >= 0.9 * compared


def _spreads_reproduced(tables: Tables, _: str) -> Measured:
    cells = [c for name in _OWN if name in tables for c in tables[name].cells()]
    judged = [(d, m, cell) for d, m, cell in cells if cell.is_spread_off is not None]
    off = [
        f"{dataset} {method} {cell.orders_sd:.3f} for {cell.paper_sd:.2f}"
        for dataset, method, cell in judged
        if cell.is_spread_off
    ]
    if judged:
        near = len(judged) - len(off)
        more = f"; not: {', '.join(off)}" if off else ""
        yield f"{near} of {len(judged)} cells{more}", near >= 0.9 * len(judged)


def _robust(tables: Tables, reading: str) -> Measured:
    for learner in ("RF", "SDT"):
        gains = [
            tau - of_tree
            for row in _rows(tables, *_OWN)
            if (tau := _tau(row[learner], reading)) is not None
            and (of_tree := _tau(row["DT"], reading)) is not None
        ]
        if gains:
            above = sum(gain > 0 for gain in gains)
            text = f"{learner} on {above} of {len(gains)} (mean {np.mean(gains):+.3f})"
            yield text, above > 0.5 * len(gains)


def _forests_best(tables: Tables, reading: str) -> Measured:
    best = []
    for row in _rows(tables, *_OWN):
        taus = {m: tau for m in (*PAPER, *TUNED) if (tau := _tau(row[m], reading)) is not None}
        if len(taus) > 1 and "RF" in taus:
            best.append(max(taus, key=lambda m: taus[m]) in ("RF", "RFT"))
    if best:
        yield f"first on {sum(best)} of {len(best)}", sum(best) > 0.5 * len(best)


def _tuning(tables: Tables, reading: str) -> Measured:
    gains = [
        tuned - plain
        for row in _rows(tables, *_OWN)
        if (plain := _tau(row["RF"], reading)) is not None
        and (tuned := _tau(row["RFT"], reading)) is not None
    ]
    if gains:
        close, worse = sum(abs(gain) <= TOLERANCE for gain in gains), sum(g < 0 for g in gains)
        text = f"within {TOLERANCE} on {close} of {len(gains)}, RFT below RF on {worse}"
        yield text, close > len(gains) / 2 and worse > 0


def _real_is_harder(tables: Tables, reading: str) -> Measured:
    taus = [
        [tau for row in _rows(tables, name) if (tau := _tau(row["RF"], reading)) is not None]
        for name in _OWN
    ]
    if all(taus):
        other, real = map(np.mean, taus)
        yield f"{real:.3f} against {other:.3f}", real < other


def _against(
    tables: Tables,
    reading: str,
    rivals: tuple[str, ...],
    competes: bool,
    part: str = "table-comparison",
) -> Measured:
    """Compare RF with published figures of others, which are on ranks in either case."""
    start = f"{_NO_MORE_BELOW}: "
    for rival in rivals:
        gaps = [
            tau - row[rival].paper  # type: ignore[operator]
            for row in _rows(tables, part)
            if row[rival].paper is not None and (tau := _tau(row["RF"], reading)) is not None
        ]
        if gaps:
            near = sum(gap >= -TOLERANCE for gap in gaps)
            text = f"{start}{rival} {near} of {len(gaps)} (mean {np.mean(gaps):+.3f})"
            yield text, (near >= 0.5 * len(gaps)) == competes
            start = ""


def _rows(tables: Tables, *names: str) -> list[dict[str, Cell]]:
    return [row for name in names if name in tables for row in tables[name].rows.values()]


def _tau(cell: Cell, reading: str) -> float | None:
    return cell.orders if reading == "orders" else cell.ranks


_NO_MORE_BELOW = f"RF no more than {TOLERANCE} below on"
_REPRODUCED = (
    Claim("tables", "the figures of the two result tables come out again",
          f"at least 90 % of the cells within {TOLERANCE}", _reproduced),
    Claim("tables", "the standard deviations of the two result tables come out again",
          f"at least 90 % of the cells within {TOLERANCE_OF_SPREAD}", _spreads_reproduced),
)  # fmt: skip
_ON_OWN = (
    Claim("tables", "random forests are best overall",
          "RF or RFT first on more than half of the data sets", _forests_best),
    Claim("tables", "tuning does not always help; RF and RFT are comparable on most benchmarks",
          f"within {TOLERANCE} of each other on more than half, and RFT below RF somewhere", _tuning),
    Claim("tables", "forests do worse on the real-world benchmarks than on the others",
          "mean tau of RF lower on the real-world sets", _real_is_harder),
    Claim("tables", "forests and shallow trees are robust to noise in the standard benchmarks too",
          "each above DT, which fits noise, on more than half of the data sets", _robust),
)  # fmt: skip
_ON_OTHERS = (
    Claim("table-comparison", f"forests are competitive with {', '.join(_OLDER)}",
          f"{_NO_MORE_BELOW} at least half of the data sets, for each",
          partial(_against, rivals=_OLDER, competes=True)),
    Claim("table-comparison", f"forests cannot compete with {', '.join(_RECENT)}",
          f"{_NO_MORE_BELOW} fewer than half of the data sets, for each",
          partial(_against, rivals=_RECENT, competes=False)),
    Claim("table-comparison-real",
          f"on the real-world sets forests are behind {' and '.join(_ON_REAL)}",
          f"{_NO_MORE_BELOW} fewer than half of the data sets, for each",
          partial(_against, rivals=_ON_REAL, competes=False, part="table-comparison-real")),
)  # fmt: skip
