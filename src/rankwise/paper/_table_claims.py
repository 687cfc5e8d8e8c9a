"""The claims of the paper's text about its tables, judged on both readings of tau."""

from __future__ import annotations

import numpy as np

from rankwise.paper._claims import Verdict
from rankwise.paper._published import TOLERANCE_OF_LEARNERS as TOLERANCE
from rankwise.paper._tables import Cell, PaperTable

_OURS = ("RF", "DT", "SDT", "RFT", "DTT")
_OLDER = ("LWD", "RPC", "LRT")
_RECENT = ("LRRF", "KNNKemeny", "BoostLR")


def judge_tables(tables: dict[str, PaperTable]) -> list[Verdict]:
    """Judge what the text says of its tables, as far as they are there."""
    verdicts: list[Verdict | None] = []
    own = [tables[name] for name in ("table-semi-synthetic", "table-real") if name in tables]
    if own:
        verdicts.append(_reproduced(own))
        for reading in ("orders", "ranks"):
            verdicts += [_forests_best(own, reading), _tuning(own, reading)]
            verdicts.append(_real_is_harder(tables, reading))
    if "table-comparison" in tables:
        for reading in ("orders", "ranks"):
            verdicts += [
                _against(tables["table-comparison"], reading, _OLDER, "competitive"),
                _against(tables["table-comparison"], reading, _RECENT, "behind"),
            ]
    return [verdict for verdict in verdicts if verdict is not None]


def _reproduced(tables: list[PaperTable]) -> Verdict | None:
    counts = np.array([table.counts() for table in tables]).sum(axis=0)
    if not counts[1]:
        return None
    off = [
        f"{dataset} {method} {cell.orders:.3f} for {cell.paper:.2f}"
        for table in tables
        for dataset, method, cell in table.cells()
        if cell.is_off
    ]
    return Verdict(
        "tables",
        "the figures of the two result tables come out again",
        "orders",
        bool(counts[0] >= 0.9 * counts[1]),
        f"at least 90 % of the cells within {TOLERANCE}",
        f"{counts[0]} of {counts[1]} cells" + (f"; not: {', '.join(off)}" if off else ""),
    )


def _forests_best(tables: list[PaperTable], reading: str) -> Verdict | None:
    best = []
    for table in tables:
        for row in table.rows.values():
            taus = {m: tau for m in _OURS if (tau := _tau(row[m], reading)) is not None}
            if len(taus) > 1 and "RF" in taus:
                best.append(max(taus, key=lambda m: taus[m]) in ("RF", "RFT"))
    if not best:
        return None
    return Verdict(
        "tables",
        "random forests are best overall",
        reading,
        bool(np.mean(best) > 0.5),
        "RF or RFT first on more than half of the data sets",
        f"first on {sum(best)} of {len(best)}",
    )


def _tuning(tables: list[PaperTable], reading: str) -> Verdict | None:
    gains = [
        tuned - plain
        for table in tables
        for row in table.rows.values()
        if (plain := _tau(row["RF"], reading)) is not None
        and (tuned := _tau(row["RFT"], reading)) is not None
    ]
    if not gains:
        return None
    close = sum(abs(gain) <= TOLERANCE for gain in gains)
    worse = sum(gain < 0 for gain in gains)
    return Verdict(
        "tables",
        "tuning does not always help; RF and RFT are comparable on most benchmarks",
        reading,
        close > len(gains) / 2 and worse > 0,
        f"within {TOLERANCE} of each other on more than half, and RFT below RF somewhere",
        f"within {TOLERANCE} on {close} of {len(gains)}, RFT below RF on {worse}",
    )


def _real_is_harder(tables: dict[str, PaperTable], reading: str) -> Verdict | None:
    means = []
    for name in ("table-semi-synthetic", "table-real"):
        rows = tables[name].rows.values() if name in tables else ()
        taus = [tau for row in rows if (tau := _tau(row["RF"], reading)) is not None]
        if not taus:
            return None
        means.append(float(np.mean(taus)))
    return Verdict(
        "tables",
        "forests do worse on the real-world benchmarks than on the others",
        reading,
        means[1] < means[0],
        "mean tau of RF lower on the real-world sets",
        f"{means[1]:.3f} against {means[0]:.3f}",
    )


def _against(
    table: PaperTable, reading: str, rivals: tuple[str, ...], claim: str
) -> Verdict | None:
    """Compare RF with published figures of others, which are on ranks in either case."""
    measured, shares = [], []
    for rival in rivals:
        gaps = [
            tau - row[rival].paper  # type: ignore[operator]
            for row in table.rows.values()
            if row[rival].paper is not None and (tau := _tau(row["RF"], reading)) is not None
        ]
        if gaps:
            near = sum(gap >= -TOLERANCE for gap in gaps)
            shares.append(near / len(gaps))
            measured.append(f"{rival} {near} of {len(gaps)} (mean {np.mean(gaps):+.3f})")
    if not shares:
        return None
    names = ", ".join(rivals)
    at = f"RF no more than {TOLERANCE} below on"
    is_competitive = claim == "competitive"
    return Verdict(
        "table-comparison",
        f"forests are competitive with {names}"
        if is_competitive
        else f"forests cannot compete with {names}",
        reading,
        min(shares) >= 0.5 if is_competitive else max(shares) < 0.5,
        f"{at} at least half of the data sets, for each"
        if is_competitive
        else f"{at} fewer than half of the data sets, for each",
        f"{at}: " + ", ".join(measured),
    )


def _tau(cell: Cell, reading: str) -> float | None:
    return cell.orders if reading == "orders" else cell.ranks
