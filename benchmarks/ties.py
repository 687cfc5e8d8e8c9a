"""Rankings with ties: tau_x of forests and of the trees and neighbours of that literature, ten folds.

    make ties                                        # all of it: docs/results/ties.md
    make ties TIES_ARGS="--out FOLDER"               # a stopped run continues in this folder
    python benchmarks/ties.py --datasets iris,wine   # a look, on the screen alone

The folds of small sets are drawn `REPEATS` times: one draw of them often cannot tell two learners apart.
The peer is scikit-lr 0.3.0, which needs Python 3.13: `make ties` makes it an environment of its own where
such a Python is on the machine. Folds go to it and predictions come back by files; where it is not there
its columns are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from rankwise import ForestRanker
from rankwise.baselines import InstancePLR, PLRBagging, PLRForest, PLRTree
from rankwise.datasets import load
from rankwise.metrics import tau_x

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "docs" / "_ext")]

import ties_page as page  # noqa: E402  (it stands in docs/_ext)
from _ties_peer import CRITERIA, NEIGHBOURS, SEEDS, predict_all, times_of_trees  # noqa: E402

DATASETS = ("authorship", "glass", "iris", "pendigits", "segment", "vehicle", "vowel", "wine")
FOLDS = 10
SMALL, REPEATS = 1000, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", metavar="A,B,C", help="some of the sets; no page is written")
    parser.add_argument("--seed", type=int, default=7000, help="decides the folds")
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, help="how often the folds of small sets are drawn"
    )
    parser.add_argument("--peer", type=Path, help="the Python that has scikit-lr")
    parser.add_argument("--out", type=Path, help="a stopped run continues in this folder")
    asked = parser.parse_args()
    names = asked.datasets.split(",") if asked.datasets else DATASETS
    with tempfile.TemporaryDirectory() as passing:
        folder = asked.out or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        problems = {name: draw(name, asked.seed, asked.repeats) for name in names}
        write_problems(folder, problems)
        has_peer = ask_peer(asked.peer, folder)
        rows, times = [], []
        for name, (X, Y, folds) in problems.items():
            rows += judge_ours(name, folder, X, Y, folds)
            times += [[name, c, "ours", t] for c, t in our_times(name, folder, X, Y, folds).items()]
            if has_peer:
                rows += judge_peer(name, folder, Y, folds)
                theirs = json.loads((folder / f"{name}.their-times.json").read_text())
                times += [[name, c, "scikit-lr", t] for c, t in theirs.items()]
    found = pd.DataFrame(rows, columns=["dataset", "method", "repetition", "fold", "tau_x"])
    spent = pd.DataFrame(times, columns=["dataset", "criterion", "whose", "seconds"])
    print("\n\n".join("\n".join(block) for block in page.write_blocks(found, spent).values()))
    if not asked.datasets:
        page.PAGE.keep(HERE.parent / "docs", folds=found, times=spent)
        print("\nwritten to docs/results/ties.md")


def draw(name: str, seed: int, repeats: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features and rankings of a set, and the fold of each row, (repeats, n)."""
    data = load(f"partial/{name}")
    folds = np.empty((repeats if len(data) < SMALL else 1, len(data)), dtype=np.int64)
    for repetition in range(len(folds)):
        split = KFold(FOLDS, shuffle=True, random_state=seed + repetition).split(data.features)
        for number, (_, test) in enumerate(split):
            folds[repetition, test] = number
    return np.asarray(data.features, dtype=np.float64), np.asarray(data.ranks), folds


def write_problems(folder: Path, problems: dict[str, Any]) -> None:
    """Write what both are asked; stops where the folder has other folds of a set."""
    for name, (X, Y, folds) in problems.items():
        path = folder / f"{name}.problem.npz"
        if not path.exists():
            np.savez(path, X=X, Y=Y, folds=folds)
        with np.load(path) as kept:
            if not np.array_equal(kept["folds"], folds):
                raise SystemExit(
                    f"{folder} has other folds of {name}: use another folder for --out"
                )


def ask_peer(python: Path | None, folder: Path) -> bool:
    """Let scikit-lr predict what is left out; says whether it is there."""
    if python is None or not python.exists():
        print("no Python 3.13 with scikit-lr: its columns are left out", flush=True)
        return False
    subprocess.run([str(python), str(HERE / "_ties_peer.py"), str(folder)], check=True)
    return True


def ours() -> dict[str, Callable[[], Any]]:
    """Our methods by the names that the tables have for them."""
    methods: dict[str, Callable[[], Any]] = {
        "tree": PLRTree,
        **{f"neighbours {n}": lambda n=n: InstancePLR(n) for n in NEIGHBOURS},
        "neighbours": InstancePLR,
        "forest of trees": lambda: PLRForest(random_state=0),
        "bagging of trees": lambda: PLRBagging(random_state=0),
        "ForestRanker": lambda: ForestRanker(random_state=0),
    }
    if "ties" in ForestRanker().get_params():
        methods["strict forest"] = lambda: ForestRanker(ties="never", random_state=0)
    return methods


def judge_ours(
    name: str, folder: Path, X: np.ndarray, Y: np.ndarray, folds: np.ndarray
) -> list[list[Any]]:
    """Tau_x of every fold by our methods; trees by each criterion as the peer's are judged."""
    trees = {
        f"tree {c}": [lambda c=c, s=s: PLRTree(criterion=c, random_state=s) for s in SEEDS]
        for c in CRITERIA
    }
    rows = []
    for method, makes in {**{m: [make] for m, make in ours().items()}, **trees}.items():
        kept = folder / f"{name}.ours.{method}.npy"
        if not kept.exists():
            found = [[predict_all(make, X, Y, fold) for make in makes] for fold in folds]
            np.save(kept, np.array(found))
            print(f"ours: {name}, {method}", flush=True)
        for repetition, (fold, predicted) in enumerate(zip(folds, np.load(kept), strict=True)):
            rows += by_fold(name, f"ours: {method}", repetition, Y, list(predicted), fold)
    return rows


def our_times(
    name: str, folder: Path, X: np.ndarray, Y: np.ndarray, folds: np.ndarray
) -> dict[str, float]:
    """Seconds of a tree by criterion."""
    kept = folder / f"{name}.our-times.json"
    if not kept.exists():
        kept.write_text(json.dumps(times_of_trees(lambda c: PLRTree(criterion=c), X, Y, folds[0])))
    times: dict[str, float] = json.loads(kept.read_text())
    return times


def judge_peer(name: str, folder: Path, Y: np.ndarray, folds: np.ndarray) -> list[list[Any]]:
    """The same by scikit-lr's; its trees by the mean over seeds."""
    rows = []
    with np.load(folder / f"{name}.found.npz") as found:
        for repetition, fold in enumerate(folds):
            for c in CRITERIA:
                trees = [found[f"tree {c} {seed} {repetition}"] for seed in SEEDS]
                rows += by_fold(name, f"scikit-lr: tree {c}", repetition, Y, trees, fold)
            for n in NEIGHBOURS:
                asked = [found[f"neighbours {n} {repetition}"]]
                rows += by_fold(name, f"scikit-lr: neighbours {n}", repetition, Y, asked, fold)
    return rows


def by_fold(
    name: str,
    method: str,
    repetition: int,
    Y: np.ndarray,
    found: list[np.ndarray],
    fold: np.ndarray,
) -> list[list[Any]]:
    """Rows of the table of folds: the mean tau_x of some predictions."""
    each = np.mean([tau_x(Y, predicted, average=False) for predicted in found], axis=0)
    return [
        [name, method, repetition, number, float(each[fold == number].mean())]
        for number in np.unique(fold)
    ]


if __name__ == "__main__":
    main()
