"""Trees and forests against scikit-learn, CatBoost, LightGBM and EconML; limits; a profile.

Run ``python benchmarks/bench_trees.py --only NAME`` for one part, ``--quick`` for a small run, and
``--cpu`` on a busy machine: it counts the seconds of CPU that this process used.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

from _peers import single_thread

single_thread()

import _tree_costs as costs  # noqa: E402  (threads are set first)
import _tree_forests as forests  # noqa: E402
import _tree_limits as limits  # noqa: E402
import _tree_peers as peers  # noqa: E402
import numpy as np  # noqa: E402
from _tree_forests import N_LABELS, N_TREES, our_forest, rows  # noqa: E402
from _tree_problems import family  # noqa: E402
from _tree_profile import profile  # noqa: E402
from _tree_table import TreeBench  # noqa: E402

from rankwise.rankings import RankingWarning  # noqa: E402
from rankwise.tree import TreeRanker  # noqa: E402


def level(bench: TreeBench, quick: bool) -> None:
    """Tau is that of the rows learnt from: the two treat new rows in empty cells differently."""
    X, Y, _ = family("LFN", rows(quick))
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
        X, Y, test = family(name, rows(quick))
        bench.duel(
            f"fully grown, one tree of one label, {name}",
            our_forest(X, Y, bootstrap=False, max_samples=0.632), "LightGBM, rf mode",
            peers.lightgbm(X, Y, 0.632), test, trees=N_TREES, peer_trees=trees,
            share=1 / (N_TREES * N_LABELS), goal=40,
        )  # fmt: skip


def honest(bench: TreeBench, quick: bool) -> None:
    """The peer cuts while both halves allow it, as `stop_when_pure` does; the paper goes on."""
    X, Y, test = family("SFN", rows(quick))
    trees = 5 if quick else 20
    options = {"honest": True, "bootstrap": False, "max_samples": 0.45, "decomposition": "joint"}
    for stop, rule, goal in ((True, "the peer's rule", 10), (False, "the paper's rule", None)):
        bench.duel(
            f"honest joint forest, one tree, SFN, {rule}",
            our_forest(X, Y, **options, stop_when_pure=stop), "EconML RegressionForest",
            peers.econml(X, Y, 0.45), test, trees=trees, share=1 / trees, goal=goal,
        )  # fmt: skip


PARTS: dict[str, Callable[[TreeBench, bool], None]] = {
    "sfn": forests.sfn,
    "lfn": forests.lfn,
    "yes-no": forests.yes_no,
    "continuous": forests.continuous,
    "texts": forests.texts,
    "files": forests.files,
    "random": forests.random_cuts,
    "incomplete": costs.incomplete,
    "gaps": costs.gaps_and_weights,
    "cores": costs.cores,
    "predict": forests.prediction,
    "level": level,
    "tree": per_tree,
    "honest": honest,
    "growth": limits.growth,
    "million": limits.million,
    "start": limits.start_up,
    "profile": profile,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part (repeatable)")
    parser.add_argument("--quick", action="store_true", help="small sizes, for a look")
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds of this process")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RankingWarning)  # labels are deleted on purpose
    clock = "CPU seconds" if asked.cpu else "wall clock"
    title = f"trees and forests, one thread, {clock}" + (", QUICK: sizes cut" * asked.quick)
    bench = TreeBench(title, clock=time.process_time if asked.cpu else time.perf_counter)
    for name in asked.only or PARTS:
        PARTS[name](bench, asked.quick)
    bench.show()


if __name__ == "__main__":
    main()
