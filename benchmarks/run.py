"""Run benchmarks and add their figures to ``benchmarks/history.jsonl``, one line per figure.

    python benchmarks/run.py                     # all of them
    python benchmarks/run.py metrics consensus   # some
    python benchmarks/run.py trees -- --quick    # options for the scripts

A line has the figure as the script prints it and, beside it, what is needed to compare it with another:
script and options, time, commit, machine, versions, and how busy the machine was at the start.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HISTORY = HERE / "history.jsonl"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "rankwise")


def main(arguments: list[str]) -> int:
    """Run the scripts named, or all; return how many failed."""
    names, options = arguments, []
    if "--" in arguments:
        end = arguments.index("--")
        names, options = arguments[:end], arguments[end + 1 :]
    known = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 1
    return sum(not run(known[name], options, HISTORY) for name in names or known)


def run(script: Path, options: list[str], history: Path) -> bool:
    """Run one script, pass on what it prints, and keep its figures if it ended well."""
    print(f"== {script.name} {' '.join(options)}", file=sys.stderr)
    about = surroundings(script, options)
    done = subprocess.run(
        [sys.executable, str(script), *options], stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, end="")
    if done.returncode != 0:
        print(f"{script.name} failed; its figures are not kept", file=sys.stderr)
        return False
    with history.open("a", encoding="utf-8") as file:
        for figure in figures(done.stdout):
            file.write(json.dumps({**figure, **about}) + "\n")
    return True


def figures(printed: str) -> list[dict[str, Any]]:
    """Return the JSON lines among what a script printed."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def surroundings(script: Path, options: list[str]) -> dict[str, Any]:
    """Return what a figure depends on besides the code it measures."""
    return {
        "script": script.name,
        "options": options,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "python": platform.python_version(),
            "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        },
        "versions": {package: version(package) for package in PACKAGES},
    }


def commit() -> str:
    """Return the commit that is checked out, with a plus where the package was changed since."""
    said = subprocess.run(
        ["git", "describe", "--always", "--abbrev=12", "--dirty=+"],
        cwd=HERE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return said.stdout.strip() or "unknown"


def processor() -> str:
    """Return the processor's name where the system tells it, else its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
