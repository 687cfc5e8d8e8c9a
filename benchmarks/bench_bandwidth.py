"""How far growing is from the speed at which this machine reads and adds, for each kind of data.

``make bandwidth`` runs it and keeps its figures, which docs/fast.md shows. What a fit must do is
counted from its trees. Histograms count all rows at the root of a tree and then, of two children, the
smaller; for each row counted the codes of all features and one word of 64 bits per target are read (32
bits of a joint tree, whose targets share the weight), and for each feature and target one is added.
Both are divided by the seconds that more trees take, and
compared with loops that do nothing else: reading as many bytes as the data has, and adding.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from dataclasses import asdict, dataclass

from _peers import best_of, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
from _machine import (  # noqa: E402
    CACHE_BYTES,
    MEMORY_BYTES,
    count_rate,
    lane_rate,
    read_rate,
    triad_rate,
)
from _tree_problems import linear, with_gaps  # noqa: E402
from _tree_work import DISTINCT, rows_counted  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from rankwise.forest import ForestRanker  # noqa: E402
from rankwise.rankings import RankingWarning  # noqa: E402

WORD_BYTES = 8
# A share of a limit below which something else takes the time.
FAR = 0.2
# Two sizes of a forest: what they differ by is growing alone, without coding the data.
FEW, MANY = 2, 8

# Kind, rows, features, labels, decomposition, and the depth at which growing stops: where it is 6 all
# nodes are large.
CASES = (
    ("yes/no", 10_000, 100, 5, "labelwise", None),
    ("yes/no", 10_000, 1_000, 5, "labelwise", None),
    ("yes/no", 100_000, 100, 5, "labelwise", 6),
    ("yes/no", 10_000, 100, 5, "joint", None),
    ("continuous", 10_000, 20, 5, "labelwise", None),
    ("continuous", 100_000, 20, 5, "labelwise", None),
    ("continuous", 100_000, 20, 5, "labelwise", 6),
    ("continuous", 10_000, 20, 5, "joint", None),
    ("continuous", 100_000, 20, 5, "joint", None),
    ("continuous", 100_000, 20, 5, "joint", 6),
    ("continuous", 10_000, 20, 40, "joint", None),
    ("continuous", 10_000, 20, 10, "joint_pairwise", None),
)


@dataclass
class Machine:
    """Gigabytes read and billions of additions made in a second, by loops that do nothing else."""

    cache: float
    memory: float
    cache_triad: float
    memory_triad: float
    counting: float
    lanes: float


@dataclass
class Case:
    """What one fit must read and add in a second, and how much of the machine's speed that is."""

    bench: str
    seconds: float  # of one ranking's trees
    megabytes: float  # codes and words of all rows
    gigabytes: float  # that must be read, per second
    of_reading: float
    additions: float  # billions per second
    of_adding: float
    nearest: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, for a look")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore", RankingWarning)
    machine = measure_machine()
    cases = [measure(machine, *case, quick=quick) for case in CASES]
    show(machine, cases)
    print(json.dumps({"bench": "machine", **asdict(machine)}))
    for case in cases:
        print(json.dumps(asdict(case)))


def measure_machine() -> Machine:
    return Machine(
        cache=read_rate(CACHE_BYTES),
        memory=read_rate(MEMORY_BYTES),
        cache_triad=triad_rate(CACHE_BYTES),
        memory_triad=triad_rate(MEMORY_BYTES),
        counting=count_rate(),
        lanes=lane_rate(),
    )


def measure(
    machine: Machine, kind: str, n: int, d: int, k: int, decomposition: str, depth: int | None,
    *, quick: bool,
) -> Case:  # fmt: skip
    """Time a fit, count what it had to do, and compare with what the machine can do."""
    n = n // 10 if quick else n
    X, Y, _ = linear(kind, n, d, k)
    if decomposition == "joint_pairwise":
        Y = with_gaps(Y, 0.4)
    few, many = (
        ForestRanker(trees, decomposition=decomposition, max_depth=depth, random_state=0, n_jobs=1)
        for trees in (FEW, MANY)
    )
    more = best_of(lambda: many.fit(X, Y), repeat=3) - best_of(lambda: few.fit(X, Y), repeat=3)
    seconds = more / (MANY - FEW)
    targets = {"labelwise": 1, "joint": k, "joint_pairwise": k * (k - 1) // 2}[decomposition]
    code_bytes = d / 8 if kind == "yes/no" else d
    rows = rows_counted(many._trees, np.asarray(X, dtype=np.float64)) * DISTINCT / MANY
    word_bytes = WORD_BYTES // 2 if decomposition == "joint" else WORD_BYTES
    per_row = code_bytes + word_bytes * targets
    reading = rows * per_row / seconds / 1e9
    adding = rows * d * targets / seconds / 1e9
    n_bytes = int(n * per_row)
    of_reading = reading / read_rate(n_bytes)
    of_adding = adding / (machine.lanes if kind == "yes/no" else machine.counting)
    # a core's own cache, or beyond
    place = "memory" if n_bytes > 8 * CACHE_BYTES else "cache"
    return Case(
        bench=f"{decomposition}, {n:,} x {d} {kind}, {k} labels"
        + (f", depth {depth}" if depth else ""),
        seconds=seconds,
        megabytes=n_bytes / 1e6,
        gigabytes=reading,
        of_reading=of_reading,
        additions=adding,
        of_adding=of_adding,
        nearest=nearest(of_reading, of_adding, place),
    )


def nearest(of_reading: float, of_adding: float, place: str) -> str:
    """Which limit a fit comes nearest to."""
    if max(of_reading, of_adding) < FAR:
        return "none of them"
    return place if of_reading > of_adding else "arithmetic"


def show(machine: Machine, cases: list[Case]) -> None:
    console = Console(stderr=True, width=None if sys.stderr.isatty() else 160)
    console.print(
        f"reading {machine.cache:.0f} GB/s in cache, {machine.memory:.0f} from memory; triad "
        f"{machine.cache_triad:.0f} and {machine.memory_triad:.0f}; adding to histograms "
        f"{machine.counting:.1f} billion/s, in lanes of 16 bits {machine.lanes:.0f}",
        highlight=False,
    )
    table = Table(title="what growing must read and add, against loops that do nothing else")
    for column in ("work", "trees of a ranking", "data", "must read", "of reading", "must add", "of adding",
                   "nearest to"):  # fmt: skip
        table.add_column(column, justify="left" if column in ("work", "nearest to") else "right")
    for case in cases:
        table.add_row(
            case.bench, f"{case.seconds * 1e3:.1f} ms", f"{case.megabytes:.1f} MB",
            f"{case.gigabytes:.2f} GB/s", f"{case.of_reading:.0%}", f"{case.additions:.2f} G/s",
            f"{case.of_adding:.0%}", case.nearest,
        )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
