"""Forests on incomplete rankings: tau of each of our forms, and of scikit-learn's forests per pair.

    make incomplete                                       # all of it: docs/results/incomplete.md
    python benchmarks/incomplete.py --datasets iris,wine  # a look, on the screen alone

Labels are deleted at random from the training rankings, and from no test ranking. It is one
cross-validation, that of `rankwise compare`, in five folds: small sets five times, large ones on some of
their rows; the sets of `UNSEEN` five folds once. On `DATASETS` an earlier default was chosen, with other
seeds; nothing was on those of `UNSEEN`. The seed decides rows, folds and deletions; choose another than
those by which something was chosen.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from rankwise._progress import Progress
from rankwise.datasets import Dataset, load
from rankwise.validation import compare

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "docs" / "_ext")]

import incomplete_page as page  # noqa: E402  (it stands in docs/_ext)

DATASETS = ("iris", "wine", "glass", "housing", "stock", "vehicle", "bodyfat", "segment", "cpu",
            "calhousing", "elevators", "cold", "heat")  # fmt: skip
UNSEEN = page.UNSEEN
MISSING = (0.3, 0.6)
# By the name that the table has for it; what stands behind is a learner of `rankwise compare`.
METHODS = {
    "default": "Forest",
    "joint": "Forest(decomposition='joint_pairwise')",
    "per pair": "Forest(decomposition='pairwise')",
    "per pair, random cuts": "Forest(decomposition='pairwise', splitter='random', bootstrap=False)",
    "RF per pair": "_incomplete_peers:random_forest_per_pair",
    "ET per pair": "_incomplete_peers:extra_trees_per_pair",
}
FOLDS, MOST_ROWS = 5, 2_600
SMALL, REPEATS = 600, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", metavar="A,B,C", help="some of the sets; no page is written")
    parser.add_argument(
        "--seed", type=int, default=200, help="0 to 4, 10 to 14 and 100 have been looked at"
    )
    parser.add_argument("--jobs", type=int, default=2, help="folds at a time")
    parser.add_argument("--out", type=Path, help="a stopped run continues in this folder")
    asked = parser.parse_args()
    names = asked.datasets.split(",") if asked.datasets else (*DATASETS, *UNSEEN)
    data = [some_rows(load(name), asked.seed) for name in names]
    folds = run(data, asked.seed, asked.jobs, asked.out)
    print("\n\n".join("\n".join(block) for block in page.write_blocks(folds).values()))
    if not asked.datasets:
        page.PAGE.keep(ROOT / "docs", folds=folds.assign(seed=asked.seed))
        print("\nwritten to docs/results/incomplete.md")


def some_rows(data: Dataset, seed: int) -> Dataset:
    """At most `MOST_ROWS` rows, drawn by the seed."""
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(data))[:MOST_ROWS])
    return Dataset(
        data.features[rows], data.ranks[rows], label_names=data.label_names, name=data.name
    )


def run(data: list[Dataset], seed: int, jobs: int, out: Path | None) -> pd.DataFrame:
    """Tau of every fold, by data set, missing rate and method, in the order of the lists above."""
    found = []
    for repeats in (REPEATS, 1):
        own = [dataset for dataset in data if repeats_of(dataset) == repeats]
        if not own:
            continue
        with Progress(f"{len(own)} sets, {repeats} x {FOLDS} folds", patience=0, logs=True) as bar:
            result = compare(
                list(METHODS.values()), own, folds=FOLDS, repeats=repeats, missing=MISSING,
                seed=seed, n_jobs=jobs, out=out, progress=bar.report,
            )  # fmt: skip
        if result.failures:
            raise SystemExit("\n".join(result.failure_lines()))
        names = dict(zip(result.methods, METHODS, strict=True))
        found.append(result.to_frame().replace({"method": names}))
    folds = pd.concat(found, ignore_index=True)
    return folds[["dataset", "missing", "method", "repetition", "fold", "tau"]]


def repeats_of(data: Dataset) -> int:
    """How often a set is cut into folds."""
    return REPEATS if len(data) < SMALL and data.name not in UNSEEN else 1


if __name__ == "__main__":
    main()
