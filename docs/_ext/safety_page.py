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
    paths = [path for path in folder.glob("*-*.json") if not path.name.startswith("guided-")]
    found = [json.loads(path.read_text()) for path in paths]
    return sorted(found, key=lambda run: (run["surface"], run["seed"]))


def counts(runs: list[dict[str, Any]]) -> Iterator[str]:
    """Cases by surface and seed, and how they went."""
    rows = []
    for run in runs:
        sums = [sum(kind.get(how, 0) for kind in run["kinds"].values()) for how in HOW]
        rows.append([run["surface"], str(run["seed"]), f"{run['cases']:,}", *(f"{n:,}" for n in sums),
                     f"{run['slowest_seconds']:.1f}", f"{run['minutes']:.0f}"])  # fmt: skip
    return table(["surface", "seed", "cases", *HOW, "slowest, s", "minutes"], rows)


def kinds(runs: list[dict[str, Any]]) -> Iterator[str]:
    """How many cases of each kind were answers, over all seeds."""
    sums: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        for kind, found in run["kinds"].items():
            if run["surface"] != "properties" and kind != "?":
                cell = sums.setdefault((run["surface"], kind), [0, 0])
                cell[0] += found.get("answers", 0)
                cell[1] += sum(found.values())
    rows = []
    for surface in sorted({surface for surface, _ in sums}):
        own = {kind: cell for (of, kind), cell in sums.items() if of == surface}
        shown = ", ".join(
            f"{kind} {100 * a // n} % of {n:,}" for kind, (a, n) in sorted(own.items())
        )
        rows.append([surface, shown])
    return table(["surface", "answers, of cases"], rows, words=True)


def guided(folder: Path) -> Iterator[str]:
    """Cases and edges of each reader under atheris."""
    rows = []
    for path in sorted(folder.glob("guided-*.json")):
        run = json.loads(path.read_text())
        rows.append([run["kind"], f"{run['minutes']:.0f}", f"{run['cases']:,}", str(run["edges at first"]),
                     str(run["edges"]), str(run["failures"])])  # fmt: skip
    header = ["reader", "minutes", "cases", "edges after the first files", "edges at the end"]
    return table([*header, "failures"], rows) if rows else iter(["No run is kept yet."])


def kills(folder: Path) -> Iterator[str]:
    """What was left of each command, killed at many moments."""
    found = json.loads((folder / "faults.json").read_text())
    rows = []
    for key, counted in found.items():
        command, n = key.removeprefix("kill -9, "), found["moments"]
        if command != key:
            goes_on = command in ("compare", "reproduce")
            left = (
                ["—", "—"]
                if goes_on
                else [str(counted["old"] + counted["new"]), str(counted["none"])]
            )
            ended = f"{n - counted['not resumed']} of {n}" if goes_on else "—"
            rows.append([f"`{command}`", str(n), *left, str(counted["broken"]), str(counted["left behind"]),
                         ended])  # fmt: skip
    header = ["command", "kills", "whole file", "none yet", "broken", "files left behind"]
    return table([*header, "went on to the undisturbed results"], rows)


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
    folder, page = DOCS / "results" / "fuzz", DOCS / "results" / "safety.md"
    runs = runs_of(folder)
    blocks: dict[str, Iterable[str]] = {
        "counts": counts(runs),
        "kinds": kinds(runs),
        "guided": guided(folder),
        "facts": facts(runs),
        "kills": kills(folder),
    }
    page.write_text(rewritten(page.read_text(), blocks))


if __name__ == "__main__":
    main()
