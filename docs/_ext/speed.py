"""The tables of speed in the pages: last runs of the benchmarks in ``benchmarks/history.jsonl``.

A run counts if it was a whole one, without options, as ``make bench`` and ``make bandwidth`` make it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from blocks import table

Line = dict[str, Any]
NOTHING = "No whole run is in `benchmarks/history.jsonl` yet."


def write(root: Path, target: Path) -> None:
    """Write ``speed.md``, ``bandwidth.md`` and ``sizes.md`` from the history of the benchmarks."""
    history = root / "benchmarks" / "history.jsonl"
    lines = [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()]
    target.mkdir(exist_ok=True)
    for name, scripts, shown in (
        ("speed", ("bench_metrics.py", "bench_consensus.py", "bench_trees.py"), ratios),
        ("bandwidth", ("bench_bandwidth.py",), bandwidths),
        ("sizes", ("bench_sizes.py",), sizes),
    ):
        run = [line for script in scripts for line in last_run(lines, script)]
        text = "\n".join([*shown(run), "", machine(run[-1])] if run else [NOTHING]) + "\n"
        path = target / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def last_run(lines: Iterable[Line], script: str) -> list[Line]:
    """The figures of a script's last run without options, and what only later runs of parts have."""
    own = [line for line in lines if line["script"] == script and "--quick" not in line["options"]]
    whole = max((line["when"] for line in own if not line["options"]), default=None)
    if whole is None:
        return []
    run = [line for line in own if line["when"] == whole]
    names = {line["bench"] for line in run}
    later = {line["bench"]: line for line in own if line["when"] > whole}
    return run + [line for bench, line in later.items() if bench not in names]


def machine(line: Line) -> str:
    """Where and when a figure was measured."""
    about, versions = line["machine"], line["versions"]
    return (
        f"{about['processor']}, {about['cores']} cores, load {about['load']} at the start; Python "
        f"{about['python']}, scikit-learn {versions['scikit-learn']}; commit {line['commit']}, "
        f"{line['when'][:10]}."
    )


def ratios(run: list[Line]) -> Iterator[str]:
    """Ratios against peers, and figures against limits."""
    rows = [line for line in run if "ratio" in line]
    yield from table(
        ["work", "ours", "peer", "peer's", "ratio", "at least", "tau", "peer's tau"],
        ([line["bench"], figure(line, "figure"), breakable(line["peer"]), figure(line, "peer_figure"),
          number(line["ratio"]), number(line["goal"]), tau(line, "tau"), tau(line, "peer_tau")]
         for line in rows),
        words=("peer",),
    )  # fmt: skip


def bandwidths(run: list[Line]) -> Iterator[str]:
    """What the machine can do, and how near each kind of data comes."""
    (can,) = (line for line in run if line["bench"] == "machine")
    yield (
        f"This machine reads {can['cache']:.0f} GB/s from a core's own cache and {can['memory']:.0f} "
        f"from memory (triad: {can['cache_triad']:.0f} and {can['memory_triad']:.0f}), adds "
        f"{can['counting']:.1f} billion words a second to histograms, and {can['lanes']:.0f} billion "
        "numbers of 16 bits to vectors."
    )
    yield ""
    yield from table(
        ["work", "trees of a ranking, ms", "data, MB", "reads, GB/s", "of the speed", "adds, billion/s",
         "of the speed", "nearest to"],
        ([case["bench"], f"{case['seconds'] * 1e3:.1f}", f"{case['megabytes']:.1f}",
          f"{case['gigabytes']:.2f}", f"{case['of_reading']:.0%}", f"{case['additions']:.2f}",
          f"{case['of_adding']:.0%}", case["nearest"]] for case in run if case is not can),
    )  # fmt: skip


def sizes(run: list[Line]) -> Iterator[str]:
    """What a fit takes by rows, features and labels."""
    yield from table(
        ["learner", "rows", "features", "labels", "missing", "fit, s", "1,000 new rows, s", "file, MB"],
        ([f"`{case['learner']}`", f"{case['rows']:,}", f"{case['features']}", f"{case['labels']}",
          f"{case['missing']:.0%}", seconds(case["fit"]), seconds(case["predict"]),
          f"{case['megabytes']:.1f}"] for case in run),
    )  # fmt: skip


def breakable(name: str) -> str:
    """A long name that may go on in the next line."""
    return name.replace("(", "(\u200b")


def seconds(amount: float) -> str:
    """A time with the digits that matter."""
    return f"{amount:.0f}" if amount >= 10 else f"{amount:.2g}"


def figure(line: Line, name: str) -> str:
    """A figure with its unit; an absent peer has none."""
    if line[name] is None:
        return ""
    return (
        f"{line[name]:,.0f} {line['unit']}"
        if line[name] >= 1000
        else f"{line[name]:.3g} {line['unit']}"
    )


def number(value: float | None) -> str:
    """A ratio with the digits that matter."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def tau(line: Line, name: str) -> str:
    """Kendall's tau, where it was measured."""
    return "" if line.get(name) is None else f"{line[name]:.3f}"
