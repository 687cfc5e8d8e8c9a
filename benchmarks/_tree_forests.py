"""Parts of `bench_trees.py`: forests on complete rankings against scikit-learn's."""

from __future__ import annotations

import os
from typing import Any

import _tree_peers as peers
import numpy as np
from _tree_problems import Problem, family, file, linear, table, with_gaps
from _tree_table import Fit, TreeBench, TreeResult, compare_taus, row_taus
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestRegressor

from rankwise.forest import ForestRanker
from rankwise.oracles import make_family

N_ROWS, N_LABELS, N_TREES = 9_000, 5, 50
LABELWISE = "LabelwiseRanker(RandomForestRegressor)"
JOINT = "RandomForestRegressor, all labels"
# Ten times the rows may take so many times as long.
GROWTH_OF_TEN = 13


def our_forest(
    X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None = None, **options: Any
) -> Fit:
    """Our forest as a function of trees and a seed, on one core."""

    def fit(trees: int, seed: int) -> ForestRanker:
        return ForestRanker(trees, random_state=seed, n_jobs=1, **options).fit(X, Y, weights)

    return fit


def rows(quick: bool, n: int = N_ROWS) -> int:
    """A fifth of the rows for a look."""
    return n // 5 if quick else n


def sfn(bench: TreeBench, quick: bool) -> None:
    X, Y, test = family("SFN", rows(quick))
    bench.duel(
        "forest, SFN", our_forest(X, Y), LABELWISE, peers.labelwise(X, Y), test,
        trees=N_TREES, peer_trees=5 if quick else 25, repeat=2, goal=90,
    )  # fmt: skip


def lfn(bench: TreeBench, quick: bool) -> None:
    X, Y, test = family("LFN", rows(quick))
    bench.duel(
        "forest, LFN", our_forest(X, Y), LABELWISE, peers.labelwise(X, Y), test,
        trees=N_TREES, peer_trees=1 if quick else 3, repeat=2, goal=120,
    )  # fmt: skip


def yes_no(bench: TreeBench, quick: bool) -> None:
    """Much noise: nodes stay mixed to the last row."""
    n = rows(quick, 10_000)
    both(bench, f"{n:,} x 100 yes/no", linear("yes/no", n, 100, N_LABELS), 10, (70, 30))


def continuous(bench: TreeBench, quick: bool) -> None:
    """Two sizes, ten times apart: time must grow hardly faster than rows."""
    seconds = []
    for n, peer_trees, goals in ((10_000, 5, (20, 5)), (100_000, 1, (20, 10))):
        n = rows(quick, n)
        problem = linear("continuous", n, 20, N_LABELS)
        labelwise, _ = both(bench, f"{n:,} x 20 continuous", problem, peer_trees, goals)
        seconds.append(labelwise.figure)
    once, ten = seconds
    bench.limit(
        "labelwise, continuous, ten times the rows", ten / once, GROWTH_OF_TEN, unit="times",
        note=f"{once:.3f} s to {ten:.3f} s",
    )  # fmt: skip


def texts(bench: TreeBench, quick: bool) -> None:
    """A table with texts: most columns are 0 in most rows, and soon in all rows of a node."""
    n = rows(quick, 10_000)
    both(bench, f"{n:,} x 5 numbers and 2 texts of 100 words", table(n, N_LABELS), 2, (6, 2))


def files(bench: TreeBench, quick: bool) -> None:
    """Five of the paper's benchmarks."""
    if "RANKWISE_DATA" not in os.environ:
        bench.report("files", "left out: set RANKWISE_DATA to the folder of the benchmark files")
        return
    names = ("fried", "pendigits", "elevators", "calhousing", "segment")
    found = []
    for name in names:
        problem = file(name)
        found.append(both(bench, name, problem, 1 if quick else 10, (8, 5)))
    for which, goal in ((0, 12), (1, 5)):
        mean = float(np.exp(np.mean([np.log(pair[which].ratio) for pair in found])))
        kind = ("labelwise", "joint")[which]
        bench.record(
            f"{kind}, geometric mean of the five", 1, (LABELWISE, JOINT)[which], mean, goal=goal,
            unit="times",
        )  # fmt: skip


def both(
    bench: TreeBench, work: str, problem: Problem, peer_trees: int, goals: tuple[float, float]
) -> tuple[TreeResult, TreeResult]:
    """A tree per label, one tree for all labels, each with its peer; and one against the other."""
    X, Y, test = problem
    found = []
    for name, peer, theirs, goal in (
        ("labelwise", LABELWISE, peers.labelwise(X, Y), goals[0]),
        ("joint", JOINT, peers.joint(X, Y), goals[1]),
    ):
        ours = our_forest(X, Y, decomposition=name)
        result = bench.duel(
            f"{name}, {work}", ours, peer, theirs, test, trees=10,
            peer_trees=min(10, peer_trees), repeat=2, goal=goal,
        )  # fmt: skip
        found.append(result)
    labelwise, joint = found
    bench.record(
        f"joint against labelwise, {work}", joint.figure, "ours, labelwise", labelwise.figure, goal=1,
        note=f"tau {joint.tau:.3f}, of labelwise {labelwise.tau:.3f}",
    )  # fmt: skip
    return labelwise, joint


def random_cuts(bench: TreeBench, quick: bool) -> None:
    """Cuts drawn at random, the best feature of them taken: `splitter="random"`."""
    options = {"splitter": "random", "bootstrap": False}
    n = rows(quick, 10_000)
    X, Y, test = linear("continuous", n, 20, N_LABELS)
    work = f"{n:,} x 20 continuous"
    for name, peer, theirs in (
        ("labelwise", "LabelwiseRanker(ExtraTreesRegressor)",
         peers.labelwise(X, Y, ExtraTreesRegressor)),
        ("joint", "ExtraTreesRegressor, all labels", peers.joint(X, Y, ExtraTreesRegressor)),
    ):  # fmt: skip
        ours = our_forest(X, Y, decomposition=name, **options)
        bench.duel(
            f"random cuts, {name}, {work}", ours, peer, theirs, test, trees=10, repeat=2, goal=8
        )
    Y = with_gaps(Y, 0.4)
    bench.duel(
        f"random cuts, a tree per pair, {work}, 40 % of labels missing",
        our_forest(X, Y, decomposition="pairwise", aggregation="borda", **options),
        "PairwiseRanker(ExtraTreesClassifier)", peers.per_pair(X, Y, ExtraTreesClassifier), test,
        trees=10, repeat=2, goal=8,
    )  # fmt: skip


def prediction(bench: TreeBench, quick: bool) -> None:
    """Scikit-learn's forests have fewer trees, since growing them takes long."""
    n, trees = rows(quick, 100_000), 5 if quick else 10
    for name, problem, new in (
        ("SFN", family("SFN", rows(quick)), make_family("SFN", n_samples=n, random_state=7)[0]),
        ("continuous", linear("continuous", rows(quick, 10_000), 20, N_LABELS),
         np.random.default_rng(7).random((n, 20), dtype=np.float32)),
    ):  # fmt: skip
        X, Y, test = problem
        ours, few = (our_forest(X, Y)(size, 0) for size in (N_TREES, trees))
        theirs = peers.labelwise(X, Y, RandomForestRegressor)(trees, 0)
        # the peer's favourite form, before the clock runs
        new_floats = new.astype(np.float32)
        tau, peer_tau, error = compare_taus([row_taus(few, test)], [row_taus(theirs, test)])
        bench.record(
            f"predict, {n:,} rows, {N_TREES} trees, {name}",
            bench.best(lambda m=ours, x=new: m.predict(x), 3), LABELWISE,
            bench.best(lambda m=theirs, x=new_floats: m.predict(x), 2) * N_TREES / trees, goal=20,
            tau=tau, peer_tau=peer_tau, error=error,
            note=f"peer: {trees} of {N_TREES} trees, scaled",
        )  # fmt: skip
