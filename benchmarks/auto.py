"""The default learner beside all others, its choice inside the folds: tau, or tau_x where there are ties.

    make auto                                         # all of it: docs/results/auto.md; hours
    python benchmarks/auto.py --parts tied --datasets iris,wine   # the rest of the page stays as it is

It is `rankwise compare` on four kinds of data: the complete benchmarks in ten folds; thirteen of them with
labels deleted from the training rankings, in five folds of at most `MOST_ROWS` rows, small sets five
times; those with ties in ten; the sushi of the data folder in ten, five times. On complete rankings only
those are run that are not in the comparison of all methods, which has the same folds.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankwise._progress import Progress
from rankwise.datasets import Dataset, available, load, read
from rankwise.validation import compare

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "docs" / "_ext")]

import auto_page as page  # noqa: E402  (it stands in docs/_ext)
from incomplete import DATASETS as INCOMPLETE  # noqa: E402
from incomplete import MISSING, REPEATS, SMALL  # noqa: E402
from ties import DATASETS as TIED  # noqa: E402

MOST_ROWS = 1_600
SEED = 0
# Those of the registry that take such data; each stands for itself as `rankwise compare` makes it.
FORESTS = ("Forest", "RF", "ExtraTrees", "HonestForest", "Tree")
PAIRS = ("Pairwise", "PairwiseSquares", "Kernel", "RPC")
ANY = (page.AUTO, "Consensus", *FORESTS, *PAIRS, "KNNKemeny")
STRICT = (*ANY, "PairwiseForest", "LWD", "LRT", "LRRF", "InstanceMallows")
ADDED = (page.AUTO, "Forest", "ExtraTrees", "PairwiseSquares", "Kernel")
WITH_TIES = (*ANY, "PLRTree", "PLRForest", "PLRBagging", "InstancePLR")


@dataclass(frozen=True)
class Part:
    """Data of one kind, and who learns from it."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    options: dict[str, Any]


def parts() -> dict[str, Part]:
    """The kinds of data by name."""
    complete = sorted(available("complete"), key=lambda name: load(name).ranks.size)
    return {
        "complete": Part(tuple(complete), ADDED, {"folds": 10}),
        "incomplete": Part(INCOMPLETE, STRICT, {"folds": 5, "missing": MISSING}),
        "tied": Part(TIED, WITH_TIES, {"folds": 10}),
        "sushi": Part(("sushi_mini",), STRICT, {"folds": 10}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", metavar="A,B", default="complete,incomplete,tied,sushi")
    parser.add_argument(
        "--datasets", metavar="A,B", help="some of the sets; others keep their figures"
    )
    parser.add_argument("--methods", metavar="A,B", help="some of the learners; others keep theirs")
    parser.add_argument("--jobs", type=int, default=2, help="folds at a time, each in a process")
    parser.add_argument("--out", type=Path, help="a stopped run continues in this folder")
    asked = parser.parse_args()
    found = []
    for name in asked.parts.split(","):
        part = parts()[name]
        sets = [one for one in part.datasets if one in (asked.datasets or one).split(",")]
        methods = asked.methods.split(",") if asked.methods else part.methods
        if sets:
            out = None if asked.out is None else asked.out / name
            found += run(name, sets, methods, part.options, asked.jobs, out)
    folds = pd.concat(found, ignore_index=True).reindex(columns=page.KEPT)
    page.PAGE.keep(ROOT / "docs", folds=folds)
    print("written to docs/results/auto.md")


def run(
    part: str,
    names: list[str],
    methods: list[str] | tuple[str, ...],
    options: dict[str, Any],
    jobs: int,
    out: Path | None,
) -> list[pd.DataFrame]:
    """Every fold of one kind of data."""
    data = [draw(part, name) for name in names]
    found = []
    for repeats in (REPEATS, 1):
        own = [dataset for dataset in data if repeats_of(part, dataset) == repeats]
        if not own:
            continue
        with Progress(f"{part}: {len(own)} sets", patience=0, logs=True) as bar:
            result = compare(
                methods, own, seed=SEED, repeats=repeats, n_jobs=jobs, backend="loky", out=out,
                progress=bar.report, **options,
            )  # fmt: skip
        print("\n".join(result.failure_lines()), flush=True)
        found.append(result.to_frame().assign(part=part))
    return found


def repeats_of(part: str, data: str | Dataset) -> int:
    """How often a set is cut into folds."""
    is_small = part == "incomplete" and len(data) < SMALL
    return REPEATS if is_small or part == "sushi" else 1


def draw(part: str, name: str) -> str | Dataset:
    """The data of a set; of incomplete ones at most some rows."""
    if part == "tied":
        return f"partial/{name}"
    if part == "sushi":
        return read(Path(os.environ["RANKWISE_DATA"]) / "xarff" / f"{name}.xarff")
    if part == "complete":
        return name
    data = load(name)
    rows = np.sort(np.random.default_rng(SEED).permutation(len(data))[:MOST_ROWS])
    return Dataset(
        data.features[rows], data.ranks[rows], label_names=data.label_names, name=data.name
    )


if __name__ == "__main__":
    main()
