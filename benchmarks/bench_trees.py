"""Trees and forests against scikit-learn, CatBoost, LightGBM and EconML; growth, memory, a profile.

Run ``python benchmarks/bench_trees.py --only NAME`` for one part, ``--quick`` for a small run, and
``--cpu`` on a busy machine: it counts the seconds of CPU that this process used.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

from _peers import single_thread

single_thread()

import _tree_limits as limits  # noqa: E402  (threads are set first)
import _tree_peers as peers  # noqa: E402
import numpy as np  # noqa: E402
from _tree_profile import profile  # noqa: E402
from _tree_table import TreeBench  # noqa: E402

from rankwise.datasets import load  # noqa: E402
from rankwise.forest import ForestRanker  # noqa: E402
from rankwise.oracles import TruncatedGaussian, make_family  # noqa: E402
from rankwise.tree import TreeRanker  # noqa: E402

N_ROWS, N_NEW_ROWS, N_LABELS, N_TREES = 9_000, 1_000, 5, 50
NOISE = TruncatedGaussian(0.05)
SCIKIT_LEARN = "LabelwiseRanker(RandomForestRegressor)"

Rows = tuple[np.ndarray, np.ndarray]


def family(name: str, quick: bool) -> tuple[np.ndarray, np.ndarray, Rows]:
    """Noisy rows to learn from, and new rows with their clean rankings."""
    n = N_ROWS // 5 if quick else N_ROWS
    X, Y, Y_clean = make_family(name, NOISE, n_samples=n + N_NEW_ROWS, random_state=0)
    return X[:n], Y[:n], (X[n:], Y_clean[n:])


def our_forest(X: np.ndarray, Y: np.ndarray, **options: Any) -> Callable[[int, int], ForestRanker]:
    return lambda trees, seed: ForestRanker(trees, random_state=seed, n_jobs=1, **options).fit(X, Y)


def sfn(bench: TreeBench, quick: bool) -> None:
    X, Y, test = family("SFN", quick)
    bench.duel(
        "forest, SFN", our_forest(X, Y), SCIKIT_LEARN, peers.scikit_learn(X, Y), test,
        trees=N_TREES, peer_trees=5 if quick else N_TREES, repeat=2, goal=60,
    )  # fmt: skip


def lfn(bench: TreeBench, quick: bool) -> None:
    X, Y, test = family("LFN", quick)
    bench.duel(
        "forest, LFN", our_forest(X, Y), SCIKIT_LEARN, peers.scikit_learn(X, Y), test,
        trees=N_TREES, peer_trees=1 if quick else 3, repeat=2, goal=120,
    )  # fmt: skip


def files(bench: TreeBench, quick: bool) -> None:
    """Four of the paper's benchmarks; a tenth of the rows is held out."""
    if "RANKWISE_DATA" not in os.environ:
        bench.report("files", "left out: set RANKWISE_DATA to the folder of the benchmark files")
        return
    ratios = []
    for name, peer_trees in (("fried", 5), ("pendigits", 5), ("elevators", 5), ("segment", 20)):
        X, Y = (np.asarray(part) for part in load(name))
        held_out = np.random.default_rng(0).permutation(len(X)) < len(X) // 10
        train, train_Y = X[~held_out], Y[~held_out]
        bench.duel(
            f"forest, {name}", our_forest(train, train_Y), SCIKIT_LEARN,
            peers.scikit_learn(train, train_Y), (X[held_out], Y[held_out]),
            trees=5 if quick else N_TREES, peer_trees=1 if quick else peer_trees, repeat=2, goal=8,
        )  # fmt: skip
        ratios.append(bench.rows[-1].ratio)
    mean = float(np.exp(np.mean(np.log(ratios))))
    bench.record("forest, geometric mean of the four", 1, SCIKIT_LEARN, mean, goal=12, unit="times")


def level(bench: TreeBench, quick: bool) -> None:
    """Tau is that of the rows learnt from: the two treat new rows in empty cells differently."""
    X, Y, _ = family("LFN", quick)
    # twelve levels take CatBoost twenty seconds whatever the number of rows
    for levels, goal, repeat in ((6, 10, 3), (12, 100, 1))[: 1 if quick else 2]:
        bench.duel(
            f"Level-Splits, {levels} levels, one tree for 5 labels, LFN",
            our_level_tree(X, Y, levels, "joint"),
            "CatBoost, 1 iteration",
            peers.catboost(X, Y, depth=levels),
            (X, Y),
            trees=1,
            repeat=repeat,
            goal=goal,
            note="tau on the rows learnt from",
        )
        labelwise = our_level_tree(X, Y, levels, "labelwise")
        seconds = bench.best(lambda fit=labelwise: fit(1, 0))  # type: ignore[misc]
        bench.record(
            f"Level-Splits, {levels} levels, a tree for each label, LFN",
            seconds,
            "CatBoost, 1 iteration",
            bench.rows[-1].peer_figure,
            goal=goal,
        )


def our_level_tree(
    X: np.ndarray, Y: np.ndarray, levels: int, decomposition: str
) -> Callable[[int, int], TreeRanker]:
    model = TreeRanker("level", max_splits=levels, decomposition=decomposition)
    return lambda _trees, _seed: model.fit(X, Y)


def per_tree(bench: TreeBench, quick: bool) -> None:
    """LightGBM draws without replacement, so ours does too: as many rows as a bootstrap finds."""
    for name, trees in (("SFN", 10), ("LFN", 5 if quick else 3)):
        X, Y, test = family(name, quick)
        bench.duel(
            f"fully grown, one tree of one label, {name}",
            our_forest(X, Y, bootstrap=False, max_samples=0.632), "LightGBM, rf mode",
            peers.lightgbm(X, Y, 0.632), test, trees=N_TREES, peer_trees=trees,
            share=1 / (N_TREES * N_LABELS), goal=40,
        )  # fmt: skip


def honest(bench: TreeBench, quick: bool) -> None:
    X, Y, test = family("SFN", quick)
    trees = 5 if quick else 20
    options = {"honest": True, "bootstrap": False, "max_samples": 0.45, "decomposition": "joint"}
    bench.duel(
        "honest joint forest, one tree, SFN", our_forest(X, Y, **options),
        "EconML RegressionForest", peers.econml(X, Y, 0.45), test, trees=trees, share=1 / trees,
        goal=10,
    )  # fmt: skip


def prediction(bench: TreeBench, quick: bool) -> None:
    """Scikit-learn's forests have fewer trees, since growing them takes long."""
    X, Y, test = family("SFN", quick)
    trees, n = (5, 10_000) if quick else (10, 100_000)
    new = make_family("SFN", n_samples=n, random_state=7)[0]
    new_floats = new.astype(np.float32)
    ours, few = (our_forest(X, Y)(size, 0) for size in (N_TREES, trees))
    theirs = peers.scikit_learn(X, Y)(trees, 0)
    bench.record(
        f"predict, {n:,} rows, {N_TREES} trees, SFN", bench.best(lambda: ours.predict(new), 3),
        SCIKIT_LEARN, bench.best(lambda: theirs.predict(new_floats), 2) * N_TREES / trees, goal=10,
        tau=few.score(*test), peer_tau=theirs.score(*test),
        note=f"peer: {trees} of {N_TREES} trees, scaled",
    )  # fmt: skip


PARTS: dict[str, Callable[[TreeBench, bool], None]] = {
    "sfn": sfn,
    "lfn": lfn,
    "files": files,
    "level": level,
    "tree": per_tree,
    "honest": honest,
    "predict": prediction,
    "growth": limits.growth,
    "memory": limits.memory,
    "start": limits.start_up,
    "profile": profile,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part (repeatable)")
    parser.add_argument("--quick", action="store_true", help="small sizes, for a look")
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds of this process")
    asked = parser.parse_args()
    clock = "CPU seconds" if asked.cpu else "wall clock"
    title = f"trees and forests, one thread, {clock}" + (", QUICK: sizes cut" * asked.quick)
    bench = TreeBench(title, clock=time.process_time if asked.cpu else time.perf_counter)
    for name in asked.only or PARTS:
        PARTS[name](bench, asked.quick)
    bench.show()


if __name__ == "__main__":
    main()
