"""The tables of ``results/safety.md``, from the runs of the fuzzer kept in ``results/fuzz``.

python docs/_ext/safety_page.py
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from blocks import rewritten, table

DOCS = Path(__file__).parent.parent
HOW = ("answers", "refusals", "failures")


def runs_of(folder: Path) -> list[dict[str, Any]]:
    """Return the runs by surface and seed."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*-*.json"))]
    return sorted(found, key=lambda run: (run["surface"], run["seed"]))


def counts(runs: list[dict[str, Any]]) -> Iterator[str]:
    """Cases by surface and seed, and how they went."""
    rows = []
    for run in runs:
        sums = [sum(kind.get(how, 0) for kind in run["kinds"].values()) for how in HOW]
        rows.append([run["surface"], str(run["seed"]), f"{run['cases']:,}", *(f"{n:,}" for n in sums),
                     f"{run['slowest_seconds']:.1f}", f"{run['minutes']:.0f}"])  # fmt: skip
    return table(["surface", "seed", "cases", *HOW, "slowest, s", "minutes"], rows)


def facts(runs: list[dict[str, Any]]) -> Iterator[str]:
    """How often each fact held, by learner; in brackets what need not hold and did not."""
    sums: dict[str, dict[str, list[int]]] = {}
    names: list[str] = []
    for run in runs:
        if run["surface"] != "properties":
            continue
        for kind, found in run["kinds"].items():
            fact, _, learner = kind.partition(": ")
            if not learner:
                continue
            names += [fact] if fact not in names else []
            cell = sums.setdefault(learner, {}).setdefault(fact, [0, 0, 0])
            for j, how in enumerate(HOW):
                cell[j] += found.get(how, 0)
    rows = [
        [name, *(_cell(cells.get(fact)) for fact in names)] for name, cells in sorted(sums.items())
    ]
    return table(["learner", *names], rows)


def _cell(found: list[int] | None) -> str:
    if found is None:
        return "—"
    held, need_not, failed = found
    shown = f"{held} of {held + need_not + failed}"
    return f"**{shown}**" if failed else f"({shown})" if need_not else shown


def main() -> None:
    """Write the blocks of the page anew."""
    runs, page = runs_of(DOCS / "results" / "fuzz"), DOCS / "results" / "safety.md"
    blocks: dict[str, Iterable[str]] = {"counts": counts(runs), "facts": facts(runs)}
    page.write_text(rewritten(page.read_text(), blocks))


if __name__ == "__main__":
    main()
