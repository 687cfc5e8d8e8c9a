"""Rankings with ties: tau_x of forests and of the trees and neighbours of that literature, ten folds.

    make ties                                        # all of it: docs/results/ties.md
    python benchmarks/ties.py --datasets iris,wine   # a look, on the screen alone

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", metavar="A,B,C", help="some of the sets; no page is written")
    parser.add_argument("--seed", type=int, default=0, help="decides the folds")
    parser.add_argument("--repeats", type=int, default=1, help="how often the folds are drawn")
    parser.add_argument("--peer", type=Path, help="the Python that has scikit-lr")
    asked = parser.parse_args()
    names = asked.datasets.split(",") if asked.datasets else DATASETS
    with tempfile.TemporaryDirectory() as folder:
        problems = {name: draw(name, asked.seed, asked.repeats) for name in names}
        has_peer = ask_peer(asked.peer, Path(folder), problems)
        rows, times = [], []
        for name, (X, Y, folds) in problems.items():
            rows += judge_ours(name, X, Y, folds)
            own = times_of_trees(lambda c: PLRTree(criterion=c), X, Y, folds[0])
            times += [[name, criterion, "ours", own[criterion]] for criterion in CRITERIA]
            if has_peer:
                rows += judge_peer(name, Path(folder), Y, folds)
            print(f"ours: {name}", flush=True)
        if has_peer:
            theirs = json.loads((Path(folder) / "times.json").read_text())
            times += [[n, c, "scikit-lr", theirs[n][c]] for n in names for c in CRITERIA]
    found = pd.DataFrame(rows, columns=["dataset", "method", "repetition", "fold", "tau_x"])
    spent = pd.DataFrame(times, columns=["dataset", "criterion", "whose", "seconds"])
    print("\n\n".join("\n".join(block) for block in page.write_blocks(found, spent).values()))
    if not asked.datasets:
        page.PAGE.keep(HERE.parent / "docs", folds=found, times=spent)
        print("\nwritten to docs/results/ties.md")


def draw(name: str, seed: int, repeats: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features and rankings of a set, and the fold of each row, (repeats, n)."""
    data = load(f"partial/{name}")
    folds = np.empty((repeats, len(data)), dtype=np.int64)
    for repetition in range(repeats):
        split = KFold(FOLDS, shuffle=True, random_state=seed + repetition).split(data.features)
        for number, (_, test) in enumerate(split):
            folds[repetition, test] = number
    return np.asarray(data.features, dtype=np.float64), np.asarray(data.ranks), folds


def ask_peer(python: Path | None, folder: Path, problems: dict[str, Any]) -> bool:
    """Let scikit-lr predict what is left out; says whether it is there."""
    if python is None or not python.exists():
        print("no Python 3.13 with scikit-lr: its columns are left out", flush=True)
        return False
    for name, (X, Y, folds) in problems.items():
        np.savez(folder / f"{name}.problem.npz", X=X, Y=Y, folds=folds)
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


def judge_ours(name: str, X: np.ndarray, Y: np.ndarray, folds: np.ndarray) -> list[list[Any]]:
    """Tau_x of every fold by our methods; trees by each criterion as the peer's are judged."""
    rows = []
    for method, make in ours().items():
        for repetition, fold in enumerate(folds):
            predicted = predict_all(make, X, Y, fold)
            rows += by_fold(name, f"ours: {method}", repetition, Y, [predicted], fold)
    for repetition, fold in enumerate(folds):
        for c in CRITERIA:
            trees = [
                predict_all(lambda c=c, s=s: PLRTree(criterion=c, random_state=s), X, Y, fold)
                for s in SEEDS
            ]
            rows += by_fold(name, f"ours: tree {c}", repetition, Y, trees, fold)
    return rows


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
