"""`datasets.read` against `pandas.read_csv`, and `rankwise predict` from file to file."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _peers import Bench, in_turn, single_thread

single_thread()

import numpy as np  # noqa: E402  (threads are set first)
import pandas as pd  # noqa: E402

import rankwise as rw  # noqa: E402
from rankwise.datasets import read  # noqa: E402
from rankwise.models import Column, Recipe, TableModel, save_model  # noqa: E402

N_ROWS, N_FEATURES, N_LABELS, N_NEW = 200_000, 20, 5, 50_000
# Times pandas' that reading may take, and seconds that predicting may take.
LIMIT, SECONDS = 4.0, 2.0


def main() -> None:
    bench = Bench("text tables, one thread")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES)).round(5)
    noisy = X[:, :N_LABELS] + rng.normal(size=(N_ROWS, N_LABELS))
    ranks = 1 + noisy.argsort(axis=1).argsort(axis=1)
    with tempfile.TemporaryDirectory() as folder:
        numbers, mixed = written(Path(folder), X, ranks, rng)
        for name, path in (("numbers", numbers), ("numbers, texts, gaps", mixed)):
            ours, theirs = in_turn(lambda p=path: read(p), lambda p=path: pd.read_csv(p), repeat=3)
            size = path.stat().st_size / 1e6
            note = f"{size:.0f} MB; at most {LIMIT:g} times pandas" if path == numbers else ""
            goal = 1 / LIMIT if path == numbers else None
            bench.add(f"read, {name}", ours, "pandas.read_csv", theirs, goal=goal, note=note)
        for name, ranker in (
            ("a forest of 100 trees", rw.ForestRanker(n_jobs=-1, random_state=0)),
            ("the default of rankwise fit", rw.AutoRanker(n_jobs=-1, random_state=0)),
        ):
            bench.add(
                f"predict {N_NEW:,} rows, {name}",
                predicting(Path(folder), numbers, X, ranks, ranker),
                "limit",
                SECONDS,
                goal=1,
                note="from start to end, as rankwise fit makes it of 1,000 rows; compiled before",
            )
    bench.show()


def written(
    folder: Path, X: np.ndarray, ranks: np.ndarray, rng: np.random.Generator
) -> tuple[Path, Path]:
    features = {f"A{j + 1}": column for j, column in enumerate(X.T)}
    numbers, mixed = folder / "numbers.csv", folder / "mixed.csv"
    labels = {f"L{j + 1}": column for j, column in enumerate(ranks.T)}
    pd.DataFrame(features | labels).to_csv(numbers, index=False)
    table = pd.DataFrame(features)
    table.loc[rng.random(len(X)) < 0.05, "A3"] = np.nan
    table["soil"] = rng.choice(["sand", "clay", "loam", "peat"], len(X))
    table["crop"] = rng.choice([f"crop {j}" for j in range(30)], len(X))
    table["ranking"] = rw.format_rankings(ranks)
    table.to_csv(mixed, index=False)
    return numbers, mixed


def predicting(folder: Path, numbers: Path, X: np.ndarray, ranks: np.ndarray, ranker: Any) -> float:
    names = [f"A{j + 1}" for j in range(N_FEATURES)]
    frame = pd.DataFrame(X[:1000], columns=names)
    ranker.fit(frame, ranks[:1000])
    labels = tuple(f"L{j + 1}" for j in range(N_LABELS))
    model = TableModel(ranker, Recipe(tuple(map(Column, names))), labels)
    save_model(model, folder / "m.rankwise")
    pd.read_csv(numbers, nrows=N_NEW)[names].to_csv(folder / "new.csv", index=False)
    command = [sys.executable, "-c", "from rankwise.cli import main; main()", "predict"]
    command.append(str(folder / "m.rankwise"))
    # Modules that are compiled anew each time would be what is measured.
    kept = {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = []
    for i in range(3):
        start = time.perf_counter()
        target = str(folder / f"out{i}.csv")
        words = [*command, str(folder / "new.csv"), "-o", target, "--force"]
        subprocess.run(words, check=True, env=kept)
        runs.append(time.perf_counter() - start)
    return min(runs)


if __name__ == "__main__":
    main()
